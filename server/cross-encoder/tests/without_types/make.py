#!/usr/bin/env python3
"""Creates a tiny cross-encoder with MPNet's interface: no token types, the layout
`<s> claim </s></s> premise </s>`, and positions counted from the tokens that are not padding.

Usage: python3 make.py (numpy, onnx and tokenizers; reads ../fixture/tokenizer.json)
"""

import json
from pathlib import Path

import numpy
from onnx import TensorProto, helper, numpy_helper, save
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

LABELS = ["SUPPORTS", "NOT_ENOUGH_INFO", "REFUTES"]
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
PADDING, MAX_TOKENS, WIDTH = 1, 64, 6
HERE = Path(__file__).parent


def tokenizer():
    known = json.loads((HERE.parent / "fixture" / "tokenizer.json").read_text())["model"]["vocab"]
    words = [token for token in sorted(known, key=known.get) if not token.startswith("[")][:400]
    words = {token: index for index, token in enumerate(SPECIAL + words)}
    built = Tokenizer(models.WordPiece(words, unk_token="<unk>", max_input_chars_per_word=100))
    built.normalizer = normalizers.BertNormalizer(lowercase=True)
    built.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    built.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[(token, words[token]) for token in ("<s>", "</s>")],
    )
    built.add_special_tokens(SPECIAL)
    return built, len(words)


def graph(words):
    rng = numpy.random.default_rng(3)
    constants = {
        "words": rng.normal(size=(words, WIDTH)),
        "positions": rng.normal(size=(MAX_TOKENS + 2, WIDTH)),
        "head": rng.normal(size=(WIDTH, len(LABELS))),
    }
    constants = {name: value.astype(numpy.float32) for name, value in constants.items()}
    constants |= {"padding": numpy.array(PADDING), "axis": numpy.array(1), "axes": numpy.array([1]), "last": numpy.array([2])}
    node = helper.make_node
    nodes = [
        node("Equal", ["input_ids", "padding"], ["is_padding"]),
        node("Not", ["is_padding"], ["is_token"]),
        node("Cast", ["is_token"], ["tokens"], to=TensorProto.INT64),
        node("CumSum", ["tokens", "axis"], ["counted"]),
        node("Mul", ["counted", "tokens"], ["numbered"]),
        node("Add", ["numbered", "padding"], ["position"]),
        node("Gather", ["words", "input_ids"], ["word"]),
        node("Gather", ["positions", "position"], ["place"]),
        node("Mul", ["word", "place"], ["token"]),
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["mask", "last"], ["wide"]),
        node("Mul", ["token", "wide"], ["masked"]),
        node("ReduceSum", ["masked", "axes"], ["sum"], keepdims=0),
        node("Cast", ["tokens"], ["ones"], to=TensorProto.FLOAT),
        node("ReduceSum", ["ones", "axes"], ["length"], keepdims=1),
        node("Div", ["sum", "length"], ["mean"]),
        node("MatMul", ["mean", "head"], ["logits"]),
    ]
    ids = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"]) for name in ("input_ids", "attention_mask")]
    logits = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", len(LABELS)])]
    stored = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    built = helper.make_graph(nodes, "without_types", ids, logits, stored)
    return helper.make_model(built, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main():
    built, words = tokenizer()
    built.save(str(HERE / "tokenizer.json"), pretty=False)
    save(graph(words), HERE / "model.onnx")
    config = {"id2label": dict(enumerate(LABELS)), "gsar": {"max_tokens": MAX_TOKENS}}
    (HERE / "config.json").write_text(json.dumps(config, indent=1) + "\n")


if __name__ == "__main__":
    main()
