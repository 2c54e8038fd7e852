"""Random programs of arrays: what test_array_random_programs.py runs. A program is a list of lines of Python.

`Program` writes one from a seed, line by line, while it runs it with NumPy and with quern. Where floating point has a choice
(sums, complex products), quern's value must be near NumPy's and then takes its place, so that every later line is compared
exactly. `replay` runs the lines again in another way; the same bits must come out. `check` does all that for one seed:

    PYTHONPATH=python:tests/python python -c "import random_programs; random_programs.check('fused', 17)"
"""

import collections
import random
import warnings

import numpy as np
import quern as qn
from quern.device import set_current_device
from quern.lib import _engine

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REALS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *REALS, *COMPLEX]
COMMON = ["float64"] * 4 + ["float32"] * 3 + ["int32", "int64", "bool"] * 2  # drawn more often than the others

TINY = [(), (1,), (5,), (7,), (16,), (0,), (3, 4), (4, 4), (3, 1), (1, 6), (2, 3, 4), (2, 1, 3), (0, 3), (3, 0, 2), (2, 2, 1, 3)]
LARGE = [(700,), (1025,), (5000,), (30, 40), (40, 30), (8, 9, 10), (3, 4500), (4500, 3), (1, 600), (2, 0, 600)]


def _table(dtype):
    """Values worth trying, by type: 0 and its neighbours, the ends, what is no number."""
    if dtype == "bool":
        return np.array([True, False, False, True, True, False, True])
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        some = [n for n in (0, 1, 2, 3, 5, 7, 9, 11, 63, 64, 100, -1, -2, -3, -8, -100) if n >= info.min]
        return np.array([*some, info.max, info.min, info.max - 1], dtype)
    some = [0.0, -0.0, 1, -1, 0.5, 2.5, -3.25, 7, 0.1, -0.3, 1e-3, 3e4, -12.75, 1 / 3, 5e-7, 100, -2, 4]
    wild = [np.inf, -np.inf, np.nan]
    if dtype in COMPLEX:
        return np.array([complex(a, b) for a, b in zip(some, some[5:] + some[:5], strict=True)], dtype)
    return np.array([*some, *wild], np.float32 if dtype == "bfloat16" else dtype)


TABLES = {dtype: _table(dtype) for dtype in [*DTYPES, "bfloat16"]}


def values(dtype, shape, start, step, wild=True):
    table = TABLES[dtype]
    if not wild and dtype not in ("bool", *INTEGERS, *COMPLEX):
        table = table[:-3]
    at = (np.arange(int(np.prod(shape))) * step + start) % len(table)
    return to_bfloat16(table[at].reshape(shape)) if dtype == "bfloat16" else table[at].reshape(shape)


def to_bfloat16(a):
    """The nearest bfloat16 numbers, as float32: what NumPy stands in with."""
    a = np.asarray(a, np.float32)
    bits = np.ascontiguousarray(a).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32).reshape(a.shape)
    return np.where(np.isnan(a), a, rounded)


def _new_of_ours(dtype, *rest):
    host = values(dtype, *rest)
    return qn.asarray(host).astype("bfloat16") if dtype == "bfloat16" else qn.asarray(host)


def look(x):
    """The values on the host, bfloat16 as float32."""
    return qn.asnumpy(x.astype("float32") if x._dtype_name == "bfloat16" else x)


def names_of_numpy():
    return {"m": np, "np": np, "new": values, "look": lambda x: None}


def names_of_quern(looks=True):
    return {"m": qn, "np": np, "new": _new_of_ours, "look": look if looks else lambda x: None}


