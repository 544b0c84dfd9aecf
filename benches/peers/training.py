"""The peer of the `training` bench: the same model, batches and optimiser in PyTorch, f32. Linear layers take
packed tokens, only attention is padded. Reads the name of a case a line, trains on its batches from the
stored weights, answers a line of JSON."""

import json
import resource
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

folder, threads = Path(sys.argv[1]), int(sys.argv[2])
torch.set_num_threads(threads)
config = json.loads((folder / "config.json").read_text())
steps = json.loads((folder / "steps.json").read_text())
D, L = config["hidden_size"], config["num_hidden_layers"]
H, KV = config["num_attention_heads"], config["num_key_value_heads"]
E, EPS, THETA = D // H, config["rms_norm_eps"], config["rope_theta"]
stored = load_file(folder / "model.safetensors")


def parameters():
    """Queries, keys and values in one matrix, gate and up in another, as on our side."""
    get = lambda name: stored[name + ".weight"].float()
    blocks = []
    for i in range(L):
        at = f"model.layers.{i}."
        qkv = [get(at + f"self_attn.{name}_proj") for name in "qkv"]
        blocks.append([
            get(at + "input_layernorm"), torch.cat(qkv), get(at + "self_attn.o_proj"),
            get(at + "post_attention_layernorm"),
            torch.cat([get(at + "mlp.gate_proj"), get(at + "mlp.up_proj")]), get(at + "mlp.down_proj"),
        ])
    every = [get("model.embed_tokens"), get("model.norm")] + [p for block in blocks for p in block]
    every = [torch.nn.Parameter(p.clone()) for p in every]
    return every, [every[2 + 6 * i : 8 + 6 * i] for i in range(L)]


def batch_of(step):
    lengths = [b - a for a, b in zip(step["starts"], step["starts"][1:])]
    positions = torch.cat([torch.arange(n) for n in lengths])
    rows = torch.cat([torch.full((n,), i) for i, n in enumerate(lengths)])
    angles = positions[:, None] * THETA ** (-torch.arange(E // 2) / (E // 2))
    return {
        "tokens": torch.tensor(step["tokens"]), "targets": torch.tensor(step["targets"]),
        "weights": torch.tensor(step["weights"]), "rate": step["rate"],
        "cos": angles.cos().repeat(1, 2)[:, None], "sin": angles.sin().repeat(1, 2)[:, None],
        "places": rows * max(lengths) + positions, "padded": (len(lengths), max(lengths)),
    }


def turn(x, batch):
    half = torch.cat([-x[..., E // 2 :], x[..., : E // 2]], -1)
    return x * batch["cos"] + half * batch["sin"]


def spread(x, batch):
    """[N, heads, E] to [rows, heads, T, E]"""
    rows, most = batch["padded"]
    wide = x.new_zeros(rows * most, *x.shape[1:]).index_copy(0, batch["places"], x)
    return wide.view(rows, most, *x.shape[1:]).transpose(1, 2)


def loss_of(every, blocks, batch):
    n = batch["tokens"].shape[0]
    x = F.embedding(batch["tokens"], every[0])
    for norm, qkv, out, mlp_norm, wide, down in blocks:
        heads = F.linear(F.rms_norm(x, (D,), norm, EPS), qkv).view(n, H + 2 * KV, E)
        q, k, v = heads.split([H, KV, KV], 1)
        q, k, v = (spread(part, batch) for part in (turn(q, batch), turn(k, batch), v))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        mixed = mixed.transpose(1, 2).reshape(-1, D).index_select(0, batch["places"])
        x = x + F.linear(mixed, out)
        gate, up = F.linear(F.rms_norm(x, (D,), mlp_norm, EPS), wide).chunk(2, -1)
        x = x + F.linear(F.silu(gate) * up, down)
    logits = F.linear(F.rms_norm(x, (D,), every[1], EPS), every[0])
    losses = F.cross_entropy(logits, batch["targets"], reduction="none")
    return (losses * batch["weights"]).sum() / batch["weights"].sum()


class Muon:
    """What `train/muon.rs` does: momentum with its singular values brought to about one; queries, keys,
    values, gate and up are matrices of their own."""

    def __init__(self, blocks):
        widths = {1: [H * E, KV * E, KV * E], 2: [D], 4: None, 5: [D]}
        self.matrices = []
        for block in blocks:
            for at in [1, 2, 4, 5]:
                rows = widths[at] or [block[at].shape[0] // 2] * 2
                start = 0
                for count in rows:
                    self.matrices.append((block[at], slice(start, start + count)))
                    start += count
        self.momentum = [torch.zeros_like(p[rows]) for p, rows in self.matrices]

    @torch.no_grad()
    def step(self, rate):
        for (parameter, rows), momentum in zip(self.matrices, self.momentum):
            momentum.mul_(0.95).add_(parameter.grad[rows])
            direction = even(parameter.grad[rows] + 0.95 * momentum)
            scale = rate * max(1.0, direction.shape[0] / direction.shape[1]) ** 0.5
            parameter[rows] -= scale * (direction + 0.01 * parameter[rows])


def even(x):
    if x.shape[0] > x.shape[1]:
        return even(x.T).T
    x = x / (x.norm() + 1e-7)
    for _ in range(5):
        square = x @ x.T
        x = 3.4445 * x + (-4.775 * square + 2.0315 * square @ square) @ x
    return x


batches = [batch_of(step) for step in steps]
print(json.dumps({"version": f"torch {torch.__version__}"}), flush=True)
for _ in sys.stdin:
    every, blocks = parameters()
    others = every[:2] + [norm for block in blocks for norm in (block[0], block[3])]
    adam = torch.optim.AdamW(others, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.01, fused=True)
    muon = Muon(blocks)
    losses = []
    start = time.perf_counter()
    for batch in batches:
        loss = loss_of(every, blocks, batch)
        for parameter in every:
            parameter.grad = None
        loss.backward()
        torch.nn.utils.clip_grad_norm_(every, 1.0)
        adam.param_groups[0]["lr"] = 0.1 * batch["rate"]
        adam.step()
        muon.step(batch["rate"])
        losses.append(loss.item())
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": seconds, "peak_kb": peak, "losses": losses}), flush=True)
