"""Writes the ONNX graph of a BERT encoder from its safetensors weights. Standard library only, Python 3.11 or later.

The ONNX protocol buffers are encoded by hand, since only a few messages are needed and the same weights must always yield the
same bytes. The graph's inputs are input_ids, attention_mask and token_type_ids, int64 [batch, sequence]. The output is
last_hidden_state, float32 [batch, sequence, hidden].
"""

import json
import math
import struct
from array import array

OPSET = 17
IR_VERSION = 8
FLOAT, INT64 = 1, 7
MASKED = -1e9


def varint(number):
    out = bytearray()
    number &= (1 << 64) - 1
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def integer(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def text(field, value):
    return data(field, value.encode())


def single(field, value):
    return varint(field << 3 | 5) + struct.pack("<f", value)


def attribute(name, value):
    match value:
        case float():
            body = single(2, value) + integer(20, 1)
        case int():
            body = integer(3, value) + integer(20, 2)
        case list():
            body = b"".join(integer(8, each) for each in value) + integer(20, 7)
        case _:
            raise TypeError(f"attribute {name}: {value!r}")
    return text(1, name) + body


def tensor(name, kind, shape, raw):
    return b"".join(integer(1, size) for size in shape) + integer(2, kind) + text(8, name) + data(9, raw)


def value_info(name, kind, shape):
    sizes = b"".join(data(1, text(2, size) if isinstance(size, str) else integer(1, size)) for size in shape)
    return text(1, name) + data(2, data(1, integer(1, kind) + data(2, sizes)))


class Graph:
    """Collects nodes and initializers in order."""

    def __init__(self):
        self.nodes, self.initializers = [], []

    def node(self, operator, inputs, output, **attributes):
        self.nodes.append(
            b"".join(text(1, each) for each in inputs)
            + text(2, output)
            + text(3, output)
            + text(4, operator)
            + b"".join(data(5, attribute(*each)) for each in sorted(attributes.items()))
        )
        return output

    def constant(self, name, kind, shape, values):
        self.initializers.append(tensor(name, kind, shape, struct.pack(f"<{len(values)}{'f' if kind == FLOAT else 'q'}", *values)))
        return name

    def weight(self, name, shape, raw):
        self.initializers.append(tensor(name, FLOAT, shape, raw))
        return name


class Weights:
    """Reads the tensors of a safetensors file."""

    def __init__(self, content):
        (size,) = struct.unpack_from("<Q", content)
        self.entries = json.loads(content[8 : 8 + size])
        self.content = memoryview(content)[8 + size :]

    def read(self, name, shape):
        """Returns a tensor of the given shape as little-endian float32 bytes."""
        entry = self.entries.get(name)
        if entry is None:
            raise ValueError(f"the weights have no tensor {name}")
        if entry["dtype"] != "F32" or entry["shape"] != shape:
            raise ValueError(f"tensor {name} is {entry['dtype']} {entry['shape']}, expected F32 {shape}")
        first, last = entry["data_offsets"]
        return bytes(self.content[first:last])

    def transposed(self, name, rows, columns):
        """Returns the transposed matrix."""
        values = array("f", self.read(name, [rows, columns]))
        out = array("f")
        for column in range(columns):
            out.extend(values[column::columns])
        return out.tobytes()


def write(config, content):
    """Returns the ONNX model for a config.json and a model.safetensors."""
    config = json.loads(config)
    for key, expected in {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}.items():
        if config[key] != expected:
            raise ValueError(f"config.json: {key} is {config[key]!r}, only {expected!r} is supported")
    hidden, heads, inner = config["hidden_size"], config["num_attention_heads"], config["intermediate_size"]
    epsilon, weights, graph = config["layer_norm_eps"], Weights(content), Graph()
    head = hidden // heads

    def linear(name, value, rows, columns):
        """Adds a torch Linear with weights [out, in]."""
        weight = graph.weight(f"{name}.weight", [columns, rows], weights.transposed(f"{name}.weight", rows, columns))
        bias = graph.weight(f"{name}.bias", [rows], weights.read(f"{name}.bias", [rows]))
        product = graph.node("MatMul", [value, weight], f"{name}.product")
        return graph.node("Add", [product, bias], f"{name}.out")

    def norm(name, value):
        scale = graph.weight(f"{name}.weight", [hidden], weights.read(f"{name}.weight", [hidden]))
        bias = graph.weight(f"{name}.bias", [hidden], weights.read(f"{name}.bias", [hidden]))
        return graph.node("LayerNormalization", [value, scale, bias], f"{name}.out", axis=-1, epsilon=epsilon)

    def table(kind, rows):
        name = f"embeddings.{kind}_embeddings.weight"
        return graph.weight(name, [rows, hidden], weights.read(name, [rows, hidden]))

    one = graph.constant("one", FLOAT, [], [1.0])
    masked = graph.constant("masked", FLOAT, [], [MASKED])
    root = graph.constant("head.root", FLOAT, [], [math.sqrt(head)])
    half = graph.constant("half", FLOAT, [], [0.5])
    root_of_two = graph.constant("root_of_two", FLOAT, [], [math.sqrt(2.0)])
    first = graph.constant("first", INT64, [1], [0])
    axis = graph.constant("axis", INT64, [1], [0])
    mask_axes = graph.constant("mask.axes", INT64, [2], [1, 2])
    split = graph.constant("heads.split", INT64, [4], [0, 0, heads, head])
    join = graph.constant("heads.join", INT64, [3], [0, 0, hidden])

    words = graph.node("Gather", [table("word", config["vocab_size"]), "input_ids"], "embeddings.words")
    types = graph.node("Gather", [table("token_type", config["type_vocab_size"]), "token_type_ids"], "embeddings.types")
    sequence = graph.node("Shape", ["input_ids"], "sequence", start=1, end=2)
    positions = table("position", config["max_position_embeddings"])
    positions = graph.node("Slice", [positions, first, sequence, axis], "embeddings.positions")
    value = graph.node("Add", [words, types], "embeddings.words_and_types")
    value = graph.node("Add", [value, positions], "embeddings.sum")
    value = norm("embeddings.LayerNorm", value)

    mask = graph.node("Cast", ["attention_mask"], "mask.float", to=FLOAT)
    mask = graph.node("Sub", [one, mask], "mask.absent")
    mask = graph.node("Mul", [mask, masked], "mask.penalty")
    mask = graph.node("Unsqueeze", [mask, mask_axes], "mask")

    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        attention = f"{layer}.attention.self"

        def split_heads(part, order):
            out = linear(f"{attention}.{part}", value, hidden, hidden)
            out = graph.node("Reshape", [out, split], f"{attention}.{part}.split")
            return graph.node("Transpose", [out], f"{attention}.{part}.heads", perm=order)

        query, key, content = split_heads("query", [0, 2, 1, 3]), split_heads("key", [0, 2, 3, 1]), split_heads("value", [0, 2, 1, 3])
        scores = graph.node("MatMul", [query, key], f"{attention}.scores")
        scores = graph.node("Div", [scores, root], f"{attention}.scaled")
        scores = graph.node("Add", [scores, mask], f"{attention}.masked")
        scores = graph.node("Softmax", [scores], f"{attention}.shares", axis=-1)
        out = graph.node("MatMul", [scores, content], f"{attention}.context")
        out = graph.node("Transpose", [out], f"{attention}.context.rows", perm=[0, 2, 1, 3])
        out = graph.node("Reshape", [out, join], f"{attention}.context.joined")
        out = linear(f"{layer}.attention.output.dense", out, hidden, hidden)
        out = graph.node("Add", [out, value], f"{layer}.attention.residual")
        value = norm(f"{layer}.attention.output.LayerNorm", out)

        out = linear(f"{layer}.intermediate.dense", value, inner, hidden)
        error = graph.node("Div", [out, root_of_two], f"{layer}.gelu.scaled")
        error = graph.node("Erf", [error], f"{layer}.gelu.erf")
        error = graph.node("Add", [error, one], f"{layer}.gelu.shifted")
        out = graph.node("Mul", [out, error], f"{layer}.gelu.product")
        out = graph.node("Mul", [out, half], f"{layer}.gelu")
        out = linear(f"{layer}.output.dense", out, hidden, inner)
        out = graph.node("Add", [out, value], f"{layer}.residual")
        value = norm(f"{layer}.output.LayerNorm", out)
    graph.node("Identity", [value], "last_hidden_state")

    shape = ["batch", "sequence"]
    body = b"".join(data(1, node) for node in graph.nodes) + text(2, "bert")
    body += b"".join(data(5, each) for each in graph.initializers)
    body += b"".join(data(11, value_info(name, INT64, shape)) for name in ("input_ids", "attention_mask", "token_type_ids"))
    body += data(12, value_info("last_hidden_state", FLOAT, [*shape, hidden]))
    return integer(1, IR_VERSION) + text(2, "gsar") + data(7, body) + data(8, integer(2, OPSET))
