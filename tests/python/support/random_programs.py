"""Random programs of arrays: what test_array_random_programs.py runs. A program is a list of lines of Python (random_lines.py).

`Program` writes one from a seed, line by line, while it runs it with NumPy and with quern, and compares what each line makes: the value,
how it lies in memory, and what it is a view of. Where floating point has a choice (sums, complex products), quern's value must be near
NumPy's and then takes its place, so that every later line is compared exactly. `replay` runs the lines again in another way; the same bits must come out. `check` does all that for one seed:

    PYTHONPATH=python:tests/python/support python -c "import random_programs; random_programs.check('fused', 17)"
"""

import ast
import collections
import random
import re
import warnings

import layouts
import numpy as np
import quern as qn
from quern.device import set_current_device
from quern.lib import _engine
from random_lines import Line, Lines, added, below, to_bfloat16, values, wide


def _new_of_ours(dtype, *rest):
    host = values(dtype, *rest)
    return qn.asarray(host).astype("bfloat16") if dtype == "bfloat16" else qn.asarray(host)


def look(x):
    """The values on the host, bfloat16 as float32."""
    return qn.asnumpy(x.astype("float32") if x._dtype_name == "bfloat16" else x)


def _cast_of_theirs(x, dtype):
    return to_bfloat16(x.astype("float32")) if dtype == "bfloat16" else x.astype(dtype)


def names_of_numpy():
    bounds = {"wide": wide, "added": added, "below": below}
    return {"m": np, "np": np, "new": values, "cast": _cast_of_theirs, "look": lambda x: None, **bounds}


def names_of_quern(looks=True):
    return {"m": qn, "np": np, "new": _new_of_ours, "cast": lambda x, dtype: x.astype(dtype), "look": look if looks else lambda x: None}


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


def owner(a):
    while isinstance(a.base, np.ndarray):
        a = a.base
    return a


def layout_of(a):
    flags = a.flags
    return a.strides, flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.owndata


class EndOfProgram(Exception):
    """A line that is no matter of arrays."""


