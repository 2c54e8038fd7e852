// A stand-in for libnvrtc.so in tests: kernels are compiled for the CPU, and the "cubin" carries that code for the fake driver to
// run. So programs compute on GPUs that are not there.
//
// It lies in a toolkit's folder of its own, fake_toolkit/, which CUDA_HOME names.
#include "compile/clang.h"
#include "core/error.h"
#include "device/device.h"
#include "fake_cuda/cubin_maker.h"

#include <cstring>
#include <string>
#include <vector>

namespace {

enum : int { success = 0, invalid_program = 4, compilation = 6, no_such_name = 10 };

struct Program {
  quern::Source source;
  quern::CompileOptions options;
  quern::Binary binary;
  std::vector<std::byte> cubin;
  std::string log;
};

// What the engine writes for NVRTC, back in nvcc's words.
void read_options(quern::CompileOptions& options, int count, const char* const* words) {
  for (int i = 0; i < count; ++i) {
    std::string word = words[i];
    auto value = [&](const char* name) {
      size_t length = std::strlen(name);
      return word.compare(0, length, name) == 0 ? word.substr(length) : std::string();
    };
    if (word == "--fmad=false") options.exact_arithmetic = true;
    if (word == "--use_fast_math") options.flags.push_back(word);
    if (std::string definition = value("--define-macro="); !definition.empty()) options.flags.push_back("-D" + definition);
    if (std::string folder = value("--include-path="); !folder.empty()) options.flags.push_back("-I" + folder);
  }
}

void make_cubin(Program& program) {
  quern::CubinMaker cubin;
  auto module = quern::cpu_device().load(program.binary);
  for (const std::string& name : module->kernel_names()) {
    quern::LoadedKernel* kernel = module->kernel(name);
    if (!kernel) continue;
    quern::MadeKernel made{kernel->info.symbol, {}};
    for (const quern::Param& param : kernel->info.params)
      made.params.emplace_back(static_cast<uint16_t>(param.offset), param.size);
    cubin.kernel(std::move(made));
  }
  cubin.carries(".quern.cpu", std::string(reinterpret_cast<const char*>(program.binary.code.data()), program.binary.code.size()));
  program.cubin = cubin.make();
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 0;
  return success;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return success;
}
int nvrtcGetSupportedArchs(int* archs) {
  *archs = 90;
  return success;
}
int nvrtcCreateProgram(Program** program, const char* text, const char* name, int, const char* const*, const char* const*) {
  *program = new Program{{text, name}, {}, {}, {}, {}};
  return success;
}
int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return success;
}
int nvrtcCompileProgram(Program* program, int count, const char* const* words) {
  read_options(program->options, count, words);
  try {
    program->binary = quern::clang_compiler().compile(program->source, program->options, quern::cpu_device().target());
    make_cubin(*program);
  } catch (const quern::Error& error) {
    program->log = error.what();
    return compilation;
  }
  program->log = program->binary.log;
  return success;
}
int nvrtcGetCUBINSize(Program* program, size_t* bytes) {
  *bytes = program->cubin.size();
  return success;
}
int nvrtcGetCUBIN(Program* program, char* code) {
  std::memcpy(code, program->cubin.data(), program->cubin.size());
  return success;
}
int nvrtcGetPTXSize(Program*, size_t*) { return invalid_program; }
int nvrtcGetPTX(Program*, char*) { return invalid_program; }
int nvrtcGetProgramLogSize(Program* program, size_t* bytes) {
  *bytes = program->log.size() + 1;
  return success;
}
int nvrtcGetProgramLog(Program* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return success;
}
int nvrtcAddNameExpression(Program* program, const char* expression) {
  program->options.name_expressions.emplace_back(expression);
  return success;
}
int nvrtcGetLoweredName(Program* program, const char* expression, const char** name) {
  for (const auto& [asked, symbol] : program->binary.names) {
    if (asked != expression) continue;
    *name = symbol.c_str();
    return success;
  }
  return no_such_name;
}

}  // extern "C"
