"""A peer of the `llama` bench: Hugging Face transformers on a GGUF file, in f32. Reads a line `prefill TOKENS` or
`decode PROMPT TOKENS`, runs so many from an empty cache, and answers a line of JSON, as `llama.py` does."""

import json
import os
import sys
import time

import torch
import transformers

path, threads = sys.argv[1:]
torch.set_num_threads(int(threads))
torch.set_grad_enabled(False)
model = transformers.AutoModelForCausalLM.from_pretrained(
    os.path.dirname(path), gguf_file=os.path.basename(path), dtype=torch.float32
).eval()


def identity(i):
    """The ids of the benches' own prompts."""
    return (i * 7919 + 13) % model.config.vocab_size


def read(ids, cache=None):
    return model(input_ids=torch.tensor([ids]), past_key_values=cache, use_cache=True, logits_to_keep=1)


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


print(json.dumps({"version": f"torch {torch.__version__}, transformers {transformers.__version__}"}), flush=True)
for line in sys.stdin:
    what, tokens, *more = line.split()
    ids = [identity(t) for t in range(int(tokens))]
    before = read(ids).past_key_values if what == "decode" else None
    start = time.perf_counter()
    if what == "decode":
        # Ids that are given, so that both sides read the same.
        for n in range(int(more[0])):
            answer = read([identity(len(ids) + n)], before)
            before = answer.past_key_values
    else:
        answer = read(ids)
    seconds = time.perf_counter() - start
    last = answer.logits[0, -1]
    options = [float(last[identity(i)]) for i in range(4)]
    print(json.dumps({"seconds": seconds, "peak_kb": peak(), "logits": options}), flush=True)
