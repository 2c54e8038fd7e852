"""tools/check_prose.py finds phrases in documents, comments, strings and names of tests, and nowhere else; long sentences; misspelt words."""

import importlib
import os
import sys

import pytest
from places import ROOT

# A phrase that stays in the table, in two pieces, so that this file passes.
PHRASE = "not " + "served"
NAME = PHRASE.replace(" ", "_")

FOUND = {
    "document": ("page.md", f"Graphs.\nGraphs are {PHRASE}.\n", 2),
    "document, two lines": ("page.md", "Graphs are not\nserved.\n", 1),
    "comment of Python": ("a.py", f"x = 1\ny = 2  # {PHRASE}\n", 2),
    "comment of Python, two lines": ("a.py", "# It is not\n# served.\n", 1),
    "message": ("a.py", f'raise ValueError(f"[f] {{x}} is {PHRASE}")\n', 1),
    "message, two literals": ("a.py", 'raise ValueError(\n    "[f] x is not "\n    "served"\n)\n', 2),
    "message, a literal with a prefix": ("a.py", 'raise ValueError("x is not " f"' + 'served: {x}")\n', 1),
    "docstring": ("a.pyi", f'def f():\n    """A.\n\n    {PHRASE.upper()}.\n    """\n', 4),
    "name of a test": ("a.py", f"def test_{NAME}():\n    pass\n", 1),
    "comment of C++": ("a.h", f"int x;\nint y;  // {PHRASE}\n", 2),
    "comment of C++, two lines": ("a.cpp", "/// It is not\n/// served.\n", 1),
    "block comment": ("a.cu", f"/* It is\n * {PHRASE}. */\n", 2),
    "string of C++": ("a.def", f'ROW(add, "{PHRASE}")\n', 1),
    "name of a C++ test": ("a.cpp", f"TEST(Graphs, {NAME}) {{}}\n", 1),
}
NOT_FOUND = {
    "identifier": ("a.py", f"def f({NAME}):\n    return {NAME}  # supported\n"),
    "code": ("a.py", f"x = y if {PHRASE} else z\n"),
    "identifier in C++": ("a.cpp", f"bool {NAME};\n"),
    "two comments": ("a.py", "x = 1  # it is not\ny = 2  # served\n"),
    "longer words": ("page.md", "It is not servedx.\n"),
}


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.setattr(sys, "path", [os.path.join(ROOT, "tools"), *sys.path])
    return importlib.import_module("check_prose")


@pytest.mark.parametrize("path, source, line", FOUND.values(), ids=FOUND)
def test_found(tool, path, source, line):
    assert [at for at, *_ in tool.phrases(path, source)] == [line]


@pytest.mark.parametrize("path, source", NOT_FOUND.values(), ids=NOT_FOUND)
def test_not_found(tool, path, source):
    assert not list(tool.phrases(path, source))


def test_a_file_with_a_phrase_fails(tool, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"Graphs are {PHRASE}.\n")
    with pytest.raises(SystemExit) as refused:
        tool.main([str(page)])
    assert refused.value.code == f'{page}:1: "{PHRASE}": write supported'


@pytest.mark.parametrize("path", ["docs/a.md", "engine/run/a.cpp", "bindings/a.h", "python/quern/a.py", "tests/python/a.py", "tools/a.py"])
def test_phrases_count_in_every_folder(tool, path):
    mark = {"cpp": "//", "h": "//", "py": "#"}.get(path.rpartition(".")[2], "")
    assert list(tool.phrases(path, f"{mark} The kernel {'texts'}.\n"))


def test_long_sentences(tool):
    words = "word " * 30
    assert [line for line, *_ in tool.long_sentences(f"Short.\n\nA {words}\n{words}end.\n")] == [3]
    assert [count for _, count, _ in tool.long_sentences(f"- {words}{words}\n- {words}\n")] == [60]
    for page in (f"{words}.\n{words}\n", f"- {words}\n- {words}\n", f"| {words} | {words} |\n", "`code`, " * 50, f"```\n{words}{words}\n```\n"):
        assert not list(tool.long_sentences(page))


def test_misspelt_words(tool, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("This is t" + "eh page.\n")
    if tool.misspelt([page]) is None:
        pytest.skip("codespell is not installed")
    with pytest.raises(SystemExit, match="==> the"):
        tool.main([str(page)])


def test_the_files_of_the_project_pass(tool, capsys):
    tool.main([])
    assert "prose:" in capsys.readouterr().out
    assert len(tool.ALLOWED) <= 30 and all(tool.ALLOWED.values())
