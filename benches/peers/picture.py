"""The peer of the `memory` bench: Hugging Face transformers in bf16, one prompt, the options' logits.
Measured from outside: starts, loads, answers a line of JSON, ends."""

import json
import sys

import torch
import transformers

folder, ids, rows, threads = sys.argv[1:]
torch.set_num_threads(int(threads))
torch.set_grad_enabled(False)
model = transformers.AutoModelForCausalLM.from_pretrained(
    folder, dtype=torch.bfloat16, low_cpu_mem_usage=True
).eval()


def numbers(text):
    return [int(number) for number in text.split(",")]


logits = model(input_ids=torch.tensor([numbers(ids)]), use_cache=False, logits_to_keep=1).logits[0, -1]
version = f"torch {torch.__version__}, transformers {transformers.__version__}"
print(json.dumps({"version": version, "logits": logits[numbers(rows)].tolist()}), flush=True)
