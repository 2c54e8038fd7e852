#!/usr/bin/env python3
"""Compiles the source of every kernel of the project with NVRTC, which needs no GPU. Last line: `N passed, N failed`.

    tools/check_nvrtc.py                    all texts for sm_90, every eighth for sm_80 and sm_100 too
    tools/check_nvrtc.py FILE_OR_FOLDER...  these .cu and .py files as well, for example texts written out by a test run
    tools/check_nvrtc.py --only FILE...     only these
    tools/check_nvrtc.py --all FOLDER       all of the folder's texts; else none whose lines others have, names and numbers aside

A text is a .cu file in a folder tests/**/kernels/ or in examples/, or a string literal with `__global__` in a Python file under
tests/ or examples/ (also one level deeper, in a literal that is a Python program itself). `options=(...)` beside it are taken
along. Left out are templates (f-strings, `%`, .format), literals inside `with pytest.raises(...)` or in the decorators of a test
that has one, and texts whose options are not literals. Comments in a text say more:

    // nvrtc: skip                  a text that must not compile, is the CPU's alone, or needs a header that its test writes
    // nvrtc: -std=c++20 -DN=4      options
    // names: reduce<float, 3>; &table        name expressions; a template is compiled by them only

Fails when a text does not compile or when there was none.
"""

import argparse
import ast
import collections
import ctypes
import glob
import hashlib
import os
import pathlib
import re
import sys
from concurrent.futures import ProcessPoolExecutor

import embed_headers

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("tests", "examples")
# What python/quern/pycuda/compiler.py reads before its texts.
DOOR_CALLS, DOOR_HEADERS = ("SourceModule", "compile"), ("nvcc_includes.h", "cmath", "limits", "type_traits")
MAIN, SAMPLED, SAMPLE = "sm_90", ("sm_80", "sm_100"), 8


def find_nvrtc():
    """NVRTC in the order that engine/core/nvidia_libraries.cpp keeps: pip's packages, a toolkit, conda, the system's loader."""
    patterns = []
    for folder in sys.path:
        patterns += [f"{folder}/nvidia/cu*/lib/libnvrtc.so.[0-9]*", f"{folder}/nvidia/cuda_nvrtc/lib/libnvrtc.so.[0-9]*"]
    toolkits = sorted(glob.glob("/usr/local/cuda-*"), reverse=True)
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda", *toolkits, os.environ.get("CONDA_PREFIX")]
    for root in filter(None, roots):
        patterns += [f"{root}/lib64/libnvrtc.so.[0-9]*", f"{root}/lib/libnvrtc.so.[0-9]*", f"{root}/targets/*/lib/libnvrtc.so.[0-9]*"]
    for pattern in patterns:
        for path in sorted(glob.glob(pattern), reverse=True):
            return path
    return "libnvrtc.so.12"


def strings(items):
    """A C array of strings."""
    return (ctypes.c_char_p * max(1, len(items)))(*[item.encode() for item in items])


class Nvrtc:
    """The few calls of NVRTC that a compile needs."""

    def __init__(self, path):
        for builtins in glob.glob(os.path.join(os.path.dirname(path), "libnvrtc-builtins.so.*")):
            ctypes.CDLL(builtins)  # NVRTC asks for it by its bare name
        self.library = ctypes.CDLL(path)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"
        headers = sorted(embed_headers.headers().items())
        self.count, self.header_names, self.headers = len(headers), strings([n for n, _ in headers]), strings([t for _, t in headers])

    def architectures(self):
        count = ctypes.c_int()
        self.library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
        archs = (ctypes.c_int * count.value)()
        self.library.nvrtcGetSupportedArchs(archs)
        return [f"sm_{arch}" for arch in archs]

    def compile(self, text, arch, options, names):
        """ "" when a cubin came out, else why not."""
        program = ctypes.c_void_p()
        status = self.library.nvrtcCreateProgram(
            ctypes.byref(program),
            text.code.encode(),
            text.name.encode(),
            self.count,
            self.headers,
            self.header_names,
        )
        if status:
            return f"nvrtcCreateProgram: status {status}"
        try:
            for name in names:
                self.library.nvrtcAddNameExpression(program, name.encode())
            words = [f"--gpu-architecture={arch}", f"--pre-include={embed_headers.FIRST}", "--device-as-default-execution-space", *options]
            if not any(word.lstrip("-").startswith("std") for word in options):
                words.append("--std=c++17")
            status = self.library.nvrtcCompileProgram(program, len(words), strings(words))
            size = ctypes.c_size_t()
            if status:
                self.library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
                log = ctypes.create_string_buffer(max(1, size.value))
                self.library.nvrtcGetProgramLog(program, log)
                return log.value.decode(errors="replace").strip() or f"status {status}"
            self.library.nvrtcGetCUBINSize(program, ctypes.byref(size))
            return "" if size.value else "no cubin came out"
        finally:
            self.library.nvrtcDestroyProgram(ctypes.byref(program))