def equal_bits(a, b):
    """Same type, shape and bits; whatever is no number is the same."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.tobytes() == b.tobytes():
        return True
    if a.dtype.kind not in "fc":
        return False
    if a.dtype.kind == "c":
        return equal_bits(np.ascontiguousarray(a.real), np.ascontiguousarray(b.real)) and equal_bits(
            np.ascontiguousarray(a.imag), np.ascontiguousarray(b.imag)
        )
    numbers = ~np.isnan(a)
    return bool((np.isnan(b) == ~numbers).all()) and a[numbers].tobytes() == b[numbers].tobytes()


def equal_values(a, b):
    """As equal_bits, with 0 and -0 the same."""
    return a.dtype == b.dtype and a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))


def is_near(got, want, bound):
    """Within some units of the last place of `bound`, which says how large the numbers were that were added up."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if want.dtype.kind not in "fc":
        return bool((got == want).all())
    bits = np.finfo(want.dtype)
    bound = np.broadcast_to(np.maximum(np.abs(bound), np.abs(want)), want.shape).astype(np.float64)
    sure = np.isfinite(want) & (bound < float(bits.max) / 8)  # else it depends on the order whether there is an overflow
    if not np.isfinite(got[sure]).all():
        return False
    off = np.abs(got[sure].astype(np.complex128) - want[sure].astype(np.complex128))
    return bool((off <= 64 * float(bits.eps) * bound[sure] + 64 * float(bits.smallest_subnormal)).all())


class EndOfProgram(Exception):
    """A line that is no matter of arrays."""


class Line:
    """A line of a program: its text, the name that it changes, and the exception that it ends in, if any."""

    def __init__(self, text, target=None):
        self.text, self.target = text, target
        self.code = compile(text, "<program>", "exec")
        self.error = None


UNARY = {
    "-{}": "exact",
    "m.abs({})": "exact",
    "m.sqrt({})": "exact",
    "m.square({})": "exact",
    "m.sign({})": "zeros",
    "m.floor({})": "exact",
    "m.ceil({})": "exact",
    "m.trunc({})": "exact",
    "m.rint({})": "exact",
    "m.reciprocal({})": "exact",
    "m.isnan({})": "exact",
    "m.isfinite({})": "exact",
    "m.isinf({})": "exact",
    "~{}": "exact",
    "m.logical_not({})": "exact",
    "m.conjugate({})": "exact",
    "m.clip({}, 1, 5)": "zeros",
    "m.where({} > 1, 2, 3)": "exact",
}
BINARY = {
    **dict.fromkeys(["{} + {}", "{} - {}", "{} * {}"], "exact"),
    "{} / {}": "exact",
    **dict.fromkeys(["{} // {}", "{} % {}", "m.fmod({}, {})"], "zeros"),
    **dict.fromkeys(["{} & {}", "{} | {}", "{} ^ {}", "{} << {}", "{} >> {}"], "exact"),
    **dict.fromkeys(["{} == {}", "{} != {}", "{} < {}", "{} <= {}", "{} > {}", "{} >= {}"], "exact"),
    **dict.fromkeys(["m.maximum({}, {})", "m.minimum({}, {})", "m.fmax({}, {})", "m.fmin({}, {})"], "zeros"),
    **dict.fromkeys(["m.logical_and({}, {})", "m.logical_or({}, {})", "m.logical_xor({}, {})"], "exact"),
    "m.gcd({}, {})": "exact",
}
WEIGHTS = [5 if text in ("{} + {}", "{} - {}", "{} * {}", "{} / {}") else 1 for text in BINARY]


