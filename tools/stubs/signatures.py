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
FACES_OF = {"quern": "numpy", "cupy": "cupy", "quern.cupy": "cupy", "torch": "torch", "quern.torch": "torch"}


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
        types = annotations.PARAMETERS if array else {}
        shown = parameter_list(parameters_of(function), types)
        return [f"def {name}({shown}) -> {self.result(name, function, module, array)}: ..."]

    def face(self, function, array, me=None):
        """The parameter lists of the overloads of a face (bindings/faces/*.pyi)."""
        found = faces().get((FACES_OF.get(function.__module__), function.__name__))
        lists = []
        for parameters in found or [[(p.name, "any", p, p.kind is P.KEYWORD_ONLY) for p in parameters_of(function)]]:
            types = {n: self.filled(annotations.FACE_KINDS[kind], array) for n, kind, _, _ in parameters if kind != "any"}
            kinds = {False: P.POSITIONAL_OR_KEYWORD, True: P.KEYWORD_ONLY}
            made = [P(n, kinds[only], default=_face_default(default)) for n, _, default, only in parameters]
            lists.append(parameter_list(made, {**annotations.PARAMETERS, **types}, me))
        return lists


def with_overloads(lines):
    return lines if len(lines) == 1 else [part for line in lines for part in ("@_t.overload", line)]


def _face_default(default):
    if isinstance(default, P):
        return default.default
    return P.empty if default is None else _literal(ast.parse(default, mode="eval").body)


_faces = {}


def faces():
    """(front end, name) -> the parameters of each overload, from the face files; read once."""
    if not _faces:
        import faces as reader

        for path in sorted((ROOT / "bindings/faces").glob("*.pyi")):
            for row in ast.parse(path.read_text()).body:
                if isinstance(row, ast.ClassDef):
                    _faces.update({key: [reader.parameters_of(one) for one in every] for key, every in reader.faces_of(row).items()})
    return _faces