class Text:
    """A kernel's source, where it stands, and what its comments ask for."""

    def __init__(self, code, path, line=1, options=()):
        self.code, self.line = code, line
        self.path = os.path.relpath(path, ROOT)
        self.name = os.path.basename(path)
        notes = re.findall(r"//\s*nvrtc:\s*(.*)", code)
        self.skip = any(note.strip() == "skip" for note in notes)
        references = ["--pre-include=nvcc_includes.h"] if re.search(r"\b(texture|surface)<", code) else []  # SourceModule's alone
        self.options = references + list(options) + [word for note in notes if note.strip() != "skip" for word in note.split()]
        self.options.append(f"--include-path={ROOT}/python/quern/lib/cccl")
        self.names = [name.strip() for note in re.findall(r"//\s*names:\s*(.*)", code) for name in note.split(";") if name.strip()]

    def key(self):
        return hashlib.sha256(repr((self.code, self.options, self.names)).encode()).hexdigest()

    def where(self):
        return f"{self.path}:{self.line}"

    def cost(self):
        """What sorts texts by the time that they take: headers of CCCL take most of a second."""
        return (bool(re.search(r"<(cub|cuda|thrust)/|curand", self.code)), len(self.code))

    def lines(self):
        """Its lines without what never decides whether a text compiles: the names of variables, and numbers. Parameters one by one."""
        found = {*self.options, *self.names}
        for line in self.code.splitlines():
            if line.startswith(("#line", "// ")):
                continue
            line = re.sub(r"\b(v_\w+|[a-z]\d*[a-z]?)\b", "v", re.sub(r" \w+\(", " f(", line) if "__global__" in line else line)
            line = re.sub(r"\b\d+", "0", re.sub(r"\brow_[0-9a-f]+", "row", line)).strip()
            found.update(line.split(", ") if "__global__" in line else [line])
        return found


def is_template(node, parent):
    """Whether the literal is only a part of a text: of an f-string, of `text % values`, of text.format(...), of a sum."""
    if isinstance(parent, (ast.JoinedStr, ast.FormattedValue)):
        return True
    if isinstance(parent, ast.BinOp):
        return True
    return isinstance(parent, ast.Attribute) and parent.attr in ("format", "replace", "format_map", "substitute")


def expects_errors(node):
    if not isinstance(node, (ast.With, ast.AsyncWith)):
        return False
    return any("raises" in ast.dump(item.context_expr) for item in node.items)


def options_beside(parent):
    """The compile options in the call that takes the text, `options=` or a list of words; None when they are not literals."""
    if not isinstance(parent, ast.Call):
        return []
    door = getattr(parent.func, "id", getattr(parent.func, "attr", "")) in DOOR_CALLS
    before = [f"--pre-include={header}" for header in DOOR_HEADERS] if door else []
    given = [keyword.value for keyword in parent.keywords if keyword.arg == "options"]
    for node in given or [arg for arg in parent.args if isinstance(arg, (ast.List, ast.Tuple))]:
        try:
            value = ast.literal_eval(node)
        except ValueError:
            return None
        words = [value] if isinstance(value, str) else list(value or [])
        if given or (words and all(isinstance(word, str) and word.startswith("-") for word in words)):
            return before + words
    return before


