"""Trains a small transformer on a counting task and records three steps of it."""

import argparse
import os
import sys

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recorder"))
import emberline_recorder  # noqa: E402
from transformer.model import TinyTransformer  # noqa: E402

VOCABULARY = 256
LENGTH = 64
BATCH = 8


def make_batch(generator):
    """Sequences that count upwards from a random token; the target is the next token."""
    start = torch.randint(VOCABULARY, (BATCH, 1), generator=generator)
    tokens = (start + torch.arange(LENGTH + 1)) % VOCABULARY
    return tokens[:, :-1], tokens[:, 1:]


def compute_loss(model, tokens, targets):
    scores = model(tokens)
    return nn.functional.cross_entropy(scores.flatten(0, 1), targets.flatten())


def train_step(model, optimizer, generator):
    with record_function("make_batch"):
        tokens, targets = make_batch(generator)
    loss = compute_loss(model, tokens, targets)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="transformer/train.pt.trace.json.gz")
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()

    torch.manual_seed(11)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(11)
    model = TinyTransformer(VOCABULARY, LENGTH, width=64, heads=4, layers=2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

    handler = emberline_recorder.trace_handler(
        options.out, truth=True, written_root="/workspace/emberline-samples")
    with profile(
            activities=[ProfilerActivity.CPU],
            schedule=schedule(wait=1, warmup=1, active=options.steps, repeat=1),
            on_trace_ready=handler, record_shapes=True, profile_memory=True,
            with_stack=True, with_modules=True) as profiler:
        for step in range(options.steps + 2):
            loss = train_step(model, optimizer, generator)
            print(f"step {step}: loss {loss:.4f}")
            profiler.step()


if __name__ == "__main__":
    main()
