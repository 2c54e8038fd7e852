// The lowering fuzzer: generated kernels, run as the compiler chooses (regions where it can), as coroutines, and by the plain
// interpreter, must agree.
//
//   fuzz_lowering [--count N] [--seed S]      N kernels from seed S on; the longer run: --count 100000
//   fuzz_lowering --seed S --count 1 --print  shows one kernel
//
// A failure prints the seed and the smallest version of the kernel that still fails.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "compile/clang.h"
#include "core/error.h"
#include "device/cpu.h"
#include "program.h"
#include "run/context.h"
#include "run/kernel.h"
#include "run/textures.h"

namespace {

using namespace quern;
using fuzz::Value;

constexpr int batch = 8;  // kernels in one text: parsing the prelude costs most

struct Case {
  uint64_t seed;
  fuzz::Kernel kernel;
  std::vector<Value> input;
  Value n;
};

Case make_case(uint64_t seed) {
  std::mt19937_64 random(seed * 2654435761u + 12345);
  Case c{seed, fuzz::generate(random), {}, 0};
  for (int i = 0; i < fuzz::inputs; ++i) c.input.push_back(static_cast<Value>(random() % 3 ? random() % 16 : random()));
  c.n = static_cast<Value>(random() % 40);
  return c;
}

std::shared_ptr<Program> compile(const std::vector<Case*>& cases, LoweringWish wish) {
  set_lowering_wish(wish);
  std::string text;
  for (size_t i = 0; i < cases.size(); ++i) text += fuzz::print(cases[i]->kernel, "k" + std::to_string(i));
  auto program = build(cpu_context(), {text, "fuzz.cu"}, {});
  set_lowering_wish(LoweringWish::automatic);
  return program;
}

bool ran_as_regions = false;

fuzz::Result run(Program& program, size_t index, const Case& c) {
  Context& context = cpu_context();
  auto kernel = program.kernel("k" + std::to_string(index));
  ran_as_regions = static_cast<CpuKernel&>(kernel->loaded()).code->blocks != nullptr;
  size_t total = c.kernel.shape.threads() * c.kernel.shape.blocks();
  fuzz::Result result(total + fuzz::counters);
  Buffer in = context.allocate(c.input.size() * 4), out = context.allocate(result.size() * 4);
  const StreamPtr& s = context.default_stream;
  context.copy(s, in.pointer(), c.input.data(), c.input.size() * 4, CopyKind::host_to_device, true);
  context.fill(s, out.pointer(), 0, 0, 4, result.size(), 1);
  Arguments args(*kernel);
  args.pointer(reinterpret_cast<uint64_t>(in.pointer()), in.block());
  args.pointer(reinterpret_cast<uint64_t>(out.pointer()), out.block());
  args.pointer(reinterpret_cast<uint64_t>(out.pointer()) + total * 4, out.block());
  args.integer(c.n);
  TextureSource source;
  source.memory = in.pointer(), source.bytes = c.input.size() * 4, source.texel = {TexelFormat::unsigned_32, 1};
  TextureObjectPtr texels = make_texture(context, source, {}, nullptr);
  args.integer(static_cast<int64_t>(texels->handle));
  LaunchShape shape;
  for (int d = 0; d < 3; ++d) shape.grid[d] = c.kernel.shape.grid[d], shape.block[d] = c.kernel.shape.block[d];
  shape.dynamic_shared = c.kernel.has_dynamic_memory ? c.kernel.shape.threads() * 4 : 0;
  kernel->launch(s, shape, args);
  context.copy(s, result.data(), out.pointer(), result.size() * 4, CopyKind::device_to_host, true);
  return result;
}

// What is wrong with a case run one way; nothing when it is right.
std::optional<std::string> check(Program& program, size_t index, const Case& c, const fuzz::Result& expected) {
  try {
    fuzz::Result got = run(program, index, c);
    for (size_t i = 0; i < got.size(); ++i)
      if (got[i] != expected[i])
        return "value " + std::to_string(i) + " is " + std::to_string(got[i]) + ", not " + std::to_string(expected[i]);
  } catch (const Error& e) {
    return std::string(e.what());
  }
  return std::nullopt;
}

std::optional<std::string> check_alone(Case& c, LoweringWish wish) {
  try {
    auto program = compile({&c}, wish);
    return check(*program, 0, c, fuzz::interpret(c.kernel, c.input, c.n));
  } catch (const Error& e) {
    set_lowering_wish(LoweringWish::automatic);
    return "does not compile: " + std::string(e.what());
  }
}

// Takes statements away, one after the other, as long as the case still fails.
bool shrink_body(fuzz::Body& body, Case& c, LoweringWish wish, int& budget) {
  bool smaller = false;
  for (size_t i = body.size(); i-- > 0 && budget > 0;) {
    auto removed = std::move(body[i]);
    body.erase(body.begin() + static_cast<long>(i));
    --budget;
    // A barrier that goes may make a race: such a kernel would fail rightly.
    bool safe = removed->op != fuzz::Stmt::Op::barrier && removed->op != fuzz::Stmt::Op::loop &&
                removed->op != fuzz::Stmt::Op::branch && removed->op != fuzz::Stmt::Op::call;
    if ((safe || removed->bodies.empty() == false) && removed->op != fuzz::Stmt::Op::barrier && check_alone(c, wish)) {
      smaller = true;
      continue;
    }
    body.insert(body.begin() + static_cast<long>(i), std::move(removed));
    for (auto& inner : body[i]->bodies) smaller |= shrink_body(inner, c, wish, budget);
  }
  return smaller;
}

void explain(Case& c, LoweringWish wish, const std::string& what) {
  const char* how = wish == LoweringWish::coroutines ? "coroutines" : "the compiler's choice";
  std::printf("seed %llu as %s: %s\n", static_cast<unsigned long long>(c.seed), how, what.c_str());
  if (check_alone(c, wish)) {
    int budget = 150;
    while (budget > 0 && shrink_body(c.kernel.body, c, wish, budget)) {
    }
    auto still = check_alone(c, wish);
    std::printf("smallest version found (%s), n = %u:\n", still ? still->c_str() : "?", c.n);
  }
  const fuzz::Shape& s = c.kernel.shape;
  std::printf("block %ux%ux%u grid %ux%ux%u\n%s\n", s.block[0], s.block[1], s.block[2], s.grid[0], s.grid[1], s.grid[2],
              fuzz::print(c.kernel, "k0").c_str());
  std::fflush(stdout);
}

// What kernels are to have, according to their source: a generator that has drifted away from that finds nothing and passes.
struct Feature {
  const char* name;
  std::vector<const char*> words;  // one of them is enough
  uint64_t count = 0;
};
std::vector<Feature> features = {
    {"a barrier in a branch or loop", {"  __syncthreads();\n  }", "    __syncthreads();"}},
    {"a branch", {"if ("}},
    {"an else", {"else"}},
    {"a loop", {"for (unsigned w"}},
    {"an early return", {"return;"}},
    {"a shuffle", {"__shfl"}},
    {"a vote", {"__any_sync", "__all_sync", "__ballot_sync"}},
    {"a reduction of a warp", {"__reduce_"}},
    {"an atomic", {"atomic"}},
    {"shared memory", {"= s0[", "= s1["}},
    {"a private array", {"p[(unsigned)", "  p["}},
    {"a function that is called", {"_part("}},
    {"a division", {" / (", " % ("}},
    {"floats", {"(float)"}},
    {"64 bits", {"unsigned long long"}},
    {"a texture", {"tex1Dfetch"}},
};

void count_features(const fuzz::Kernel& kernel) {
  std::string text = fuzz::print(kernel, "k");
  text = text.substr(text.rfind("__global__"));
  for (Feature& feature : features)
    feature.count +=
        std::any_of(feature.words.begin(), feature.words.end(), [&](const char* word) { return text.find(word) != text.npos; });
}

// Prints the share of each; false where one is in fewer than one kernel of twenty.
bool show_features(uint64_t kernels) {
  bool rare = false;
  std::printf("features of kernels (%llu):", static_cast<unsigned long long>(kernels));
  for (const Feature& feature : features) {
    uint64_t share = kernels ? 100 * feature.count / kernels : 0;
    rare |= share < 5;
    std::printf("%s %s %llu%%", &feature == features.data() ? "" : ",", feature.name, static_cast<unsigned long long>(share));
  }
  std::printf("\n");
  constexpr uint64_t enough = 1000;  // for shares to be what they are
  if (rare && kernels >= enough) std::printf("one of them is in fewer than 5 of 100 kernels\n");
  return !rare || kernels < enough;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t count = 1000, seed = 1;
  bool show = false;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a == "--count" && i + 1 < argc) count = std::stoull(argv[++i]);
    if (a == "--seed" && i + 1 < argc) seed = std::stoull(argv[++i]);
    if (a == "--print") show = true;
  }
  uint64_t failed = 0, regions = 0, done = 0;
  for (uint64_t first = seed; first < seed + count && failed < 5; first += batch) {
    std::vector<Case> cases;
    for (uint64_t s = first; s < std::min(first + batch, seed + count); ++s) cases.push_back(make_case(s));
    std::vector<Case*> pointers;
    for (Case& c : cases) pointers.push_back(&c), count_features(c.kernel);
    if (show)
      for (Case& c : cases) std::printf("// n = %u\n%s\n", c.n, fuzz::print(c.kernel, "k0").c_str());
    for (LoweringWish wish : {LoweringWish::automatic, LoweringWish::coroutines}) {
      std::shared_ptr<Program> program;
      try {
        program = compile(pointers, wish);
      } catch (const Error& e) {
        set_lowering_wish(LoweringWish::automatic);
        for (Case& c : cases)
          if (auto what = check_alone(c, wish)) ++failed, explain(c, wish, *what);
        continue;
      }
      for (size_t i = 0; i < cases.size(); ++i) {
        auto what = check(*program, i, cases[i], fuzz::interpret(cases[i].kernel, cases[i].input, cases[i].n));
        if (wish == LoweringWish::automatic) {
          ++done;
          regions += ran_as_regions;
        }
        if (what) ++failed, explain(cases[i], wish, *what);
      }
    }
    compile_cache().forget_memory();
  }
  std::printf("%llu kernels, %llu by regions, %llu disagree\n", static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(regions), static_cast<unsigned long long>(failed));
  bool is_varied = show_features(done);
  return failed || done == 0 || !is_varied ? 1 : 0;
}
