"""Classifies texts with a recurrent network; recorded without steps, as a service would be."""

import argparse
import os
import sys

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recorder"))
import emberline_recorder  # noqa: E402

REQUESTS = [
    "the train from the north is late again",
    "what a wonderful concert",
    "the soup was cold and the waiter was rude",
    "we will come back next summer",
    "never again",
    "a quiet room with a view of the lake",
]
CLASSES = ("complaint", "praise", "other")


def tokenize(text, length=24):
    """Bytes as tokens, padded with zeros."""
    codes = list(text.encode("utf-8"))[:length]
    return codes + [0] * (length - len(codes))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(256, 32)
        self.encoder = nn.GRU(32, 48, batch_first=True)
        self.decision = nn.Sequential(nn.Linear(48, 32), nn.ReLU(), nn.Linear(32, len(CLASSES)))

    def forward(self, tokens):
        embedded = self.embedding(tokens)
        states, _ = self.encoder(embedded)
        return self.decision(states.mean(dim=1))


def classify(model, text):
    with record_function("tokenize"):
        tokens = torch.tensor([tokenize(text)])
    with record_function("predict"):
        scores = model(tokens).softmax(dim=-1)
    best = scores.argmax().item()
    return CLASSES[best], scores[0, best].item()


@torch.no_grad()
def serve(model, texts):
    return [classify(model, text) for text in texts]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="inference/classify.pt.trace.json.gz")
    options = parser.parse_args()

    torch.manual_seed(3)
    torch.set_num_threads(1)
    model = Classifier().eval()
    serve(model, REQUESTS[:2])
    with profile(
            activities=[ProfilerActivity.CPU],
            on_trace_ready=emberline_recorder.trace_handler(options.out, truth=True),
            record_shapes=True, profile_memory=True, with_stack=True, with_modules=True):
        answers = serve(model, REQUESTS)
    for text, (label, score) in zip(REQUESTS, answers):
        print(f"{label:9} {score:.2f}  {text}")


if __name__ == "__main__":
    main()
