"""The text of a function: its parameters and result."""

import ast
import inspect
import math
import pathlib

from stubs import annotations
from stubs.sources import Returns

ROOT = pathlib.Path(__file__).resolve().parents[2]
P = inspect.Parameter
ANYTHING = [P("args", P.VAR_POSITIONAL), P("kwargs", P.VAR_KEYWORD)]
# The face files' front ends by the modules of their functions: of functions, and of methods.
FACES_OF = (
    {"quern": ("numpy",), "cupy": ("cupy",), "quern.cupy": ("cupy",), "torch": ("torch",), "quern.torch": ("torch",)},
    {
        "quern": ("Array", "numpy"),
        "cupy": ("cupy",),
        "quern.cupy": ("cupy",),
        "torch": ("Tensor", "torch"),
        "quern.torch": ("Tensor", "torch"),
    },
)


def default_text(value):
    """A default as source where it is a plain constant, else ``...``."""
    if value is None or isinstance(value, (bool, int, str)) and type(value) in (bool, int, str):
        return repr(value)
    if type(value) is float and math.isfinite(value):
        return repr(value)
    if type(value) is tuple and all(default_text(v) != "..." for v in value):
        return repr(value)
    return "..."


def parameters_of(function):
    """The parameters that inspect finds, nanobind's signature has, or any."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        texts = getattr(function, "__nb_signature__", None)
        return _of_text(texts[0][0]) if texts and len(texts) == 1 and isinstance(texts[0], tuple) else list(ANYTHING)


def _of_text(text):
    """The parameters of one of nanobind's signatures; their types are the engine's own."""
    try:
        a = ast.parse(text + ": ...").body[0].args
    except SyntaxError:
        return list(ANYTHING)
    if a.vararg or a.kwarg:
        return list(ANYTHING)
    defaults = [None] * (len(a.posonlyargs + a.args) - len(a.defaults)) + a.defaults
    made = [(p.arg, P.POSITIONAL_ONLY, d) for p, d in zip(a.posonlyargs, defaults, strict=False)]
    made += [(p.arg, P.POSITIONAL_OR_KEYWORD, d) for p, d in zip(a.args, defaults[len(a.posonlyargs) :], strict=True)]
    made += [(p.arg, P.KEYWORD_ONLY, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    return [P(name, kind, default=P.empty if d is None else _literal(d)) for name, kind, d in made]


def _literal(node):
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ...


def parameter_list(parameters, types, me=None):
    """A parameter list as source. `types`: annotations by name; `me`: the name of a method's first parameter, which has none."""
    parts, before = [], None
    for index, one in enumerate(parameters):
        if before is P.POSITIONAL_ONLY and one.kind is not P.POSITIONAL_ONLY:
            parts.append("/")
        if one.kind is P.KEYWORD_ONLY and before not in (P.KEYWORD_ONLY, P.VAR_POSITIONAL):
            parts.append("*")
        before = one.kind
        stars = {P.VAR_POSITIONAL: "*", P.VAR_KEYWORD: "**"}.get(one.kind, "")
        text = stars + one.name
        if index or me is None or stars:
            is_plain = one.default is P.empty or default_text(one.default) != "..."
            text += f": {types.get(one.name, annotations.ANY) if is_plain else annotations.ANY}"
        parts.append(text if one.default is P.empty else f"{text} = {default_text(one.default)}")
    return ", ".join(parts + (["/"] if before is P.POSITIONAL_ONLY else []))


