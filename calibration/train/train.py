#!/usr/bin/env python3
"""Trains the claim-evidence cross-encoder. Training is seeded and can be resumed.

Usage: python3 train.py RECIPE OUT [--encoder FOLDER | --from FOLDER] [--data FOLDER] [--stages NAME,NAME]

RECIPE lists the files for each stage. Checkpoints are written to OUT, and the weights of each stage to OUT/<stage>. A
run with the same arguments resumes from the last checkpoint.
"""

import argparse
import json
import os
import random
import time
import tomllib
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch.nn import functional

import model as models
from pairs import LABELS, NOT_GROUNDED, mix

CHECKPOINT_SECONDS = 120


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("recipe", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--encoder", type=Path)
    arguments.add_argument("--from", dest="start", type=Path)
    arguments.add_argument("--data", type=Path, default=Path("."))
    arguments.add_argument("--stages")
    args = arguments.parse_args()
    recipe = tomllib.loads(args.recipe.read_text())
    torch.set_num_threads(recipe.get("threads", os.cpu_count()))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    names = args.stages.split(",") if args.stages else [stage["name"] for stage in recipe["stage"]]
    if args.start:
        model = models.load(args.start)
    else:
        model = models.from_encoder(args.encoder, recipe["seed"])
    tokenizer = Tokenizer.from_file(str((args.start or args.encoder) / "tokenizer.json"))
    for stage in recipe["stage"]:
        if stage["name"] not in names:
            continue
        stage_folder = args.out / stage["name"]
        if (stage_folder / "model.safetensors").exists():
            model = models.load(stage_folder)
            continue
        run(model.to(device), tokenizer, stage, stage.get("seed", recipe["seed"]), args, device)
        models.save(model, stage_folder)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.save(str(stage_folder / "tokenizer.json"))


def encode(tokenizer, pairs, max_tokens):
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens, strategy="only_second")
    rows = []
    for start in range(0, len(pairs), 4096):
        part = pairs[start : start + 4096]
        # The claim is shortened beforehand, so that the tokenizer truncates only the premise.
        for pair, row in zip(part, tokenizer.encode_batch([(pair["claim"][:600], pair["premise"][:6000]) for pair in part])):
            rows.append((row.ids, row.type_ids, pair["label"]))
    return rows


def batches(rows, batch_tokens, epochs, seed):
    """Returns row indexes in batches of similar length. The seed determines the order of the batches."""
    all_batches = []
    for epoch in range(epochs):
        order = random.Random(f"{seed}:{epoch}")
        indexes = list(range(len(rows)))
        order.shuffle(indexes)
        epoch_batches = []
        for start in range(0, len(indexes), 4096):
            chunk = sorted(indexes[start : start + 4096], key=lambda index: len(rows[index][0]))
            batch, longest = [], 0
            for index in chunk:
                longest = max(longest, len(rows[index][0]))
                if batch and longest * (len(batch) + 1) > batch_tokens:
                    epoch_batches.append(batch)
                    batch, longest = [], len(rows[index][0])
                batch.append(index)
            epoch_batches.append(batch)
        order.shuffle(epoch_batches)
        all_batches.extend(epoch_batches)
    return all_batches


def tensors(rows, device):
    longest = max(len(ids) for ids, _, _ in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    types, mask = torch.zeros_like(ids), torch.zeros_like(ids)
    for at, (tokens, segments, _) in enumerate(rows):
        ids[at, : len(tokens)] = torch.tensor(tokens)
        types[at, : len(tokens)] = torch.tensor(segments)
        mask[at, : len(tokens)] = 1
    return {"input_ids": ids.to(device), "attention_mask": mask.to(device), "token_type_ids": types.to(device)}


def loss_of(scores, labels, smoothing):
    """Returns the cross-entropy. The label not_grounded stands for either ungrounded or contradicted."""
    logs = functional.log_softmax(scores.float(), dim=1)
    losses = []
    for at, label in enumerate(labels):
        if label == NOT_GROUNDED:
            losses.append(-torch.logsumexp(logs[at, 1:3], dim=0))
        else:
            index = LABELS.index(label)
            losses.append(-(1 - smoothing) * logs[at, index] - smoothing * logs[at, :3].mean())
    return torch.stack(losses).mean()


def run(model, tokenizer, stage, seed, args, device):
    pairs = mix(args.data, stage["source"], seed)
    rows = encode(tokenizer, pairs, stage["max_tokens"])
    plan = batches(rows, stage["batch_tokens"], stage["epochs"], seed)
    plan = plan[: stage.get("steps", len(plan))]
    decaying = [weight for name, weight in model.named_parameters() if weight.dim() > 1]
    plain = [weight for name, weight in model.named_parameters() if weight.dim() <= 1]
    groups = [{"params": decaying, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=stage["rate"], fused=True)
    warmup = max(1, len(plan) // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warmup, max(0.02, (len(plan) - step) / max(1, len(plan) - warmup)))
    )
    checkpoint = args.out / f"{stage['name']}.checkpoint"
    first = 0
    torch.manual_seed(seed)
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=False)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        torch.set_rng_state(state["random"])
        first = state["step"]
    print(json.dumps({"stage": stage["name"], "pairs": len(rows), "steps": len(plan), "from": first}), flush=True)
    model.train()
    saved = logged = time.monotonic()
    seen, loss_sum, step_count = 0, 0.0, 0
    for step in range(first, len(plan)):
        batch = [rows[index] for index in plan[step]]
        with torch.autocast(device.type, torch.bfloat16):
            scores = model(**tensors(batch, device))
        loss = loss_of(scores, [label for _, _, label in batch], stage.get("smoothing", 0.0))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        seen, loss_sum, step_count = seen + len(batch), loss_sum + loss.item(), step_count + 1
        now = time.monotonic()
        if now - logged > 30:
            print(json.dumps({"step": step + 1, "of": len(plan), "loss": round(loss_sum / step_count, 4), "pairs_per_s": round(seen / (now - logged), 1)}), flush=True)
            logged, seen, loss_sum, step_count = now, 0, 0.0, 0
        if now - saved > stage.get("checkpoint_seconds", CHECKPOINT_SECONDS):
            save_checkpoint(checkpoint, model, optimizer, schedule, step + 1)
            saved = now
    model.eval()


def save_checkpoint(checkpoint, model, optimizer, schedule, step):
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    temporary = checkpoint.with_suffix(".new")
    torch.save(
        {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            "random": torch.get_rng_state(),
            "step": step,
        },
        temporary,
    )
    os.replace(temporary, checkpoint)


if __name__ == "__main__":
    main()