class Program(Lines):
    """One random program, run with NumPy and with quern while it is written."""

    def __init__(self, seed, length=None, large=False, bfloat16=False):
        rng = random.Random(seed)
        drawn = rng.randint(3, 12)
        self.seed = seed
        self.length = length or drawn  # a shorter program of the same seed is the start of the longer one
        self.lines = []
        self.ours = names_of_quern()
        self.numbers_of_numpy = set()  # names of its numbers that are arrays here
        super().__init__(rng, names_of_numpy(), large, bfloat16)

    def fail(self, why):
        raise AssertionError(f"{why}\nin the program of seed {self.seed}, {len(self.lines)} lines:\n\n{self.text()}")

    def text(self):
        return "\n".join(line.text + (f"  # {line.error.__name__}" if line.error else "") for line in self.lines)

    def run(self):
        """Writes and runs the lines; returns the final values and layouts, by name."""
        for _ in range(self.length):
            line = self.write()
            self.lines.append(line)
            if line.how == "casts" and (self.is_undefined(line) or self.is_late(line)):
                self.lines.pop()
                continue
            try:
                self.both(line)
            except EndOfProgram:
                self.lines.pop()
                break
        result = final(self.ours, self.arrays())
        for name, (got, _) in result.items():  # also what was changed through a view
            want = np.asarray(self.theirs[name])
            if not equal_bits(got, want):
                self.fail(f"at the end, {name} is\n{got!r}\nnot\n{want!r}")
        return result

    def is_undefined(self, line):
        """Would an assignment convert numbers beyond uint32, where NumPy's answer depends on how many there are?"""
        target, source = assigned(line)
        try:
            value = np.asarray(eval(source, self.theirs))
        except Exception:
            return False
        beyond = value.dtype.kind in "fc" and ~((value.real > -(2.0**31)) & (value.real < 2.0**32))
        return self.theirs[target.split("[")[0]].dtype == np.uint32 and bool(np.any(beyond))

    def is_late(self, line):
        """Would NumPy refuse to assign a number at once, of which ours is known at evaluation only?"""
        target, source = assigned(line)
        number = self.theirs.get(source)
        kind = self.theirs[target.split("[")[0]].dtype
        if not isinstance(number, (np.integer, np.floating)) or kind.kind != "i":
            return False
        return not np.iinfo(kind).min <= number.item() <= np.iinfo(kind).max

    def both(self, line):
        bound = self.bound(line)
        theirs, ours = self.theirs, self.ours
        try:
            exec(self.without_overlap(line), theirs)
        except ZeroDivisionError as error:  # Python's own division, of a scalar that is a Python number too
            raise EndOfProgram from error
        except Exception as error:
            expected = type(error) if not type(error).__module__.startswith("numpy._core") else TypeError
            try:
                exec(line.code, ours)
            except Exception as own:
                line.error = type(own)
                # Of two mistakes in one line, either may be said: one of them the target that is read-only or too small.
                either = "read-only" in str(error) or (expected is OverflowError and ("broadcast" in str(own) or "Cannot cast" in str(own)))
                # Too many dimensions, and a number that does not fit.
                either |= "with a sequence" in str(error) and isinstance(own, (OverflowError, TypeError))
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
        self.keep_kind(line.target)
        other = self.bfloat16 and ours[line.target]._dtype_name not in ("bool", "bfloat16")
        if not other or "cast(" in line.text or theirs[line.target].dtype.kind in "iu":
            self.compare(line, bound)
            if line.makes():
                self.compare_layout(line.target)
        if other:  # NumPy has float32 for bfloat16, and nothing else
            self.lines.append(Line(f"del {line.target}"))
            exec(self.lines[-1].code, theirs)
            exec(self.lines[-1].code, ours)

    def without_overlap(self, line):
        """The line for NumPy, which does not always see that an assignment reads what it writes: x[:, 3] = x[1], masks of copyto()."""
        masked = re.fullmatch(r"(m.copyto\(.*, where=)(x\d+)\)", line.text)
        if masked:
            return f"{masked[1]}{masked[2]}.copy())"
        target, equals, source = line.text.partition("] = ")
        try:
            if equals and isinstance(eval(source, self.theirs), np.ndarray):
                return f"{target}] = ({source}).copy('K')"
        except Exception:
            pass  # the line will be refused
        return line.code

    def keep_kind(self, name):
        """What is one of NumPy's numbers, and what an array without dimensions."""
        theirs, value = self.theirs, self.theirs[name]
        numbers = [theirs[other] for other in self.numbers_of_numpy - {name} if other in theirs]
        if any(np.shares_memory(value, number) for number in numbers):  # of a number there are no views
            value = theirs[name] = value.copy()
            self.numbers_of_numpy.add(name)
        if np.ndim(value) or isinstance(value, (bool, complex)):
            return
        if self.bfloat16:
            theirs[name] = np.asarray(value)[()] if self.ours[name]._is_value else np.asarray(value)
        elif isinstance(value, np.complexfloating) and np.isnan(value):  # which NumPy's numbers compare otherwise than its arrays
            theirs[name] = np.asarray(value)
            self.numbers_of_numpy.add(name)

    def compare(self, line, bound):
        theirs, ours = self.theirs, self.ours
        if isinstance(theirs[line.target], (bool, complex)):  # Python's, of a scalar that is a Python number too
            theirs[line.target] = np.asarray(theirs[line.target])[()]
        want, got = theirs[line.target], look(ours[line.target])
        if not isinstance(want, (np.ndarray, np.generic)):
            self.fail(f"NumPy gives {want!r}")
        if self.bfloat16 and want.dtype == np.float32 and ours[line.target]._dtype_name == "bfloat16":
            rounded = to_bfloat16(want)
            if rounded.tobytes() != want.tobytes():
                want = self.put(line.target, rounded)
        if got.dtype == want.dtype and got.shape == want.shape and got.tobytes() == want.tobytes():
            return
        right = {"exact": equal_bits, "casts": equal_bits, "zeros": equal_values}.get(line.how)
        if not (right(got, want) if right else is_near(got, want, bound)):
            self.fail(f"{line.target} is\n{got!r}\nnot\n{want!r}")
        if got.dtype.kind in "fc":
            self.put(line.target, got)

    def put(self, name, value):
        """NumPy's variable gets this value, seen through its views where it is an array."""
        old = self.theirs[name]
        if isinstance(old, np.ndarray):
            if old.flags.writeable:  # else it repeats elements of an array whose value was put
                old[...] = value
        else:
            self.theirs[name] = value[()]
        return self.theirs[name]

    def compare_layout(self, name):
        """Strides, flags, and which arrays share memory, as in NumPy. NumPy's numbers have no layout."""
        want, got = self.theirs[name], self.ours[name]
        if not isinstance(want, np.ndarray) or not want.size or name in self.numbers_of_numpy:
            return
        ours, theirs = layouts.described(got, True, True), layouts.described(want, True, True)
        if ours != theirs:
            self.fail(f"(strides, C, Fortran, writeable) of {name} are {ours}, not {theirs}")
        base, shared = owner(want), False
        for other in self.known:
            array = self.theirs[other]
            if other == name or not isinstance(array, np.ndarray) or not array.size or other in self.numbers_of_numpy:
                continue
            views = owner(array) is base
            if self.ours[other]._shares_cell(got) != views:
                self.fail(f"do {other} and {name} share memory? NumPy: {views}")
            shared |= views and array is base  # of a view of what NumPy hides nobody can tell
        if (shared or want.flags.owndata) and got.flags.owndata != want.flags.owndata:
            self.fail(f"owndata of {name} is {got.flags.owndata}")

    def bound(self, line):
        """How large the numbers are that a line adds up."""
        try:
            return eval(line.bound, self.theirs) if line.how == "near" and line.bound else 0
        except Exception:
            return 0  # of a line that is refused


def assigned(line):
    """The target of a line that assigns, and what it assigns: `x[m] = y`, or m.put(x, places, y)."""
    if " = " in line.text:
        return line.text.split(" = ", 1)
    call = ast.parse(line.text).body[0].value
    return ast.unparse(call.args[0]), ast.unparse(call.args[-1])


def final(names, arrays):
    return {name: (look(names[name]), layout_of(names[name])) for name in arrays}


def replay(program, looks_at_each=False, looks=True):
    """The program's final values and layouts, by name, when quern runs its lines again."""
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
    return final(names, arrays)


def compare_runs(program, got, want, how):
    for name, (value, layout) in want.items():
        if not equal_bits(got[name][0], value):
            program.fail(f"{how}: {name} is\n{got[name][0]!r}\nnot\n{value!r}")
        if got[name][1] != layout:
            program.fail(f"{how}: strides and flags of {name} are {got[name][1]}, not {layout}")


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

# kind: tier 0 takes so many elements at most, and every line's value is read. What has run twice is replayed.
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
        compare_runs(program, got, want, f"{kind}, tier 0 up to {limit} elements, {'each value' if looks_at_each else 'nothing'} read")


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
