"""How Keras comes to know a backend of another package: its modules that choose one get one more branch while they are imported.

Keras chooses in chains such as ``if backend() == "numpy": from keras.src.backend.numpy import ...``, which end in an error for names that
they do not know. A finder hands Keras's modules to a loader that parses those whose text compares with "numpy" and adds, before each such
branch that chooses, the same one for "quern", in which imports lead to quern.keras.backend. Where they ask whether data are TensorFlow's,
the answer is no without TensorFlow, not an error. It is a rule over what the code looks like, so that it serves several versions; no file
changes. Start reading at use().
"""

import ast
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import sys

OURS = "quern.keras.backend"
THEIRS = "keras.src.backend."
# What the rule and the backend were tried with.
OLDEST, NEWEST = (3, 13), (3, 15)
# What Keras's layers for text advise, and what they advise on quern's backend.
_INSTALL = "Install it via `pip install tensorflow`."
_INSTEAD = (
    "The quern backend has no strings and no hash tables: make integers of such values before, with a dict, numpy.unique(), or "
    "tf.keras.preprocessing.text.Tokenizer, and use the layers Embedding, CategoryEncoding or Discretization."
)
# What NumPy's backend has no module of, and ours has: there the branch for "jax" is the model.
_OWN_MODULES = ("optimizer",)


def use(backend="quern"):
    """Makes quern the backend of the next `import keras`.

    Raises ImportError where Keras is not installed or its version is not supported, and where it is imported already with another
    backend.
    """
    _check_version()
    if "keras" in sys.modules:
        module = sys.modules.get("keras.src.backend.config")
        if module is not None and module.backend() != backend:
            raise ImportError(
                f"Keras is imported already, with the backend {module.backend()!r}; import quern.keras first, "
                "or set the environment variable KERAS_BACKEND=quern"
            )
        return
    os.environ["KERAS_BACKEND"] = backend
    open_door()


def open_door():
    """Puts the finder in its place; a second call does nothing."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def use_when_imported():
    """The same as use() at the moment in which something imports Keras, unless KERAS_BACKEND names another backend by then.

    `quern run` calls it, and quern-keras.pth of the installed package, where KERAS_BACKEND is "quern" at Python's start.
    """
    if "keras" not in sys.modules and not any(isinstance(finder, _Waiting) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Waiting())


def _check_version():
    try:
        version = importlib.metadata.version("keras")
    except importlib.metadata.PackageNotFoundError:
        raise ModuleNotFoundError(
            "quern.keras needs Keras 3, which is not installed: pip install 'quern[keras]', or pip install keras h5py", name="keras"
        ) from None
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if not OLDEST <= numbers <= NEWEST:
        span = f"{_text(OLDEST)} to {_text(NEWEST)}"
        raise ImportError(f"quern.keras supports Keras {span}, and {version} is installed: pip install 'keras=={_text(NEWEST)}.*'")


def _text(version):
    return ".".join(map(str, version))


class _Waiting(importlib.abc.MetaPathFinder):
    """Calls use() when Keras is first looked for."""

    def find_spec(self, name, path=None, target=None):
        if name != "keras":
            return None
        sys.meta_path.remove(self)
        if os.environ.get("KERAS_BACKEND") in (None, "", "quern"):
            use()
        return None


class _Finder(importlib.abc.MetaPathFinder):
    """Finds Keras's modules as Python does, and has them loaded by _Loader."""

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("keras.src."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname):
        text = self.get_data(self.path)
        chooses = b'"numpy"' in text or b'"jax"' in text and b"optimizer" in text
        if not chooses and b"tf.data.Dataset)" not in text and _INSTALL.encode() not in text:
            return super().get_code(fullname)
        tree = ast.parse(text)
        rule = _Branches()
        changed = rule.visit(tree)
        if not rule.count:
            return super().get_code(fullname)
        return compile(ast.fix_missing_locations(changed), self.path, "exec", dont_inherit=True)


def _asks_for_backend(node):
    """Is it `backend()`, `keras.backend.backend()` or `self._backend`?"""
    if isinstance(node, ast.Call) and not node.args:
        node = node.func
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in ("backend", "_backend")


