"""Holds rows that `atelier survey` wrote to Hugging Face transformers with hooks, in float64.

`python rows.py SmolLM2-135M-Instruct.Q4_1.gguf runs/survey/rows/MODEL/rte.parquet 50`, with the packages of
requirements.txt and pyarrow. For each row it runs the prompt, takes what the embedding, every attention and every MLP
add to the last token's stream, scales it as the final norm does, and reads it by the options' rows of the unembedding.
It prints the largest differences of logits, votes and measures from the file's, and ends with 1 if one is above 1e-3."""

import pathlib
import sys

import numpy
import pyarrow.parquet
import torch
import transformers
from make import exact
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence

LIMIT = 1e-3


def load(file):
    tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    tokenizer.backend_tokenizer.pre_tokenizer = Sequence([Digits(True), ByteLevel(add_prefix_space=False)])
    model = transformers.AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    return tokenizer, exact(model.double().eval())


def parts(model, ids):
    """[M, D] what each member adds to the last token's stream, and the model's own last hidden state."""
    added = []
    last = lambda output: (output[0] if isinstance(output, tuple) else output)[0, -1]
    keep = lambda module, inputs, output: added.append(last(output))
    modules = [model.model.embed_tokens]
    for layer in model.model.layers:
        modules += [layer.self_attn, layer.mlp]
    hooks = [module.register_forward_hook(keep) for module in modules]
    hidden = model.model(torch.tensor([ids])).last_hidden_state[0, -1]
    for hook in hooks:
        hook.remove()
    return torch.stack(added), hidden


def softmax(logits):
    shares = numpy.exp(logits - logits.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def triple(points, target):
    """MSE, bias and diversity of [M, K] points."""
    mean = points.mean(0)
    return [
        ((mean - target) ** 2).mean(),
        ((points - target) ** 2).mean(),
        ((points - mean) ** 2).mean(),
    ]


def measures(votes, answer):
    target = numpy.eye(votes.shape[1])[answer]
    probability, logit = triple(softmax(votes), target), triple(votes, target)
    centred = triple(votes - votes.mean(1, keepdims=True), target - target.mean())
    paper = [((softmax(votes.mean(0)) - target) ** 2).mean(), probability[1], logit[2]]
    return {"probability": probability, "logit": logit, "centred": centred, "paper": paper}


def main():
    file, rows, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    torch.set_grad_enabled(False)
    tokenizer, model = load(file)
    norm, head = model.model.norm, model.lm_head.weight
    largest = {}

    def compare(name, ours, theirs):
        difference = numpy.abs(numpy.asarray(ours) - numpy.asarray(theirs)).max()
        largest[name] = max(largest.get(name, 0.0), float(difference))

    for row in pyarrow.parquet.read_table(rows).slice(0, count).to_pylist():
        ids = tokenizer.encode(row["prompt"])
        assert len(ids) == row["tokens"], (row["row"], len(ids), row["tokens"])
        added, hidden = parts(model, ids)
        scale = torch.rsqrt(added.sum(0).pow(2).mean() + norm.epsilon)
        options = head[row["option_ids"]]
        votes = (added * scale * norm.weight @ options.T).numpy()
        logits = head @ hidden

        compare("logits", row["logits"], logits[row["option_ids"]])
        compare("votes", row["member_logits"], votes.ravel())
        compare("votes' sum", votes.sum(0), logits[row["option_ids"]])
        compare("ln of the sum of exp", row["log_partition"], logits.logsumexp(-1))
        ranks = [1 + int((logits > logits[id]).sum()) for id in row["option_ids"]]
        # Of two tokens that are as likely to f32, either may stand first.
        compare("ranks (not judged)", row["option_ranks"], ranks)
        for column, expected in measures(votes, row["answer"]).items():
            names = ["mse", "bias", "diversity"]
            compare(column, [row[f"{column}_{name}"] for name in names], expected)

    print(f"{rows.name}, {count} rows, transformers {transformers.__version__}, float64")
    for name, difference in largest.items():
        print(f"  {name}: {difference:.2e}")
    judged = [difference for name, difference in largest.items() if not name.startswith("ranks")]
    sys.exit(max(judged) > LIMIT)


if __name__ == "__main__":
    main()
