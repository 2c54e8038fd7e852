"""The text of a class: bases, attributes, properties and methods."""

import abc
import enum
import functools
import inspect
import sys
import types
import typing

from stubs import annotations
from stubs.homes import is_ours
from stubs.signatures import ANYTHING, P, Signatures, default_text, parameter_list, parameters_of, with_overloads
from stubs.sources import attributes, definition

# Of every class, or of how it is made.
LEFT_OUT = """__module__ __dict__ __weakref__ __doc__ __slots__ __annotations__ __getattribute__ __orig_bases__ __parameters__
__abstractmethods__ __qualname__ __firstlineno__ __static_attributes__ __dataclass_fields__ __dataclass_params__
__subclasshook__ __nb_signature__ __getnewargs__ __annotate__ __annotate_func__ __annotations_cache__
__type_params__ __new_member__ __classdictcell__""".split()
# Special methods in C that are written though every object has them.
SHOWN = ("__init__", "__eq__", "__ne__", "__hash__", "__repr__", "__str__")
COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__")
IS_BASE_TYPE = 1 << 10  # Py_TPFLAGS_BASETYPE
DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType, functools.cached_property)
WRAPPERS = (types.WrapperDescriptorType, types.MethodDescriptorType, types.BuiltinFunctionType, types.ClassMethodDescriptorType)


def is_function(value):
    names = ("array_function", "function", "nb_method", "nb_func", "cython_function_or_method")
    return isinstance(value, (types.FunctionType, *WRAPPERS)) or type(value).__name__ in names


def takes_self(function, parameters):
    """Whether the first of a method's parameters takes the object; ``*args`` of a function in Python does."""
    kinds = [P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD] + [P.VAR_POSITIONAL] * isinstance(function, types.FunctionType)
    return bool(parameters) and parameters[0].kind in kinds


