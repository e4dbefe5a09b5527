// Names that a text imports: under other names, from modules in which constructors ran.
#include "aligned.h"

namespace emberline {
namespace {

TEST_CASE("what is imported under another name runs under its own") {
  const std::string source =
      "from ops import relu as activate, tanh as squash\n"
      "def f(x):\n"
      "    y = activate(x)\n"
      "    z = squash(y)\n"
      "    return other(z)\n";
  CHECK_LINES(source, "f", {{"frame tanh", 4}});
  CHECK_LINES(source, "f", {{"builtin relu", 3}, {"frame other", 5}});
}

TEST_CASE("imports tell classes from functions") {
  CHECK_LINES(
      "from parts import Guard as guard, build as Build\n"
      "def f():\n"
      "    a = Build()\n"
      "    b = guard()\n"
      "    c = Build()\n",
      "f", {{"frame __init__", 4}});
  CHECK_LINES(
      "from torch import no_grad as quiet\n"
      "def f(model):\n"
      "    m = Wrapped(model)\n"
      "    guard = quiet()\n"
      "    return m\n",
      "f", {{"frame __init__ no_grad", 4}});
}

TEST_CASE("a constructor's file tells which class it is of") {
  const std::string source =
      "from data.sets import Corpus\n"
      "import net.layers as layers\n"
      "from .local import timer\n"
      "def f():\n"
      "    a = Corpus()\n"
      "    b = layers.Encoder()\n"
      "    c = timer()\n"
      "    d = Other()\n";
  CHECK_LINES(source, "f", {{"frame __init__ in:/opt/lib/net/layers/encoder.py", 6}});
  CHECK_LINES(source, "f", {{"frame __init__ in:data/sets.py", 5}});
  CHECK_LINES(source, "f", {{"frame __init__ in:app/local.py", 7}});
  CHECK_LINES(source, "f", {{"frame __init__ in:elsewhere/a.py", 8}});
  // Each of several has a file of its own.
  CHECK_LINES(
      "from collections import Counter, defaultdict\n"
      "import torch\n"
      "def f():\n"
      "    a = defaultdict(list)\n"
      "    b = Counter()\n"
      "    c = torch.optim.Adam(b)\n",
      "f",
      {{"frame __init__ in:collections/__init__.py", 5},
       {"frame __init__ in:torch/optim/adam.py", 6}});
}

TEST_CASE("submodules of classes that were imported under other names") {
  const std::string source =
      "from torch.nn import Conv2d as Conv, GELU as Act\n"
      "class Net(Module):\n"
      "    def __init__(self):\n"
      "        self.a = Act()\n"
      "        self.b = Conv(3)\n"
      "    def forward(self, x):\n"
      "        x = self.b(x)\n"
      "        return self.a(x)\n";
  CHECK_LINES(source, "Net.forward", {{"module GELU", 8}});
  CHECK_LINES(source, "Net.forward", {{"module Conv2d", 7}});
  CHECK_LINES(
      "from torch.nn import Conv2d as Conv\n"
      "def f(layer, x):\n"
      "    if isinstance(layer, Conv):\n"
      "        return layer(x)\n"
      "    return layer(x)\n",
      "f", {{"module Conv2d", 4}});
}

TEST_CASE("a constructor that an imported class inherits runs where the class is called") {
  const std::string source =
      "from torch import nn\n"
      "class Squeeze(nn.Module):\n"
      "    def __init__(self, c):\n"
      "        super().__init__()\n"
      "        self.pool = nn.AdaptivePool2d(1)\n"
      "        self.fc1 = nn.Conv2d(c, c, 1)\n"
      "        self.fc2 = nn.Conv2d(c, c, 1)\n";
  const std::vector<Seen> rest = {{"frame __setattr__", 5},
                                  {"frame __init__ Conv2d in:torch/nn/conv.py", 6},
                                  {"frame __setattr__", 6},
                                  {"frame __init__ Conv2d in:torch/nn/conv.py", 7},
                                  {"frame __setattr__", 7}};
  for (const char* pool : {"frame __init__ _PoolNd in:torch/nn/pool.py heir:AdaptivePool2d",
                           "frame __init__ _PoolNd in:torch/nn/pool.py"}) {
    std::vector<Seen> seen = {{"frame __init__ Module in:torch/nn/module.py", 4}, {pool, 5}};
    seen.insert(seen.end(), rest.begin(), rest.end());
    CHECK(Lines(source, "Squeeze.__init__", seen) == Expected(seen));
  }
}

TEST_CASE("functions of imported modules are no modules of a network") {
  CHECK_LINES(
      "import blocks.tools as tools\n"
      "def f(net, x):\n"
      "    x = tools.encode(x)\n"
      "    return net.body(x)\n",
      "f", {{"module Encoder", 4}});
}

TEST_CASE("what a text defines, or takes as a parameter, is not what it imports") {
  const std::string source =
      "from ops import relu as act\n"
      "try:\n"
      "    from fast import one as run\n"
      "except ImportError:\n"
      "    from slow import two as run\n"
      "def f(act, x):\n"
      "    x = other(x)\n"
      "    return act(x)\n"
      "def g(x):\n"
      "    x = run(x)\n"
      "    return other(x)\n";
  CHECK_LINES(source, "f", {{"frame other", 7}, {"frame act", 8}});
  CHECK_LINES(source, "g", {{"frame run", 10}, {"frame other", 11}});
}

}  // namespace
}  // namespace emberline
