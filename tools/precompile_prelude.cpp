// Writes the precompiled prelude into the folder given, and removes those of earlier builds there: part of the build.
#include "compile/clang.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: precompile_prelude FOLDER\n");
    return 2;
  }
  try {
    namespace fs = std::filesystem;
    fs::path made = quern::precompile_prelude(argv[1]);
    std::printf("%s\n", made.c_str());
    std::vector<fs::path> old;
    for (const auto& entry : fs::directory_iterator(argv[1])) {
      std::string name = entry.path().filename().string();
      bool prelude = name.rfind("prelude-", 0) == 0 && entry.path().extension() == ".pch";
      if (prelude && name != made.filename()) old.push_back(entry.path());
    }
    for (const fs::path& path : old) fs::remove(path);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
