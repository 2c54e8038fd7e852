"""Random functions for njit, which test_njit_random.py runs here and in Numba. `Function(seed)` writes one and the arguments to call it with.

Every other generator of kernels has Python as its oracle, which computes other numbers: integers that do not end, float32 that are doubles.
What is written here has the types that Numba gives names, operators, results and exceptions. Numbers that a function of the C library has
computed are returned and used for nothing else, so that all others must be equal bit for bit.
"""

import random

import numpy as np

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REALS = ["float32", "float64"]
VALUES = [0, 1, 2, 3, 5, 7, 9, 100, -1, -2, -3, -100, 2**15 - 1, 2**31 + 5, 2**61 + 3, -(2**62), 2**63 + 9]
FRACTIONS = [0.0, -0.0, 0.5, 1.5, -2.25, 0.1, 3.75, -1e-3, 1e6, 1e30]
CALLS = 4

HEAD = '''
import collections
import enum
import math

import numpy as np


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 4


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


class Refused(Exception):
    pass


Point = collections.namedtuple("Point", "x y")
'''

# (function, how many arguments); sqrt, fabs and copysign are exact, the others not.
FUNCTIONS = [(name, 1) for name in "sin cos tan exp expm1 log log1p log2 log10 sinh cosh tanh asin acos atan asinh erf erfc gamma lgamma".split()]
FUNCTIONS += [("atan2", 2), ("hypot", 2), ("pow", 2)]
EXACT = ["math.sqrt({})", "np.sqrt({})", "math.fabs({})", "math.copysign({}, {})", "np.floor({})", "np.rint({})", "abs({})"]


