"""Source: the tree of a Python function, its lines, and what its names mean outside of it."""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import linecache
import math
import re
import textwrap
import tokenize

from quern.kernel.errors import KernelError, UnsupportedError
from quern.kernel.matching import OWN, without_match
from quern.tools import kept_sources

MISSING = object()


def _lines(file, function):
    """A function's lines and the number of the first: not those of what functools.wraps names.

    As inspect.getsourcelines(), which looks through all modules for the function's own; that one is known here. Raises OSError
    where there are no lines.
    """
    linecache.checkcache(file)
    lines, first = linecache.getlines(file, function.__globals__), function.__code__.co_firstlineno
    if first > len(lines):
        raise OSError(f"no line {first} in {file}")
    return inspect.getblock(lines[first - 1 :]), first


def python_function(obj, decorator):
    """The Python function that is decorated, be it inside of another decorator's object. Raises TypeError for what is none."""
    function = getattr(obj, "py_func", obj)
    if not inspect.isfunction(function):
        raise TypeError(f"[{decorator}] a function written in Python is needed, not {obj!r}; write one with def")
    return function


class Source:
    """A function's source, read once.

    Raises UnsupportedError where Python cannot say what the source is (functions made by exec or typed at a prompt).
    """

    def __init__(self, function):
        self.function = function
        self.name = function.__name__
        self.symbol = _symbol(self.name.replace("<lambda>", "function"))
        self.file = inspect.getsourcefile(function) or function.__code__.co_filename
        self.kept = None  # the lines of a text that is in no file
        try:
            lines, first = _lines(self.file, function)
        except (OSError, TypeError, SyntaxError, tokenize.TokenError):
            tree = self._kept_tree(function.__code__)
        else:
            # `first` counts from 1; the tree's lines do, too.
            text = textwrap.dedent("".join(lines))
            self.indent = len(lines[0]) - len(lines[0].lstrip())
            self.offset = first - 1
            try:
                tree = ast.parse(text)
            except SyntaxError:  # a lambda's lines alone say nothing, or the file is another one by now
                tree = _lambdas_at(function.__code__)
                self.indent = self.offset = 0
        self.tree = without_match(_definition(tree, function), self.error)
        self.assigned_once = assigned_once(self.tree)
        names = {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name)}
        self.asks_types = not names.isdisjoint(("isinstance", "hasattr"))
        subjects = (n for n in names if n.startswith(OWN))
        self.locals = frozenset((*function.__code__.co_varnames, *function.__code__.co_cellvars, *subjects))
        self.closure = {}  # MISSING: it has no value yet
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                self.closure[name] = cell.cell_contents
            except ValueError:
                self.closure[name] = MISSING
        self.globals = function.__globals__
        self.within = {}  # functions that are written inside of it, by their code and what they find around them
        self.is_own = (function.__module__ or "").partition(".")[0] == "quern"  # of quern itself

    def _kept_tree(self, code):
        """What a text that is in no file has in the code's line."""
        text = kept_sources.text_of(code)
        if text is None:
            raise UnsupportedError(
                f"[{self.name}] the source of this function cannot be read; write it into a file, not at the prompt or with exec(), or "
                "call quern.keep_sources() before (`quern run` does)"
            )
        self.kept, self.indent, self.offset = text.splitlines(), 0, 0
        functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))]
        return ast.Module([n for n in functions if _first_line(n) == code.co_firstlineno], [])

    def line(self, node):
        """The line in the file that a node stands in."""
        return self.offset + node.lineno

    def lookup(self, name):
        """What a name means outside of the function; MISSING where it means nothing."""
        for scope in (self.closure, self.globals, vars(builtins)):
            if name in scope:
                return scope[name]
        return MISSING

    def codes_within(self, node):
        """The code that Python made of a function inside of this one; several where lambdas share a line."""
        name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        first = self.offset + _first_line(node)
        codes = [c for c in self.function.__code__.co_consts if inspect.iscode(c) and (c.co_name, c.co_firstlineno) == (name, first)]
        if len(codes) > 1:
            places = [n for n in ast.walk(self.tree) if isinstance(n, ast.Lambda) and n is not self.tree and n.lineno == node.lineno]
            codes = [codes[places.index(node)]] if len(places) == len(codes) else []
        return codes

    def error(self, kind, node, message, hint=""):
        """An error of class ``kind`` that shows the place."""
        number = self.line(node)
        text = linecache.getline(self.file, number).rstrip("\n") if self.kept is None else self.kept[number - 1]
        column = self.indent + getattr(node, "col_offset", 0)
        until = self.indent + node.end_col_offset if getattr(node, "end_lineno", None) == node.lineno else len(text)
        caret = " " * column + "^" * max(1, until - column)
        made = kind(f"{self.file}:{number}: [{self.name}] {message}{'; ' + hint if hint else ''}\n    {text}\n    {caret}")
        made.line, made.said = number, message
        return made


def source_of(function):
    """The source of a function, be it a user's or one that derivative.py wrote."""
    return getattr(function, "__quern_source__", None) or Source(function)


