"""The cross-encoder: a BERT encoder with a linear head on its first token. Reads and writes safetensors."""

import json

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import BertConfig, BertModel

from pairs import LABELS

# Dropout would take half the time of each step, and does not help in a single pass over many pairs.
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


class CrossEncoder(nn.Module):
    """Scores a claim and its premise for each class in LABELS."""

    def __init__(self, config):
        super().__init__()
        self.bert = BertModel(config, add_pooling_layer=True)
        self.head = nn.Linear(config.hidden_size, len(LABELS))

    def forward(self, input_ids, attention_mask, token_type_ids):
        pooled = self.bert(input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).pooler_output
        return self.head(pooled)


def from_encoder(encoder, seed):
    """Creates a model with the weights of an encoder and a new head."""
    torch.manual_seed(seed)
    config = BertConfig(**json.loads((encoder / "config.json").read_text()) | NO_DROPOUT)
    model = CrossEncoder(config)
    weights = load_file(encoder / "model.safetensors")
    weights.pop("embeddings.position_ids", None)
    missing, unexpected = model.bert.load_state_dict(weights, strict=False)
    if unexpected or any(not name.startswith("pooler") for name in missing):
        raise SystemExit(f"{encoder}: the weights do not match this encoder: missing {missing}, unexpected {unexpected}")
    return model


def load(folder):
    """Loads a model that `save` has written."""
    model = CrossEncoder(BertConfig(**json.loads((folder / "config.json").read_text())))
    model.load_state_dict(load_file(folder / "model.safetensors"))
    return model


def save(model, folder):
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: weight.contiguous() for name, weight in model.state_dict().items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(model.bert.config.to_dict(), indent=1, sort_keys=True) + "\n")
