#!/usr/bin/env python3
"""Takes from NVIDIA's CCCL, as the package nvidia-cuda-cccl has it, the headers that the prelude's files need. Run by CMake.

    take_cccl.py --version              the package's version; fails with a sentence when it is not installed
    take_cccl.py --licence              the path of its licence
    take_cccl.py PRELUDE OUTPUT CXX     copies the headers into the folder OUTPUT; CXX, a C++ compiler, says which those are

What counts are the lines `#include <cub/...>` in PRELUDE/quern, and what users' kernels may include (USERS): the compiler's
preprocessor goes through them as NVRTC does.
"""

import importlib.metadata
import pathlib
import re
import shutil
import subprocess
import sys

PACKAGE = "nvidia-cuda-cccl"
# What NVRTC defines. A few branches that it does not take are read as well; the files are then some more than needed.
AS_NVRTC = (
    "__CUDACC_RTC__ __CUDACC__ __NVCC__ __CUDA_ARCH__=900 "
    "__CUDACC_VER_MAJOR__=12 __CUDACC_VER_MINOR__=9 __CUDACC_VER_BUILD__=0 CUDART_VERSION=12090"
)
# CUB's functions of blocks, warps and threads, the standard library, and what NVRTC takes of Thrust.
_BLOCK = """adjacent_difference discontinuity exchange histogram load merge_sort radix_rank radix_sort reduce run_length_decode
scan shuffle store"""
_THREAD = "load operators reduce scan search sort store"
_WARP = "exchange load merge_sort reduce scan store"
_CUDA = "atomic barrier cmath functional"
_STANDARD = """algorithm array atomic bit bitset cassert cfloat climits cmath complex concepts cstddef cstdint expected functional
initializer_list iterator limits mdspan numbers numeric optional ratio span tuple type_traits utility variant"""
_THRUST = "functional pair tuple"
_ITERATORS = "constant counting discard permutation reverse strided tabulate_output transform transform_input_output transform_output zip"
USERS = [
    *(f"cub/block/block_{name}.cuh" for name in _BLOCK.split()),
    *(f"cub/warp/warp_{name}.cuh" for name in _WARP.split()),
    *(f"cub/thread/thread_{name}.cuh" for name in _THREAD.split()),
    *(f"cuda/{name}" for name in _CUDA.split()),
    *(f"cuda/std/{name}" for name in _STANDARD.split()),
    *(f"thrust/{name}.h" for name in _THRUST.split()),
    *(f"thrust/iterator/{name}_iterator.h" for name in _ITERATORS.split()),
]


def package():
    try:
        return importlib.metadata.distribution(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(f"the package {PACKAGE} is missing, whose headers sort on GPUs: {sys.executable} -m pip install '{PACKAGE}==13.3.*'")


def include_folder(found):
    for file in found.files or []:
        if file.as_posix().endswith("cub/version.cuh"):
            return pathlib.Path(found.locate_file(file)).resolve().parent.parent
    sys.exit(f"{PACKAGE} {found.version} has no CUB: pip install '{PACKAGE}==13.3.*'")


def needed(prelude, folder, compiler):
    texts = [p.read_text() for p in sorted((prelude / "quern").iterdir())]
    includes = sorted({line for text in texts for line in re.findall(r"^#include <cub/.*>$", text, re.MULTILINE)})
    users = [f"#include <{name}>" for name in USERS if (folder / name).is_file()]
    defines = ["-D" + word for word in AS_NVRTC.split()]
    # From inside the folder, as relative paths have none of the characters that a dependency list must escape (spaces, #, $).
    command = [compiler, "-x", "c++", "-std=c++17", "-M", "-MG", "-nostdinc", "-I", ".", *defines, "-"]
    done = subprocess.run(command, cwd=folder, input="\n".join([*includes, *users]) + "\n", capture_output=True, text=True)
    words = done.stdout.replace("\\\n", " ").split()
    paths = {(folder / word).resolve() for word in words}
    files = {path.relative_to(folder) for path in paths if path.is_file() and path.is_relative_to(folder)}
    if not files:
        sys.exit(f"{' '.join(command)} found nothing in {folder}:\n{done.stderr}")
    todo = list(files)
    while todo:  # what stands behind conditions that this compiler does not meet
        file = todo.pop()
        for name in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', (folder / file).read_text(), re.MULTILINE):
            more = [path for path in (pathlib.Path(name), file.parent / name) if path not in files and (folder / path).is_file()]
            files.update(more)
            todo.extend(more)
    return sorted(files)


def main():
    found = package()
    if sys.argv[1] == "--version":
        print(found.version)
    elif sys.argv[1] == "--licence":
        print(next(found.locate_file(file) for file in found.files if file.name.lower().startswith("license")))
    else:
        prelude, output, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
        folder = include_folder(found)
        files = needed(prelude, folder, compiler)
        shutil.rmtree(output, ignore_errors=True)
        for file in files:
            (output / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / file, output / file)
        size = sum((output / file).stat().st_size for file in files)
        print(f"{PACKAGE} {found.version}: {len(files)} headers, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
