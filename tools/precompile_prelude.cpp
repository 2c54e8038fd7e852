// Writes the precompiled prelude into the folder given: part of the build.
#include "compile/clang.h"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: precompile_prelude FOLDER\n");
    return 2;
  }
  try {
    std::printf("%s\n", quern::precompile_prelude(argv[1]).c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
