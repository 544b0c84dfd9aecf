"""The peer of the `llama` bench: llama.cpp by its Python binding.

`llama.py write SHAPE KIND FILE` writes a GGUF file of random weights; `llama.py run FILE THREADS` reads a line
`prefill TOKENS` or `decode PROMPT TOKENS`, runs so many from an empty cache, and answers a line of JSON."""

import json
import sys
import time

import numpy

# Bytes and numbers of a block, and where its f16 scales stand.
BLOCKS = {"q8_0": (34, 32, [0]), "q4_0": (18, 32, [0]), "q4_k": (144, 256, [0, 2])}


def identity(i, vocabulary):
    """The ids of the benches' own prompts."""
    return (i * 7919 + 13) % vocabulary


def write(shape, kind, path):
    import gguf

    with open(shape) as file:
        c = json.load(file)
    random = numpy.random.default_rng(7)
    width, heads = c["hidden_size"], c["num_attention_heads"]
    head = c.get("head_dim") or width // heads
    vocabulary, mlp = c["vocab_size"], c["intermediate_size"]
    to = gguf.GGUFWriter(path, "llama")
    to.add_block_count(c["num_hidden_layers"])
    to.add_context_length(2048)
    to.add_embedding_length(width)
    to.add_feed_forward_length(mlp)
    to.add_head_count(heads)
    to.add_head_count_kv(c["num_key_value_heads"])
    to.add_key_length(head)
    to.add_value_length(head)
    to.add_rope_dimension_count(head)
    to.add_rope_freq_base(c["rope_theta"])
    to.add_layer_norm_rms_eps(c["rms_norm_eps"])
    to.add_vocab_size(vocabulary)
    to.add_tokenizer_model("no_vocab")

    def matrix(name, rows, columns):
        if kind in BLOCKS:
            size, numbers, scales = BLOCKS[kind]
            blocks = random.integers(0, 256, (rows, columns // numbers, size), dtype=numpy.uint8)
            # Numbers of about 1 / sqrt(columns), as trained weights are.
            step = {"q8_0": 128, "q4_0": 8, "q4_k": 8 * 40}[kind]
            large = (0.7 + 0.6 * random.random((rows, columns // numbers))) / step / columns**0.5
            for at in scales:
                halves = large.astype(numpy.float16).view(numpy.uint8).reshape(rows, columns // numbers, 2)
                blocks[:, :, at : at + 2] = halves
            data, dtype = blocks.reshape(rows, -1), gguf.GGMLQuantizationType[kind.upper()]
            to.add_tensor(name, data, raw_dtype=dtype)
            return
        data = random.standard_normal((rows, columns), dtype=numpy.float32) / columns**0.5
        words = (data.view(numpy.uint32) >> 16).astype(numpy.uint16)  # bf16, cut off
        to.add_tensor(name, words.view(numpy.uint8), raw_dtype=gguf.GGMLQuantizationType.BF16)

    def ones(name):
        to.add_tensor(name, numpy.ones(width, dtype=numpy.float32))

    matrix("token_embd.weight", vocabulary, width)
    ones("output_norm.weight")
    for n in range(c["num_hidden_layers"]):
        ones(f"blk.{n}.attn_norm.weight")
        matrix(f"blk.{n}.attn_q.weight", heads * head, width)
        matrix(f"blk.{n}.attn_k.weight", c["num_key_value_heads"] * head, width)
        matrix(f"blk.{n}.attn_v.weight", c["num_key_value_heads"] * head, width)
        matrix(f"blk.{n}.attn_output.weight", width, heads * head)
        ones(f"blk.{n}.ffn_norm.weight")
        matrix(f"blk.{n}.ffn_gate.weight", mlp, width)
        matrix(f"blk.{n}.ffn_up.weight", mlp, width)
        matrix(f"blk.{n}.ffn_down.weight", width, mlp)
    to.write_header_to_file()
    to.write_kv_data_to_file()
    to.write_tensors_to_file()
    to.close()


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def run(path, threads):
    import llama_cpp

    model = llama_cpp.Llama(
        path, n_ctx=1024, n_batch=512, n_ubatch=512, n_threads=threads, n_threads_batch=threads, verbose=False
    )
    vocabulary = model.n_vocab()
    print(json.dumps({"version": f"llama.cpp (llama-cpp-python {llama_cpp.__version__})"}), flush=True)

    def logits():
        return llama_cpp.llama_get_logits_ith(model.ctx, -1)

    for line in sys.stdin:
        what, tokens, *more = line.split()
        ids = [identity(t, vocabulary) for t in range(int(tokens))]
        model.reset()
        if what == "decode":
            model.eval(ids)
        start = time.perf_counter()
        if what == "decode":
            # Ids that are given, so that both sides read the same.
            for n in range(int(more[0])):
                model.eval([identity(len(ids) + n, vocabulary)])
                logits()
        else:
            model.eval(ids)
        last = logits()
        seconds = time.perf_counter() - start
        options = [float(last[identity(i, vocabulary)]) for i in range(4)]
        print(json.dumps({"seconds": seconds, "peak_kb": peak(), "logits": options}), flush=True)


if sys.argv[1] == "write":
    write(*sys.argv[2:])
else:
    run(sys.argv[2], int(sys.argv[3]))
