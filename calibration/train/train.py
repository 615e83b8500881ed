#!/usr/bin/env python3
"""Trains the claim-evidence cross-encoder; seeded and resumable.

Usage: python3 train.py RECIPE OUT [--encoder FOLDER | --from FOLDER] [--data FOLDER] [--stages NAME,NAME]

RECIPE lists the files for each stage. OUT receives checkpoints, and OUT/<stage> the weights of each stage. A run with
the same arguments resumes from the last checkpoint.
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
from pairs import LABELS, NOT_GROUNDED, mixed

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
        model = models.continued_from(args.start)
    else:
        model = models.started_from(args.encoder, recipe["seed"])
    tokenizer = Tokenizer.from_file(str((args.start or args.encoder) / "tokenizer.json"))
    for stage in recipe["stage"]:
        if stage["name"] not in names:
            continue
        done = args.out / stage["name"]
        if (done / "model.safetensors").exists():
            model = models.continued_from(done)
            continue
        run(model.to(device), tokenizer, stage, stage.get("seed", recipe["seed"]), args, device)
        models.save(model, done)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.save(str(done / "tokenizer.json"))


def encoded(tokenizer, pairs, max_tokens):
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens, strategy="only_second")
    rows = []
    for start in range(0, len(pairs), 4096):
        part = pairs[start : start + 4096]
        # The claim is cut first, so that only the premise is truncated.
        for pair, row in zip(part, tokenizer.encode_batch([(pair["claim"][:600], pair["premise"][:6000]) for pair in part])):
            rows.append((row.ids, row.type_ids, pair["label"]))
    return rows


def batches(rows, batch_tokens, epochs, seed):
    """Returns row indexes in batches of similar length, in an order determined by the seed."""
    made = []
    for epoch in range(epochs):
        order = random.Random(f"{seed}:{epoch}")
        places = list(range(len(rows)))
        order.shuffle(places)
        of_epoch = []
        for start in range(0, len(places), 4096):
            chunk = sorted(places[start : start + 4096], key=lambda place: len(rows[place][0]))
            batch, longest = [], 0
            for place in chunk:
                longest = max(longest, len(rows[place][0]))
                if batch and longest * (len(batch) + 1) > batch_tokens:
                    of_epoch.append(batch)
                    batch, longest = [], len(rows[place][0])
                batch.append(place)
            of_epoch.append(batch)
        order.shuffle(of_epoch)
        made.extend(of_epoch)
    return made


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
    """Returns the cross-entropy. For "not grounded", combines the other classes."""
    logs = functional.log_softmax(scores.float(), dim=1)
    losses = []
    for at, label in enumerate(labels):
        if label == NOT_GROUNDED:
            losses.append(-torch.logsumexp(logs[at, 1:3], dim=0))
        else:
            place = LABELS.index(label)
            losses.append(-(1 - smoothing) * logs[at, place] - smoothing * logs[at, :3].mean())
    return torch.stack(losses).mean()


def run(model, tokenizer, stage, seed, args, device):
    pairs = mixed(args.data, stage["source"], seed)
    rows = encoded(tokenizer, pairs, stage["max_tokens"])
    plan = batches(rows, stage["batch_tokens"], stage["epochs"], seed)
    plan = plan[: stage.get("steps", len(plan))]
    decayed = [weight for name, weight in model.named_parameters() if weight.dim() > 1]
    plain = [weight for name, weight in model.named_parameters() if weight.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
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
    seen, summed, since = 0, 0.0, 0
    for step in range(first, len(plan)):
        batch = [rows[place] for place in plan[step]]
        with torch.autocast(device.type, torch.bfloat16):
            scores = model(**tensors(batch, device))
        loss = loss_of(scores, [label for _, _, label in batch], stage.get("smoothing", 0.0))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        seen, summed, since = seen + len(batch), summed + loss.item(), since + 1
        now = time.monotonic()
        if now - logged > 30:
            print(json.dumps({"step": step + 1, "of": len(plan), "loss": round(summed / since, 4), "pairs_per_s": round(seen / (now - logged), 1)}), flush=True)
            logged, seen, summed, since = now, 0, 0.0, 0
        if now - saved > stage.get("checkpoint_seconds", CHECKPOINT_SECONDS):
            keep(checkpoint, model, optimizer, schedule, step + 1)
            saved = now
    model.eval()


def keep(checkpoint, model, optimizer, schedule, step):
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    fresh = checkpoint.with_suffix(".new")
    torch.save(
        {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            "random": torch.get_rng_state(),
            "step": step,
        },
        fresh,
    )
    os.replace(fresh, checkpoint)


if __name__ == "__main__":
    main()
