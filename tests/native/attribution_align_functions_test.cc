// Functions that are held by variables, wrapped by decorators, or chosen by the class of a value.
#include "aligned.h"
#include "attribution/match_wrapper.h"

namespace emberline {
namespace {

TEST_CASE("a method that is only named does not run; the call of the variable takes it") {
  const std::string source =
      "class Augment:\n"
      "    def __init__(self):\n"
      "        self.table = {'a': self._one, 'b': self._two}\n"
      "    def loop(self, x):\n"
      "        for f in [self._one,\n"
      "                  self._two]:\n"
      "            x = f(x)\n"
      "        return x\n"
      "    def variable(self, x):\n"
      "        steps = (self._one, self._two)\n"
      "        for i, step in enumerate(steps):\n"
      "            x = step(x)\n"
      "        x = self._one(x)\n"
      "        return x\n"
      "    def attribute(self, x, key):\n"
      "        other(x)\n"
      "        return self.table[key](x)\n"
      "    def named(self, x):\n"
      "        f = getattr(self, '_two')\n"
      "        x = other(x)\n"
      "        return f(x)\n";
  CHECK_LINES(source, "Augment.loop", {{"frame _one method", 7}, {"frame _two method", 7}});
  // Neither is it known to be a method where its text is not at hand.
  CHECK_LINES(source, "Augment.loop", {{"frame _one", 7}, {"frame _two", 7}});
  CHECK_LINES(source, "Augment.variable",
              {{"frame _one method", 12}, {"frame _two method", 12}, {"frame _one method", 13}});
  CHECK_LINES(source, "Augment.attribute", {{"frame other", 16}, {"frame _two method", 17}});
  CHECK_LINES(source, "Augment.named", {{"frame other", 20}, {"frame _two method", 21}});
}

TEST_CASE("modules are called where modules are, beside a loop over functions") {
  const std::string source =
      "class Net(nn.Module):\n"
      "    def forward(self, x):\n"
      "        for i, b in enumerate(self.blocks):\n"
      "            x = b(x)\n"
      "        for f in [self.one, self.two]:\n"
      "            x = f(x)\n"
      "        return x\n"
      "    def twice(self, x):\n"
      "        x = self.one(x)\n"
      "        for b in self.blocks:\n"
      "            x = b(x)\n"
      "        steps = (self.one, self.two)\n"
      "        for step in steps:\n"
      "            x = step(x)\n"
      "        return x\n"
      "    def layers(self, x):\n"
      "        for layer in [self.linear, self.act]:\n"
      "            x = layer(x)\n"
      "        return self.last(x)\n";
  CHECK_LINES(
      source, "Net.forward",
      {{"module Block", 4}, {"module Block", 4}, {"frame one method", 6}, {"frame two method", 6}});
  CHECK_LINES(source, "Net.twice",
              {{"frame one method", 9},
               {"module Block", 11},
               {"module Block", 11},
               {"frame one method", 14},
               {"frame two method", 14}});
  // What a variable holds may be modules, too.
  CHECK_LINES(source, "Net.layers",
              {{"module Linear", 18}, {"module ReLU", 18}, {"module Softmax", 19}});
}

TEST_CASE(
    "a plain function of the text takes no module, nor does what is known of a variable's list") {
  const std::string source =
      "def pick_loss(kind, a, b):\n"
      "    return a - b\n"
      "def main():\n"
      "    models = [Router(32), Router(64)]\n"
      "    for m in models:\n"
      "        out = m(x)\n"  // 6
      "        for kind in range(2):\n"
      "            loss = pick_loss(kind, out, x)\n"  // 8
      "def given(models, pick_loss):\n"
      "    for m in models:\n"
      "        out = m(x)\n"       // 11
      "        y = helper(out)\n"  // 12
      "    return pick_loss(y)\n";
  CHECK_LINES(source, "main",
              {{"module Router", 6},
               {"frame pick_loss", 8},
               {"frame pick_loss", 8},
               {"module Router", 6},
               {"frame pick_loss", 8}});
  // A parameter of that name may hold a module.
  CHECK_LINES(source, "given",
              {{"module Router", 11}, {"frame helper", 12}, {"module Criterion", 13}});
}

TEST_CASE("functions that are handed to what calls them run there") {
  const std::string source =
      "class A:\n"
      "    def mapped(self, xs):\n"
      "        a = list(map(self._one, xs))\n"                           // 3
      "        b = [f(x) for f in (self._one, self._two) for x in a]\n"  // 4
      "        c = functools.reduce(self._add, b)\n"                     // 5
      "        d = list(map(torch.relu, b))\n"                           // 6
      "        return list(map(self.encoder, d)), other(self.norm)\n";   // 7
  CHECK_LINES(source, "A.mapped",
              {{"frame _one method", 3},
               {"frame _one method", 3},
               {"frame <listcomp> @4", 4},
               {"frame _add method", 5},
               {"builtin relu", 6},
               {"builtin relu", 6},
               {"module Encoder", 7},
               {"module Encoder", 7},
               {"frame other", 7}});
}

TEST_CASE("a parameter's default says what it may hold; any parameter may hold a class") {
  const std::string source =
      "def conv_bn(i, o, act=nn.ReLU):\n"
      "    layers = [nn.Conv2d(i, o), nn.BatchNorm2d(o)]\n"  // 2
      "    if act:\n"
      "        layers.append(act(inplace=True))\n"  // 4
      "    return layers\n"
      "def block(i, norm):\n"
      "    a = nn.Conv2d(i)\n"  // 7
      "    b = norm(i)\n"       // 8
      "    return a, b\n"
      "def feed(x, act=F.gelu):\n"
      "    y = other(x)\n"   // 11
      "    return act(y)\n"  // 12
      ;
  CHECK_LINES(source, "conv_bn",
              {{"frame __init__", 2}, {"frame __init__", 2}, {"frame __init__", 4}});
  CHECK_LINES(source, "block", {{"frame __init__", 7}, {"frame __init__", 8}});
  CHECK_LINES(source, "block", {{"frame __init__ Conv2d", 7}, {"frame __init__ LayerNorm", 8}});
  CHECK_LINES(source, "feed", {{"frame other", 11}, {"builtin gelu", 12}});
}

TEST_CASE("a list that keeps what modules gave takes no module, a loop over an attribute does") {
  const std::string source =
      "class Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        self.stages = nn.Sequential(one, two)\n"
      "    def features(self, x):\n"
      "        out = []\n"
      "        for stage in self.stages:\n"
      "            x = stage(x)\n"   // 7
      "            out.append(x)\n"  // 8
      "        for i, block in enumerate(self.blocks):\n"
      "            x = block(x)\n"  // 10
      "            for hook in self.hooks:\n"
      "                hook(i, x)\n"  // 12
      "        return out\n";
  CHECK_LINES(source, "Net.features",
              {{"module Sequential", 7},
               {"builtin append", 8},
               {"module Sequential", 7},
               {"builtin append", 8},
               {"module Block", 10},
               {"frame <lambda>", 12}});
  CHECK_LINES(source, "Net.features", {{"module Sequential", 7}, {"module Sequential", 7}});
}

TEST_CASE("a metaclass runs where its class is called") {
  const std::string source =
      "def f(s, x):\n"
      "    s(x).backward()\n"  // 2
      "    Color(1)\n"         // 3
      "    return other(x)\n"
      "def g(value, kind):\n"
      "    return kind(value)\n";  // 6
  CHECK_LINES(
      source, "f",
      {{"module Net", 2}, {"builtin backward", 2}, {"frame __call__ meta", 3}, {"frame other", 4}});
  CHECK_LINES(source, "g", {{"frame __call__ meta", 6}});
}

TEST_CASE("a table that is written out where it is used, and one whose content nobody knows") {
  const std::string source =
      "class Net(nn.Module):\n"
      "    def literal(self, x):\n"
      "        for i, b in enumerate(self.blocks):\n"
      "            x = b(x)\n"
      "        act = {'a': self.one, 'b': self.two}['a']\n"
      "        return act(x)\n"
      "    def called(self, x):\n"
      "        f = start if x is not None else other\n"
      "        y = f(x)\n"
      "        h = dict(a=one, b=two)\n"
      "        return h['b'](y)\n"
      "    def unknown(self, x):\n"
      "        for i, b in enumerate(self.blocks):\n"
      "            x = b(x)\n"
      "        for f in self.table:\n"
      "            x = f(x)\n"
      "        return x\n";
  CHECK_LINES(source, "Net.literal",
              {{"module Block", 4}, {"module Block", 4}, {"frame one method", 6}});
  CHECK_LINES(source, "Net.called", {{"frame start", 9}, {"frame two", 11}});
  // Either loop may have called it, which is said.
  const std::string lines =
      Lines(source, "Net.unknown",
            {{"module Block", 14}, {"module Block", 14}, {"frame one method", 16}});
  CHECK(lines.ends_with("?"));
}

TEST_CASE("a table of the module, and one that a comprehension goes through") {
  const std::string source =
      "ACTS = {'a': relu, 'b': lambda x: x}\n"
      "def act(x, name):\n"
      "    other(x)\n"
      "    return ACTS[name](x)\n"
      "def each(x):\n"
      "    fs = [one, two]\n"
      "    return [\n"
      "        f(x)\n"
      "        for f in fs]\n";
  CHECK_LINES(source, "act", {{"frame other", 3}, {"frame relu", 4}});
  CHECK_LINES(source, "act", {{"frame other", 3}, {"frame <lambda>", 4}});
  CHECK_LINES(source, "each.<listcomp>", {{"frame one", 8}, {"frame two", 8}});
}

TEST_CASE("a property runs where it is read") {
  CHECK_LINES(
      "class A:\n"
      "    def f(self):\n"
      "        x = self.width\n"
      "        y = width(x)\n",
      "A.f", {{"frame width property", 3}});
}

TEST_CASE("a wrapper stands for the function that it runs") {
  const std::string source =
      "def f(x):\n"
      "    y = one(x)\n"
      "    z = two(y)\n"
      "    return three(z)\n";
  CHECK_LINES(source, "f", {{"frame wrapper around:two", 3}});
  CHECK_LINES(
      source, "f",
      {{"frame decorate_context around:one", 2}, {"frame decorate_context around:three", 4}});
}

TEST_CASE("functools' wrappers of methods run where the method is called") {
  CHECK(IsWrapperName("_method"));  // singledispatchmethod, partialmethod
  const std::string source =
      "def main(x):\n"
      "    x.of(3)\n"  // 2
      "    sizes = reduce(add, x.parameters())\n"
      "    return sizes\n";
  CHECK_LINES(source, "main", {{"frame _method around:of", 2}, {"builtin reduce", 3}});
}

TEST_CASE("only what is decorated runs as a wrapper") {
  CHECK_LINES(
      "def plain(x):\n"
      "    pass\n"
      "@singledispatch\n"
      "def describe(x):\n"
      "    pass\n"
      "def f(x):\n"
      "    plain(x)\n"
      "    describe(x)\n"
      "    plain(x)\n",
      "f", {{"frame wrapper around", 8}});
}

TEST_CASE("super().__call__() calls the module") {
  CHECK_LINES(
      "class A(Net):\n"
      "    def __call__(self, x):\n"
      "        y = prepare(x)\n"
      "        return super().__call__(y)\n",
      "A.__call__", {{"frame prepare", 3}, {"module A", 4}});
}

TEST_CASE("operators that a decorator wraps are told by the operator inside") {
  CHECK_LINES(
      "def f(x):\n"
      "    a = 1 - x\n"
      "    b = 2 / x\n"
      "    c = x // 2\n"
      "    d = 2 ** x\n",
      "f",
      {{"frame wrapped around:__rsub__", 2},
       {"frame wrapped around:__rdiv__", 3},
       {"frame wrapped around:__floordiv__", 4},
       {"frame wrapped around:__rpow__", 5}});
  // One of them alone, too.
  CHECK_LINES(
      "def f(x):\n"
      "    a = 1 - x\n"
      "    b = 2 / x\n"
      "    c = x // 2\n",
      "f", {{"frame wrapped around:__floordiv__", 4}});
}

TEST_CASE("isinstance() tells the branch that calls a module") {
  const std::string source =
      "def f(layers, x):\n"
      "    for layer in layers:\n"
      "        if isinstance(layer, (nn.Linear, nn.LayerNorm)):\n"
      "            x = layer(x)\n"
      "        elif isinstance(layer, nn.Dropout) and x is not None:\n"
      "            x = layer(x)\n"
      "        else:\n"
      "            x = layer(x)\n"
      "    return x\n";
  CHECK_LINES(
      source, "f",
      {{"module Linear", 4}, {"module Dropout", 6}, {"module ReLU", 8}, {"module LayerNorm", 4}});
  CHECK_LINES(
      "def f(norm, x):\n"
      "    if not isinstance(norm, nn.BatchNorm2d):\n"
      "        return norm(x)\n"
      "    return norm(x)\n",
      "f", {{"module GroupNorm", 3}});
}

TEST_CASE("isinstance() tells the branch by the bases of a module's class") {
  const std::string source =
      "def f(layers, x):\n"
      "    for layer in layers:\n"
      "        if isinstance(layer, _ConvNd):\n"
      "            x = layer(x)\n"
      "        elif isinstance(layer, Block):\n"
      "            x = layer(x)\n"
      "        elif isinstance(layer, nn.Linear):\n"
      "            x = layer(x)\n"
      "        else:\n"
      "            x = layer(x)\n"
      "    return x\n";
  CHECK_LINES(source, "f",
              {{"module Residual of:Block of:Module", 6},
               {"module Conv2d of:_ConvNd", 4},
               {"module Linear", 8},
               {"module Bottleneck of:Block", 6}});
}

TEST_CASE("a generator runs where it is consumed, not in loops over what is there already") {
  const std::string source =
      "def main(world):\n"
      "    seen = set()\n"
      "    for it in range(2):\n"
      "        steps = list(rollout(world))\n"
      "        for s in steps:\n"
      "            push(s)\n"
      "def take(frames):\n"
      "    frames = islice(frames, 3)\n"
      "    names = set()\n"
      "    for f in frames:\n"
      "        names.add(f)\n";
  CHECK_LINES(source, "main",
              {{"frame rollout generator", 4},
               {"frame rollout generator", 4},
               {"frame push", 6},
               {"frame push", 6},
               {"frame rollout generator", 4},
               {"frame push", 6}});
  // Many turns of it in one call are no reason to look for a loop.
  const std::string loader =
      "def main(world):\n"
      "    steps = list(rollout(world))\n"
      "    for x in Loader(steps):\n"
      "        push(x)\n";
  CHECK_LINES(loader, "main",
              {{"frame rollout generator", 2},
               {"frame rollout generator", 2},
               {"frame rollout generator", 2},
               {"frame rollout generator", 2}});
  CHECK_LINES(source, "take",
              {{"frame walk generator", 10}, {"builtin add", 11}, {"frame walk generator", 10}});
}

TEST_CASE("an attribute that a condition, or two statements, made of one class or another") {
  const std::string source =
      "class Block(nn.Module):\n"
      "    def __init__(self, n, m, act):\n"
      "        self.conv = nn.Conv2d(n, m)\n"
      "        self.skip = nn.Conv2d(n, m) if n != m else nn.Identity()\n"
      "        if act:\n"
      "            self.last = nn.ReLU()\n"
      "        else:\n"
      "            self.last = nn.Sigmoid()\n"
      "    def forward(self, x):\n"
      "        h = self.conv(x)\n"
      "        h = h + self.skip(x)\n"
      "        return self.last(h)\n";
  CHECK_LINES(source, "Block.forward",
              {{"module Conv2d", 10}, {"module Identity", 11}, {"module Sigmoid", 12}});
  CHECK_LINES(source, "Block.forward",
              {{"module Conv2d", 10}, {"module Conv2d", 11}, {"module ReLU", 12}});
}

TEST_CASE("print() calls nothing but what writes its text") {
  const std::string source =
      "def f(x, step):\n"
      "    print(x)\n"
      "    step(x)\n"
      "    print(x)\n";
  CHECK_LINES(source, "f", {{"frame train", 3}, {"frame __repr__", 4}});
}

TEST_CASE("modules that a function of the file made, or one branch of an expression") {
  const std::string source =
      "def conv_bn(c):\n"
      "    return nn.Sequential(nn.Conv2d(c, c, 3), nn.BatchNorm2d(c))\n"
      "class Block(nn.Module):\n"
      "    def __init__(self, c, se, down):\n"
      "        self.conv1 = conv_bn(c)\n"
      "        self.conv2 = conv_bn(c)\n"
      "        self.se = Squeeze(c) if se else None\n"
      "        self.down = down\n"
      "    def forward(self, x):\n"
      "        y = self.conv1(x)\n"
      "        y = self.conv2(y)\n"
      "        if self.se is not None:\n"
      "            y = self.se(y)\n"
      "        if self.down is not None:\n"
      "            x = self.down(x)\n"
      "        return x + y\n";
  CHECK_LINES(source, "Block.forward", {{"module Sequential", 10}, {"module Sequential", 11}});
  CHECK_LINES(source, "Block.forward",
              {{"module Sequential", 10},
               {"module Sequential", 11},
               {"module Squeeze", 13},
               {"module Sequential", 15}});
}

TEST_CASE("a function that keeps its results runs for the first of equal calls") {
  const std::string source =
      "@functools.cache\n"
      "def kept(n):\n"
      "    return n\n"
      "def f(n):\n"
      "    a = kept(3)\n"  // 5
      "    b = kept(3)\n"
      "    c = kept(4)\n"  // 7
      "    d = kept(n)\n"  // 8
      "    n = n + 1\n"
      "    e = kept(n)\n"  // 10
      "def g(n):\n"
      "    if n:\n"
      "        kept(n)\n"
      "    kept(n)\n"
      "def h(n):\n"
      "    a = kept(3)\n"
      "    b = kept(4)\n";
  CHECK_LINES(source, "f",
              {{"frame kept", 5}, {"frame kept", 7}, {"frame kept", 8}, {"frame kept", 10}});
  // The first of these need not be reached, or may have run before.
  CHECK(Lines(source, "g", {{"frame kept", 0}}) == "14?");
  CHECK(Lines(source, "h", {{"frame kept", 0}}) == "16?");
  const std::string held =
      "class A:\n"
      "    @cached_property\n"
      "    def mean(self):\n"
      "        return 1\n"
      "    def f(self):\n"
      "        a = self.mean\n"  // 6
      "        return a + self.mean\n";
  CHECK_LINES(held, "A.f", {{"frame mean property", 6}});
}

}  // namespace
}  // namespace emberline