class Function:
    """`text` has a function `function`, `calls` the arguments, each as [name of a dtype, value], `loose` the type of inexact results by place."""

    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)
        self.features, self.loose, self.helpers, self.count = set(), {}, [], 0
        self.with_arrays = self.chance(0.3)
        self.model = "numpy" if self.chance(0.4) else "python"
        self.kinds = {"x": self.one_of(*INTEGERS), "y": self.one_of(*INTEGERS), "z": self.one_of(*REALS), "w": self.one_of(*INTEGERS, *REALS, "bool")}
        if self.with_arrays:
            self.kinds |= {"u": "array:" + self.one_of(*INTEGERS, *REALS), "v": "array:" + self.one_of(*INTEGERS, *REALS)}
        kinds = [kind.removeprefix("array:") for kind in self.kinds.values()]
        self.has("8 to 64 bits", len({np.dtype(k).itemsize for k in kinds if k in INTEGERS}) > 1)
        self.has("float32", "float32" in kinds)
        self.has("unsigned", any(k.startswith("uint") for k in kinds))
        self.has("mixed signs", len({k[0] for k in kinds if k in INTEGERS}) > 1)
        self.structure = "number" if self.chance(0.3) else "tuple"
        lines = self.of_arrays() if self.with_arrays else self.of_names()
        body = "".join(f"    {line}\n" for line in lines)
        self.text = HEAD + "".join(self.helpers) + f"\n\n@njit{self.options()}\ndef function({', '.join(self.kinds)}):\n{body}"
        self.calls = [[[kind, self.value(kind)] for kind in self.kinds.values()] for _ in range(CALLS)]
        self.case = [self.text, "function", self.calls]

    # ---- chance

    def one_of(self, *choices):
        return self.random.choice(choices)

    def chance(self, part):
        return self.random.random() < part

    def options(self):
        return "" if self.model == "python" else f'(error_model="{self.model}")'

    def has(self, feature, there=True):
        if there:
            self.features.add(feature)

    def value(self, kind):
        if kind.startswith("array:"):
            return [self.value(kind[6:]) for _ in range(self.random.randint(1, 5))]
        if kind == "bool":
            return self.random.randint(0, 1)
        if kind in REALS:
            return float(np.dtype(kind).type(self.one_of(*FRACTIONS)))
        bounds = np.iinfo(kind)
        number = self.one_of(*VALUES)
        if not bounds.min < number <= bounds.max:
            number = (number - bounds.min) % (2**bounds.bits - 1) + bounds.min + 1
        if kind == "uint64":  # as int64 it must not be at an end: Numba's own overflow is undefined there
            number %= 2**63
            number -= 2**40 if number > 2**63 - 2**40 else 0
        return number

    # ---- expressions

    def argument(self):
        return self.one_of(*[name for name in self.kinds if name not in "uv"])

    def number(self):
        kind = self.random.random()
        if kind < 0.35:
            return self.argument()
        if kind < 0.65:
            return self.one_of("a", "b", "c", "k")
        if kind < 0.9:
            return self.one_of("0", "1", "2", "3", "5", "0.5", "1.5", "-1", "255", "2**40")
        if kind < 0.96:
            return f"np.{self.one_of(*INTEGERS, *REALS)}({self.integer()})"
        return self.one_of("True", "False")

    def integer(self):
        """Of a type that stays one of integers."""
        return self.one_of("x", "y", "x", "y", "3", "7", "200", "2**33", f"np.{self.one_of(*INTEGERS)}(x)", f"np.{self.one_of(*INTEGERS)}(y)")

    def expression(self, depth=0):
        kind = self.random.random()
        if kind < 0.3 or depth > 1:
            return self.number()
        if kind < 0.62:
            return f"({self.expression(depth + 1)} {self.one_of(*'+-*+-')} {self.expression(depth + 1)})"
        if kind < 0.68:
            return f"({self.expression(depth + 1)} / {self.one_of('2', '4', '8', '2.0', '3')})"
        if kind < 0.74:
            return f"({self.expression(depth + 1)} {self.one_of('//', '%')} {self.one_of('3', '7', '5', '2.5')})"
        if kind < 0.8:
            self.has("error model")
            return f"({self.expression(depth + 1)} {self.one_of('/', '//', '%')} {self.one_of(f'({self.integer()} & 3)', 'z', 'w')})"
        if kind < 0.86:
            return self.bits()
        if kind < 0.9:
            return self.one_of(*EXACT).replace("{}", self.expression(depth + 1))
        if kind < 0.93:
            return f"{self.one_of('min', 'max')}({self.number()}, {self.number()})"
        if kind < 0.96:
            return f"({self.expression(depth + 1)} if {self.test()} else {self.expression(depth + 1)})"
        return f"(-{self.expression(depth + 1)})"

    def bits(self):
        kind = self.random.random()
        if kind < 0.4:
            return f"({self.integer()} {self.one_of('&', '|', '^')} {self.integer()})"
        if kind < 0.7:
            return f"({self.integer()} {self.one_of('<<', '>>')} {self.one_of('1', '3', '(y & 7)')})"
        return f"(~{self.integer()})" if kind < 0.85 else f"({self.integer()} ** {self.one_of('2', '3', '(x & 3)')})"

    def test(self):
        """Of an argument: what constants decide Numba decides when it compiles, and leaves the other way's types out."""
        plain = f"{self.argument()} {self.one_of('<', '>', '<=', '>=', '==', '!=')} {self.number()}"
        kind = self.random.random()
        if kind < 0.8:
            return plain
        if kind < 0.86:
            self.has("tuples")
            return f"({self.argument()}, {self.number()}) {self.one_of('<', '>=', '!=')} ({self.number()}, {self.argument()})"
        return f"{plain} {self.one_of('and', 'or')} {'not ' * self.chance(0.3)}{self.argument()} > {self.number()}"

    # ---- statements

    def block(self, depth, in_loop):
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth, in_loop)]

    def inside(self, head, depth, in_loop, before=()):
        return [head, *(f"    {line}" for line in [*before, *self.block(depth + 1, in_loop)])]

    def statement(self, depth, in_loop):
        kind, name = self.random.random(), self.one_of("a", "b", "c")
        if kind < 0.3:
            return [f"{name} = {self.expression()}"]
        if kind < 0.4:
            return [f"{name} {self.one_of('+', '-', '*')}= {self.expression(1)}"]
        if kind < 0.52 and depth < 3:
            return self.branches(depth, in_loop)
        if kind < 0.66 and depth < 2:
            return self.loop(depth)
        if kind < 0.69 and in_loop:
            self.has("break, continue")
            return [f"if {self.test()}:", f"    {self.one_of('break', 'continue')}"]
        if kind < 0.74 and depth > 0:
            return [f"if {self.test()}:", f"    {self.returned(name)}"]
        return self.one_of(self.of_tuples, self.of_enums, self.call, self.call, self.failure, self.no_value)(name)

    def branches(self, depth, in_loop):
        lines = self.inside(f"if {self.test()}:", depth, in_loop)
        if self.chance(0.2):
            lines += self.inside(f"elif {self.test()}:", depth, in_loop)
        return lines + (self.inside("else:", depth, in_loop) if self.chance(0.5) else [])

    def loop(self, depth):
        if self.chance(0.6):
            self.has("for")
            over = self.one_of("range(2)", "range(3)", "range(4)", "range(5, 0, -2)", "range(y & 3)", "(3, 1, 2)")
            lines = self.inside(f"for {self.one_of('k', 'k', 'k', 'a')} in {over}:", depth, True)
        else:
            self.has("while")
            lines = [f"n{depth} = 0", *self.inside(f"while n{depth} < 3 and ({self.test()}):", depth, True, [f"n{depth} += 1"])]
        if self.chance(0.35):
            self.has("else of loops")
            lines += self.inside("else:", depth, False)
        return lines

    def of_tuples(self, name):
        self.has("tuples")
        t = self.new_name("t")
        kind = self.random.random()
        if kind < 0.4:
            return [f"{t} = ({self.expression(1)}, {self.expression(1)}, 1.5)", f"{name} = {t}[{self.one_of('0', '1', '2', '-1')}]"]
        if kind < 0.6:
            return ["a, b = b, a"] if self.chance(0.5) else [f"{name}, k = {self.expression(1)}, {self.expression(1)}"]
        if kind < 0.8:
            return [f"{t} = Point({self.expression(1)}, {self.number()})", f"{name} = {t}.{self.one_of('x', 'y')} + {t}[0]"]
        return [f"{t} = ({self.number()}, ({self.number()}, {self.number()}))", f"{name} = {t}[1][{self.one_of('0', '1')}] + len({t})"]

    def of_enums(self, name):
        self.has("enum")
        c = self.new_name("c")
        if self.chance(0.3):
            level = self.one_of("Level.HIGH", "Level.LOW")  # with integers: Numba makes no real of it
            return [f"if {self.one_of('x', 'y')} > {level}:", f"    {name} = {level} {self.one_of('+', '*', '-')} {self.integer()}"]
        first, second = self.random.sample(["Color.RED", "Color.GREEN", "Color.BLUE"], 2)
        test = f"{c} {self.one_of('==', '!=', 'is')} {self.one_of(first, second)}"
        return [f"{c} = {first}", f"if {self.test()}:", f"    {c} = {second}", f"if {test}:", f"    {name} = {self.expression(1)}"]

    def call(self, name):
        """A function of its own, whose result may be None."""
        self.has("nested calls")
        helper, kind = f"helper_{len(self.helpers)}", self.random.random()
        first = f"    if {self.one_of('p > q', 'q < 2', 'p == 1')}:\n        return {self.one_of('p', 'p - q', 'q * 2', '1', 'p / 2')}\n"
        last = f"    return {self.one_of('q', 'p + q', '0.5', 'q - 1', 'p // 3')}\n"
        if kind < 0.5:
            use = [f"{name} = {helper}({self.expression(1)}, {self.number()})"]
        elif kind < 0.75:
            self.has("exceptions")
            first = f"    if {self.one_of('p > q', 'q == 0')}:\n        {self.raised('p')}\n"
            use = [f"{name} = {helper}({self.argument()}, {self.argument()}) + {self.number()}"]
        else:
            self.has("ends without return")
            last = ""
            h = self.new_name("h")
            use = [f"{h} = {helper}({self.argument()}, {self.number()})", f"if {h} is None:", f"    {name} = {self.number()}", "else:"]
            use.append(f"    {name} = {h} + {self.number()}")
        self.helpers.append(f"\n\n@njit{self.options()}\ndef {helper}(p, q):\n{first}{last}")
        return use

    def raised(self, name):
        arguments = self.one_of("", '"text"', f'"text", {name}', f"{name}, 2.5, True", f'("text", {name}), None', 'f"it is {y}"', "y")
        if name == "p":
            arguments = arguments.replace('f"it is {y}"', '"it is"').replace("y", "q")
        return f"raise {self.one_of('ValueError', 'Refused', 'KeyError', 'np.linalg.LinAlgError', 'RuntimeError')}({arguments})"

    def failure(self, name):
        self.has("exceptions")
        if self.chance(0.3):
            return [f"assert {self.test()}" + self.one_of("", ', "text"', ", y", ', ("text", x)')]
        return [f"if {self.one_of('x', 'y')} {self.one_of('==', '<', '>')} {self.one_of('0', '1', '3', '-100', '100')}:", f"    {self.raised(self.argument())}"]

    def no_value(self, name):
        """A name that may hold None."""
        h = self.new_name("h")
        return [f"{h} = None", f"if {self.test()}:", f"    {h} = {self.argument()}", f"if {h} is not None:", f"    {name} = {h} * {self.number()}"]

    def new_name(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    # ---- functions

    def returned(self, name):
        self.has("early return")
        return f"return {name}" if self.structure == "number" else f"return {name}, {self.number()}, 2, 1.0"

    def of_names(self):
        """Names that hold numbers of several types."""
        self.has("names change type")
        lines = [f"{name} = {self.one_of('0', '1', 'x', 'y', 'z', '0.5', '2')}" for name in "abc"]
        lines += ["k = 1", *self.block(0, False), *self.block(0, False)]
        if self.structure == "number":
            if self.chance(0.5):
                self.has("ends without return")
                return [*lines, f"if {self.test()}:", f"    return {self.one_of(*'abc')}"]
            return [*lines, f"return {self.one_of(*'abc')}"]
        return [*lines, f"return a, b, {self.inexact(2)}, {self.inexact(3)}"]

    def inexact(self, place):
        """What a function of the C library makes of a number, or a name."""
        if self.chance(0.5):
            return self.one_of("c", "c", "k")
        self.has("functions")
        name, count = self.one_of(*FUNCTIONS)
        kind = self.one_of(*REALS)
        self.loose[place] = kind
        arguments = [f"np.{kind}({self.one_of('a', 'b', 'c', 'z', 'x')})" for _ in range(count)]
        return f"math.{name}({', '.join(arguments)})"

    def of_arrays(self):
        """Loops over arrays, with names of one type each: what makes arrays of its own is run by Python, which knows the values' types only."""
        self.has("arrays")
        element, count = self.one_of("u[i]", "v[i % v.size]", "u[-1]", "v[0]", "x", "z"), self.one_of("u.size", "len(u)", "u.shape[0]")
        makes = self.chance(0.5)
        kind = self.one_of(*INTEGERS, *REALS)
        lines = ["s = 0.0", "n = 0"]
        if makes:
            self.has("new arrays")
            lines.append(self.one_of(f"r = np.zeros({count}, np.{kind})", "r = np.zeros_like(u)", f"r = np.ones({count}, dtype=np.{kind})"))
        body = [self.of_elements(element, makes) for _ in range(self.random.randint(1, 3))]
        if self.chance(0.3):
            self.has("break, continue")
            body.insert(self.random.randint(0, len(body)), [f"if {element} {self.one_of('<', '>', '==')} {self.one_of('0', '1', '3')}:", f"    {self.one_of('continue', 'break')}"])
        if self.chance(0.25):
            self.has("exceptions")
            body.append([f"if u[i] > {self.one_of('50', '1000', 'x')}:", f"    {self.raised(self.one_of('i', 'n', 's'))}"])
        self.has("for")
        lines += [f"for i in range({count}):", *(f"    {line}" for part in body for line in part)]
        if self.chance(0.3):
            self.has("else of loops")
            lines += ["else:", "    s += 1"]
        if self.chance(0.25):
            self.has("early return")
            lines += [f"if {self.one_of('x', 'y')} > {self.one_of('1', '100')}:", f"    return {'r, n, s' if makes else 'n, s'}"]
        self.has("tuples")
        return [*lines, "return r, n, s" if makes else "return n, s"]

    def of_elements(self, element, makes):
        result = stored = f"({element} {self.one_of('+', '-', '*')} {self.one_of('u[i]', '1', '10', 'x', '0.5', 'v[0]')})"
        if self.chance(0.3):
            self.has("error model")
            result = f"({element} {self.one_of('/', '//', '%')} {self.one_of('u[i]', 'v[0]', 'z')})"
        kind = self.random.random()
        if kind < 0.3:
            return [f"s += {result}"]
        if kind < 0.45:
            return [f"n += {self.one_of('np.int64(x)', 'i * 3', '1', 'i << 2', 'int(v.size)')}"]
        if kind < 0.6:
            return [f"s = s * 0.5 + {self.one_of('math.sqrt(abs(s))', 'u[i]', 'np.float32(v[0])', result)}"]
        if makes:
            return [self.one_of(f"r[i] = {self.fitting(stored)}", f"r[i] += {self.one_of('1', '3', 'i')}", f"r[i] = r[i - 1] + {self.one_of('1', '100')}")]
        return [self.one_of(f"u[i] = {self.fitting(stored)}", f"u[i] += {self.one_of('1', '100', 'i')}", f"v[0] = {self.one_of('i * 100', 'v[0] + 1')}")]

    def fitting(self, stored):
        """A number that every type of elements holds: C does not say what a larger real is as an integer."""
        return f"int({self.one_of('x', 'y', 'i')} & 127)" if self.chance(0.5) else f"min(max({stored}, 0), 100)"
