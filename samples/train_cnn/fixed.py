"""Trains a small image classifier: `slow.py` with its five mistakes mended.

1. Augmentation works on a whole batch with a few tensor operators.
2. The batch is larger.
3. Correct samples are counted on the tensor and read once, after the loop.
4. The statistics of the input are computed once, before training.
5. The gradients' norm is left to `clip_grad_norm_`, which computes it in one piece.
"""

import argparse
import os
import random
import sys

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import BatchSampler, DataLoader, Dataset, SequentialSampler

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

    def __getitem__(self, indices):
        return self.augment(self.images[indices]), self.labels[indices]

    def augment(self, images):
        shift = random.randint(-2, 2)
        gains = 1.0 + 0.1 * torch.rand(len(images), 1, IMAGE_SIZE // 2, 1)
        return images.roll(shift, dims=3) * gains.repeat_interleave(2, dim=2)


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


def statistics(dataset):
    mean = dataset.images.mean(dim=(0, 2, 3), keepdim=True)
    deviation = dataset.images.std(dim=(0, 2, 3), keepdim=True)
    return mean, deviation


def normalise(images, mean, deviation):
    return (images - mean) / deviation


def count_correct(scores, labels):
    return (scores.argmax(dim=1) == labels).sum()


def gradient_norm(model):
    return nn.utils.clip_grad_norm_(model.parameters(), max_norm=10.0)


def train_step(model, optimizer, loss_function, images, labels, mean, deviation):
    images = normalise(images, mean, deviation)
    scores = model(images)
    loss = loss_function(scores, labels)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = gradient_norm(model)
    optimizer.step()
    return loss.detach(), norm, count_correct(scores, labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="train_cnn/fixed.pt.trace.json.gz")
    parser.add_argument("--steps", type=int, default=4)
    options = parser.parse_args()

    torch.manual_seed(7)
    random.seed(7)
    torch.set_num_threads(1)
    dataset = ShapesDataset(SAMPLES)
    batches = BatchSampler(SequentialSampler(dataset), batch_size=64, drop_last=True)
    loader = DataLoader(dataset, sampler=batches, batch_size=None)
    mean, deviation = statistics(dataset)
    model = SmallCnn()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loss_function = nn.CrossEntropyLoss()

    with profile(
            activities=[ProfilerActivity.CPU],
            schedule=schedule(wait=1, warmup=1, active=options.steps, repeat=1),
            on_trace_ready=emberline_recorder.trace_handler(options.out, truth=True),
            record_shapes=True, profile_memory=True, with_stack=True,
            with_modules=True) as profiler:
        history = []
        for step, (images, labels) in enumerate(loader):
            history.append(train_step(
                model, optimizer, loss_function, images, labels, mean, deviation))
            profiler.step()
            if step == options.steps + 1:
                break
    for step, (loss, norm, correct) in enumerate(history):
        print(f"step {step}: loss {loss:.4f}, norm {norm:.3f}, {correct} correct")


if __name__ == "__main__":
    main()
