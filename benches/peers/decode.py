"""The peer of the `decode` bench: Hugging Face transformers in bf16 with its cache of keys and values. Reads
`PROMPT TOKENS` a line, goes on with its likeliest tokens, and answers the seconds of each in a line of JSON."""

import json
import sys
import time

import torch
import transformers

folder, threads = sys.argv[1:]
torch.set_num_threads(int(threads))
torch.set_grad_enabled(False)
model = transformers.AutoModelForCausalLM.from_pretrained(
    folder, dtype=torch.bfloat16, low_cpu_mem_usage=True
).eval()


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


print(json.dumps({"version": f"torch {torch.__version__}, transformers {transformers.__version__}"}), flush=True)
for line in sys.stdin:
    prompt, tokens = map(int, line.split())
    ids = [(t * 7919 + 13) % model.config.vocab_size for t in range(prompt)]
    out = model(input_ids=torch.tensor([ids]), use_cache=True, logits_to_keep=1)
    first = out.logits[0, -1].float()
    each = []
    for _ in range(tokens):
        start = time.perf_counter()
        token = out.logits[0, -1].argmax()
        out = model(input_ids=token.view(1, 1), past_key_values=out.past_key_values, use_cache=True)
        each.append(time.perf_counter() - start)
    answer = {"seconds": sum(each), "each": each, "peak_kb": peak(), "logits": first[:64].tolist()}
    print(json.dumps(answer), flush=True)
