"""Trains a small image classifier, with five mistakes that a profile shows.

1. Every sample is augmented by a Python loop over rows while the model waits.
2. The batch is so small that calling operators costs more than computing.
3. `.item()` is called for every sample of every batch to count the correct ones.
4. The input is normalised with statistics that are computed anew in every step.
5. The gradients' norm is computed parameter by parameter, only to be logged.

`fixed.py` is the same program without them.
"""

import argparse
import os
import random
import sys

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recorder"))
import emberline_recorder  # noqa: E402

IMAGE_SIZE = 32
CLASSES = 10
SAMPLES = 512


class ShapesDataset(Dataset):
    """Noisy squares whose position depends on the class."""

    def __init__(self, samples):
        generator = torch.Generator().manual_seed(7)
        self.labels = torch.randint(CLASSES, (samples,), generator=generator)
        self.images = torch.rand(samples, 3, IMAGE_SIZE, IMAGE_SIZE, generator=generator)
        for image, label in zip(self.images, self.labels.tolist()):
            image[:, 3 * label:3 * label + 4, 3 * label:3 * label + 4] += 1.0

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.augment(self.images[index]), self.labels[index]

    def augment(self, image):
        shift = random.randint(-2, 2)
        rows = []
        for row in range(0, IMAGE_SIZE, 2):
            band = image[:, row:row + 2].roll(shift, dims=2)
            rows.append(band * (1.0 + 0.1 * random.random()))
        return torch.cat(rows, dim=1)


class SmallCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, kernel_size=3, padding=1)
        self.stem_norm = nn.BatchNorm2d(16)
        self.body = nn.Sequential(
            nn.Conv2d(16, 32, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 32, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
        )
        self.head = nn.Linear(32 * (IMAGE_SIZE // 4) ** 2, CLASSES)

    def forward(self, images):
        features = torch.relu(self.stem_norm(self.stem(images)))
        features = self.body(features)
        return self.head(features.flatten(1))


def normalise(images, dataset):
    mean = dataset.images.mean(dim=(0, 2, 3), keepdim=True)
    deviation = dataset.images.std(dim=(0, 2, 3), keepdim=True)
    return (images - mean) / deviation


def count_correct(scores, labels):
    correct = 0
    for score, label in zip(scores, labels):
        if score.argmax().item() == label.item():
            correct += 1
    return correct


def gradient_norm(model):
    total = 0.0
    for parameter in model.parameters():
        total += parameter.grad.pow(2).sum().item()
    return total ** 0.5


def train_step(model, optimizer, loss_function, images, labels, dataset):
    images = normalise(images, dataset)
    scores = model(images)
    loss = loss_function(scores, labels)
    optimizer.zero_grad()
    loss.backward()
    norm = gradient_norm(model)
    optimizer.step()
    return loss.item(), norm, count_correct(scores, labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="train_cnn/slow.pt.trace.json.gz")
    parser.add_argument("--steps", type=int, default=4)
    options = parser.parse_args()

    torch.manual_seed(7)
    random.seed(7)
    torch.set_num_threads(1)
    dataset = ShapesDataset(SAMPLES)
    loader = DataLoader(dataset, batch_size=8, shuffle=False)
    model = SmallCnn()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loss_function = nn.CrossEntropyLoss()

    with profile(
            activities=[ProfilerActivity.CPU],
            schedule=schedule(wait=1, warmup=1, active=options.steps, repeat=1),
            on_trace_ready=emberline_recorder.trace_handler(options.out, truth=True),
            record_shapes=True, profile_memory=True, with_stack=True,
            with_modules=True) as profiler:
        for step, (images, labels) in enumerate(loader):
            loss, norm, correct = train_step(
                model, optimizer, loss_function, images, labels, dataset)
            print(f"step {step}: loss {loss:.4f}, norm {norm:.3f}, {correct} correct")
            profiler.step()
            if step == options.steps + 1:
                break


if __name__ == "__main__":
    main()
