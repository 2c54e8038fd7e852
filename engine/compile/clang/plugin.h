/* The C ABI of the clang plug-in (libquern_clang.so), the only thing the engine knows of clang and LLVM.
 *
 * The engine loads the plug-in on the first cache miss, checks quern_clang_abi(), and calls quern_clang_compile() from any
 * thread. The plug-in holds no state of a compilation after it returns; results are freed by quern_clang_free().
 */
#ifndef QUERN_COMPILE_CLANG_PLUGIN_H
#define QUERN_COMPILE_CLANG_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUERN_CLANG_ABI 4u
/* Among the options: the code is checked as it runs; and numbers that become NaN or infinite, too. */
#define QUERN_CHECK_OPTION "--quern-check"
#define QUERN_CHECK_NAN_OPTION "--quern-check-nan"

typedef struct {
  const char* path; /* how an #include names it: "cuda_fp16.h" */
  const char* text;
  size_t text_size;
} quern_clang_header;

enum {
  QUERN_CLANG_EXACT = 1u << 0,      /* no contraction; IEEE division and square root (always so on the CPU) */
  QUERN_CLANG_COROUTINES = 1u << 1, /* lower every kernel with barriers to coroutines (tests) */
  QUERN_CLANG_REGIONS = 1u << 2,    /* fail instead of falling back to coroutines (tests) */
  QUERN_CLANG_FAST = 1u << 4,       /* arithmetic in any order; what is NaN or infinite may be anything */
  QUERN_CLANG_KEEP_IR = 1u << 3,    /* put the LLVM IR before and after lowering into the log (QUERN_DEBUG=5) */
};

typedef struct {
  uint32_t abi; /* QUERN_CLANG_ABI */
  uint32_t flags;
  const char* text;
  size_t text_size;
  const char* name; /* file name for messages */
  const char* cpu;  /* LLVM's CPU name; "" means this machine's */
  const char* features;
  const char* const* options; /* the user's own: -D -I -U -std= ... */
  size_t option_count;
  const char* const* name_expressions;
  size_t name_expression_count;
  const quern_clang_header* headers; /* the prelude and the headers that #include finds; the first is force-included */
  size_t header_count;
  const char* pch;  /* a file made by quern_clang_precompile from headers[0]; "" for none */
  const char* cccl; /* the folder of CCCL's headers (compile/cccl.h); "" for none */
} quern_clang_request;

/* What the compiler saw of the host's files (compile/files_read.h): the value of `kind` as in FileRead::Kind. */
enum {
  QUERN_CLANG_ABSENT = 0,
  QUERN_CLANG_FOLDER = 1,
  QUERN_CLANG_FILE = 2,
  QUERN_CLANG_READ = 3,
  QUERN_CLANG_OTHER = 4,
  QUERN_CLANG_CURRENT = 5,
};

typedef struct {
  const char* path; /* absolute */
  uint32_t kind;
  uint64_t stamp[4]; /* size, written, changed, inode (compile/file_stamp.h) */
  uint64_t hash[2];  /* of what was read: XXH3, high and low */
} quern_clang_file;

typedef struct {
  int ok;           /* 0: the log says why */
  const char* code; /* an ELF shared object; see compile/cpu_module.h for what it exports */
  size_t code_size;
  const char* log;               /* errors or warnings, each with file:line:column, the source line and a caret */
  const char* const* symbols;    /* one for each name expression */
  const quern_clang_file* files; /* none where no folder of the host's was named */
  size_t file_count;
  int files_steady; /* 0: one of them changed meanwhile */
  double parse_ms, lower_ms, optimise_ms, emit_ms, link_ms;
} quern_clang_result;

uint32_t quern_clang_abi(void);
const char* quern_clang_version(void); /* "clang 19.1.7" */

/* This machine's CPU as LLVM names it, "cpu:features". */
const char* quern_clang_host_cpu(void);

quern_clang_result* quern_clang_compile(const quern_clang_request* request);
void quern_clang_free(quern_clang_result* result);

/* Writes headers[0] precompiled to `path`; returns NULL or the error text (valid until the next call on this thread). */
const char* quern_clang_precompile(const quern_clang_request* request, const char* path);

#ifdef __cplusplus
}
#endif
#endif