class Program:
    """One random program, run with NumPy and with quern while it is written."""

    def __init__(self, seed, length=None, large=False, bfloat16=False, reshapes=True):
        self.rng = rng = random.Random(seed)
        self.seed, self.large, self.bfloat16, self.reshapes = seed, large, bfloat16, reshapes
        drawn = rng.randint(2, 9)
        self.length = length or drawn  # a shorter program of the same seed is the start of the longer one
        self.lines = []
        self.theirs, self.ours = names_of_numpy(), names_of_quern()
        self.count = 0
        some = [rng.choice(COMMON), rng.choice(COMMON), rng.choice(DTYPES)]
        self.palette = ["bfloat16"] if bfloat16 else some
        self.wild = rng.random() < 0.4
        self.shape = rng.choice(LARGE if large else TINY)
        self.shapes = [self.shape] * 4 + [self.shape[k:] for k in range(1, len(self.shape) + 1)]
        self.shapes += [tuple(n if rng.random() < 0.5 else 1 for n in self.shape)]
        if not large and rng.random() < 0.1:
            self.shapes += rng.sample(TINY, 2)

    # ---- writing

    def arrays(self):
        return [name for name in self.theirs if name[0] == "x" and name[1:].isdigit()]

    def name(self):
        self.count += 1
        return f"x{self.count - 1}"

    def pick(self):
        return self.rng.choice(self.arrays())

    def key(self, shape):
        rng, parts = self.rng, []
        for n in shape:
            kind = rng.random()
            if kind < 0.1 and n > 0:
                parts.append(str(rng.randrange(-n, n)))
            elif kind < 0.55:
                ends = ["", *range(-n - 1, n + 2)] if n < 20 else ["", 1, 7, n // 2, -1, -7]
                parts.append(f"{rng.choice(ends)}:{rng.choice(ends)}:{rng.choice(['', 1, 2, -1, -2, 3])}")
            elif kind < 0.62:
                parts += ["None", ":"]
            else:
                parts.append(":")
        if rng.random() < 0.03:
            parts.insert(0, str(max(shape, default=1) + 2))  # out of range
        while parts and parts[-1] == ":" and rng.random() < 0.5:
            parts.pop()
        if not parts or rng.random() < 0.1:
            parts.append("...")
        return ", ".join(parts) if len(parts) > 1 else f"{parts[0]}"

    def scalar(self, dtype, wide=True):
        """`wide`: also numbers that the type cannot hold (NumPy's where() wraps them around, ours raises OverflowError)."""
        if self.bfloat16:
            return self.rng.choice(["2", "0.5", "3", "1.5", "1"])
        kinds = ["2", "1", "3", "True"]
        if dtype.kind != "b":
            kinds += ["5", "0", "7"] + ["-2"] * (wide or dtype.kind != "u")
        if dtype.kind in "fc" or self.rng.random() < 0.2:
            kinds += ["0.5", "2.5", "-1.25", "1e-3"]
        if dtype.kind == "c" or self.rng.random() < 0.03:
            kinds += ["(1+2j)"]
        if self.rng.random() < 0.1:
            kinds += ["np.float32(1.5)", "np.int16(3)", "np.float64(0.1)"] + ["300"] * wide
        return self.rng.choice(kinds)

    def operand(self, shape, dtype, wide=True):
        """The text of something that mostly broadcasts to `shape`, or with it."""
        rng = self.rng
        if rng.random() < 0.2:
            return self.scalar(dtype, wide)
        fitting = []
        for name in self.arrays():
            other = self.theirs[name].shape
            if other == shape:
                fitting += [name] * 3
            elif all(a == b or 1 in (a, b) for a, b in zip(other[::-1], shape[::-1], strict=False)):
                fitting.append(name)
        if not fitting:
            return self.scalar(dtype, wide)
        text = self.pick() if rng.random() < 0.02 else rng.choice(fitting)
        array = self.theirs[text]
        if array.ndim and rng.random() < 0.2:
            return text + rng.choice(["[::-1]", "[..., ::-1]"])
        if array.ndim == 2 and array.shape[0] == array.shape[1] and rng.random() < 0.3:
            return text + ".T"
        return text

    def write(self):
        """The next line, and how its value compares with NumPy's."""
        rng = self.rng
        kinds = ["new", "view", "unary", "binary", "where", "cast", "reduce", "update", "out", "look", "drop", "matmul"]
        weights = [1, 3, 2, 8, 1.5, 1.5, 1.5, 4, 1, 0.6, 1.5, 0.3]
        kind = rng.choices(kinds, weights)[0] if self.arrays() else "new"
        if len(self.arrays()) < 2 and kind == "drop":
            kind = "new"
        return getattr(self, kind)()

    def new(self):
        dtype = self.rng.choice(self.palette)
        shape = self.rng.choice(self.shapes)
        start, step = self.rng.randrange(20), self.rng.choice([1, 2, 3, 5])
        name = self.name()
        return Line(f"{name} = new({dtype!r}, {shape}, {start}, {step}, {self.wild})", name), "exact"

    def view(self):
        rng = self.rng
        source, name = rng.choice(self.writable() or ["none"]), self.name()
        if source == "none":
            return self.new()
        array = self.theirs[source]
        choice = rng.randrange(7)
        if choice == 0 and array.ndim > 1:
            text = f"{source}.transpose({rng.sample(range(array.ndim), array.ndim)})"
        elif choice == 1 and self.reshapes and array.size:
            text = f"{source}.reshape(-1)"
        elif choice == 2 and array.dtype.kind == "c":
            text = f"{source}.{rng.choice(['real', 'imag'])}"
        elif choice == 3:
            text = f"m.broadcast_to({source}, {(2, *array.shape) if array.size < 2000 else array.shape})"
        elif choice == 4 and array.ndim:
            text = f"{source}[{rng.choice(['::-1', '..., ::2', '1:', ':-1', '..., None'])}]"
        else:
            text = f"{source}[{self.key(array.shape)}]"
        return Line(f"{name} = {text}", name), "exact"

    def unary(self):
        source, name = self.pick(), self.name()
        text, how = self.rng.choice(list(UNARY.items()))
        dtype = self.theirs[source].dtype
        if dtype.kind == "c" and text not in ("-{}", "~{}", "m.conjugate({})", "m.isnan({})"):
            how = "near"
        return Line(f"{name} = {text.format(source)}", name), how

    def expression(self, shape, first):
        text = self.rng.choices(list(BINARY), WEIGHTS)[0]
        dtype = self.theirs[first].dtype if first in self.theirs else np.dtype(bool)
        operands = [first, self.operand(shape, dtype)]
        if self.rng.random() < 0.4:
            operands.reverse()
        how = BINARY[text]
        if any(w in text for w in ("*", "/", "%")) and any(c in str(operands) for c in ("j", "x")) and self.has_complex(operands):
            how = "near"
        return text.format(*operands), how

    def has_complex(self, operands):
        for text in operands:
            name = text.split("[")[0].split(".")[0]
            if "j" in text or (name in self.theirs and self.theirs[name].dtype.kind == "c"):
                return True
        return False

    def binary(self):
        source, name = self.pick(), self.name()
        text, how = self.expression(self.theirs[source].shape, source)
        return Line(f"{name} = {text}", name), how

    def where(self):
        source, name = self.pick(), self.name()
        array = self.theirs[source]
        masks = [x for x in self.arrays() if self.theirs[x].dtype == bool and self.theirs[x].shape in (array.shape, (), (1,))]
        mask = self.rng.choice(masks) if masks else f"({source} {self.rng.choice(['<', '==', '!='])} {self.scalar(array.dtype)})"
        return Line(f"{name} = m.where({mask}, {source}, {self.operand(array.shape, array.dtype, False)})", name), "exact"

    def cast(self):
        source, name = self.pick(), self.name()
        if self.bfloat16:
            return self.unary()
        to = self.rng.choice(self.palette if self.rng.random() < 0.5 else DTYPES)
        if self.theirs[source].dtype.kind in "fc" and to == "uint32":
            # The only type where NumPy's answers beyond it depend on how many there are.
            real = f"{source}.real" if self.theirs[source].dtype.kind == "c" else source
            source = f"m.where(m.abs({real}) < 2.0**31, {real}, 0)"
        return Line(f"{name} = {source}.astype({to!r})", name), "exact"

    def reduce(self):
        rng = self.rng
        source, name = self.pick(), self.name()
        array = self.theirs[source]
        which = rng.choice(["sum", "sum", "prod", "max", "min", "any", "all", "mean"])
        axes = [None, *range(array.ndim)]
        if array.ndim > 1:
            axes += [tuple(sorted(rng.sample(range(array.ndim), 2))), -1]
        if rng.random() < 0.03:
            axes = [array.ndim + 1]
        text = f"m.{which}({source}, axis={rng.choice(axes)}"
        if rng.random() < 0.3:
            text += ", keepdims=True"
        floats = array.dtype.kind in "fc" or which == "mean"
        how = "near" if floats and which in ("sum", "prod", "mean") else "zeros"
        if self.bfloat16 and how == "near":
            return self.unary()
        return Line(f"{name} = {text})", name), how

    def matmul(self):
        source, name = self.pick(), self.name()
        if self.bfloat16:
            return self.unary()
        floats = self.theirs[source].dtype.kind in "fc"
        return Line(f"{name} = m.matmul({source}, {source}.T)", name), "near" if floats else "exact"

    def writable(self):
        return [x for x in self.arrays() if isinstance(self.theirs[x], np.ndarray)]

    def update(self):
        rng = self.rng
        target = self.pick()
        array = self.theirs[target]
        kind = rng.randrange(6)
        if kind == 0 and array.ndim and array.shape[0] > 1:
            return Line(f"{target}[1:] += {target}[:-1]", target), "exact"
        if kind == 1 and array.ndim:
            key = self.key(array.shape)
            one = all(part.lstrip("-").isdigit() for part in key.split(", "))  # NumPy has rules of its own for sequences there
            value = self.scalar(array.dtype) if one else self.operand(array.shape, array.dtype)
            return Line(f"{target}[{key}] = {value}", target), self.for_casts(target)
        if kind == 2 and array.ndim:
            key = self.key(array.shape)
            return Line(f"{target}[{key}] += {rng.choice(['1', '2', 'True'])}", target), "exact"
        op = rng.choice(["+", "+", "-", "*", "*", "/", "//", "%", "&", "|"])
        other = self.operand(array.shape, array.dtype)
        how = "near" if op in "*/" and self.has_complex([target, other]) else "zeros" if op in ("//", "%") else "exact"
        return Line(f"{target} {op}= {other}", target), how

    def for_casts(self, target):
        return "casts" if self.theirs[target].dtype.kind in "iub" else "exact"

    def out(self):
        rng = self.rng
        target, source = rng.choice(self.writable() or ["none"]), self.pick()
        if target == "none":
            return self.new()
        array = self.theirs[target]
        name = rng.choice(["add", "multiply", "subtract", "maximum"])
        into = f"{target}[::-1]" if array.ndim and rng.random() < 0.2 else target
        other = self.operand(self.theirs[source].shape, array.dtype)
        complex_too = self.has_complex([source, other, target])
        how = "near" if complex_too and name == "multiply" else "zeros" if name == "maximum" else "exact"
        return Line(f"m.{name}({source}, {other}, out={into})", target), how

    def look(self):
        return Line(f"look({self.pick()})"), "exact"

    def drop(self):
        return Line(f"del {self.pick()}"), "exact"

    # ---- running

    def fail(self, why):
        raise AssertionError(f"{why}\nin the program of seed {self.seed}, {len(self.lines)} lines:\n\n{self.text()}")

    def text(self):
        return "\n".join(line.text + (f"  # {line.error.__name__}" if line.error else "") for line in self.lines)

    def run(self):
        """Writes and runs the lines; returns the final values, by name."""
        for _ in range(self.length):
            line, how = self.write()
            self.lines.append(line)
            if how == "casts" and (self.is_undefined(line) or self.is_late(line)):
                self.lines.pop()
                continue
            try:
                self.both(line, how)
            except EndOfProgram:
                self.lines.pop()
                break
        return {name: look(self.ours[name]) for name in self.arrays()}

    def is_undefined(self, line):
        """Would an assignment convert numbers beyond uint32, where NumPy's answer depends on how many there are?"""
        target, source = line.text.split(" = ", 1)
        try:
            value = np.asarray(eval(source, self.theirs))
        except Exception:
            return False
        beyond = value.dtype.kind in "fc" and ~((value.real > -(2.0**31)) & (value.real < 2.0**32))
        return self.theirs[target.split("[")[0]].dtype == np.uint32 and bool(np.any(beyond))

    def is_late(self, line):
        """Would NumPy refuse to assign a number at once, of which ours is known at the next look only?"""
        target, source = line.text.split(" = ", 1)
        number = self.theirs.get(source)
        kind = self.theirs[target.split("[")[0]].dtype
        return isinstance(number, np.integer) and kind.kind == "i" and not np.iinfo(kind).min <= int(number) <= np.iinfo(kind).max

    def both(self, line, how):
        bound = self.bound(line, how)
        theirs, ours = self.theirs, self.ours
        try:
            exec(line.code, theirs)
        except ZeroDivisionError:  # Python's own division, of a scalar that is a Python number too
            raise EndOfProgram from None
        except Exception as error:
            expected = type(error) if not type(error).__module__.startswith("numpy._core") else TypeError
            try:
                exec(line.code, ours)
            except Exception as own:
                line.error = type(own)
                # Of two mistakes in one line, either may be said: one of them the target that is read-only or too small.
                either = "read-only" in str(error) or (expected is OverflowError and ("broadcast" in str(own) or "Cannot cast" in str(own)))
                if not isinstance(own, expected) and not either:
                    self.fail(f"{own!r} was raised where NumPy raises {error!r}")
            else:
                self.fail(f"nothing was raised where NumPy raises {error!r}")
            return
        try:
            exec(line.code, ours)
        except Exception as own:
            line.error = type(own)
            self.fail(f"{own!r} was raised, and nothing by NumPy")
        if not line.target:
            return
        if self.bfloat16 and ours[line.target]._dtype_name not in ("bool", "bfloat16"):
            self.lines.append(Line(f"del {line.target}"))  # NumPy has float32 for bfloat16, and nothing else
            exec(self.lines[-1].code, theirs)
            exec(self.lines[-1].code, ours)
            return
        if isinstance(theirs[line.target], (bool, complex)):  # Python's, of a scalar that is a Python number too
            theirs[line.target] = np.asarray(theirs[line.target])[()]
        want, got = theirs[line.target], look(ours[line.target])
        if not isinstance(want, (np.ndarray, np.generic)):
            self.fail(f"NumPy gives {want!r}")
        if self.bfloat16 and want.dtype == np.float32:
            rounded = to_bfloat16(want)
            if rounded.tobytes() != want.tobytes():
                want = self.put(line.target, rounded)
        if got.dtype == want.dtype and got.shape == want.shape and got.tobytes() == want.tobytes():
            return
        right = {"exact": equal_bits, "casts": equal_bits, "zeros": equal_values}.get(how)
        if not (right(got, want) if right else is_near(got, want, bound)):
            self.fail(f"{line.target} is\n{got!r}\nnot\n{want!r}")
        if got.dtype.kind in "fc":
            self.put(line.target, got)

    def put(self, name, value):
        """NumPy's variable gets this value, seen through its views where it is an array."""
        old = self.theirs[name]
        if isinstance(old, np.ndarray) and old.flags.writeable:
            old[...] = value
        else:
            self.theirs[name] = value if isinstance(old, np.ndarray) else value[()]
        return self.theirs[name]

    def bound(self, line, how):
        """How large the numbers are that a line adds up."""
        if how != "near":
            return 0
        text, names = line.text, self.theirs
        target, _, source = text.partition(" = ")
        try:
            if source.startswith(("m.sum", "m.mean")):
                size = eval(source.replace("(", "(abs(np.asarray(", 1).replace(",", ", np.complex128)),", 1), names)
                # NumPy adds up one after the other along all axes but the last, so what is lost grows with their number.
                added = names[source.split("(")[1].split(",")[0]].size / max(np.size(size), 1)
                return size * max(1, added / 256)
            if source.startswith("m.prod"):  # what is lost below the normal numbers on the way grows with the factors to come
                name = source[7:].split(",")[0]
                bits = np.finfo(names[name].dtype)
                factors = source.replace(name, "np.maximum(1, abs(np.asarray(" + name + ", np.complex128)))", 1)
                return float(bits.smallest_subnormal) / float(bits.eps) * eval(factors, names)
            if source.startswith("m.matmul"):
                name = source[9:].split(",")[0]
                a = np.abs(names[name].astype(np.complex128))
                return a @ a.T
        except Exception:
            pass
        return 0


def replay(program, looks_at_each=False, looks=True):
    """The program's final values, by name, when quern runs its lines again."""
    names = names_of_quern(looks)
    for line in program.lines:
        try:
            exec(line.code, names)
        except Exception as error:
            if type(error) is not line.error:
                program.fail(f"{line.text}: {error!r} was raised in another run, not {line.error}")
        else:
            if line.error:
                program.fail(f"{line.text}: nothing was raised in another run, {line.error} before")
            if looks_at_each and line.target:
                look(names[line.target])
    arrays = program.arrays()
    random.Random(program.seed).shuffle(arrays)
    return {name: look(names[name]) for name in arrays}


def compare_runs(program, got, want, how):
    for name, value in want.items():
        if not equal_bits(got[name], value):
            program.fail(f"{how}: {name} is\n{got[name]!r}\nnot\n{value!r}")


# ---- functions without exact values

SMOOTH = """{0} + {1} | {0} * {1} / (1 + {0}) | {0} / {1} | m.sqrt({0}) | m.exp({0} / (1 + {0})) | m.log1p({0}) | m.tanh({0})
m.arctan({0}) | m.log(1.5 + {0}) | m.cbrt({0}) | m.hypot({0}, {1}) | m.power({0} / (1 + {0}), 1.5) | m.maximum({0}, {1}) | {0} ** 2 / (1 + {0})
m.exp2(-{0} / (1 + {0})) | m.where(mask, {0}, {1}) | m.arctan2({0}, {1}) | m.log10(2 + {0}) | m.sinh({0} / (1 + {0})) | m.log2(2 + {0})
m.mean({0}, axis=-1, keepdims=True) + {1} | m.sum({0}, axis=0) / (1 + {0}.shape[0]) + {1} | m.cos(m.sin({0} / (2 + {0}))) | 1 / {0}"""
SMOOTH = [part for line in SMOOTH.splitlines() for part in line.split(" | ")]


def smooth_lines(seed):
    """A program over positive numbers, whose errors stay small: sums, products, quotients, roots, exponentials, angles."""
    rng = random.Random(seed)
    shape = rng.choice([(6,), (3, 4), (2, 3, 4), (4, 1)])
    dtype = rng.choice(["float64", "float64", "float32", "float16"])
    lines = [f"mask = new('bool', {shape}, {seed % 7}, 3)"]
    for n in range(3):
        lines.append(f"x{n} = (m.abs(new('int8', {shape}, {rng.randrange(15)}, {n + 1})) % 50 / 32 + 0.5).astype('{dtype}')")
    for n in range(3, 3 + rng.randint(1, 5)):
        a, b = (f"x{rng.randrange(n)}" + rng.choice(["", "", "[::-1]"]) for _ in "ab")
        lines.append(f"x{n} = {rng.choice(SMOOTH).format(a, b)}")
    return lines


def check_smooth(seed):
    lines = smooth_lines(seed)
    theirs, ours = names_of_numpy(), names_of_quern()
    for line in lines:
        exec(line, theirs)
        exec(line, ours)
    for n in range(len(lines) - 1, 0, -1):
        want, got = np.asarray(theirs[f"x{n - 1}"]), look(ours[f"x{n - 1}"])
        if not is_near(got, want, 4 * np.abs(want)):
            text = "\n".join(lines)
            raise AssertionError(f"x{n - 1} is\n{got!r}\nnot\n{want!r}\nin the program of seed {seed}:\n\n{text}")


# ---- one seed, many seeds

# kind: tier 0 takes so many elements at most, and every line's value is looked at. What has run twice is replayed.
RUNS = {
    "tiny": [(_engine.tier0_limit, False)],
    "mixed": [(6, False)] * 3,
    "fused": [(0, False)] * 3,
    "unfused": [(0, True), (0, False)] * 3,
    "large": [(0, False)] * 3,
}


def check_once(kind, seed, length=None):
    if kind.startswith("smooth"):
        _engine.set_tier0_limit(_engine.tier0_limit if kind == "smooth" else 0)
        return check_smooth(seed)
    _engine.set_tier0_limit(_engine.tier0_limit)
    program = Program(seed, length, large=kind == "large", bfloat16=seed % 8 == 7)
    want = program.run()
    for limit, looks_at_each in RUNS[kind]:
        _engine.set_tier0_limit(limit)
        got = replay(program, looks_at_each, looks=seed % 2 == 0)
        compare_runs(program, got, want, f"{kind}, tier 0 up to {limit} elements, {'each' if looks_at_each else 'nothing'} looked at")


def check(kind, seed):
    """Runs the program of a seed; of one that fails, the shortest start that fails is shown."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            check_once(kind, seed)
        except AssertionError:
            for length in range(1, 0 if kind.startswith("smooth") else 10):
                check_once(kind, seed, length)
            raise
        finally:
            _engine.set_tier0_limit(_engine.tier0_limit)


def check_many(kind, seeds, device=None):
    """For processes of their own: the text of the first failure, and how many kernels were built."""
    if device:
        set_current_device(qn.device(device))
    with qn.trace() as events:
        for seed in seeds:
            try:
                check(kind, seed)
            except AssertionError as error:
                return f"{kind}, seed {seed}: {error}", 0
            except Exception as error:
                return f"{kind}, seed {seed}: {error!r}", 0
    return "", collections.Counter(event["kind"] for event in events)["compile"]