def python_tree(text):
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def literals(tree, first_line=1):
    """(code, line, options) of each kernel source in a Python program."""
    found = []

    def visit(node, parent):
        if expects_errors(node):
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if re.search(r"__global__\b[^;]*\([^;]*\{", node.value) and not is_template(node, parent):
                inner = python_tree(node.value)
                options = options_beside(parent)
                if inner:
                    found.extend(literals(inner, first_line + node.lineno - 1))
                elif options is not None:
                    found.append((node.value, first_line + node.lineno - 1, options))
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(map(expects_errors, ast.walk(node))):
            children = node.body
        for child in children:
            visit(child, node)

    visit(tree, None)
    return found


def read(path):
    if path.suffix == ".py":
        tree = python_tree(path.read_text())
        return [Text(code, path, line, options) for code, line, options in literals(tree)] if tree else []
    return [Text(path.read_text(), path)]


def is_kernel_file(path, folder):
    """In the project's own folders: all of Python, and .cu files in examples and in folders named kernels."""
    return path.suffix == ".py" or path.suffix == ".cu" and (folder.name == "examples" or path.parent.name == "kernels")


def corpus(paths, only, everything=True):
    own, given = [], []
    for folder in [] if only else [ROOT / name for name in FOLDERS]:
        own += sorted(p for p in folder.rglob("*") if is_kernel_file(p, folder))
    for path in map(pathlib.Path, paths):
        given += sorted(p for p in path.rglob("*") if p.suffix in (".cu", ".py")) if path.is_dir() else [path]
    texts = {}
    for path in own:
        texts.update((text.key(), text) for text in read(path) if not text.skip)
    more = {}
    for path in given:
        more.update((text.key(), text) for text in read(path) if not text.skip and text.key() not in texts)
    return [*texts.values(), *(more.values() if everything else without_repeats(more.values()))]


def without_repeats(texts):
    """Texts that have among them every line of all, apart from names and numbers."""
    lines = {text: text.lines() for text in sorted(texts, key=lambda text: (-len(text.code), text.code))}
    having = collections.Counter(line for found in lines.values() for line in found)
    for text in list(lines):  # the longest go first
        if all(having[line] > 1 for line in lines[text]):
            having.subtract(lines.pop(text))
    return list(lines)


# In each process of main()'s pool: NVRTC compiles one text at a time in a process.
_nvrtc = None


def load(path):
    global _nvrtc
    _nvrtc = Nvrtc(path)


def compiled(item):
    text, arch = item
    return _nvrtc.compile(text, arch, text.options, text.names)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", help="further .cu and .py files, or folders of them")
    parser.add_argument("--only", action="store_true", help="only these, not the project's own")
    parser.add_argument("--nvrtc", help="path of libnvrtc.so")
    parser.add_argument("--all", action="store_true", help="also those of the paths whose lines others have, too")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()

    path = arguments.nvrtc or find_nvrtc()
    try:
        nvrtc = Nvrtc(path)
    except OSError as error:
        print(f"no NVRTC was found ({error}): pip install nvidia-cuda-nvrtc-cu12==12.9.86")
        print("0 passed, 1 failed")
        return 1
    texts = corpus(arguments.paths, arguments.only, arguments.all)
    known = nvrtc.architectures()
    work = [(text, MAIN) for text in texts]
    for text in texts[::SAMPLE]:
        work += [(text, arch) for arch in SAMPLED if arch in known]
    work.sort(key=lambda item: item[0].cost(), reverse=True)
    print(f"NVRTC {nvrtc.version}: {len(texts)} texts, {len(work)} compiles", flush=True)

    failed = 0
    with ProcessPoolExecutor(arguments.jobs, initializer=load, initargs=(path,)) as pool:
        for (text, arch), error in zip(work, pool.map(compiled, work, chunksize=4), strict=True):
            if error:
                failed += 1
                print(f"{text.where()} for {arch}:\n  " + error.replace("\n", "\n  "), flush=True)
    if not work:
        print("there is no kernel source: nothing was checked")
    print(f"{len(work) - failed} passed, {failed} failed")
    return 1 if failed or not work else 0


if __name__ == "__main__":
    sys.exit(main())
