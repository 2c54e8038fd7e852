"""The lines of random programs of arrays (random_programs.py runs them): `Lines.write` draws the next one.

A line is Python over `m`, which is NumPy or quern, and arrays x0, x1, ...; `new` makes one. What is drawn depends on the arrays that are
there, as NumPy has them. Some lines come in a fixed order: a result, a view of it, a write into the view (`Lines.through`).
"""

import itertools

import numpy as np

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
    numbers = np.asarray(table[at.reshape(shape)])  # it owns its memory, as quern's array does
    return to_bfloat16(numbers) if dtype == "bfloat16" else numbers


def to_bfloat16(a):
    """The nearest bfloat16 numbers, as float32: what NumPy stands in with. They lie as the numbers did."""
    a = np.asanyarray(a, np.float32)
    bits = a.view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)
    out = np.empty_like(a)
    out[...] = np.where(np.isnan(a), a, rounded)
    return out


def wide(x):
    """How large the numbers are, in a type that holds their sums."""
    return np.abs(np.asarray(x, np.complex128))


def added(x, size):
    """NumPy adds up one after the other along all axes but the last, so what is lost grows with their number."""
    return size * max(1, np.size(x) / max(np.size(size), 1) / 256)


def below(x):
    """What is lost below the normal numbers on the way of a product."""
    bits = np.finfo(x.dtype) if x.dtype.kind in "fc" else np.finfo(np.float64)
    return float(bits.smallest_subnormal) / float(bits.eps)


class Line:
    """A line of a program: its text, the name that it changes, how its value compares with NumPy's, and the exception that it ends in.

    `how`: "exact"; "zeros": 0 is -0; "near": within some units of the last place of `bound`, the text of how large the numbers are
    that are added up; "casts": exact, where NumPy's answer is one.
    """

    def __init__(self, text, target=None, how="exact", bound=None):
        self.text, self.target, self.how, self.bound = text, target, how, bound
        self.code = compile(text, "<program>", "exec")
        self.error = None

    def makes(self):
        """Does it make its array, rather than write into one?"""
        return self.target and self.text.startswith(f"{self.target} = ")


def weighed(weights):
    """What there is, and the sums of its weights so far: random.choices() draws from these."""
    return list(weights), list(itertools.accumulate(weights.values()))


def drawn(rng, weighed):
    return rng.choices(weighed[0], cum_weights=weighed[1])[0]


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
BINARY_WEIGHTS = weighed({text: 5 if text in ("{} + {}", "{} - {}", "{} * {}", "{} / {}") else 1 for text in BINARY})


# Kinds of lines, and how often each is drawn.
KINDS = {"new": 1, "view": 3, "unary": 2, "binary": 8, "where": 1.5, "cast": 1.5, "reduce": 1.5, "update": 4, "out": 1, "look": 0.6, "drop": 1.5}
KINDS = weighed(KINDS | {"matmul": 0.3, "order": 1.5, "function": 4, "into": 1.2, "through": 0.8})
ORDERS = ["'C'", "'F'", "'F'", "'A'", "'K'"]

