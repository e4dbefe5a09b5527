// Constructors on their lines: super(), plain classes, classes with small names, `with`.
#include "aligned.h"

namespace emberline {
namespace {

TEST_CASE("super().__init__() runs once; the constructors after it run where they are called") {
  // No text of the library is at hand, so nothing names the classes.
  CHECK_LINES(
      "class Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = nn.Linear(1, 2)\n"
      "        self.b = nn.ReLU()\n"
      "        self.c = nn.Linear(2, 3)\n",
      "Net.__init__",
      {{"frame __init__", 3}, {"frame __init__", 4}, {"frame __init__", 5}, {"frame __init__", 6}});
}

TEST_CASE("a constructor of a plain class is not its base's") {
  const std::string source =
      "class Config:\n"
      "    def __init__(self, a):\n"
      "        self.a = a\n"
      "class Base:\n"
      "    def __init__(self):\n"
      "        self.config = Config(1)\n"
      "class Thing(Base):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.first = Config(1)\n"
      "        self.second = Config(2)\n"
      "class Alone:\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.only = Config(1)\n";
  CHECK_LINES(
      source, "Thing.__init__",
      {{"frame __init__ Base", 9}, {"frame __init__ Config", 10}, {"frame __init__ Config", 11}});
  // The constructor of object leaves no frame.
  CHECK_LINES(source, "Alone.__init__", {{"frame __init__ Config", 15}});
}

TEST_CASE("a constructor that a class inherits runs where the class is called") {
  CHECK_LINES(
      "class Base:\n"
      "    def __init__(self):\n"
      "        pass\n"
      "class Thing(Base):\n"
      "    pass\n"
      "class Other:\n"
      "    def __init__(self):\n"
      "        pass\n"
      "def f():\n"
      "    a = Other()\n"
      "    b = Thing()\n",
      "f", {{"frame __init__ Base", 11}});
}

TEST_CASE("two bases: the constructor of the one calls the other's") {
  CHECK_LINES(
      "class Base:\n"
      "    def __init__(self):\n"
      "        pass\n"
      "class Mixin:\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.extra = zeros(1)\n"
      "class Both(Mixin, Base):\n"
      "    pass\n",
      "Mixin.__init__", {{"frame __init__ Base", 6}, {"builtin zeros", 7}});
}

TEST_CASE("a base's constructor that is called by the base's name") {
  CHECK_LINES(
      "class A:\n"
      "    def __init__(self):\n"
      "        pass\n"
      "class B:\n"
      "    def __init__(self):\n"
      "        pass\n"
      "class C(A, B):\n"
      "    def __init__(self):\n"
      "        B.__init__(self)\n"
      "        A.__init__(self)\n",
      "C.__init__", {{"frame __init__ B", 9}, {"frame __init__ A", 10}});
}

TEST_CASE("classes with small names are constructed where a `with` enters them") {
  CHECK_LINES(
      "def f(model, x):\n"
      "    y = Wrapped(model)(x)\n"
      "    with torch.no_grad():\n"
      "        z = Wrapped(model)(y)\n"
      "    with measured('step'), torch.no_grad():\n"
      "        return z\n",
      "f",
      {{"frame __init__ with", 3},
       {"frame __enter__", 3},
       {"frame __init__", 4},
       {"frame __exit__", 3},
       {"frame __init__ with", 5},
       {"frame __enter__", 5},
       {"frame __init__ with", 5},
       {"frame __enter__", 5},
       {"frame __exit__", 5},
       {"frame __exit__", 5}});
}

TEST_CASE("what a file defines tells classes from functions, not their letters") {
  CHECK_LINES(
      "class guard:\n"
      "    pass\n"
      "def Make():\n"
      "    pass\n"
      "def f():\n"
      "    a = Make()\n"
      "    b = guard()\n"
      "    c = Make()\n",
      "f", {{"frame __init__", 7}});
}

}  // namespace
}  // namespace emberline
