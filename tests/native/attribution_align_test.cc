// Alignment of observed calls with the lines of a function, one construct per case. A case draws a
// source and what a profiler saw; each thing seen names the line where it belongs.
#include "aligned.h"

namespace emberline {
namespace {

TEST_CASE("calls in order of statements") {
  CHECK_LINES(
      "def f(x):\n"
      "    a = one(x)\n"
      "    b = two(a)\n"
      "    return three(b)\n",
      "f", {{"frame one", 2}, {"frame two", 3}, {"frame three", 4}});
}

TEST_CASE("one name called on several lines is told apart by order") {
  CHECK_LINES(
      "def f(x):\n"
      "    a = g(x)\n"
      "    b = h(a)\n"
      "    return g(b)\n",
      "f", {{"frame g", 2}, {"frame h", 3}, {"frame g", 4}});
}

TEST_CASE("arguments run before the call that takes them") {
  CHECK_LINES(
      "def f(x):\n"
      "    return outer(\n"
      "        inner(x),\n"
      "        second(x))\n",
      "f", {{"frame inner", 3}, {"frame second", 4}, {"frame outer", 2}});
}

TEST_CASE("method chains over several lines") {
  CHECK_LINES(
      "def f(x):\n"
      "    return (x.one()\n"
      "            .two()\n"
      "            .three())\n",
      "f", {{"builtin one", 2}, {"builtin two", 3}, {"builtin three", 4}});
}

TEST_CASE("loops repeat their body") {
  CHECK_LINES(
      "def f(items):\n"
      "    for item in items:\n"
      "        a = g(item)\n"
      "        h(a)\n"
      "    return end(items)\n",
      "f",
      {{"frame g", 3},
       {"frame h", 4},
       {"frame g", 3},
       {"frame h", 4},
       {"frame g", 3},
       {"frame h", 4},
       {"frame end", 5}});
}

TEST_CASE("nested loops, break and continue") {
  CHECK_LINES(
      "def f(rows):\n"
      "    for row in rows:\n"
      "        start(row)\n"
      "        for cell in row:\n"
      "            if skip(cell):\n"
      "                continue\n"
      "            use(cell)\n"
      "            if last(cell):\n"
      "                break\n"
      "        finish(row)\n",
      "f",
      {{"frame start", 3},
       {"frame skip", 5},
       {"frame skip", 5},
       {"frame use", 7},
       {"frame last", 8},
       {"frame skip", 5},
       {"frame use", 7},
       {"frame last", 8},
       {"frame finish", 10},
       {"frame start", 3},
       {"frame skip", 5},
       {"frame finish", 10}});
}

TEST_CASE("while loops test before each turn") {
  CHECK_LINES(
      "def f(q):\n"
      "    while more(q):\n"
      "        take(q)\n"
      "    done(q)\n",
      "f",
      {{"frame more", 2},
       {"frame take", 3},
       {"frame more", 2},
       {"frame take", 3},
       {"frame more", 2},
       {"frame done", 4}});
}

TEST_CASE("branches: the calls say which one was taken") {
  const std::string source =
      "def f(x):\n"
      "    if test(x):\n"
      "        a = left(x)\n"
      "        b = g(a)\n"
      "    elif other(x):\n"
      "        b = middle(x)\n"
      "    else:\n"
      "        a = right(x)\n"
      "        b = g(a)\n"
      "    return end(b)\n";
  CHECK_LINES(source, "f",
              {{"frame test", 2}, {"frame left", 3}, {"frame g", 4}, {"frame end", 10}});
  CHECK_LINES(source, "f",
              {{"frame test", 2}, {"frame other", 5}, {"frame middle", 6}, {"frame end", 10}});
  CHECK_LINES(source, "f",
              {{"frame test", 2},
               {"frame other", 5},
               {"frame right", 8},
               {"frame g", 9},
               {"frame end", 10}});
}

TEST_CASE("what fits two lines equally well is marked ambiguous") {
  CHECK(Lines("def f(x):\n"
              "    if x:\n"
              "        g(1)\n"
              "    else:\n"
              "        g(2)\n",
              "f", {{"frame g", 0}}) == "3?");
}

TEST_CASE("branches that call the same function: what else they call decides") {
  const std::string source =
      "def f(x, flag):\n"
      "    if flag:\n"
      "        a = g(x)\n"  // 3
      "        b = h(a)\n"  // 4
      "    else:\n"
      "        a = g(x)\n"  // 6
      "        b = k(a)\n"  // 7
      "    return b\n";
  CHECK_LINES(source, "f", {{"frame g", 3}, {"frame h", 4}});
  CHECK_LINES(source, "f", {{"frame g", 6}, {"frame k", 7}});
  // Neither of the two: nothing decides.
  CHECK(Lines(source, "f", {{"frame g", 0}}) == "3?");
}

TEST_CASE("branches that call the same function: how often decides") {
  const std::string source =
      "def f(x, flag):\n"
      "    if flag:\n"
      "        a = g(x)\n"  // 3
      "        b = g(a)\n"  // 4
      "        c = g(b)\n"  // 5
      "    else:\n"
      "        c = g(x)\n"  // 7
      "    return c\n";
  CHECK_LINES(source, "f", {{"frame g", 3}, {"frame g", 4}, {"frame g", 5}});
  CHECK_LINES(source, "f", {{"frame g", 7}});
}

TEST_CASE("branches in a loop are told apart turn by turn") {
  const std::string source =
      "def f(items):\n"
      "    for item in items:\n"
      "        if item.big:\n"
      "            g(item)\n"    // 4
      "            big(item)\n"  // 5
      "        else:\n"
      "            g(item)\n"       // 7
      "            small(item)\n";  // 8
  CHECK_LINES(source, "f",
              {{"frame g", 4},
               {"frame big", 5},
               {"frame g", 7},
               {"frame small", 8},
               {"frame g", 7},
               {"frame small", 8},
               {"frame g", 4},
               {"frame big", 5}});
}

TEST_CASE("what leaves no trace decides nothing between branches") {
  // Attributes and constructors of builtin types run unseen: there may be any number of them.
  CHECK(Lines("def f(x, flag):\n"
              "    if flag:\n"
              "        y = g(x)\n"
              "    else:\n"
              "        y = g(float(x.a.b.c.d.e.f.g.h), int(x.i.j.k.l.m.n), str(x.o), bool(x.p))\n"
              "    return y\n",
              "f", {{"frame g", 0}}) == "3?");
  CHECK(Lines("def f(x, flag):\n"
              "    if flag:\n"
              "        y = g(tuple(x), list(x), dict(x), set(x), range(3))\n"
              "    else:\n"
              "        y = g(x)\n"
              "    return y\n",
              "f", {{"frame g", 0}}) == "5?");
}

TEST_CASE("the order of two branches' other calls decides") {
  const std::string source =
      "def f(x, flag):\n"
      "    if flag:\n"
      "        h(x)\n"  // 3
      "        g(x)\n"  // 4
      "    else:\n"
      "        g(x)\n"   // 6
      "        h(x)\n";  // 7
  CHECK_LINES(source, "f", {{"frame h", 3}, {"frame g", 4}});
  CHECK_LINES(source, "f", {{"frame g", 6}, {"frame h", 7}});
}

TEST_CASE("modules of one class in two branches are a guess without more to go by") {
  CHECK(Lines("class Net:\n"
              "    def __init__(self):\n"
              "        self.a = Linear(1, 2)\n"
              "        self.b = Linear(1, 2)\n"
              "    def forward(self, x):\n"
              "        if x.small:\n"
              "            return self.a(x)\n"
              "        return self.b(x)\n",
              "Net.forward", {{"module Linear", 0}})
            .ends_with("?"));
}

TEST_CASE("a recorded calling line tells the branch, and with it what stands beside") {
  const std::string source =
      "def f(x, flag):\n"
      "    if flag:\n"
      "        y = g(x)\n"   // 3
      "        z = y @ x\n"  // 4
      "    else:\n"
      "        y = g(x)\n"   // 6
      "        z = y @ x\n"  // 7
      "    return z\n";
  CHECK(Lines(source, "f", {{"frame g", 0}, {"op matmul", 0}}) == "3? 4?");
  CHECK(Lines(source, "f", {{"frame g", 0, 6}, {"op matmul", 0}}) == "6 7");
  CHECK(Lines(source, "f", {{"frame g", 0, 3}, {"op matmul", 0}}) == "3 4");
}

TEST_CASE("modules are told apart by the class assigned in __init__") {
  CHECK_LINES(
      "class Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        self.first = nn.Linear(1, 2)\n"
      "        self.second = nn.Conv2d(1, 2, 3)\n"
      "    def forward(self, x, flag):\n"
      "        if flag:\n"
      "            x = self.first(x)\n"
      "        else:\n"
      "            x = self.second(x)\n"
      "        return x\n",
      "Net.forward", {{"module Conv2d", 9}});
}

TEST_CASE("modules in a list are called through the loop's variable") {
  CHECK_LINES(
      "class Net(nn.Module):\n"
      "    def forward(self, x):\n"
      "        x = self.stem(x)\n"
      "        for block in self.blocks:\n"
      "            x = block(x)\n"
      "        return self.head(x)\n",
      "Net.forward",
      {{"module Conv2d", 3},
       {"module Block", 5},
       {"module Block", 5},
       {"module Block", 5},
       {"module Linear", 6}});
}

TEST_CASE("operators that become ops") {
  CHECK_LINES(
      "def f(a, b):\n"
      "    c = a @ b\n"
      "    d = c + a\n"
      "    e = -d\n"
      "    g = e[0, 1:2]\n"
      "    g += 1\n"
      "    e[2] = g\n"
      "    return g > 0\n",
      "f",
      {{"op matmul", 2},
       {"op add", 3},
       {"op neg", 4},
       {"op select", 5},
       {"op slice", 5},
       {"op add_", 6},
       {"op select", 7},
       {"op fill_", 7},
       {"op gt", 8}});
}

TEST_CASE("operators between calls keep their place") {
  CHECK_LINES(
      "def f(images, dataset):\n"
      "    mean = dataset.images.mean(dim=0)\n"
      "    deviation = dataset.images.std(dim=0)\n"
      "    return (images - mean) / deviation\n",
      "f", {{"builtin mean", 2}, {"builtin std", 3}, {"op sub", 4}, {"op div", 4}});
}

TEST_CASE("tensor methods and functions without a Python call of their own") {
  CHECK_LINES(
      "def f(x):\n"
      "    x = x.relu()\n"
      "    x = F.linear(x, w)\n"
      "    x = torch.cat([x, x])\n"
      "    return x.to(device)\n",
      "f", {{"op relu", 2}, {"op linear", 3}, {"op cat", 4}, {"op to", 5}});
}

TEST_CASE("with statements enter and leave") {
  CHECK_LINES(
      "def f(x):\n"
      "    with ctx(x) as y:\n"
      "        g(y)\n"
      "    return h(x)\n",
      "f",
      {{"frame ctx", 2},
       {"frame __enter__", 2},
       {"frame g", 3},
       {"frame __exit__", 2},
       {"frame h", 4}});
}

TEST_CASE("a return inside with leaves the context") {
  CHECK_LINES(
      "def f(x):\n"
      "    with ctx(x):\n"
      "        return g(x)\n",
      "f", {{"frame ctx", 2}, {"frame __enter__", 2}, {"frame g", 3}, {"frame __exit__", 2}});
}

TEST_CASE("comprehensions have a frame before Python 3.12 and none since") {
  const std::string source =
      "def f(xs):\n"
      "    a = first(xs)\n"
      "    ys = [\n"
      "        g(x)\n"
      "        for x in xs]\n"
      "    return last(ys)\n";
  CHECK_LINES(source, "f", {{"frame first", 2}, {"frame <listcomp> @3", 3}, {"frame last", 6}});
  CHECK_LINES(source, "f", {{"frame first", 2}, {"frame g", 4}, {"frame g", 4}, {"frame last", 6}});
  CHECK_LINES(source, "f.<listcomp>", {{"frame g", 4}, {"frame g", 4}});
}

TEST_CASE("generators resume where they are consumed") {
  CHECK_LINES(
      "def f(xs):\n"
      "    a, b = (g(x) for x in xs)\n"
      "    return h(a)\n",
      "f",
      {{"frame <genexpr> @2", 2},
       {"frame <genexpr> @2", 2},
       {"frame <genexpr> @2", 2},
       {"frame h", 3}});
  CHECK_LINES(
      "def f(loader):\n"
      "    for batch in produce(loader):\n"
      "        use(batch)\n",
      "f",
      {{"frame produce", 2},
       {"frame use", 3},
       {"frame produce", 2},
       {"frame use", 3},
       {"frame produce", 2}});
}

TEST_CASE("a generator's frame may begin after a yield") {
  CHECK_LINES(
      "def f(xs):\n"
      "    start(xs)\n"
      "    for x in xs:\n"
      "        yield g(x)\n"
      "        after(x)\n",
      "f", {{"frame after", 5}, {"frame g", 4}});
}

TEST_CASE("iteration over a loader, and its first __iter__") {
  CHECK_LINES(
      "def f(loader, model):\n"
      "    for i, (x, y) in enumerate(loader):\n"
      "        loss = model(x)\n"
      "        loss.backward()\n",
      "f",
      {{"frame __iter__", 2},
       {"frame __next__", 2},
       {"module Net", 3},
       {"frame backward", 4},
       {"frame __next__", 2},
       {"module Net", 3},
       {"frame backward", 4},
       {"frame __next__", 2}});
}

TEST_CASE("decorators run where they stand; the decorated function runs as its wrapper") {
  CHECK_LINES(
      "@decorate(1)\n"
      "def g(x):\n"
      "    return x\n"
      "y = other(1)\n"
      "z = g(y)\n",
      "<module>",
      {{"frame decorate", 1}, {"frame decorator", 1}, {"frame other", 4}, {"frame wrapper", 5}});
}

TEST_CASE("super() calls the base's method") {
  CHECK_LINES(
      "class A(B):\n"
      "    def forward(self, x):\n"
      "        y = self.prepare(x)\n"
      "        z = super().forward(y)\n"
      "        return self.finish(z)\n",
      "A.forward", {{"frame prepare", 3}, {"frame forward", 4}, {"frame finish", 5}});
}

TEST_CASE("constructors are found by their class") {
  CHECK_LINES(
      "def main():\n"
      "    data = Dataset(1)\n"
      "    model = Net(2)\n"
      "    return fit(model, data)\n",
      "main", {{"frame __init__ Dataset", 2}, {"frame __init__ Net", 3}, {"frame fit", 4}});
}

TEST_CASE("properties and __getattr__") {
  CHECK_LINES(
      "class A:\n"
      "    def f(self):\n"
      "        w = self.width\n"
      "        g(w)\n"
      "        return self.child(w)\n",
      "A.f", {{"frame width", 3}, {"frame g", 4}, {"frame __getattr__", 5}, {"module Linear", 5}});
}

TEST_CASE("lambdas, conditional expressions and boolean operators") {
  CHECK_LINES(
      "def f(x, key):\n"
      "    a = left(x) if test(x) else right(x)\n"
      "    b = one(a) or two(a)\n"
      "    return key(b)\n",
      "f",
      {{"frame test", 2},
       {"frame right", 2},
       {"frame one", 3},
       {"frame two", 3},
       {"frame <lambda>", 4}});
}

TEST_CASE("try, except and finally") {
  CHECK_LINES(
      "def f(x):\n"
      "    try:\n"
      "        risky(x)\n"
      "    except ValueError:\n"
      "        mend(x)\n"
      "    finally:\n"
      "        clean(x)\n",
      "f", {{"frame risky", 3}, {"frame mend", 5}, {"frame clean", 7}});
}

TEST_CASE("a return runs the finally clause that it leaves") {
  CHECK_LINES(
      "def f(x):\n"
      "    before = zeros(2)\n"
      "    try:\n"
      "        return g(x)\n"
      "    finally:\n"
      "        before.add_(1)\n",
      "f", {{"builtin zeros", 2}, {"frame g", 4}, {"builtin add_", 6}});
}

TEST_CASE("break and continue run the finally clause that they leave") {
  const std::string source =
      "def f(xs):\n"
      "    for x in xs:\n"
      "        try:\n"
      "            if g(x):\n"
      "                continue\n"
      "            if h(x):\n"
      "                break\n"
      "            k(x)\n"
      "        finally:\n"
      "            clean(x)\n"
      "    return last(xs)\n";
  CHECK_LINES(source, "f",
              {{"frame g", 4},
               {"frame clean", 10},
               {"frame g", 4},
               {"frame h", 6},
               {"frame k", 8},
               {"frame clean", 10},
               {"frame g", 4},
               {"frame h", 6},
               {"frame clean", 10},
               {"frame last", 11}});
}

TEST_CASE("a generator that is suspended inside try does not run its finally clause") {
  const std::string source =
      "def f(x):\n"
      "    open(x)\n"
      "    try:\n"
      "        yield g(x)\n"
      "    finally:\n"
      "        clean(x)\n"
      "        g(x)\n";
  CHECK_LINES(source, "f", {{"builtin open", 2}, {"frame g", 4}});
  const std::vector<Seen> closed = {{"frame clean", 6}, {"frame g", 7}};
  CHECK(Lines(source, "f", closed, false) == Expected(closed));
}

TEST_CASE("a variable that was assigned a function is called by that function's name") {
  CHECK_LINES(
      "def f(self, x):\n"
      "    forward_fn = self._cls.forward\n"
      "    other_fn = self._cls.other\n"
      "    fn = other_fn if x is None else forward_fn\n"
      "    check(x)\n"
      "    return fn(self, x)\n",
      "f", {{"frame check", 5}, {"frame forward", 6}});
  CHECK_LINES(
      "def f(x, key):\n"
      "    act = lambda v: v + 1\n"
      "    y = key(x)\n"
      "    return act(y)\n",
      "f", {{"frame key", 3}, {"frame <lambda> @2", 4}});
}

TEST_CASE("a lambda runs in the loop that consumes what it filters") {
  CHECK_LINES(
      "def f(ps):\n"
      "    for p in filter(lambda p: p.grad is not None, ps):\n"
      "        clamp(p)\n",
      "f",
      {{"frame <lambda> @2", 2},
       {"builtin clamp", 3},
       {"frame <lambda> @2", 2},
       {"builtin clamp", 3}});
}

TEST_CASE("modules that functions made are told apart by what they are named after") {
  CHECK_LINES(
      "class Block(Module):\n"
      "    def __init__(self, norm_layer, downsample):\n"
      "        self.conv1 = conv3x3(8)\n"
      "        self.bn1 = norm_layer(8)\n"
      "        self.conv2 = conv3x3(8)\n"
      "        self.bn2 = norm_layer(8)\n"
      "        self.downsample = downsample\n"
      "    def forward(self, x):\n"
      "        out = self.conv1(x)\n"
      "        out = self.bn1(out)\n"
      "        out = self.conv2(out)\n"
      "        out = self.bn2(out)\n"
      "        if self.downsample is not None:\n"
      "            x = self.downsample(x)\n"
      "        out += x\n"
      "        return out\n",
      "Block.forward",
      {{"module Conv2d", 9},
       {"module BatchNorm2d", 10},
       {"module Conv2d", 11},
       {"module BatchNorm2d", 12},
       {"op add_", 15}});
}

TEST_CASE("look-ups hash their keys, but not literal ones") {
  CHECK_LINES(
      "def f(self, p):\n"
      "    state = self.state[p]\n"
      "    if 'step' not in state:\n"
      "        state['step'] = zeros(1)\n",
      "f", {{"frame __hash__", 2}, {"builtin zeros", 4}});
  CHECK_LINES(
      "def f(p, memo):\n"
      "    check(p)\n"
      "    if p in memo:\n"
      "        return\n"
      "    use(p)\n"
      "    memo.add(p)\n",
      "f", {{"frame check", 2}, {"frame __hash__", 3}, {"frame use", 5}, {"frame __hash__", 6}});
}

TEST_CASE("descriptors run where their attribute is read and written") {
  CHECK_LINES(
      "def f(x):\n"
      "    y = norm(x, torch.backends.cudnn.enabled)\n"
      "    torch.backends.cudnn.benchmark = True\n"
      "    return last(y)\n",
      "f", {{"frame __get__", 2}, {"builtin norm", 2}, {"frame __set__", 3}, {"frame last", 4}});
}

TEST_CASE("attributes that only __getattr__ finds tell branches apart") {
  const std::string source =
      "class Attention(Module):\n"
      "    def __init__(self, same, heads):\n"
      "        self.same = same\n"
      "        self.scale = 2.0\n"
      "        self.q = nn.Linear(2, 2)\n"
      "        self.k = nn.Linear(2, 2)\n"
      "        self.register_buffer('mask', None)\n"
      "    def forward(self, x):\n"
      "        if self.same:\n"
      "            y = attend(x, self.q, self.k, self.mask)\n"
      "        else:\n"
      "            y = attend(x, self.q)\n"
      "        z = self.scale\n"
      "        return last(y, z)\n";
  CHECK_LINES(source, "Attention.forward",
              {{"frame __getattr__", 10},
               {"frame __getattr__", 10},
               {"frame __getattr__", 10},
               {"frame attend", 10},
               {"frame last", 14}});
  const std::string one =
      Lines(source, "Attention.forward",
            {{"frame __getattr__", 12}, {"frame attend", 12}, {"frame last", 14}});
  CHECK(one.ends_with("12 14"));
}

TEST_CASE("a decorator hands an operator on to a variable with its arguments") {
  CHECK_LINES(
      "def inner(*args, **kwargs):\n"
      "    if check(args):\n"
      "        return other(args)\n"
      "    return f(*args, **kwargs)\n",
      "inner", {{"builtin check", 2}, {"frame __rsub__", 4}});
}

TEST_CASE("tensors decide branches and are unpacked") {
  CHECK_LINES(
      "def f(x):\n"
      "    if x.sum() > 0:\n"
      "        q, k = x\n"
      "    return f'{q:.2f}'\n",
      "f",
      {{"builtin sum", 2},
       {"op gt", 2},
       {"op is_nonzero", 2},
       {"op unbind", 3},
       {"frame __format__", 4}});
}

TEST_CASE("loops over tensors unbind them") {
  CHECK_LINES(
      "def f(scores, labels):\n"
      "    for score, label in zip(scores, labels):\n"
      "        if score.argmax().item() == label.item():\n"
      "            count()\n",
      "f",
      {{"op unbind", 2},
       {"op unbind", 2},
       {"builtin argmax", 3},
       {"builtin item", 3},
       {"builtin item", 3},
       {"frame count", 4},
       {"builtin argmax", 3},
       {"builtin item", 3},
       {"builtin item", 3}});
}

TEST_CASE("a training step") {
  CHECK_LINES(
      "def train_step(model, optimizer, generator):\n"
      "    with record_function('make_batch'):\n"
      "        tokens, targets = make_batch(generator)\n"
      "    loss = compute_loss(model, tokens, targets)\n"
      "    optimizer.zero_grad(set_to_none=True)\n"
      "    loss.backward()\n"
      "    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)\n"
      "    optimizer.step()\n"
      "    return loss.item()\n",
      "train_step",
      {{"frame __init__", 2},
       {"frame __enter__", 2},
       {"frame make_batch", 3},
       {"frame __exit__", 2},
       {"frame compute_loss", 4},
       {"frame zero_grad", 5},
       {"frame backward", 6},
       {"frame clip_grad_norm_", 7},
       {"frame wrapper", 8},
       {"builtin item", 9}});
}

TEST_CASE("a generator expression is unpacked") {
  CHECK_LINES(
      "def forward(self, hidden):\n"
      "    query, key, value = self.query_key_value(hidden).chunk(3, dim=-1)\n"
      "    query, key, value = (\n"
      "        self.split_heads(part) for part in (query, key, value))\n"
      "    scores = query @ key\n",
      "forward",
      {{"module Linear", 2},
       {"builtin chunk", 2},
       {"frame <genexpr> @3", 3},
       {"frame <genexpr> @3", 3},
       {"frame <genexpr> @3", 3},
       {"frame <genexpr> @3", 3},
       {"op matmul", 5}});
}

TEST_CASE("a frame that the recording cuts may begin in the middle") {
  const std::vector<Seen> seen = {{"frame three", 4}, {"frame one", 2}};
  CHECK(Lines("def f():\n"
              "  while True:\n"
              "    one(); \n"
              "    three()\n",
              "f", {{"frame three", 4}, {"frame one", 3}}, false, false) == "4 3");
  (void)seen;
}

TEST_CASE("what the source does not hold stays unplaced") {
  CHECK_LINES(
      "def f(x):\n"
      "    one(x)\n"
      "    two(x)\n",
      "f", {{"frame one", 2}, {"frame __del__", 0}, {"frame two", 3}});
}

TEST_CASE("long sequences are cut into windows without losing their place") {
  const std::string source =
      "def f(items):\n"
      "    for item in items:\n"
      "        a = g(item)\n"
      "        if a:\n"
      "            h(a)\n"
      "        g(a)\n"
      "    end()\n";
  const Result<PythonModule> module = ParsePython(source);
  REQUIRE(module.ok());
  FunctionAligner aligner(module->functions[1]);
  const uint32_t g = aligner.Describe(Parse("frame g")), h = aligner.Describe(Parse("frame h")),
                 end = aligner.Describe(Parse("frame end"));
  std::vector<uint32_t> ids;
  for (int i = 0; i < 60000; ++i) {
    ids.insert(ids.end(), {g, h, g});
  }
  ids.push_back(end);
  const std::vector<Placement> placed = aligner.Align(ids, {}, true, true);
  size_t wrong = 0;
  for (size_t i = 0; i + 1 < placed.size(); ++i) {
    const int expected[] = {3, 5, 6};
    if (placed[i].line != expected[i % 3]) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(placed.back().line == 7);
}

}  // namespace
}  // namespace emberline
