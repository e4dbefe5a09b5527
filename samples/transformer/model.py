"""A small decoder-only transformer, written out so that every module has lines of its own."""

import math

import torch
from torch import nn
from torch.nn import functional


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query_key_value = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)

    def forward(self, hidden):
        batch, length, width = hidden.shape
        query, key, value = self.query_key_value(hidden).chunk(3, dim=-1)
        query, key, value = (
            self.split_heads(part, batch, length) for part in (query, key, value))
        scores = query @ key.transpose(-2, -1) / math.sqrt(width // self.heads)
        mask = torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)
        scores = scores.masked_fill(mask, float("-inf"))
        weights = scores.softmax(dim=-1)
        mixed = (weights @ value).transpose(1, 2).reshape(batch, length, width)
        return self.output(mixed)

    def split_heads(self, part, batch, length):
        return part.view(batch, length, self.heads, -1).transpose(1, 2)


class FeedForward(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, hidden):
        return self.narrow(functional.gelu(self.widen(hidden)))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = CausalSelfAttention(width, heads)
        self.feed_forward_norm = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width)

    def forward(self, hidden):
        hidden = hidden + self.attention(self.attention_norm(hidden))
        return hidden + self.feed_forward(self.feed_forward_norm(hidden))


class TinyTransformer(nn.Module):
    def __init__(self, vocabulary, length, width, heads, layers):
        super().__init__()
        self.token = nn.Embedding(vocabulary, width)
        self.position = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        positions = torch.arange(tokens.shape[1])
        hidden = self.token(tokens) + self.position(positions)
        for block in self.blocks:
            hidden = block(hidden)
        return self.head(self.norm(hidden))