class Classes:
    """Texts of the classes of one module."""

    def __init__(self, imports, module):
        self.imports, self.module = imports, module
        self.signatures = Signatures(imports)

    def text(self, name, cls):
        bases, members = self.merged(cls)
        members |= {k: v for k, v in self.imports.homes.of_objects(cls).items() if k not in dir(cls)}
        path = f"{self.module}.{name}"
        is_array = path in annotations.ARRAY_CLASSES
        body = []
        if issubclass(cls, enum.Enum):
            body += [f"{n} = {default_text(m.value)}" for n, m in cls.__members__.items() if not n.startswith("_")]
            members = {k: v for k, v in members.items() if k not in cls.__members__ and k not in dir(enum.Enum)}
        else:
            body += self.attributes(members)
        for key, value in sorted(members.items()):
            if (key.startswith("_") and not key.endswith("__")) or key in LEFT_OUT or not key.isidentifier():
                continue
            body += self.member(key, value, cls, is_array)
        is_private = name in self.imports.homes.private.get(self.module, ())
        marks = ["@_t.type_check_only"] if is_private and not hasattr(sys.modules[self.module], name) else []
        marks += [] if cls.__flags__ & IS_BASE_TYPE else ["@_t.final"]
        head = f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"
        return [*marks, head, *(f"    {line}" for line in body or ["..."]), ""]

    def merged(self, cls):
        """The bases to write, and the members that the class has beyond theirs: bases without a public name are merged into it."""
        bases, members = [], {k: v for k, v in vars(cls).items()}
        waiting = list(cls.__bases__)
        while waiting:
            base = waiting.pop(0)
            if base is typing.Generic:
                bases.append("_t.Generic[_T]")
            elif is_ours(base) and base not in self.imports.homes.homes:
                members = {k: v for k, v in vars(base).items() if k not in members} | members
                waiting = [*base.__bases__, *waiting]
            elif base is not object and issubclass(base, tuple) and base is tuple:
                bases.append("_b.tuple[_t.Any, ...]")
            elif base is not object:
                bases.append(self.imports.ref(base))
        bases = [one for one in dict.fromkeys(bases) if one != annotations.ANY]
        if cls.__name__ == "ufunc" and is_ours(cls):
            bases.append("_t.Generic[_T]")
        return bases + self.metaclass(cls), members

    def metaclass(self, cls):
        kind = type(cls)
        if kind is type or issubclass(cls, enum.Enum) or any(type(b) is kind for b in cls.__mro__[1:] if b in self.imports.homes.homes):
            return []
        if kind is abc.ABCMeta:
            return [f"metaclass={self.imports.of_module('abc')}.ABCMeta"]
        if kind.__module__ == "nanobind":
            return [f"metaclass={self.imports.of_module('quern')}._nb_type"]
        return [f"metaclass={self.imports.ref(kind)}"] if is_ours(kind) else []

    def attributes(self, members):
        """Lines for the attributes that methods set, of the first assignment's type where it is plain."""
        found = {}
        for function in list(members.values()):
            if isinstance(function, types.FunctionType):
                for name, value in attributes(function):
                    if name not in members:
                        found.setdefault(name, []).append((function, value))
        for name in members.get("__annotations__", {}):
            if not name.startswith("_") and name not in members:
                found.setdefault(name, [])
        return [f"{name}: {self.attribute_type(where)}" for name, where in sorted(found.items())]

    def attribute_type(self, where):
        kinds = set()
        for function, value in where:
            source, node = definition(function)
            me = node.args.args[0].arg
            kinds |= set(self.signatures.returns.kinds(value, source, me)) if value is not None else {None}
        return " | ".join(sorted(kinds)) if kinds and not kinds & {None, "None"} else annotations.ANY

    def member(self, name, value, cls, is_array):
        """The lines of one member."""
        if name in annotations.OVERRIDDEN.get(cls.__name__, ()):
            return [f"{name}: _t.ClassVar[_t.Callable[..., _t.Any]]"]
        if isinstance(value, (staticmethod, classmethod)):
            kind = type(value).__name__
            inner = value.__func__
            if not callable(inner):
                return [f"{name}: _t.Any"]
            parameters = parameters_of(inner)
            result = "_te.Self" if name == "__new__" else self.signatures.returns.of(inner, annotations.ANY)
            shown = parameter_list(parameters, {}, None if kind == "staticmethod" and name != "__new__" else "cls")
            if name == "__new__":
                return [f"def __new__({shown}) -> {result}: ..."]
            return [f"@_b.{kind}", f"def {name}({shown}) -> {result}: ..."]
        if isinstance(value, property):
            return self.property(name, value, is_array)
        if isinstance(value, DESCRIPTORS) or type(value).__name__ == "_tuplegetter":
            return [f"{name}: {self.array_property(name) if is_array else annotations.ANY}"]
        if is_function(value):
            return self.method(name, value, cls, is_array)
        if isinstance(value, type):
            return [f"{name}: _t.ClassVar[_b.type[{self.imports.ref(value)}]]"]
        if name == "__hash__":
            return ["__hash__: _t.ClassVar[None]"]
        return [f"{name} = {value!r}" if name == "__match_args__" else f"{name}: {self.value_type(value)}"]

    def property(self, name, value, is_array):
        result = self.array_property(name) if is_array else annotations.ANY
        if result == annotations.ANY and name != "grad":
            result = self.signatures.returns.of(value.fget, annotations.ANY) if value.fget else annotations.ANY
        result = annotations.ANY if "None" in result else result  # checkers ask for a test before each use
        lines = ["@_b.property", f"def {name}(self) -> {result}: ..."]
        if value.fset:
            lines += [f"@{name}.setter", f"def {name}(self, value: {annotations.ANY}) -> None: ..."]
        if value.fdel:
            lines += [f"@{name}.deleter", f"def {name}(self) -> None: ..."]
        return lines

    def array_property(self, name):
        text = annotations.properties(self.module).get(name, annotations.ANY)
        return self.signatures.filled(text, None)

    def method(self, name, function, cls, is_array):
        if name == "__new__" and isinstance(function, types.BuiltinFunctionType):
            return []
        if isinstance(function, WRAPPERS) and name in vars(object) and name not in SHOWN and not (is_array and name in COMPARISONS):
            return []
        result = self.method_result(name, function, cls, is_array)
        if type(function).__name__ == "array_function":
            array = f"{self.imports.ref(cls)}"
            return with_overloads([f"def {name}({one}) -> {result}: ..." for one in self.signatures.face(function, array, "self")])
        parameters = parameters_of(function)
        if parameters == ANYTHING and name == "__init__":
            parameters = self.constructor(cls)
        if not takes_self(function, parameters):
            parameters = [P("self", P.POSITIONAL_OR_KEYWORD), *parameters]
        shown = parameter_list(parameters, annotations.PARAMETERS if is_array else {}, "self")
        return [f"def {name}({shown}) -> {result}: ..."]

    def constructor(self, cls):
        try:
            return list(inspect.signature(cls).parameters.values())
        except (TypeError, ValueError):
            return list(ANYTHING)

    def method_result(self, name, function, cls, is_array):
        if is_array:
            for table in (annotations.methods(self.module), annotations.array_special, annotations.special):
                if name in table:
                    return self.signatures.filled(table[name], None)
            if name.startswith("__") or hasattr(function, "__quern_host__"):
                return annotations.ANY
            return self.signatures.returns.of(function, "_te.Self")
        if name == "__call__" and cls.__name__ == "ufunc":
            return "_T"
        if name == "__call__" and cls.__module__.startswith("quern.kernel"):
            return annotations.ANY  # in Python a type or function of kernels gives a signature; in a kernel, a value
        return annotations.special.get(name) or self.signatures.returns.of(function, annotations.ANY)

    def value_type(self, value):
        """The annotation of a constant. What is None now may be something else later."""
        if value is None:
            return annotations.ANY
        kind = type(value)
        if is_ours(kind):
            self.imports.homes.note_object(value)
        if kind in (tuple, list, set, frozenset, dict):
            inside = {tuple: "_t.Any, ...", dict: "_t.Any, _t.Any"}.get(kind, "_t.Any")
            return f"_b.{kind.__name__}[{inside}]"
        if isinstance(value, types.ModuleType):
            return f"{self.imports.of_module('types')}.ModuleType"
        if kind.__module__ in ("typing", "types"):
            return annotations.ANY
        return self.imports.ref(kind)
