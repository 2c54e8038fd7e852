"""tools/cpp_functions.py: what it reads of C++, the definitions that it makes, and what it refuses. What they compute is in tests/engine/api."""

import sys

import pytest
from places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import cpp_functions
import faces

SOURCE = """
namespace quern {
namespace {
Array hidden(const Array& x) { return x; }
}  // namespace
#define MADE(name) \\
  Array name(const Array& x) { return x; }
static Array own(const Array& x) { return x; }
template <class T>
Array of_type(const T& x) {
  return x;
}
struct Options {
  Array method(int x);
};
namespace nn {
std::vector<Array> parts(const Array& x, const std::vector<std::pair<int, int>>& widths = {},
                         std::optional<int> axis = {});  // a comment; of two sentences
Array text() { return named("){"); }
}  // namespace nn
}  // namespace quern
"""


def test_functions_of_a_source():
    found = list(cpp_functions.functions_in(SOURCE))
    assert [(f.namespace, f.result, f.name, f.is_definition) for f in found] == [
        ("quern::nn", "std::vector<Array>", "parts", False),
        ("quern::nn", "Array", "text", True),
    ]
    widths = ("const std::vector<std::pair<int, int>>&", "widths")
    assert found[0].parameters == [("const Array&", "x"), widths, ("std::optional<int>", "axis")]


def declared(text):
    return next(cpp_functions.functions_in(f"namespace qn {{\n{text}\n}}  // namespace qn\n"))


def test_arguments_stand_in_the_rows_order():
    """Those that the function lacks have the default of the row's first face."""
    f = declared("Array f(const Array& x, const Axes& axes, const FOptions& options, Here here = Here::current());")
    structs = cpp_functions.members_of("struct FOptions {\n  std::optional<Array> weight, bias = {};  // two\n  double eps = 1;\n};\n")
    assert structs == {"FOptions": ["weight", "bias", "eps"]}
    made = cpp_functions.definition(f, "nn::f<nn::K>", ["a", "eps", "q", "axis", "bias", "mode", "weight", "z"], {"q": "True", "mode": "'s'"}, structs)
    call = 'pass_on<Array, quern::nn::f<quern::nn::K>>(here, x, options.eps, true, axes, options.bias, "s", options.weight, absent);'
    assert made == f"Array f(const Array& x, const Axes& axes, const FOptions& options, Here here) {{\n  return {call}\n}}"
    g = declared("Array g(const Operand& a, double b);")
    assert "quern::g>(a.here(), a, b);" in cpp_functions.definition(g, "g", ["a", "b"], {}, {})
    with pytest.raises(faces.Wrong, match="qn::g: the row has no parameter b"):
        cpp_functions.definition(g, "g", ["a"], {}, {})


def test_a_declaration_without_a_row_is_refused(monkeypatch):
    header = {ROOT / "x.h": "namespace qn {\nArray no_row_has_this(const Array& a, Here here = Here::current());\n}  // namespace qn\n"}
    monkeypatch.setattr(cpp_functions, "sources", lambda folder, suffix: header if folder == "include/quern" else {})
    with pytest.raises(faces.Wrong, match="x.h: qn::no_row_has_this is no row"):
        cpp_functions.public()


def test_every_body_without_a_declaration_has_one():
    """Each body is declared once: by a header, or here."""
    declared = {f"{f.namespace}::{f.name}" for text in cpp_functions.sources("functions", "h").values() for f in cpp_functions.functions_in(text)}
    made = cpp_functions.bodies()
    names = [f"{f.namespace}::{f.name}" for f in cpp_functions.functions_in(made)]
    assert len(names) == len(set(names)) > 100 and not declared & set(names)
