// What is taken out of whole CUDA programs, and what stays.
#include "compile/host_code.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace quern {
namespace {

std::string squeezed(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(HostCode, functions_that_nothing_marks_go) {
  const std::string kernel = "__global__ void k(float* x) { x[0] = 1; }\n";
  for (std::string host : {
           "int main() { k<<<1, 2>>>(0); return 0; }",
           "static void check(cudaError_t e, const char* what = \"a{b\") {\n  if (e) { std::cerr << '}' << what; }\n}",
           "template <class T>\nstd::vector<T> read(const std::string& name) { return {}; }",
           "extern \"C\" int run(int n) { /* } */ return n; }",
           "double seconds()\n{\n  // it's }\n  return 0;\n}",
           "Timer::Timer(int n) : n_(n) { start(); }",
           "bool operator==(const Key& a, const Key& b) { return a.n == b.n; }",
           "void text() { puts(R\"x(}\")\")x\"); }",
       }) {
    const std::string text = host + "\n" + kernel, out = without_host_code(text);
    EXPECT_EQ(squeezed(out), squeezed(kernel)) << host;
    EXPECT_EQ(out.size(), text.size());
    EXPECT_EQ(std::ranges::count(out, '\n'), std::ranges::count(text, '\n'));
  }
}

TEST(HostCode, all_else_stays) {
  for (std::string text : {
           "__device__ int f(int a) { return a; }",
           "#define DEV __device__ inline\nDEV int f(int a) { return a; }",
           "constexpr int square(int a) { return a * a; }",
           "struct S { int a; __device__ int get() { return a; } };",
           "struct __align__(8) S { int a; };",
           "namespace n { __device__ int f() { return 1; } namespace { __global__ void g() {} } }",
           "extern \"C\" { __global__ void g() {} }",
           "__constant__ float table[] = {1, 2, 3};\n__device__ float x = f(1);",
           "template <class T> __global__ void __launch_bounds__(256) g(T* x) { *x = T(); }",
           "int helper(int a);\n// int main() { }\n/* void f() {} */",
           "__device__ auto f = [](int a) { return a; };",
           "#define BODY(n) int f##n() { return n; }\n",
           "",
           "{",
           "}",
           "(",
           "\"",
           "'",
           "/*",
           "R\"(",
           "#",
           "))) {",
       })
    EXPECT_EQ(without_host_code(text), text);
}

TEST(HostCode, inside_of_namespaces_too) {
  EXPECT_EQ(squeezed(without_host_code("namespace n { void f() { puts(\"\"); } __global__ void g() {} }")),
            "namespacen{__global__voidg(){}}");
}

TEST(HostCode, messages_name_host_functions) {
  std::set<std::string> names;
  without_host_code("float h(float x) { return x; }\nint main() { return 0; }\n__global__ void k(float* x) { *x = h(*x); }\n",
                    &names);
  EXPECT_EQ(names, (std::set<std::string>{"h", "main"}));
  for (const std::string unknown : {"use of undeclared identifier 'h'", "identifier \"h\" is undefined"})
    EXPECT_EQ(
        naming_host_functions("k.cu:3: error: " + unknown + "\n  *x = h(*x);", names),
        "k.cu:3: error: 'h' is a host function, which kernels cannot call; add `__device__` to its definition\n  *x = h(*x);");
  EXPECT_EQ(naming_host_functions("use of undeclared identifier 'g'", names), "use of undeclared identifier 'g'");
}

TEST(HostCode, MessagesQuoteTheSourcesLines) {
  const std::string text = "int h(int x) { return x; } __global__ void k(int* x) { *x = h(*x); }\nvoid g() {}\n";
  const std::string part = without_host_code(text);
  ASSERT_NE(part, text);
  const std::string quoted = part.substr(0, part.find('\n'));
  EXPECT_EQ(quoting_whole_lines("k.cu:1: error\n    1 | " + quoted + "\n      |   ^\n", text, part),
            "k.cu:1: error\n    1 | " + text.substr(0, text.find('\n')) + "\n      |   ^\n");
  EXPECT_EQ(quoting_whole_lines("no quote         here", text, part), "no quote         here");
}

}  // namespace
}  // namespace quern
