"""Python's client of hubs against the hub that HF_ENDPOINT names: what it gets and how it is refused."""

import hashlib
import json
import pathlib

from huggingface_hub import HfApi, hf_hub_download, snapshot_download

said = {}
api = HfApi()
said["commit"] = api.model_info("makers/tiny").sha
tree = api.list_repo_tree("makers/tiny", recursive=True)
said["tree"] = {entry.path: entry.lfs.sha256 if entry.lfs else entry.blob_id for entry in tree}
folder = pathlib.Path(snapshot_download("makers/tiny"))
said["sha256"] = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def refusal(*arguments, **named):
    try:
        hf_hub_download(*arguments, **named)
    except Exception as error:
        name = type(error).__name__
        return f"{name} {error.response.status_code}" if name == "HfHubHTTPError" else name
    return "none"


said["gated"] = refusal("makers/gated", "model.safetensors")
said["none"] = refusal("makers/none", "config.json")
said["revision"] = refusal("makers/tiny", "config.json", revision="none")
said["entry"] = refusal("makers/tiny", "none.json")
print(json.dumps(said))
