"""The peer of the `python` bench: Hugging Face transformers with a forward hook on both modules of
every block, f32. Reads the name of a case a line, runs it once, answers a line of JSON."""

import json
import sys
import time

import torch
import transformers

folder, cases, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
torch.set_num_threads(threads)
torch.set_grad_enabled(False)
with open(cases) as file:
    cases = json.load(file)
model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

members = []
last = None  # rows' last tokens


def record(_module, _inputs, output):
    output = output[0] if isinstance(output, tuple) else output
    members.append(output[torch.arange(len(last)), last])


model.model.embed_tokens.register_forward_hook(record)
for layer in model.model.layers:
    layer.self_attn.register_forward_hook(record)
    layer.mlp.register_forward_hook(record)


def run(batch):
    """A batch of {"ids", "options"} to every member's logits for the options: [rows][members][K]."""
    global last
    lengths = [len(row["ids"]) for row in batch]
    longest = max(lengths)
    ids = torch.tensor([row["ids"] + [0] * (longest - len(row["ids"])) for row in batch])
    last = torch.tensor(lengths) - 1
    mask = None
    if min(lengths) < longest:
        mask = (torch.arange(longest)[None, :] < torch.tensor(lengths)[:, None]).long()
    members.clear()
    model.model(input_ids=ids, attention_mask=mask, use_cache=False)
    recorded = torch.stack(members, 1)  # [B, M, D]
    stream = recorded.sum(1)
    scale = torch.rsqrt(stream.pow(2).mean(-1) + model.config.rms_norm_eps)  # [B]
    rows = model.lm_head.weight[torch.tensor([row["options"] for row in batch])]  # [B, K, D]
    normed = recorded * model.model.norm.weight * scale[:, None, None]
    return torch.bmm(normed, rows.transpose(1, 2)).tolist()


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


print(json.dumps({"version": f"torch {torch.__version__}, transformers {transformers.__version__}"}), flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    out = [run(batch) for batch in cases[line.strip()]]
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "peak_kb": peak(), "logits": out[0][0]}), flush=True)
