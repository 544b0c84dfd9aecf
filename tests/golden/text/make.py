"""Makes smollm2.json: what SmolLM2-135M-Instruct reads and writes, by Hugging Face transformers in float64.

`python make.py SmolLM2-135M-Instruct.Q4_1.gguf`, with the packages of requirements.txt. transformers dequantises the
file; norms and the angles of RoPE, which it computes in f32 whatever the model's type, are computed in float64 here."""

import json
import pathlib
import sys

import torch
import transformers
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence
from transformers.models.llama.modeling_llama import LlamaRMSNorm, LlamaRotaryEmbedding

TEXTS = [
    "The capital of France is",
    " The capital of France is",
    "the quick brown fox jumps over the lazy dog",
    "A",
    " ",
    "     ",
    "\n",
    "\n\n\n",
    "\t\ttab\t tab",
    "line\r\nline\rline\n",
    "trailing space ",
    "two  spaces   three    four",
    "0",
    "12345 apples and 67,890.12 pears",
    "a  12  b   345",
    "3.14159 2.71828e-10 0xDEADBEEF 1_000_000",
    "2026-11-25T22:15:00Z",
    "call +44 (0)20 7946 0958 now",
    "it's we'll I'd they've you're 'twas O'Neil's",
    "IT'S WE'LL I'D",
    "don't stop",
    "naïve café, señor; Übermaß; smørrebrød",
    "nai\u0308ve cafe\u0301 decomposed",
    "日本語のテキストと漢字",
    "中文没有空格",
    "한국어 문장입니다",
    "Русский текст с пробелами",
    "नमस्ते दुनिया",
    "السلام عليكم ١٢٣",
    "שלום עולם",
    "ไทยไม่มีช่องว่าง",
    "🙂🙃 👩‍👩‍👧‍👦 🇫🇷",
    "x² + y³ ≤ ½ · Ⅳ",
    "∀x∈ℝ: ⌈x⌉ = −⌊−x⌋",
    "zero\u200bwidth\u200djoiner\ufeffmark",
    "no\u00a0break\u2003em\u3000wide",
    "\u202eright to left\u202c",
    "null\u0000byte and \u0007bell",
    "\ufffd replacement \U0010ffff last",
    "<|im_start|>user\nHello<|im_end|>\n",
    "<|endoftext|>",
    "< |im_start| > <|im_stat|> [INST] </s> <unk>",
    "def f(x):\n    return x ** 2  # square\n",
    "if (a[i] != NULL && *p++ == '\\0') { goto end; }",
    "SELECT name, COUNT(*) FROM t WHERE x <> 'y' GROUP BY 1;",
    "fn main() -> Result<(), Box<dyn Error>> { println!(\"{:?}\", v); Ok(()) }",
    "https://example.org/a?b=c&d=%20#e user@example.org",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "!!!???...,,,;;;:::---___***///\\\\\\",
]

PROMPTS = [
    "The capital of France is",
    "Once upon a time, there was a small dog who",
    "One, two, three, four,",
    "def fibonacci(n):\n",
]
WRITTEN = 40

# More than 600 tokens; CHUNK of them are read first.
LONG = """A language model reads a text from its beginning and says which word comes next. It does not look the answer up. It
turns every word into a list of numbers, and then it changes these lists in many small steps. Each step is called a block.
A block has two parts. The first part is attention: it lets a word look back at the words before it and copy what is useful.
The second part is a small network that works on each word alone. Both parts add their result to the list that runs through
the model, so that the last list is the sum of all that was added. If we multiply that sum by the weights of a word, we get
its score, and the word with the largest score is what the model would say.

Because everything is a sum, the score can be taken apart again. We can ask how much of it came from the third block, or
from the attention of the last one. Some parts vote for the right word and some vote against it. Often the first blocks say
little about the answer, because they are still busy finding out what the words mean. Later blocks look for facts, and the
last blocks decide between a few words that are left. This is not a rule, and every model does it in its own way.

Imagine a jury of sixty people who estimate the weight of a large stone. One of them says 40 kilograms, another says 70,
and a third says 55. The mean of all answers is often closer to the truth than most of the people are. It is exactly as
good as the average person, minus how much the people differ from each other. The same equation holds for the parts of a
model: the error of their mean is their average error minus their diversity. So a jury gains nothing if all of its members
say the same, and it gains much if they are wrong in different directions.

What happens if we change the order of the blocks? In a large model one may often skip a block in the middle, or swap two
neighbours, and the answer stays the same. The blocks in the middle seem to speak one language, as painters who work on one
canvas in turn: each of them adds a stroke, and no stroke depends on a single one before it. The first and the last blocks
are different. If the first block is left out, the others cannot read what they are given. If the last one is left out,
nobody turns the painting around to show it to the public. Small models suffer more, because they have fewer painters, and
each of them has more to do.

You can try all of this yourself. Choose a short prompt, for example a sentence about the colour of snow, and write down
what you expect. Then remove one block after the other and look at the answer. When were you right? When were you wrong?
A prompt whose answer everybody knows is the best one to begin with.
"""
LENGTH, CHUNK = 600, 400


