"""C++ programs outside the sources find quern: an installed tree that was moved, and the Python package, by find_package(quern)."""

import os
import pathlib
import shutil
import subprocess

import pytest
import quern as qn
from devices import DEVICES
from programs import ROOT, environment, quern

CONSUMER = pathlib.Path(ROOT, "tests", "cmake_consumer")
BUILD = pathlib.Path(ROOT, "build", "develop")
MISSING = [tool for tool in ("cmake", "c++") if not shutil.which(tool)]
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {' '.join(MISSING)}"),
    pytest.mark.alone,  # an installation writes its list of files into build/develop
]


def run(*command, fails=False, **changes):
    """The output of a program, standard error included."""
    command = [str(part) for part in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, env=environment(**changes))
    assert (done.returncode != 0) == fails, done.stdout
    return done.stdout


def consumer(folder, *settings):
    """Builds the program there; gives what CMake said of quern, and the program."""
    said = run("cmake", "-S", CONSUMER, "-B", folder, "-DCMAKE_BUILD_TYPE=Debug", *settings)
    run("cmake", "--build", folder)
    return next(line for line in said.splitlines() if line.startswith("-- quern ")), folder / "consumer"


def check(program, libraries, cache, **changes):
    """It computes, and takes the compiler for the CPU beside that library."""
    for device in DEVICES:
        said = run(program, QUERN_DEVICE=device, QUERN_CACHE_DIR=cache, QUERN_DEBUG=2, **changes)
        assert f"{device}: 0 wrong" in said
        if device == "cpu":
            assert f"loaded {libraries}/libquern_clang.so" in said


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """An installed tree, moved since."""
    if not (BUILD / "cmake_install.cmake").exists():
        pytest.skip("there is no build in build/develop to install from")
    first, second = (tmp_path_factory.mktemp(name) / "quern" for name in ("first", "second"))
    run("cmake", "--install", BUILD, "--prefix", first)
    first.rename(second)
    yield second
    shutil.rmtree(second)  # tens of megabytes


def test_an_installed_tree_may_be_moved(moved, tmp_path):
    said, program = consumer(tmp_path / "build", f"-DCMAKE_PREFIX_PATH={moved}")
    assert said == f"-- quern {qn.__version__} in {moved}/lib/cmake/quern"
    check(program, moved / "lib" / "quern", tmp_path / "cache")
    # The link in lib, for linkers and loaders that know nothing of the folder, leads to the same files.
    check(program, moved / "lib" / "quern", tmp_path / "another", LD_LIBRARY_PATH=moved / "lib")


def test_an_installed_tree_is_whole_and_knows_nothing_of_the_build(moved):
    headers = pathlib.Path(ROOT, "engine", "include", "quern")
    assert {p.name for p in (moved / "include" / "quern").iterdir()} == {p.name for p in headers.iterdir()}
    libraries = moved / "lib" / "quern"
    assert len(list(libraries.glob("prelude-*.pch"))) == 1 and (libraries / "cccl" / "cub" / "version.cuh").exists()
    for file in (moved / "lib" / "cmake").rglob("*.cmake"):
        assert str(ROOT) not in file.read_text()
    for library in libraries.glob("*.so") if shutil.which("readelf") else ():
        paths = [line for line in run("readelf", "-d", library).splitlines() if "RPATH" in line or "RUNPATH" in line]
        assert all("[$ORIGIN]" in line for line in paths)


def test_the_python_package_serves_programs_in_cpp(tmp_path):
    done = quern("--cmake-dir")
    assert done.returncode == 0, done.stderr
    folder = pathlib.Path(done.stdout.strip())
    said, program = consumer(tmp_path / "build", f"-Dquern_DIR={folder}")
    assert said == f"-- quern {qn.__version__} in {folder}"
    check(program, folder.parent, tmp_path / "cache")


@pytest.mark.parametrize("version, taken", [("0.1", True), ("0.2", False), ("1", False)])
def test_other_versions_are_refused(tmp_path, version, taken):
    text = f"cmake_minimum_required(VERSION 3.20)\nproject(version LANGUAGES CXX)\nfind_package(quern {version} REQUIRED)\n"
    (tmp_path / "CMakeLists.txt").write_text(text)
    folder = quern("--cmake-dir").stdout.strip()
    said = run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-Dquern_DIR={folder}", fails=not taken)
    assert taken or f"version: {qn.__version__}" in said


def test_the_headers_are_where_python_says():
    assert os.path.exists(os.path.join(qn.get_include(), "quern", "quern.h"))


def test_a_package_without_the_files_says_so(monkeypatch, tmp_path, capsys):
    from quern.tools import cli, development

    monkeypatch.setattr(development, "_LIBRARIES", str(tmp_path / "quern" / "lib"))
    assert cli.main(["--cmake-dir"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and f"the files for CMake are missing from {tmp_path}" in err and "install quern again" in err
    with pytest.raises(FileNotFoundError, match=r"\[get_include\] the C\+\+ headers are missing"):
        qn.get_include()


def test_an_older_language_is_refused_in_one_line():
    said = run("c++", "-std=c++17", "-fsyntax-only", f"-I{qn.get_include()}", CONSUMER / "consumer.cpp", fails=True)
    assert "error:" in said and "std::source_location of C++20" in next(line for line in said.splitlines() if "error:" in line)
