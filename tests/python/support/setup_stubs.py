"""A small clone with the real ./quern and tools/setup, and stand-ins for apt-get, pip, cmake, ninja and the compiler.

Each stand-in writes its arguments to a log. What it does besides stands in a file of its name: shell text that it runs first.
"""

import os
import shutil
import subprocess
import sys

from places import ROOT

RUN_TESTS = ("tools/run_tests.py", "tools/run_tests_arguments.py", "tools/long_tests.py")
LOG = 'echo "$(basename $0) $*" >> "$STUBS/log"\n'
SAID = 'if [ -e "$STUBS/do-$(basename $0)" ]; then . "$STUBS/do-$(basename $0)"; fi\n'
SCRIPTS = {
    "apt-get": LOG + SAID + 'case "$*" in *libstub-dev*) touch "$STUBS/libstub-dev";; esac\n'
    'case "$*" in *libtests-dev*) touch "$STUBS/libtests-dev";; esac\n',
    "dpkg": LOG,
    "dpkg-query": SAID,
    "sudo": 'shift; exec "$@"\n',
    **dict.fromkeys(("c++", "cc", "clang++"), SAID + 'case "$*" in *-dM*) printf "#define __GNUC__ ${STUB_GCC:-12}\\n#define __GNUC_MINOR__ 2\\n";; esac\n'),
    "cmake": 'if [ "$1" = --version ]; then echo "cmake version ${STUB_CMAKE:-3.25.1}"; exit; fi\n' + LOG + SAID + "mkdir -p build/develop\n"
    'for a in "$@"; do case $a in -DQUERN_TESTS=*) t=${a#*=};; esac; done\n'
    'printf "CMAKE_HOME_DIRECTORY:INTERNAL=%s\\nQUERN_TESTS:BOOL=%s\\nCMAKE_CXX_COMPILER:STRING=${CXX:-$STUBS/c++}\\n" "$PWD" "$t" > build/develop/CMakeCache.txt; touch build/develop/build.ninja\n',
    "ninja": 'if [ "$3" = -t ]; then for i in 1 2 3 4; do echo "c++ -o $i.cpp.o -c $i.cpp"; done; exit; fi\n'
    + LOG + SAID + 'cd "$2"/../..\nmkdir -p python/quern/lib\ntouch python/quern/lib/libquern.so python/quern/lib/_engine.so\n'
    'for i in 1 2 3 4; do echo "[$i/4] Building CXX object $i.cpp.o"; done\n',
    # Every Python that the set-up starts: venv, pip, and at last the command itself.
    "python": 'if [ "$1 $2" = "-m venv" ]; then echo "venv $3" >> "$STUBS/log"; if [ -e "$STUBS/do-venv" ]; then . "$STUBS/do-venv"; fi; for a in "$@"; do last=$a; done; rm -rf "$last"\n'
    'mkdir -p "$last/bin"; cp "$0" "$last/bin/python"; exit; fi\n'
    'if [ "$1 $2" = "-m pip" ]; then echo "pip $*" >> "$STUBS/log"; if [ -e "$STUBS/do-pip" ]; then . "$STUBS/do-pip"; fi; exit; fi\n'
    'echo "started $*"\n',
}  # fmt: skip
DRIVER = """
import os, sys
root, stubs = sys.argv[1], os.environ["STUBS"]
sys.path[:0] = [root + "/tools", root + "/python"]
from setup import commands, packages
def there(name):
    return lambda _: os.path.exists(os.path.join(stubs, name))
packages.PACKAGES = [packages.Package("libstub-dev", "stub-devel", "stub", there("libstub-dev")),
                     packages.Package("libtests-dev", "tests-devel", "tests", there("libtests-dev"), tests=True)]
exec(os.environ.get("STUB_PATCH", ""))
sys.executable, sys.argv = stubs + "/python", ["quern", *sys.argv[2:]]
sys.exit(commands.main(root, sys.argv[1:]))
"""


class Clone:
    def __init__(self, folder):
        self.root, self.stubs = folder / "clone", folder / "stubs"
        for part in ("tools/setup", "python/quern_doctor", "python/quern/tools/cli"):
            shutil.copytree(ROOT / part, self.root / part, ignore=shutil.ignore_patterns("__pycache__"))
        for file in ("quern", "tools/setup_clone.py", *RUN_TESTS, "python/quern/__init__.py", "CMakeLists.txt", "CMakePresets.json"):
            shutil.copy2(ROOT / file, self.root / file)
        for file in ("engine/one.cpp", "tests/engine/one_test.cpp"):
            self.write(self.root / file, "int one;\n")
        self.program = self.write(folder / "program.py", "")
        for name, text in SCRIPTS.items():
            self.write(self.stubs / name, "#!/bin/sh\n" + text).chmod(0o755)
        self.driver = self.write(folder / "driver.py", DRIVER)

    @staticmethod
    def write(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def do(self, name, text):
        """What a stand-in does from now on, before anything else."""
        self.write(self.stubs / f"do-{name}", text)

    def start(self, *arguments, streams=subprocess.STDOUT, before=(), **environment):
        environment = {"PATH": f"{self.stubs}:/usr/bin:/bin", "STUBS": str(self.stubs), "PYTHONDONTWRITEBYTECODE": "1", **environment}
        return subprocess.Popen(
            [*before, sys.executable, "-S", str(self.driver), str(self.root), *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=streams, text=True, env=environment, cwd=self.root,
        )  # fmt: skip

    def quern(self, *arguments, status=0, **environment):
        """The output of a command, errors included."""
        process = self.start(*arguments, **environment)
        text = process.communicate(timeout=60)[0]
        assert process.returncode == status, text
        assert "Traceback" not in text
        return text

    def log(self):
        """What the stand-ins were started with since the last call."""
        try:
            lines = (self.stubs / "log").read_text().splitlines()
        except FileNotFoundError:
            return []
        os.remove(self.stubs / "log")
        return lines
