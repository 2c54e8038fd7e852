"""README.md, its Chinese version and docs/: programs run, results are those of bench/results, named files exist."""

import functools
import glob
import os
import pathlib
import re

import pytest
from programs import ROOT, python, quern

README, CHINESE = (pathlib.Path(ROOT, name).read_text(encoding="utf-8") for name in ("README.md", "README.zh-CN.md"))
KERNELS, INSTALL, INDEX = (pathlib.Path(ROOT, "docs", f"{name}.md").read_text() for name in ("kernels", "install", "README"))
PAGES = [os.path.join(ROOT, name) for name in ("README.md", "README.zh-CN.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
PAGES += sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))

# The first words of each Python program in README.md and docs/kernels.md, and what it prints on the CPU.
PROGRAMS = {
    "import cupy": r"323896\.\d+ 0\.99999\d+\n",
    "import numpy as np\nimport pycuda": r"\[0\. 2\. 4\. 6\.\]\n",
    "import numpy as np\nimport quern": r"\[3\. 3\. 3\. 3\.\]\ncompile .*\nload .*\nlaunch scale 0 .*:8\ndevice_to_host  16 .*\n",
    "import numpy as np\nfrom numba": r"\[0\. .* 0\. *\]\n",
    "import torch": r"True\n",
}


def programs(language):
    return re.findall(rf"```{language}\n(.*?)```", README + KERNELS, re.S)


