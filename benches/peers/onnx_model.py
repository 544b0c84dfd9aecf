"""Writes model.onnx beside a Llama folder's config.json and model.safetensors: embedding, blocks and
final norm, in the fused operators that onnxruntime's own model builder uses."""

import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = Path(sys.argv[1])
config = json.loads((folder / "config.json").read_text())
D, L = config["hidden_size"], config["num_hidden_layers"]
H, KV = config["num_attention_heads"], config["num_key_value_heads"]
W, EPS = D // H, config["rms_norm_eps"]
FUSED = "com.microsoft"

raw = (folder / "model.safetensors").read_bytes()
start = 8 + int.from_bytes(raw[:8], "little")
header = json.loads(raw[8:start])


def tensor(name):
    info = header[name]
    assert info["dtype"] == "F32"
    first, last = info["data_offsets"]
    return np.frombuffer(raw[start + first : start + last], np.float32).reshape(info["shape"])


nodes, constants = [], []


def constant(name, array):
    constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
    return name


def node(operator, inputs, outputs, domain="", **attributes):
    nodes.append(helper.make_node(operator, inputs, outputs, domain=domain, **attributes))
    return outputs[0]


def linear(x, name, *parts):
    """Rows times the transposed weights of one or several layers side by side."""
    weights = np.concatenate([tensor(part) for part in parts]).T
    return node("MatMul", [x, constant(f"{name}.w", weights)], [name])


# Angles of every position, as GroupQueryAttention wants them.
positions = np.arange(config["max_position_embeddings"])[:, None]
angles = positions * config["rope_theta"] ** (-np.arange(W // 2) * 2.0 / W)[None, :]
cos = constant("cos", np.cos(angles).astype(np.float32))
sin = constant("sin", np.sin(angles).astype(np.float32))

h = node("Gather", [constant("embedding", tensor("model.embed_tokens.weight")), "ids"], ["h"])
x = node(
    "SimplifiedLayerNormalization",
    [h, constant("norm0", tensor("model.layers.0.input_layernorm.weight"))],
    ["x"],
    axis=-1,
    epsilon=EPS,
)
for i in range(L):
    of, at = f"model.layers.{i}", f"b{i}"
    qkv = linear(x, f"{at}.qkv", *[f"{of}.self_attn.{p}_proj.weight" for p in "qkv"])
    y = node(
        "GroupQueryAttention",
        [qkv, "", "", "past", "past", "seqlens", "total", cos, sin],
        [f"{at}.y", f"{at}.key", f"{at}.value"],
        domain=FUSED,
        num_heads=H,
        kv_num_heads=KV,
        do_rotary=1,
    )
    a = linear(y, f"{at}.a", f"{of}.self_attn.o_proj.weight")
    norm = constant(f"{at}.norm", tensor(f"{of}.post_attention_layernorm.weight"))
    out = [f"{at}.mx", "", "", f"{at}.mh"]
    x = node("SkipSimplifiedLayerNormalization", [h, a, norm], out, domain=FUSED, epsilon=EPS)
    h = f"{at}.mh"
    gate = linear(x, f"{at}.gate", f"{of}.mlp.gate_proj.weight")
    up = linear(x, f"{at}.up", f"{of}.mlp.up_proj.weight")
    # onnxruntime fuses these two into its QuickGelu, which is SiLU at alpha 1.
    silu = node("Mul", [gate, node("Sigmoid", [gate], [f"{at}.s"])], [f"{at}.silu"])
    m = linear(node("Mul", [silu, up], [f"{at}.g"]), f"{at}.m", f"{of}.mlp.down_proj.weight")
    following = "model.norm" if i + 1 == L else f"model.layers.{i + 1}.input_layernorm"
    norm = constant(f"{at}.next", tensor(f"{following}.weight"))
    out = [f"{at}.x", "", "", f"{at}.h"]
    x = node("SkipSimplifiedLayerNormalization", [h, m, norm], out, domain=FUSED, epsilon=EPS)
    h = f"{at}.h"

graph = helper.make_graph(
    nodes,
    "blocks",
    [
        helper.make_tensor_value_info("ids", TensorProto.INT64, ["B", "T"]),
        helper.make_tensor_value_info("past", TensorProto.FLOAT, ["B", KV, 0, W]),
        helper.make_tensor_value_info("seqlens", TensorProto.INT32, ["B"]),
        helper.make_tensor_value_info("total", TensorProto.INT32, []),
    ],
    [helper.make_tensor_value_info(x, TensorProto.FLOAT, ["B", "T", D])],
    constants,
)
opsets = [helper.make_opsetid("", 20), helper.make_opsetid(FUSED, 1)]
model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
onnx.save(model, folder / "model.onnx")