class Signatures:
    """Texts of functions in one module."""

    def __init__(self, imports):
        self.imports, self.returns = imports, Returns(imports)
        self.numpy = imports.of_module("numpy")

    def array_of(self, module):
        """How to write the array class of a module, or None."""
        of = annotations.ARRAYS.get(module)
        return of and f"{self.imports.of_module(of.rpartition('.')[0])}.{of.rpartition('.')[2]}"

    def filled(self, text, array):
        return text.replace("{A}", array or annotations.ANY).replace("{n}", self.numpy)

    def result(self, name, function, module, array):
        """The result of a module's function."""
        if array is None:
            return self.returns.of(function, annotations.ANY)
        if hasattr(function, "__quern_host__"):
            return annotations.ANY
        if text := annotations.function(module, name):
            return self.filled(text, array)
        return self.returns.of(function, array if annotations.is_of_arrays(function) else annotations.ANY)

    def function(self, name, function, module):
        """The lines of a module's function."""
        array = self.array_of(module)
        if type(function).__name__ == "array_function":
            overloads = self.face(function, array)
            result = self.result(name, function, module, array)
            return with_overloads([f"def {name}({one}) -> {result}: ..." for one in overloads])
        types, flag = annotations.PARAMETERS if array else {}, annotations.FLAGS.get(name)
        parameters = parameters_of(function)
        if array and flag in [p.name for p in parameters]:
            made = (({flag: "_t.Literal[False]"}, array), ({flag: "_b.bool"}, annotations.ANY))
            return with_overloads(
                [f"def {name}({parameter_list(parameters, {**types, **more})}) -> {result}: ..." for more, result in made]
            )
        shown = parameter_list(parameters, types)
        return [f"def {name}({shown}) -> {self.result(name, function, module, array)}: ..."]

    def face(self, function, array, me=None):
        """The parameter lists of the overloads of a face (bindings/faces/*.pyi); `me`: of a method, whose object is the first parameter."""
        live = parameters_of(function)
        by_name, fitting = {p.name: p for p in live}, [live]
        known, module, submodule = FACES_OF[me is not None], function.__module__, ""
        if module not in known:
            module, _, submodule = module.rpartition(".")
        for front_end in known.get(module, ()):
            overloads = faces().get((front_end, submodule, function.__name__), [])
            if overloads and all(fits(p, by_name) for one in overloads for p in one):
                fitting = overloads
                break
        lists = []
        for parameters in fitting:
            types = {
                p.name: self.filled(annotations.FACE_KINDS[p.annotation], array) + " | None" * (p.default is None)
                for p in parameters
                if p.annotation in annotations.FACE_KINDS
            }
            lists.append(parameter_list(parameters, {**annotations.PARAMETERS, **types}, me))
        return lists


def fits(parameter, live):
    """Whether a parameter of an overload is one of the live function's, which are given by name.

    One that another overload does without has the default None there, and no default here: then the live signature says more.
    """
    one = live.get(parameter.name)
    if one is None or (parameter.default is P.empty and one.default is None):
        return False
    return parameter.kind is P.KEYWORD_ONLY if one.kind is P.KEYWORD_ONLY else True


def with_overloads(lines):
    return lines if len(lines) == 1 else [part for line in lines for part in ("@_t.overload", line)]


def _face_parameters(function, in_place):
    """The parameters of a declaration in a face file; the kind of argument stands as the annotation."""
    a = function.args
    defaults = [None] * (len(a.posonlyargs + a.args) - len(a.defaults)) + a.defaults
    rows = [
        (p, P.POSITIONAL_ONLY if p in a.posonlyargs else P.POSITIONAL_OR_KEYWORD, d)
        for p, d in zip(a.posonlyargs + a.args, defaults, strict=True)
    ]
    rows += [(a.vararg, P.VAR_POSITIONAL, None)] if a.vararg else []
    rows += [(p, P.KEYWORD_ONLY, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    made = []
    for p, kind, default in rows:
        note = ast.unparse(p.annotation).split(" | ")[0] if p.annotation else "any"
        made.append(P(p.arg, kind, default=P.empty if default is None else _literal(default), annotation=note))
    return [p for p in made if not (in_place and p.name == "out")]


_faces = {}


def faces():
    """(front end, submodule, name) -> the parameters of each overload, from the face files; read once."""
    if not _faces:
        import faces as reader

        for path in sorted((ROOT / "bindings/faces").glob("*.pyi")):
            for row in ast.parse(path.read_text()).body:
                if isinstance(row, ast.ClassDef):
                    for key, every in reader.faces_of(row).items():
                        _faces.setdefault(key, []).extend(_face_parameters(one, key[-1].endswith("_")) for one in every)
    return _faces
