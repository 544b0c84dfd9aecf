"""The other side of the `truth` bench: llama.cpp by its Python binding.

`truth.py write TOKENIZER.json PRE FILE` writes a tiny model of random weights with that vocabulary as a GGUF
file, by the format's own writer; PRE is the rule of splitting text, or `llama` for a SentencePiece vocabulary.
`truth.py again FILE FILE` writes a GGUF file of any family once more, by that writer too.
`truth.py run FILE` reads a text (JSON) a line and answers its token ids, or token ids and answers the logits of
the next token."""

import json
import sys


def write(tokenizer, pre, path):
    import gguf
    import numpy

    with open(tokenizer) as file:
        told = json.load(file)
    vocabulary = told["model"]["vocab"]
    added = {token["content"]: token for token in told["added_tokens"]}
    ids = dict(vocabulary)
    ids.update({token["content"]: token["id"] for token in told["added_tokens"]})
    tokens = sorted(ids, key=ids.get)
    assert [ids[token] for token in tokens] == list(range(len(tokens)))
    width, mlp = 32, 64
    random = numpy.random.default_rng(3)
    to = gguf.GGUFWriter(path, "llama")
    to.add_block_count(1)
    to.add_context_length(4096)
    to.add_embedding_length(width)
    to.add_feed_forward_length(mlp)
    to.add_head_count(2)
    to.add_head_count_kv(2)
    to.add_rope_dimension_count(width // 2)
    to.add_layer_norm_rms_eps(1e-5)
    to.add_vocab_size(len(tokens))
    kinds = []
    for token in tokens:
        if token in added:
            special = added[token]["special"]
            kind = gguf.TokenType.CONTROL if special else gguf.TokenType.USER_DEFINED
            kind = gguf.TokenType.UNKNOWN if token == "<unk>" else kind
        elif pre == "llama" and len(token) == 6 and token.startswith("<0x"):
            kind = gguf.TokenType.BYTE
        else:
            kind = gguf.TokenType.NORMAL
        kinds.append(kind)
    if pre == "llama":
        to.add_tokenizer_model("llama")
        to.add_tokenizer_pre("default")
        # The first merge has the largest score.
        merges = [m if isinstance(m, str) else " ".join(m) for m in told["model"]["merges"]]
        rank = {}
        for n, merge in enumerate(merges):
            rank.setdefault(merge.replace(" ", ""), n)
        to.add_token_scores([-float(rank.get(token, 1e6)) for token in tokens])
        to.add_bos_token_id(ids["<s>"])
        to.add_eos_token_id(ids["</s>"])
        to.add_unk_token_id(ids["<unk>"])
        to.add_add_bos_token(True)
        to.add_add_space_prefix(True)
    else:
        to.add_tokenizer_model("gpt2")
        to.add_tokenizer_pre(pre)
        merges = told["model"]["merges"]
        to.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in merges])
        end = ids.get("<|endoftext|>", 0)
        to.add_bos_token_id(end)
        to.add_eos_token_id(end)
        to.add_add_bos_token(False)
    to.add_token_list(tokens)
    to.add_token_types(kinds)

    def matrix(name, rows, columns):
        to.add_tensor(name, random.standard_normal((rows, columns), dtype=numpy.float32) / columns**0.5)

    def ones(name):
        to.add_tensor(name, numpy.ones(width, dtype=numpy.float32))

    matrix("token_embd.weight", len(tokens), width)
    ones("output_norm.weight")
    for name in ["attn_q", "attn_k", "attn_v", "attn_output"]:
        matrix(f"blk.0.{name}.weight", width, width)
    ones("blk.0.attn_norm.weight")
    ones("blk.0.ffn_norm.weight")
    matrix("blk.0.ffn_gate.weight", mlp, width)
    matrix("blk.0.ffn_up.weight", mlp, width)
    matrix("blk.0.ffn_down.weight", width, mlp)
    to.write_header_to_file()
    to.write_kv_data_to_file()
    to.write_tensors_to_file()
    to.close()


def again(path, to):
    """A file without a vocabulary, read and written by the format's own package, as llama.cpp wants one that has
    none."""
    import gguf

    reader = gguf.GGUFReader(path)
    name = reader.fields["general.architecture"].contents()
    writer = gguf.GGUFWriter(to, name)
    for key, field in reader.fields.items():
        if not key.startswith("GGUF.") and key != "general.architecture":
            writer.add_key_value(key, field.contents(), field.types[0])
    embedding = next(tensor for tensor in reader.tensors if tensor.name == "token_embd.weight")
    writer.add_tokenizer_model("no_vocab")
    writer.add_vocab_size(len(embedding.data))
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, tensor.data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def run(path):
    import llama_cpp

    # Keys and values are kept in f16 unless told otherwise.
    plain = {"type_k": llama_cpp.GGML_TYPE_F32, "type_v": llama_cpp.GGML_TYPE_F32}
    model = llama_cpp.Llama(path, n_ctx=256, n_threads=1, n_threads_batch=1, verbose=False, **plain)
    vocabulary = model.n_vocab()
    print(json.dumps({"version": f"llama.cpp (llama-cpp-python {llama_cpp.__version__})"}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if isinstance(asked, str):
            answer = model.tokenize(asked.encode(), add_bos=True, special=True)
        else:
            model.reset()
            model.eval(asked)
            logits = llama_cpp.llama_get_logits_ith(model.ctx, -1)
            answer = [float(logits[i]) for i in range(vocabulary)]
        print(json.dumps({"peak_kb": 0, "answer": answer}), flush=True)


{"write": write, "again": again, "run": run}[sys.argv[1]](*sys.argv[2:])
