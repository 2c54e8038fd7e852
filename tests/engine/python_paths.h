// Where the Python that the tests were built with keeps its packages: NVIDIA's libraries and OpenBLAS may lie there.
#pragma once

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#ifndef QUERN_PYTHON
#define QUERN_PYTHON "python3"
#endif

namespace quern {

inline std::vector<std::string> python_paths() {
  std::vector<std::string> paths;
  FILE* pipe = popen(QUERN_PYTHON " -c 'import sys; print(chr(10).join(p for p in sys.path if p))' 2>/dev/null", "r");
  char line[4096];
  while (pipe && fgets(line, sizeof line, pipe)) paths.emplace_back(line, strcspn(line, "\n"));
  if (pipe) pclose(pipe);
  return paths;
}

}  // namespace quern
