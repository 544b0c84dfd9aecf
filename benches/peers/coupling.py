"""The peer of the `coupling-peer` bench: rows of every block's Jacobian by automatic differentiation through
all tokens, its full SVD, and every Jacobian in every other's leading vectors, f32. Reads the name of a
case a line, runs it once, answers a line of JSON."""

import json
import sys
import time

import torch
import transformers

folder, case, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
torch.set_num_threads(threads)
with open(case) as file:
    case = json.load(file)
k = case["k"]
ids = torch.tensor([case["ids"]])
model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
for parameter in model.parameters():
    parameter.requires_grad_(False)
positions = torch.arange(ids.shape[1])[None]


def block(layer, x):
    rotary = model.model.rotary_emb(x, positions)
    out = layer(x, attention_mask=None, position_ids=positions, position_embeddings=rotary)
    return out[0] if isinstance(out, tuple) else out


def jacobian(layer, x):
    """Of the block without its skip, at the last token, and the stream after it."""
    x = x.detach().requires_grad_(True)
    out = block(layer, x)
    last = out[0, -1]
    rows = [torch.autograd.grad(last[i], x, retain_graph=True)[0][0, -1] for i in range(last.shape[0])]
    return torch.stack(rows) - torch.eye(last.shape[0]), out.detach()


def run(name):
    layers = model.model.layers[:1] if name == "one block" else model.model.layers
    x = model.model.embed_tokens(ids)
    jacobians, bases = [], []
    for layer in layers:
        j, x = jacobian(layer, x)
        u, s, vh = torch.linalg.svd(j)
        jacobians.append(j)
        bases.append((u[:, :k], s[:k], vh[:k]))
    off_diagonal = []
    for j in jacobians:
        row = []
        for u, _, vh in bases:
            a = u.T @ j @ vh.T
            row.append((torch.linalg.norm(a - torch.diag(torch.diagonal(a))) / torch.linalg.norm(a)).item())
        off_diagonal.append(row)
    return [s.tolist() for _, s, _ in bases], off_diagonal


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


print(json.dumps({"version": f"torch {torch.__version__}, transformers {transformers.__version__}"}), flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    values, off_diagonal = run(line.strip())
    seconds = time.perf_counter() - start
    answer = {"seconds": seconds, "peak_kb": peak(), "singular_values": values, "off_diagonal": off_diagonal}
    print(json.dumps(answer), flush=True)