def _compares_with(node):
    """The backend's name in a test `backend() == "name"`, or None."""
    if not (isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq)):
        return None
    other = node.comparators[0]
    return other.value if isinstance(other, ast.Constant) and _asks_for_backend(node.left) else None


def _names_in_chain(node):
    names = set()
    while True:
        names.add(_compares_with(node.test))
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            return names
        node = node.orelse[0]


class _Branches(ast.NodeTransformer):
    """Adds the branches; ``count``: how many."""

    def __init__(self):
        self.count = 0
        self.in_chain = set()  # ids of nodes whose chain has a branch for "numpy"

    def visit_If(self, node):  # noqa: N802
        chain = _names_in_chain(node)
        has_numpy = "numpy" in chain or id(node) in self.in_chain
        if has_numpy and len(node.orelse) == 1:
            self.in_chain.add(id(node.orelse[0]))
        name = _compares_with(node.test)
        is_model = name == "numpy" and _chooses(node.body) or name == "jax" and not has_numpy and _all_own_imports(node.body)
        if not is_model:
            return self.generic_visit(node)
        test = ast.parse(ast.unparse(node.test).replace(repr(name), "'quern'"), mode="eval").body
        body = [_Ours(name).visit(ast.parse(ast.unparse(line)).body[0]) for line in node.body]
        self.count += 1
        return ast.copy_location(ast.If(test, body, [self.generic_visit(node)]), node)

    def visit_Compare(self, node):  # noqa: N802
        right = node.comparators[0]
        if isinstance(right, ast.Tuple) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            names = {one.value for one in right.elts if isinstance(one, ast.Constant)}
            if {"tensorflow", "jax", "torch", "numpy"} <= names:
                right.elts.append(ast.Constant("quern"))
                self.count += 1
        return node

    def visit_Constant(self, node):  # noqa: N802
        if isinstance(node.value, str) and _INSTALL in node.value:
            node.value = node.value.replace(_INSTALL, _INSTEAD)
            self.count += 1
        return node

    def visit_Call(self, node):  # noqa: N802
        """Questions whether something is TensorFlow's ask first whether TensorFlow is there: adapt() of layers does without it."""
        text = ast.unparse(node.func)
        if text == "isinstance" and "tf.data.Dataset" in (kinds := ast.unparse(node.args[1])):
            kinds = kinds.replace("tf.data.Dataset", "(tf.data.Dataset if tf.available else ())")
            node.args[1] = ast.copy_location(ast.parse(kinds, mode="eval").body, node)
            self.count += 1
        elif text == "tf.is_tensor":
            self.count += 1
            return ast.copy_location(ast.BoolOp(ast.And(), [ast.parse("tf.available", mode="eval").body, node]), node)
        return self.generic_visit(node)


def _chooses(body):
    """Does the branch for "numpy" take what is the backend's? Others tell what that one cannot do, or what its arrays are called."""
    nodes = [one for line in body for one in ast.walk(line)]
    theirs = THEIRS + "numpy"
    return any(
        isinstance(one, ast.ImportFrom) and f"{one.module}.".startswith(theirs + ".")
        or isinstance(one, ast.If) and _compares_with(one.test) == "numpy"
        for one in nodes
    )  # fmt: skip


def _all_own_imports(body):
    return all(isinstance(line, ast.ImportFrom) and line.module in [f"{THEIRS}jax.{own}" for own in _OWN_MODULES] for line in body)


class _Ours(ast.NodeTransformer):
    """A branch of another backend, as ours."""

    def __init__(self, name):
        self.name = name

    def visit_ImportFrom(self, node):  # noqa: N802
        theirs = THEIRS + self.name
        if node.module == theirs or node.module.startswith(theirs + "."):
            node.module = OURS + node.module[len(theirs) :]
            for one in node.names:
                if one.name.startswith(self.name.capitalize()):
                    one.asname = one.asname or one.name
                    one.name = "Quern" + one.name[len(self.name) :]
        return node

    def visit_If(self, node):  # noqa: N802
        if _compares_with(node.test) == self.name:
            node.test.comparators[0] = ast.Constant("quern")
        return self.generic_visit(node)