# Names that C++ or CUDA has for itself.
_TAKEN = frozenset(
    """alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const constexpr continue decltype default
    delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new
    noexcept not nullptr operator or private protected public register requires return short signed sizeof static struct switch template
    this throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor main quern op printf assert
    malloc free memcpy memmove memset memcmp abort clock abs labs llabs min max llmin llmax
    umin umax ullmin ullmax div std array slice_of none_given threadIdx blockIdx blockDim gridDim warpSize NULL offsetof static_assert
    static_cast const_cast reinterpret_cast size_t ptrdiff_t clock_t uchar ushort uint ulong CUDA_VERSION CUDART_VERSION
    QUERN_NO_SHORT_FLOATS
    tuple perhaps element_check fixed_array record packed number_of at stored launch_record bits_of heap atomic_type status
    complex""".split()
)  # from `tuple` on: the prelude's own types
_TAKEN |= {"dim3"} | {
    f"{name}{n}" for name in "char uchar short ushort int uint long ulong longlong ulonglong float double".split() for n in (1, 2, 3, 4)
}
# CUDA's functions of numbers, each with an f for float as well.
_TAKEN |= {
    name + end
    for name in (
        *vars(math),
        *"""exp10 rsqrt rcbrt rint nearbyint logb ilogb scalbn scalbln fmin fmax fdim sincos sincospi sinpi cospi norm norm3d norm4d rnorm
        rnorm3d rnorm4d rhypot j0 j1 jn y0 y1 yn cyl_bessel_i0 cyl_bessel_i1 erfinv erfcinv erfcx normcdf normcdfinv tgamma remquo lround
        llround lrint llrint saturate mul24 umul24 mulhi fma round powi""".split(),
    )
    for end in ("", "f")
}


def _symbol(name):
    """The C++ name of a Python function."""
    made = "".join(c if c.isalnum() and c.isascii() else "_" for c in name)
    return f"kernel_{made}" if made in _TAKEN or re.match(r"__|_$|cuda[A-Z]|.*_t$", made) else made


def variable_text(name):
    """The C++ name of a variable. NVRTC reads no letters beyond ASCII's."""
    if name.isascii():
        return f"v_{name}"
    return "w_" + "".join(c if c.isascii() else f"u{ord(c):06x}" for c in name)


def assigned_once(tree):
    """The names that get a value in one place, which is a plain assignment: constants there may be shapes."""
    stores = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del))]
    plain = set()
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        plain.update(part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))
    return frozenset(name for name in plain if stores.count(name) == 1)


def is_of_literals(node):
    """Of numbers that are written there, and operators: Python computes it."""
    return all(isinstance(n, (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)) for n in ast.walk(node))


# What is left of an expression that Python's compiler has computed.
_OF_CONSTANTS = ("RESUME", "LOAD_CONST", "LOAD_SMALL_INT", "RETURN_VALUE", "RETURN_CONST")


def constant_of_python(node):
    """The constant that Python's compiler makes of operators between literals; None where it leaves them to run."""
    code = compile(ast.fix_missing_locations(ast.Expression(node)), "constant", "eval")
    return eval(code) if all(step.opname in _OF_CONSTANTS for step in dis.get_instructions(code)) else None


def _lambdas_at(code):
    """The lambdas of the file that begin in the line of that one."""
    try:
        tree = ast.parse("".join(inspect.findsource(code)[0]))
    except (OSError, SyntaxError):
        return ast.Module([], [])
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno]
    return ast.Module([ast.Expr(n) for n in found], [])


def _definition(tree, function):
    code = function.__code__
    found = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and _is_of(n, code)]
    if not found:
        place = f"{code.co_filename}:{code.co_firstlineno}"
        raise KernelError(f"{place}: [{function.__name__}] there is no function of that name any more; import the file again")
    if len(found) > 1 and isinstance(found[0], ast.Lambda):
        found = [n for n in found if _does_the_same(n, code)] or [n for n in found if _calls_the_same(n, code)]
        if not found:
            raise UnsupportedError(
                f"{code.co_filename}:{code.co_firstlineno}: [{function.__name__}] there are several lambdas with these arguments; "
                "write each on a line of its own"
            )
    return found[0]


def _first_line(node):
    return min(n.lineno for n in (node, *getattr(node, "decorator_list", ())))


def _does_the_same(node, code):
    made = _code_of(node)
    return (made.co_code, made.co_consts, made.co_names) == (code.co_code, code.co_consts, code.co_names)


def _calls_the_same(node, code):
    """By operations alone: what Python loads a name or an attribute with depends on what is around the lambda."""

    def operation(i):
        if i.opname.startswith("CALL"):
            return "CALL", i.arg
        name = i.argrepr.removeprefix("NULL + ").removeprefix("NULL|self + ").removesuffix(" + NULL|self").removesuffix(" + NULL")
        return "LOAD" if i.opname.startswith("LOAD_") else i.opname, name

    def operations(code):
        return [operation(i) for i in dis.get_instructions(code) if i.opname not in ("PRECALL", "PUSH_NULL", "COPY_FREE_VARS", "RESUME")]

    return operations(_code_of(node)) == operations(code)


def _code_of(node):
    (made,) = [c for c in compile(ast.Expression(node), "lambda", "eval").co_consts if inspect.iscode(c)]
    return made


def _is_of(node, code):
    if not isinstance(node, ast.Lambda):
        return node.name == code.co_name
    return code.co_name == "<lambda>" and [a.arg for a in node.args.args] == list(code.co_varnames[: code.co_argcount])