# Calls of functions and methods; what stands in braces is drawn by Lines.a_(...), once for a line and its bound.
FUNCTIONS = {
    "m.cumsum({x}, {axis})": "near",
    "m.cumprod({x}, {axis})": "near",
    "m.average({x}, {axis})": "near",
    "m.average({x}, {axis}, weights={weights})": "near",
    "m.sort({x}, {axis})": "zeros",
    "m.argsort({x}, {axis}, kind='stable')": "exact",
    "m.take_along_axis({x}, m.argsort({x}, {axis}, kind='stable'), {axis})": "exact",
    "m.maximum.accumulate({x}, {number})": "zeros",
    "m.argmax({x}, {axis})": "exact",
    "m.count_nonzero({x}, {axis})": "exact",
    "m.diff({x}, 1, {number})": "exact",
    "m.take({x}, {places}, {axis})": "exact",
    "{x}.take({places}, {axis}, mode='wrap')": "exact",
    "{x}[{mask}]": "exact",
    "m.compress({flags}, {x}, {axis})": "exact",
    "(m.nonzero({x})[0] + 0)": "exact",  # see layouts.OTHERWISE
    "m.extract({mask}, {x})": "exact",
    "m.concatenate([{x}, {y}], {axis})": "exact",
    "m.stack([{x}, {y}], {number})": "exact",
    "m.hstack([{x}, {y}])": "exact",
    "m.column_stack([{x}, {y}])": "exact",
    "m.append({x}, {y}, {axis})": "exact",
    "{x}.swapaxes({number}, {other})": "exact",
    "m.moveaxis({x}, {number}, {other})": "exact",
    "m.expand_dims({x}, {number})": "exact",
    "{x}.squeeze()": "exact",
    "m.diagonal({x})": "exact",
    "m.triu({x})": "exact",
    "m.flip({x}, {axis})": "exact",
    "m.rot90({x}, {times})": "exact",
    "m.roll({x}, {times}, {axis})": "exact",
    "m.repeat({x}, {times}, {axis})": "exact",
    "m.tile({x}, {repeats})": "exact",
    "m.outer({x}, {y})": "exact",
    "m.kron({x}, {y})": "exact",
}
FUNCTION_WEIGHTS = weighed({text: 3 if any(f in text for f in ("average", "cumsum", "m.sort", "m.take(", "concatenate", "stack")) else 1 for text in FUNCTIONS})
BOUNDS = {
    "m.cumsum({x}, {axis})": "m.cumsum(wide({x}), {axis}) * max(1, {x}.size / 64)",
    "m.cumprod({x}, {axis})": "m.cumprod(wide({x}), {axis}) * max(1, {x}.size / 64) + below({x}) * m.cumprod(m.maximum(1, wide({x})), {axis})",
    "m.average({x}, {axis})": "added({x}, m.average(wide({x}), {axis}))",
    "m.average({x}, {axis}, weights={weights})": "added({x}, m.average(wide({x}), {axis}, weights={weights}))",
}
INTO = {
    "m.place({x}, {mask_apart}, {numbers_apart})": "casts",
    "m.putmask({x}, {mask}, {numbers})": "casts",
    "m.put({x}, {places}, {numbers}, mode='wrap')": "casts",
    "m.copyto({x}, {operand}, where={mask})": "exact",
    "m.copyto({x}, {operand})": "exact",
    "m.fill_diagonal({x}, {scalar})": "exact",
    "{x}.sort({number})": "zeros",
    "{x}[{mask}] = {scalar}": "casts",
    "{x}[{mask}] *= 2": "exact",
    "{x}[...] = [{scalar}]": "casts",
}
INTO_WEIGHTS = weighed({text: 2 if text.startswith("m.p") else 1 for text in INTO})

# Calls that say, or take over, how their result lies in memory; many give a view where they can.
ORDERED = """{x}.ravel({order}) | m.ravel({x}, {order}) | {x}.flatten({order}) | {x}.copy({order}) | m.copy({x}, {order})
{x}.reshape({shape}) | {x}.reshape({shape}) | {x}.reshape({shape}, order={order}) | m.reshape({x}, {shape}, order={order})
{x}.astype({dtype}, order={order}) | {x}.astype({x}.dtype, order={order}, copy=False) | m.array({x}, order={order})
m.array({x}, copy=None, order={order}) | m.asarray({x}, order={order}) | m.asfortranarray({x}) | m.ascontiguousarray({x})
m.zeros_like({x}, order={order}) | m.ones_like({x}, order={order}) | m.full_like({x}, 3, order={order}) | m.ones_like({x}, shape={x}.shape[::-1])"""
ORDERED = [text for line in ORDERED.splitlines() for text in line.split(" | ")]
VIEWS = [text for text in ORDERED if any(f in text for f in ("ravel", "reshape", "copy=", "m.as"))]  # perhaps


class Drawn(dict):
    """The texts that stand for the words in braces, each drawn when it is first wanted."""

    def __init__(self, lines, x):
        self.lines, self.array = lines, eval(x, lines.theirs)
        super().__init__(x=x)

    def __missing__(self, word):
        text = self[word] = str(getattr(self.lines, "a_" + word)(self))
        return text