class Norm(torch.nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.weight, self.epsilon = norm.weight, norm.variance_epsilon

    def forward(self, stream):
        return self.weight * stream * torch.rsqrt(stream.pow(2).mean(-1, keepdim=True) + self.epsilon)


class Rope(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.width = config.hidden_size // config.num_attention_heads
        self.base = config.rope_parameters["rope_theta"]
        assert config.rope_parameters["rope_type"] == "default"

    def forward(self, stream, position_ids):
        turns = self.base ** -(torch.arange(0, self.width, 2, dtype=torch.float64) / self.width)
        angles = position_ids[..., None].double() * turns
        angles = torch.cat([angles, angles], -1)
        return angles.cos(), angles.sin()


def exact(model):
    """Puts float64 in place of what transformers computes in f32."""
    for module in list(model.modules()):
        for name, part in list(module.named_children()):
            if isinstance(part, LlamaRMSNorm):
                setattr(module, name, Norm(part))
            elif isinstance(part, LlamaRotaryEmbedding):
                setattr(module, name, Rope(model.config))
    return model


def written(model, tokenizer, prompt):
    """What the model writes by itself, and by how much the likeliest token leads at least."""
    ids = tokenizer.encode(prompt)
    found, lead, past = [], float("inf"), None
    new = ids
    while len(found) < WRITTEN:
        step = model(torch.tensor([new]), past_key_values=past, use_cache=True)
        past = step.past_key_values
        best = step.logits[0, -1].topk(2)
        lead = min(lead, (best.values[0] - best.values[1]).item())
        new = [best.indices[0].item()]
        if new[0] == tokenizer.eos_token_id:
            break
        found += new
    return {"prompt": prompt, "token_ids": ids, "ids": found, "text": tokenizer.decode(found)}, lead


def short(number):
    return float(f"{number:.9g}")


def reading(logits):
    """A next token: log Z, the likeliest ten, and a logit of every seven-hundredth word."""
    best = logits.topk(10)
    some = range(0, len(logits), 700)
    return {
        "log_z": short(logits.logsumexp(-1).item()),
        "ids": best.indices.tolist() + list(some),
        "logits": [short(x) for x in best.values.tolist() + logits[list(some)].tolist()],
    }


def long_run(model, tokenizer):
    ids = tokenizer.encode(LONG.replace("\n", " "))[:LENGTH]
    assert len(ids) == LENGTH, len(ids)
    whole = model(torch.tensor([ids])).logits[0]
    first = model(torch.tensor([ids[:CHUNK]]), use_cache=True)
    second = model(torch.tensor([ids[CHUNK:]]), past_key_values=first.past_key_values, use_cache=True)
    logits = torch.cat([first.logits[0], second.logits[0]])
    assert (logits - whole).abs().max() < 1e-9
    scores = logits[:-1].log_softmax(-1).gather(1, torch.tensor(ids[1:])[:, None])[:, 0]
    return {
        "ids": ids,
        "chunk": CHUNK,
        "log_probabilities": [float(f"{x:.7g}") for x in scores.tolist()],
        "after_first": reading(logits[CHUNK - 1]),
        "after_second": reading(logits[-1]),
    }


def main():
    file = pathlib.Path(sys.argv[1])
    torch.set_grad_enabled(False)
    tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    model = transformers.AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    model = exact(model.double().eval())

    # transformers does not read the file's rule of splitting, `smollm`: digits one by one, then GPT-2's.
    as_read = [tokenizer.encode(text) for text in TEXTS]
    tokenizer.backend_tokenizer.pre_tokenizer = Sequence([Digits(True), ByteLevel(add_prefix_space=False)])
    texts = [{"text": text, "ids": tokenizer.encode(text)} for text in TEXTS]
    for text, ids in zip(texts, as_read, strict=True):
        if text["ids"] != ids:
            print(f"without the rule: {text['text']!r}: {ids}, with it {text['ids']}", file=sys.stderr)

    greedy = []
    for prompt in PROMPTS:
        run, lead = written(model, tokenizer, prompt)
        print(f"{lead:.4f}: {run['text']!r}", file=sys.stderr)
        assert lead > 1e-3, "f32 could not decide this one"
        greedy.append(run)

    made = {
        "model": file.name,
        "by": f"transformers {transformers.__version__}, torch {torch.__version__}, float64",
        "texts": texts,
        "greedy": greedy,
        "long": long_run(model, tokenizer),
    }
    lines = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    pathlib.Path(__file__).with_name("smollm2.json").write_text(lines + "\n")


if __name__ == "__main__":
    main()
