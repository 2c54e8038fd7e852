"""tools/messages.py: the messages of Python and C++ sources, and the phrases that none of quern's has."""

import importlib
import os
import sys

import pytest
from places import ROOT

PYTHON = '''
def f(x):
    if x:
        raise ValueError(f"[f] x is {x}, not " "a list")
    raise self.error(TypingError, node, "it is not supported", "write a loop")
    return TypeError("wrong %s" % x), print("no message at all")
'''
CPP = """
// raise(ErrorKind::value, "a comment");
raise(ErrorKind::value, "[f] x is {}, "
                        "not {}", x, 3);
if (y) throw CompileError("[compile] no " + name + " here");
check(x, "[{}] axes don't match", "no message at all");
"""


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.setattr(sys, "path", [os.path.join(ROOT, "tools"), *sys.path])
    return importlib.import_module("messages")


def test_python(tool):
    assert sorted(tool.messages_of_python(PYTHON)) == [
        (4, "ValueError", "[f] x is {}, not a list"),
        (5, "error", "it is not supported; write a loop"),
        (6, "TypeError", "wrong %s"),
    ]


def test_cpp(tool):
    assert sorted(tool.messages_of_cpp(CPP)) == [
        (3, "value", "[f] x is {}, not {}"),
        (5, "CompileError", "[compile] no  {}  here"),
        (6, "", "[{}] axes don't match"),
    ]


def test_front_ends(tool):
    paths = "python/quern/torch/_core.py bindings/tensor.cpp python/quern/kernel/plain.py python/quern/tensorflow/nn.py engine/api/array.cpp"
    assert [tool.front_end(path) for path in paths.split()] == ["torch", "torch", "numba", "keras", "qn"]


def test_phrases(tool):
    assert tool.phrase("[take] the places must be integers") and tool.phrase("[f] 3 is no type")
    assert tool.phrase("[take] the indices must be integers") is None


def test_messages_have_none(tool, capsys):
    with pytest.raises(SystemExit) as ended:
        tool.main(["--check"])
    assert not ended.value.code, capsys.readouterr().out