class Lines:
    """Draws lines over the arrays of `theirs`, which are NumPy's."""

    def __init__(self, rng, theirs, large=False, bfloat16=False):
        self.rng, self.theirs, self.large, self.bfloat16 = rng, theirs, large, bfloat16
        self.planned = iter(())  # lines that come next
        self.known = []  # the arrays at the start of a line
        self.count = 0
        some = [rng.choice(COMMON), rng.choice(COMMON), rng.choice(DTYPES)]
        self.palette = ["bfloat16"] if bfloat16 else some
        self.wild = rng.random() < 0.4
        self.shape = rng.choice(LARGE if large else TINY)
        self.shapes = [self.shape] * 4 + [self.shape[k:] for k in range(1, len(self.shape) + 1)]
        self.shapes += [tuple(n if rng.random() < 0.5 else 1 for n in self.shape)]
        if not large and rng.random() < 0.1:
            self.shapes += rng.sample(TINY, 2)

    def arrays(self):
        return [name for name in self.theirs if name[0] == "x" and name[1:].isdigit()]

    def name(self):
        self.count += 1
        return f"x{self.count - 1}"

    def pick(self):
        return self.rng.choice(self.known)

    def pick_array(self):
        """One that is no number."""
        some = [x for x in self.known if isinstance(self.theirs[x], np.ndarray)]
        return self.rng.choice(some) if some else None

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
        for name in self.known:
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
        """The next line."""
        self.known = self.arrays()
        line = next(self.planned, None)
        if line:
            return line
        kind = drawn(self.rng, KINDS) if self.known else "new"
        if len(self.known) < 2 and kind == "drop":
            kind = "new"
        return getattr(self, kind)()

    def new(self):
        rng = self.rng
        dtype, shape, name = rng.choice(self.palette), rng.choice(self.shapes), self.name()

        def numbers(shape):
            return f"new({dtype!r}, {shape}, {rng.randrange(20)}, {rng.choice([1, 2, 3, 5])}, {self.wild})"

        if len(shape) == 0 or rng.random() < 0.6:
            text = numbers(shape)
        else:
            text = self.laid_out(shape, numbers)
        if self.bfloat16 and rng.random() < 0.3:
            other = rng.choice([d for d in DTYPES if d not in COMPLEX])
            text = f"cast({text.replace(repr(dtype), repr(other), 1)}, 'bfloat16')"
        return Line(f"{name} = {text}", name)

    def laid_out(self, shape, numbers):
        """The text of an array of this shape that does not lie in C order."""
        rng = self.rng
        order = rng.choice(ORDERS)
        choice = rng.randrange(7)
        if choice == 0:
            return f"{numbers(shape[::-1])}.T"
        if choice == 1:
            axes = rng.sample(range(len(shape)), len(shape))
            there = [0] * len(shape)
            for axis, n in zip(axes, shape, strict=True):
                there[axis] = n
            return f"{numbers(tuple(there))}.transpose({axes})"
        if choice == 2:
            axis = rng.randrange(len(shape))
            there = [2 * n if k == axis else n for k, n in enumerate(shape)]
            return f"{numbers(tuple(there))}[{':, ' * axis}::{rng.choice([2, -2])}]"
        if choice == 3:
            return f"{numbers(shape)}[{rng.choice(['::-1', '..., ::-1'])}]"
        if choice == 4:
            return f"m.asfortranarray({numbers(shape)})"
        if choice == 5:
            return f"m.{rng.choice(['array', 'asarray'])}({numbers(shape[::-1])}.T, order={order})"
        return f"{numbers(shape)}.copy({order})"

    def view(self, source=None):
        rng = self.rng
        source, name = source or self.pick_array(), self.name()
        if source is None:
            return self.new()
        array = self.theirs[source]
        choice = rng.randrange(7)
        if choice == 0 and array.ndim > 1:
            text = f"{source}.transpose({rng.sample(range(array.ndim), array.ndim)})"
        elif choice == 1 and array.size:
            text = f"{source}.reshape(-1)"
        elif choice == 2 and array.dtype.kind == "c":
            text = f"{source}.{rng.choice(['real', 'imag'])}"
        elif choice == 3:
            text = f"m.broadcast_to({source}, {(2, *array.shape) if array.size < 2000 else array.shape})"
        elif choice == 4 and array.ndim:
            text = f"{source}[{rng.choice(['::-1', '..., ::2', '1:', ':-1', '..., None'])}]"
        else:
            text = f"{source}[{self.key(array.shape)}]"
        return Line(f"{name} = {text}", name)

    def order(self, source=None):
        """A copy, a view or a reshape in an order that is given."""
        rng = self.rng
        source = source or self.pick_array() or self.pick()
        words = Drawn(self, self.turned(source) if rng.random() < 0.4 else source)
        text = rng.choice(ORDERED)
        if isinstance(words.array, np.generic):
            text = "{x}.flatten({order})"  # of the others, some are NumPy's arrays and quern's numbers, or the other way round
        elif "shape=" in text and 0 in words.array.strides:
            text = "{x}.copy({order})"  # NumPy's broadcast_to() changes strides of axes of one element too, which this would show
        name = self.name()
        return Line(f"{name} = {text.format_map(words)}", name)

    def through(self):
        """A result, what may be a view of it, a write into that, and a read of the result."""
        self.planned = self.lines_through()
        return next(self.planned)

    def lines_through(self):
        rng = self.rng
        base = self.pick_array()
        if base is None or rng.random() < 0.7:
            line = getattr(self, rng.choice(["binary", "unary", "function", "order", "new"]))()
            yield line
            base = line.target
        for _ in range(rng.randint(1, 2)):
            if not isinstance(self.theirs.get(base), np.ndarray):
                return
            words = Drawn(self, self.turned(base) if rng.random() < 0.3 else base)
            if isinstance(words.array, np.generic):  # a sum of arrays without dimensions
                words = Drawn(self, base)
            view = self.name()
            yield Line(f"{view} = {rng.choice(VIEWS).format_map(words)}", view)
            if not isinstance(self.theirs.get(view), np.ndarray):
                return
            yield self.update(view) if rng.random() < 0.7 else self.into(view)
            yield self.unary(base) if rng.random() < 0.4 else Line(f"look({base})")
            base = view

    def function(self, source=None):
        rng = self.rng
        source = source or self.pick_array()
        if source is None:
            return self.unary()
        text = drawn(rng, FUNCTION_WEIGHTS)
        how = FUNCTIONS[text]
        words = Drawn(self, self.turned(source) if rng.random() < 0.2 else source)
        array = words.array
        many = 5000 if self.large else 300
        if array.size > many or (self.bfloat16 and how == "near"):
            return self.unary(source)
        if isinstance(array, np.generic):
            return self.order(source)
        if 0 in array.strides and any(f in text for f in ("roll", "cum", "accumulate", "average")):
            return self.order(source)  # the results of repeated elements lie otherwise: see layouts.REPEATED
        if array.size == 0 and ("{axis}" in text or "{number}" in text):
            words = Drawn(self, f"{source}.copy()")  # as in reduce
        if "outer" in text or "kron" in text:
            if np.size(self.theirs[words["y"]]) * array.size > (20_000 if self.large else 1000):
                return self.unary(source)
            if self.has_complex([words["y"], source]):
                how = "near"
        name = self.name()
        return Line(f"{name} = {text.format_map(words)}", name, how, BOUNDS.get(text, "").format_map(words))

    def into(self, target=None):
        """Functions that write into an array."""
        target = target or self.pick_array()
        if target is None:
            return self.new()
        text = drawn(self.rng, INTO_WEIGHTS)
        how = INTO[text] if INTO[text] != "casts" else self.for_casts(target)
        return Line(text.format_map(Drawn(self, target)), target, how)

    # ---- words of calls

    def turned(self, source):
        """The text of an array's transpose, of a part, or of a sum with it."""
        rng, array = self.rng, self.theirs[source]
        if isinstance(array, np.generic):
            return source
        some = [f"{source}.T"]
        if not self.bfloat16:  # the oracle rounds a line's value once
            some += [f"({source} + {source})", f"({source} + 1)", f"({source}.T + 1)"]
        if array.ndim:
            some += [f"{source}[::-1]", f"{source}[..., ::2]", f"{source}[1:]"]
        if array.ndim > 1:
            some += [f"{source}.swapaxes(0, 1)", f"{source}[:, ::-1]"]
        return rng.choice(some)

    def a_axis(self, words):
        return self.rng.choice([None, *range(-1, words.array.ndim)]) if self.rng.random() > 0.02 else words.array.ndim

    def a_number(self, words):
        """Of an axis: the last one is drawn less often."""
        return self.rng.choice([-1, *range(words.array.ndim)] or [0])

    a_other = a_number

    def a_order(self, words):
        return self.rng.choice(ORDERS)

    def a_times(self, words):
        return self.rng.choice([1, 2, 2, 3])

    def a_repeats(self, words):
        return self.rng.choice([2, (2, 1), (1, 2), (2, 1, 1), (1,) * words.array.ndim])

    def a_shape(self, words):
        rng, shape, size = self.rng, words.array.shape, words.array.size
        some = ["-1", shape[::-1], (1, *shape), (*shape, 1), tuple(rng.sample(shape, len(shape)))]
        if len(shape) > 1:
            some += [(shape[0] * shape[1], *shape[2:]), (*shape[:-2], shape[-2] * shape[-1])] * 2
        for n in (2, 3, 4, 5):
            if size and size % n == 0:
                some += [(n, -1), (-1, n)]
        return rng.choice(some) if rng.random() > 0.02 else (size + 1,)

    def a_dtype(self, words):
        if self.bfloat16:
            return f"{words['x']}.dtype"
        dtype = self.rng.choice(self.palette if self.rng.random() < 0.5 else DTYPES)
        return repr(dtype if dtype != "uint32" or words.array.dtype.kind not in "fc" else "float32")  # see cast

    def a_places(self, words):
        axis = words["axis"]
        n = words.array.size if axis == "None" else words.array.shape[int(axis)] if -words.array.ndim <= int(axis) < words.array.ndim else 1
        if n == 0:
            return "m.zeros(0, 'int64')"  # NumPy's take(..., mode='wrap') never ends where the result has no elements
        some = [self.rng.randrange(-n, n) for _ in range(self.rng.randint(1, 4))]
        return [some, some] if self.rng.random() < 0.2 else some

    def a_flags(self, words):
        return [self.rng.random() < 0.5 for _ in range(self.rng.randint(1, 3))]

    def a_y(self, words):
        """Mostly an array of the same shape."""
        same = [x for x in self.known if np.shape(self.theirs[x]) == words.array.shape]
        return self.rng.choice(same) if same and self.rng.random() < 0.8 else self.pick()

    def a_mask(self, words, apart=False):
        x, array = words["x"], words.array
        masks = [x for x in self.known if self.theirs[x].dtype == bool and self.theirs[x].shape == array.shape]
        masks = [x for x in masks if not (apart and np.may_share_memory(self.theirs[x], array))]
        return self.rng.choice(masks) if masks else f"({x} {self.rng.choice(['<', '==', '!='])} {self.scalar(array.dtype)})"

    def a_scalar(self, words):
        return self.scalar(words.array.dtype)

    def a_operand(self, words):
        if not words.array.flags.writeable:
            return "1"  # NumPy passes over a copy of an array onto itself before it sees that it is read-only
        return self.operand(words.array.shape, words.array.dtype)

    def a_mask_apart(self, words):
        """What place() reads while it writes, in NumPy, lies apart from its array: else NumPy's values depend on the order of its loop."""
        return self.a_mask(words, True)

    def a_numbers_apart(self, words):
        text = self.a_numbers(words)
        return "[2, 1]" if text in self.theirs and np.may_share_memory(self.theirs[text], words.array) else text

    def a_numbers(self, words):
        """Values that place() and putmask() repeat."""
        dtype = words.array.dtype
        return self.rng.choice([self.scalar(dtype), f"[{self.scalar(dtype)}, {self.scalar(dtype)}]", words["y"]])

    def a_weights(self, words):
        """They are positive, so that their sum is not near 0."""
        axis = words["axis"]
        if axis != "None" and self.rng.random() < 0.5 and -words.array.ndim <= int(axis) < words.array.ndim:
            return f"m.arange(1, {words.array.shape[int(axis)] + 1})"
        return f"(m.abs({words['y']}.real) % 7 + 1)"  # abs() of the least integer is negative

    # ---- lines on numbers

    def unary(self, source=None):
        source, name = source or self.pick(), self.name()
        text, how = self.rng.choice(list(UNARY.items()))
        dtype = self.theirs[source].dtype
        if dtype.kind == "c" and text in ("m.abs({})", "m.sign({})", "m.sqrt({})"):  # not the same bits in tier 0 and compiled
            text = "m.square({})"
        if dtype.kind == "c" and text not in ("-{}", "~{}", "m.conjugate({})", "m.isnan({})"):
            how = "near"
        return Line(f"{name} = {text.format(source)}", name, how)

    def expression(self, shape, first):
        text = drawn(self.rng, BINARY_WEIGHTS)
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
        return Line(f"{name} = {text}", name, how)

    def where(self):
        source, name = self.pick(), self.name()
        array = self.theirs[source]
        masks = [x for x in self.known if self.theirs[x].dtype == bool and self.theirs[x].shape in (array.shape, (), (1,))]
        mask = self.rng.choice(masks) if masks else f"({source} {self.rng.choice(['<', '==', '!='])} {self.scalar(array.dtype)})"
        return Line(f"{name} = m.where({mask}, {source}, {self.operand(array.shape, array.dtype, False)})", name)

    def cast(self):
        source, name = self.pick(), self.name()
        if self.bfloat16:
            to = self.rng.choice([d for d in DTYPES if d != "uint32"])
            text = f"cast({source}, {to!r})"
            return Line(f"{name} = cast({text}, 'bfloat16')" if self.rng.random() < 0.5 else f"{name} = {text}", name)
        to = self.rng.choice(self.palette if self.rng.random() < 0.5 else DTYPES)
        if self.theirs[source].dtype.kind in "fc" and to == "uint32":
            # The only type where NumPy's answers beyond it depend on how many there are.
            real = f"{source}.real" if self.theirs[source].dtype.kind == "c" else source
            source = f"m.where(m.abs({real}) < 2.0**31, {real}, 0)"
        return Line(f"{name} = {source}.astype({to!r})", name)

    def reduce(self):
        rng = self.rng
        source, name = self.pick(), self.name()
        array = self.theirs[source]
        which = rng.choice(["sum", "sum", "prod", "max", "min", "any", "all", "mean"])
        if array.ndim and not array.size:
            source = f"{source}.copy()"  # for the result, NumPy goes by the strides of no elements, quern by C order
        axes = [None, *range(array.ndim)]
        if array.ndim > 1:
            axes += [tuple(sorted(rng.sample(range(array.ndim), 2))), -1]
        if rng.random() < 0.03:
            axes = [array.ndim + 1]
        rest = f"axis={rng.choice(axes)}" + (", keepdims=True" if rng.random() < 0.3 else "")
        floats = array.dtype.kind in "fc" or which == "mean"
        how = "near" if floats and which in ("sum", "prod", "mean") else "zeros"
        if self.bfloat16 and how == "near":
            return self.unary()
        bound = f"added({source}, m.{which}(wide({source}), {rest}))"
        if which == "prod":
            bound = f"below({source}) * m.prod(m.maximum(1, wide({source})), {rest})"
        return Line(f"{name} = m.{which}({source}, {rest})", name, how, bound)

    def matmul(self):
        source, name = self.pick(), self.name()
        if self.bfloat16:
            return self.unary()
        floats = self.theirs[source].dtype.kind in "fc"
        return Line(f"{name} = m.matmul({source}, {source}.T)", name, "near" if floats else "exact", f"wide({source}) @ wide({source}).T")

    def update(self, target=None):
        rng = self.rng
        target = target or self.pick()
        array = self.theirs[target]
        kind = rng.randrange(6)
        if kind == 0 and array.ndim and array.shape[0] > 1:
            return Line(f"{target}[1:] += {target}[:-1]", target)
        if kind == 1 and array.ndim:
            key = self.key(array.shape)
            one = all(part.lstrip("-").isdigit() for part in key.split(", "))  # NumPy has rules of its own for sequences there
            value = self.scalar(array.dtype) if one else self.operand(array.shape, array.dtype)
            return Line(f"{target}[{key}] = {value}", target, self.for_casts(target))
        if kind == 2 and array.ndim:
            key = self.key(array.shape)
            return Line(f"{target}[{key}] += {rng.choice(['1', '2', 'True'])}", target)
        op = rng.choice(["+", "+", "-", "*", "*", "/", "//", "%", "&", "|"])
        other = self.operand(array.shape, array.dtype)
        how = "near" if op in "*/" and self.has_complex([target, other]) else "zeros" if op in ("//", "%") else "exact"
        return Line(f"{target} {op}= {other}", target, how)

    def for_casts(self, target):
        return "casts" if self.theirs[target].dtype.kind in "iub" else "exact"

    def out(self):
        rng = self.rng
        target, source = self.pick_array(), self.pick()
        if target is None:
            return self.new()
        array = self.theirs[target]
        name = rng.choice(["add", "multiply", "subtract", "maximum"])
        into = f"{target}[::-1]" if array.ndim and rng.random() < 0.2 else target
        other = self.operand(self.theirs[source].shape, array.dtype)
        complex_too = self.has_complex([source, other, target])
        how = "near" if complex_too and name == "multiply" else "zeros" if name == "maximum" else "exact"
        return Line(f"m.{name}({source}, {other}, out={into})", target, how)

    def look(self):
        return Line(f"look({self.pick()})")

    def drop(self):
        return Line(f"del {self.pick()}")
