#!/usr/bin/env python3
"""Writes a trained model to a folder that the server can read: int8 ONNX, tokenizer, labels, examples and digests.

Usage: python3 export.py TRAINED OUT [--temperature T] [--decides-from CLASS=LIKELIHOOD]... [--examples FILE]
       [--fp32]

The weights are int8, with one scale per channel. The activations are scaled over the batch at run time. Therefore, the
server runs pairs one by one, so that the score of a pair does not depend on other pairs.
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
        help="the probability from which the model may decide a class, such as ungrounded=0.85",
    )
    arguments.add_argument("--examples", type=Path, help="the file with the pairs to ship as examples")
    arguments.add_argument("--fp32", action="store_true")
    args = arguments.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    model = models.load(args.trained).eval()
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        to_onnx(model, plain)
        if args.fp32:
            (args.out / "model.onnx").write_bytes(plain.read_bytes())
        else:
            prepared = Path(folder) / "prepared.onnx"
            quant_pre_process(str(plain), str(prepared), skip_symbolic_shape=True)
            quantize_dynamic(
                str(prepared), str(args.out / "model.onnx"), per_channel=True, reduce_range=True, weight_type=QuantType.QInt8
            )
    config = model.bert.config.to_dict()
    names = ("hidden_size", "num_hidden_layers", "num_attention_heads", "max_position_embeddings", "vocab_size")
    config = {name: config[name] for name in names}
    config["id2label"] = {str(index): label for index, label in enumerate(LABELS)}
    config["gsar"] = {"temperature": args.temperature, "max_tokens": MAX_TOKENS}
    if args.decides_from:
        config["gsar"]["decides_from"] = dict(args.decides_from)
    write(args.out / "config.json", json.dumps(config, indent=1) + "\n")
    tokenizer = Tokenizer.from_file(str(args.trained / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.save(str(args.out / "tokenizer.json"))
    if args.examples:
        lines = [json.dumps({name: pair[name] for name in ("claim", "premise", "label")}) for pair in read(args.examples)]
        write(args.out / "examples.jsonl", "\n".join(lines) + "\n")
    names = sorted(path.name for path in args.out.iterdir() if path.suffix in (".onnx", ".json", ".jsonl") and path.name != "manifest.json")
    digests = {name: {"sha256": hashlib.sha256((args.out / name).read_bytes()).hexdigest()} for name in names}
    write(args.out / "manifest.json", json.dumps({"files": digests}, indent=1) + "\n")


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