def test_results_are_those_of_the_benchmarks():
    done = python(os.path.join(ROOT, "tools", "results.py"), "--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("start", PROGRAMS)
def test_programs_of_the_readme(tmp_path, start):
    (text,) = (text for text in programs("python") if text.startswith(start))
    path = tmp_path / "program.py"
    path.write_text(text)
    done = quern("run", path, QUERN_DEVICE="cpu", QUERN_CACHE_DIR=tmp_path)
    assert re.fullmatch(PROGRAMS[start], done.stdout), done.stdout + done.stderr


def programs_with_output():
    """Each program of a page of docs/ that is followed by what it prints, where `...` stands for any characters."""
    for page in PAGES:
        for number, (program, output) in enumerate(re.findall(r"```python\n([^`]*)```\n\n```text\n([^`]*)```", pathlib.Path(page).read_text())):
            yield pytest.param(program, output, id=f"{os.path.basename(page)}-{number}")


@pytest.mark.parametrize("program, output", list(programs_with_output()))
def test_programs_print_what_their_page_says(tmp_path, program, output):
    path = tmp_path / "program.py"
    path.write_text(program)
    done = quern("run", path, QUERN_DEVICE="cpu")
    pattern = "[^\\n]*".join(re.escape(part) for part in output.split("..."))
    assert re.fullmatch(pattern, done.stdout), done.stdout + done.stderr


@pytest.mark.parametrize("page", sorted(glob.glob(os.path.join(ROOT, "docs", "coming-from-*.md"))), ids=os.path.basename)
def test_every_program_of_a_first_page_has_its_output(page):
    text = pathlib.Path(page).read_text()
    programs = re.findall(r"```python\n[^`]*```\n\n```text\n", text)
    assert len(programs) == 2 and text.count("```") == 8 and text.count("\n") <= 120


def page_with_transcript(name):
    """The program of a page, and what its command prints."""
    _, program, _, transcript, *_ = pathlib.Path(ROOT, "docs", name).read_text().split("```")
    return program.removeprefix("python\n"), transcript.removeprefix("\n")


def test_the_transcript_of_the_profile(tmp_path):
    program, shown = page_with_transcript("profile.md")
    (tmp_path / "heat.py").write_text(program)
    done = quern("profile", "heat.py", cwd=tmp_path, QUERN_DEVICE="cpu", QUERN_CACHE_DIR=tmp_path, QUERN_TIERED="0")
    assert done.returncode == 0, done.stderr

    def without_figures(text):  # times differ, and with them what is worth a word
        rows = [re.sub(r"[\d.]+ (ns|us|ms|s)\b", "#", row.strip()) for row in text.splitlines()]
        return {row.partition(";")[0] for row in rows if row.startswith("line ")}

    assert without_figures(shown) <= without_figures(done.stderr)
    sources = [row.split("  ")[-1].strip() for row in shown.split("Source\n")[1].split("\n\n")[0].splitlines()]
    assert len(sources) == 7 and all(source in done.stderr for source in sources)


def test_the_transcript_of_the_check(tmp_path):
    program, shown = page_with_transcript("check.md")
    (tmp_path / "turn.py").write_text(program)
    done = quern("check", "turn.py", cwd=tmp_path)
    assert done.returncode == 3 and done.stderr == shown


def test_the_transcript_of_the_doctor(tmp_path):
    _, shown, *_ = pathlib.Path(ROOT, "docs", "doctor.md").read_text().split("```")
    (tmp_path / "notes.txt").write_text("")
    done = quern("doctor", cwd=tmp_path, QUERN_DEVICE="cpu", QUERN_CACHE_DIR="notes.txt")
    assert done.returncode == 1, done.stdout + done.stderr

    def of_any_machine(text):  # GPUs, processors and folders differ
        found, _, rest = text.strip().partition("\n\n")
        told = [row for row in rest.splitlines() if not row.startswith(("note: ", "for a report"))]
        return {row.partition("  ")[0] for row in found.splitlines()}, [row.partition("  on ")[0] for row in told]

    names, told = of_any_machine(shown)
    assert names <= of_any_machine(done.stdout)[0]
    assert [row for row in told if row in of_any_machine(done.stdout)[1]] == told


def test_every_program_of_the_readme_is_run():
    assert len(programs("python")) == len(PROGRAMS)


def test_the_readme_says_what_a_set_up_needs():
    begin = README[README.index("\n## Install") : README.index("\n## A first program")]
    for word in ("Clone this repository", "3 GiB", "`apt-get`", "root", "`sudo`", "Python", "./quern run examples/sobel.py", "./quern test"):
        assert word in begin
    for word in ("Clone this repository", "3 GiB", "`apt-get`", "root", "`sudo`", "Python 3.10", "./quern run examples/sobel.py", "./quern setup"):
        assert word in INSTALL
    assert os.path.exists(os.path.join(ROOT, "examples", "sobel.py"))


def test_the_readme_is_short():
    assert README.count("\n") <= 130


def test_the_chinese_readme_has_the_same_commands_and_programs():
    for text in (r"```.*?```", r"^    .+$", r"\]\((.*?)\)", r"^\| `[^|]*`"):
        found = [re.findall(text, readme, re.S if "```" in text else re.M) for readme in (README, CHINESE)]
        assert found[0] and sorted(set(found[0]) - {"README.zh-CN.md"}) == sorted(set(found[1]) - {"README.md"})
    assert README.count("\n## ") == CHINESE.count("\n## ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: os.path.relpath(page, ROOT))
def test_commands_are_those_of_a_clone(page):
    assert re.findall(r"`quern (?:run|check|profile|doctor|cache|test|setup)\b.*", pathlib.Path(page).read_text()) == []


def test_fragments_of_changes_have_their_form():
    for path in pathlib.Path(ROOT, "changes").iterdir():
        if path.name != "README.md":
            assert re.fullmatch(r"\+[\w-]+\.(added|changed|removed|fixed|performance)\.md", path.name), path.name
            text = path.read_text().strip()
            assert "\n" not in text and len(text) <= 120 and re.match(r"[\w+#, ]+: ", text), path.name


def test_the_index_names_every_page():
    pages = {os.path.basename(page) for page in glob.glob(os.path.join(ROOT, "docs", "*.md"))} - {"README.md"}
    assert pages == set(re.findall(r"^\| \[([\w-]+\.md)\]", INDEX, re.M))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: os.path.relpath(page, ROOT))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", pathlib.Path(page).read_text(), flags=re.S)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    assert [link for link in links if not os.path.exists(os.path.join(os.path.dirname(page), link))] == []


@functools.cache
def ends_of_paths():
    """Return the end of each path in the clone, from each of its folders on."""
    ends = set()
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not (name.startswith(".venv") or name == ".git" or folder == ROOT and name == "build")]
        parts = [part for part in os.path.relpath(folder, ROOT).split(os.sep) if part != "."]
        ends.update("/".join([*parts[start:], name]) for start in range(len(parts) + 1) for name in names)
    return ends


@pytest.mark.parametrize("page", PAGES, ids=lambda page: os.path.relpath(page, ROOT))
def test_files_that_are_named_are_there(page):
    """A path in backquotes is one from the root, or the end of one."""
    named = set(re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|cpp|h|cuh|def|md|json|txt|sh))`", pathlib.Path(page).read_text()))
    assert sorted(named - ends_of_paths()) == []

