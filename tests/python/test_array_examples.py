"""The examples in the documentation of array functions say what is so."""

import doctest
import importlib

import pytest
import quern as qn

MODULES = "data_types differences editing grids logic manipulation matrices padding rounding statistics".split()


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"quern.arrays.{name}")
    names = {key: getattr(qn, key) for key in qn.__all__} | vars(module)
    result = doctest.testmod(module, globs=names)
    assert result.attempted and not result.failed
