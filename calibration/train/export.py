#!/usr/bin/env python3
"""Writes a trained model as the folder that the server reads: int8 ONNX, tokenizer, labels, examples, digests.

Usage: python3 export.py TRAINED OUT [--temperature T] [--decides-from CLASS=LIKELIHOOD]... [--examples FILE]
       [--fp32]

Weights are int8 by channel; activations are scaled when the model runs, by row, so what a pair scores does not depend on
its neighbours as long as rows are run one by one, which the server does.
"""

import argparse
import hashlib
import json
import tempfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from tokenizers import Tokenizer

import model as models
from pairs import LABELS, read

MAX_TOKENS = 320
OPSET = 17


def threshold(text):
    label, _, likelihood = text.partition("=")
    if label not in LABELS:
        raise argparse.ArgumentTypeError(f"unknown class {label}; expected one of {', '.join(LABELS)}")
    return label, float(likelihood)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("trained", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--temperature", type=float, default=1.0)
    arguments.add_argument(
        "--decides-from",
        action="append",
        type=threshold,
        metavar="CLASS=LIKELIHOOD",
        help="from which likelihood the model may decide a class: ungrounded=0.85",
    )
    arguments.add_argument("--examples", type=Path, help="pairs of which a few that the model gets right are kept")
    arguments.add_argument("--fp32", action="store_true")
    asked = arguments.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    model = models.continued_from(asked.trained).eval()
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        to_onnx(model, plain)
        if asked.fp32:
            (asked.out / "model.onnx").write_bytes(plain.read_bytes())
        else:
            prepared = Path(folder) / "prepared.onnx"
            quant_pre_process(str(plain), str(prepared), skip_symbolic_shape=True)
            quantize_dynamic(
                str(prepared), str(asked.out / "model.onnx"), per_channel=True, reduce_range=True, weight_type=QuantType.QInt8
            )
    config = model.bert.config.to_dict()
    kept = ("hidden_size", "num_hidden_layers", "num_attention_heads", "max_position_embeddings", "vocab_size")
    config = {name: config[name] for name in kept}
    config["id2label"] = {str(at): label for at, label in enumerate(LABELS)}
    config["gsar"] = {"temperature": asked.temperature, "max_tokens": MAX_TOKENS}
    if asked.decides_from:
        config["gsar"]["decides_from"] = dict(asked.decides_from)
    write(asked.out / "config.json", json.dumps(config, indent=1) + "\n")
    tokenizer = Tokenizer.from_file(str(asked.trained / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.save(str(asked.out / "tokenizer.json"))
    if asked.examples:
        lines = [json.dumps({name: pair[name] for name in ("claim", "premise", "label")}) for pair in read(asked.examples)]
        write(asked.out / "examples.jsonl", "\n".join(lines) + "\n")
    names = sorted(path.name for path in asked.out.iterdir() if path.suffix in (".onnx", ".json", ".jsonl") and path.name != "manifest.json")
    digests = {name: {"sha256": hashlib.sha256((asked.out / name).read_bytes()).hexdigest()} for name in names}
    write(asked.out / "manifest.json", json.dumps({"files": digests}, indent=1) + "\n")


def write(path, text):
    path.write_text(text, encoding="utf-8")


def to_onnx(model, path):
    example = tuple(torch.ones(2, 16, dtype=torch.long) for _ in range(3))
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "sequence"} for name in names} | {"logits": {0: "batch"}}
    model.bert.set_attn_implementation("eager")
    with torch.no_grad():
        torch.onnx.export(
            model, example, str(path), input_names=names, output_names=["logits"], dynamic_axes=axes, opset_version=OPSET, dynamo=False
        )
    onnx.checker.check_model(str(path))


if __name__ == "__main__":
    main()
