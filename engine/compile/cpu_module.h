/* What a kernel compiled for the CPU looks like: the contract between the lowering (compile/clang/) and the CPU device.
 *
 * A compiled text is a small ELF shared object that needs libm, libmvec and nothing else. Code and constants begin at address 0;
 * what may be written, __device__ variables, begins at QUERN_CPU_DATA_ADDRESS, so that objects can be packed
 * (device/cpu_image.h). It exports two symbols:
 *
 *   const QuernCpuModule quern_module      what is inside
 *   const QuernCpuRuntime* quern_runtime   set by the loader before anything runs
 *
 * A kernel's parameters lie packed in one block of bytes, each at its natural alignment, in order: the same block that
 * cuLaunchKernel takes as CU_LAUNCH_PARAM_BUFFER_POINTER. A kernel is lowered in one of two ways:
 *
 *   regions     `blocks` runs blocks [first, last) of the grid; threads are loops inside. Most kernels.
 *   coroutines  `start` creates one thread of a block, runs it to its first wait and returns its handle; the device resumes
 *               handles by the rules at QuernCpuThread. For control flow that regions refuse.
 */
#ifndef QUERN_COMPILE_CPU_MODULE_H
#define QUERN_COMPILE_CPU_MODULE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUERN_CPU_ABI 8u
#define QUERN_CPU_DATA_ADDRESS 0x1000000u /* or the next page behind the code, where that is more than 16 MiB */

struct QuernCpuLaunch;

/* A texture or surface object. Kernels find it in a table by its handle: the number in the table below, `generation` above. */
#define QUERN_CPU_TEXTURES 65536u
enum { QUERN_TEXTURE_FREE = 0, QUERN_TEXTURE_TEXTURE = 1, QUERN_TEXTURE_SURFACE = 2 };
/* How a component is read: as 32 bits, as a half, as an integer, as an integer that stands for a number up to 1. */
enum {
  QUERN_TEXEL_WORD = 0,
  QUERN_TEXEL_HALF = 1,
  QUERN_TEXEL_UNSIGNED_8 = 2,
  QUERN_TEXEL_SIGNED_8 = 3,
  QUERN_TEXEL_UNSIGNED_16 = 4,
  QUERN_TEXEL_SIGNED_16 = 5,
  QUERN_TEXEL_NORMALIZED = 4, /* to be added to the four integers */
};
typedef struct {
  char* data;
  int64_t pitch, slice; /* bytes from row to row, from slice or layer to the next */
  int32_t extent[3];    /* texels, rows, slices or layers; each 1 at least */
  uint32_t generation;
  uint8_t what, code; /* QUERN_TEXTURE_..., QUERN_TEXEL_... */
  uint8_t channels, texel_bytes;
  uint8_t address[3];               /* cudaTextureAddressMode */
  uint8_t is_linear, is_normalized; /* filter, coordinates */
  uint32_t border[4];               /* a float's bits, or an integer */
} QuernCpuTexture;

/* Checked code: what it reports to the device (compile/clang/checks/, device/check/). */
enum {
  QUERN_CHECK_READ = 1u << 0,
  QUERN_CHECK_WRITE = 1u << 1,
  QUERN_CHECK_ATOMIC = 1u << 2,
  QUERN_CHECK_VOLATILE = 1u << 3,
  QUERN_CHECK_LOCAL = 1u << 4,     /* memory of one thread, or that nobody writes: only its bounds count */
  QUERN_CHECK_SHARED = 1u << 5,    /* the block's */
  QUERN_CHECK_DYNAMIC = 1u << 6,   /* as many bytes as the launch gave it */
  QUERN_CHECK_CONST = 1u << 7,     /* through a pointer to const */
  QUERN_CHECK_OF_BLOCK = 1u << 15, /* an atomic whose scope is the block */
  QUERN_CHECK_REAL = 1u << 14,     /* a float or a double is written */
  QUERN_CHECK_FOLLOWED = 1u << 13, /* a local array whose every access is seen */
  QUERN_CHECK_COPIED = 1u << 12,   /* a part of a structure that is copied: padding and unset members may be among it */
  QUERN_CHECK_EXCHANGE = 1u << 16, /* an atomic that compares what it finds with what the thread may have read before */
  QUERN_CHECK_ALIGN_SHIFT = 8,     /* the logarithm of the alignment that the access needs lies here, in four bits */
};
/* Values that cannot be right, for check_value: division by 0 or of the lowest number by -1; a shift and the width; a variable
 * (an object's number) that is read before it is set, and its bytes; an index that overflows, with the operation's sign; a number
 * that became NaN or infinite, and one that it was made of, as doubles; what check_lane reported of a number that is used. */
enum {
  QUERN_CHECK_DIVISION = 1,
  QUERN_CHECK_SHIFT = 2,
  QUERN_CHECK_UNSET = 3,
  QUERN_CHECK_OVERFLOW = 4,
  QUERN_CHECK_NOT_FINITE = 5,
  QUERN_CHECK_LANE = 6,
  QUERN_CHECK_SIGN_SHIFT = 8,
};
/* For check_event. Warp operations (shuffles, votes) order no memory. Of warps' events, a number of the function called lies
 * above. */
enum {
  QUERN_CHECK_FENCE = 0,
  QUERN_CHECK_BARRIER = 1,
  QUERN_CHECK_WARP_BARRIER = 2,
  QUERN_CHECK_GRID_BARRIER = 3,
  QUERN_CHECK_BLOCK_FENCE = 4, /* within a block alone */
  QUERN_CHECK_WARP_OPERATION = 5,
  QUERN_CHECK_PASSED_BY = 6, /* not before the barrier, but on a way around it */
  QUERN_CHECK_EVENT_MASK = 0xf,
  QUERN_CHECK_EVENT_SHIFT = 4
};
/* For check_index, in the axis's place: the index of a row, or of an array in a structure. */
enum { QUERN_CHECK_ROW = 0x7fffffff };
enum {
  QUERN_OBJECT_UNKNOWN = 0,
  QUERN_OBJECT_PARAMETER = 1,
  QUERN_OBJECT_LOCAL = 2,
  QUERN_OBJECT_SHARED = 3,
  QUERN_OBJECT_DYNAMIC_SHARED = 4,
  QUERN_OBJECT_DEVICE = 5,
};
typedef struct {
  const char *file, *function;
  uint32_t line, column;
} QuernCpuPlace;
typedef struct {
  const char* name; /* as the text has it; "" if unknown */
  uint64_t bytes;   /* 0: unknown */
  uint32_t kind;    /* QUERN_OBJECT_... */
} QuernCpuObject;

/* What kernel code may call. Every entry may be called from any worker thread while a kernel runs. */
typedef struct {
  uint32_t abi;
  /* printf: returns the number of arguments, as CUDA's does. `args` holds each promoted argument in 8 bytes (double, int64 or a
   * pointer; a string is a char*), `count` of them. */
  int (*print)(const struct QuernCpuLaunch* launch, const char* format, const uint64_t* args, uint32_t count);
  /* assert(): records the failure and does not return. */
  void (*assert_fail)(const struct QuernCpuLaunch* launch, const char* condition, const char* file, uint32_t line,
                      const char* function, const uint32_t block[3], const uint32_t thread[3]);
  /* __trap() and what cannot go on: ends the launch with this text; does not return. */
  void (*fail)(const struct QuernCpuLaunch* launch, const char* text);
  uint64_t (*clock_cycles)(void);
  uint64_t (*clock_nanoseconds)(void);
  void* (*allocate)(uint64_t bytes); /* device-side malloc and free */
  void (*release)(void* pointer);
  const QuernCpuTexture* textures; /* QUERN_CPU_TEXTURES of them */
  /* Checked code, before an access to `bytes` bytes: `what` is QUERN_CHECK_...; `base` and `size` are the array's that the code
   * names there, NULL where it names none; `place` and `object` are numbers in the module's tables. Returns the address to use.
   */
  void* (*check_access)(void* pointer, uint64_t bytes, uint32_t what, uint32_t place, void* base, uint64_t size, uint32_t object);
  void (*check_event)(uint32_t what, uint32_t place); /* before a fence or barrier */
  void (*check_value)(uint32_t what, uint32_t place, int64_t first, int64_t second);
  void (*check_local)(const void* base, uint64_t bytes); /* a followed local array begins */
  /* An index outside of an axis of so many elements, of an array whose memory begins there; returns an address to use instead. */
  void* (*check_index)(const void* data, int64_t index, int64_t extent, uint32_t axis, uint32_t place, uint32_t object);
  /* A shuffle takes a lane's value: 0, or another number where that lane gives none, or one that came from such a lane itself. */
  uint32_t (*check_lane)(int64_t lane, uint32_t place);
  void (*check_give)(uint32_t doubt); /* the thread gives a value to its warp, and what check_lane reported of it */
} QuernCpuRuntime;

/* One launch, shared by all its blocks. */
typedef struct QuernCpuLaunch {
  const char* args; /* the packed parameters */
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t dynamic_shared; /* bytes; they follow the static ones */
  uint32_t flags;          /* QUERN_LAUNCH_... */
  void* host;              /* the device's own record of the launch, for the runtime's calls */
} QuernCpuLaunch;

enum {
  QUERN_LAUNCH_SMALL_GRID = 1u << 0, /* grid * block fits in an int in every dimension: index sums do not wrap */
};

/* Regions. `shared` has room for static + dynamic shared memory, `slots` for slot_bytes times the
 * threads of a block rounded up to 64; both are 64-byte aligned and belong to this call. Blocks are numbered x fastest. */
typedef void (*QuernCpuBlocks)(const QuernCpuLaunch* launch, uint64_t first, uint64_t last, char* shared, char* slots);

/* Coroutines. The device fills `thread` and `block`, calls `start`, and gets a handle; a suspended handle is resumed by calling
 * the function pointer in its first word with the handle. At every return `wait` says why the thread stopped:
 *   finished    the thread is done, never resume it
 *   barrier     it waits for all unfinished threads of its block (bar_kind says with which reduction, see prelude)
 *   warp        it waits for the threads of its warp named in `mask` that are unfinished
 *   yield       it waits for memory: resume it after the others had a turn
 *   grid        it waits for all threads of the grid */
enum { QUERN_WAIT_FINISHED = 0, QUERN_WAIT_BARRIER = 1, QUERN_WAIT_WARP = 2, QUERN_WAIT_YIELD = 3, QUERN_WAIT_GRID = 4 };

typedef struct QuernCpuThread {
  uint32_t thread[3];
  uint32_t wait;
  uint32_t block[3];
  uint32_t mask;      /* of a warp wait; 0: it waits for whoever of the warp waits so at the same place */
  uint32_t place;     /* of a wait: its number in the code */
  char* shared;       /* the block's */
  char* warp_buffer;  /* 32 * 16 bytes for shuffles and votes, one for each warp, zero at the start;
                       * what lies up to 256 bytes before it may be read */
  char* block_buffer; /* 64 bytes for __syncthreads_count/and/or, one for each block */
  char* frame;        /* where `start` may put its frame: 64-byte aligned, frame_bytes of the kernel long */
  char* slots;        /* with QUERN_KERNEL_WHOLE_BLOCKS: as of QuernCpuBlocks */
} QuernCpuThread;

typedef void* (*QuernCpuStart)(const QuernCpuLaunch* launch, QuernCpuThread* thread);

enum { QUERN_ACCESS_READ = 1, QUERN_ACCESS_WRITE = 2 }; /* for pointer parameters; both when not known */

typedef struct {
  uint32_t offset, size, align;
  uint32_t access; /* QUERN_ACCESS_...; 0 for a parameter that is no pointer */
} QuernCpuParam;

enum {
  QUERN_KERNEL_BARRIERS = 1u << 0,
  QUERN_KERNEL_PRINTS = 1u << 1,     /* may call print: the host flushes its own output before waiting */
  QUERN_KERNEL_SPINS = 1u << 2,      /* waits on memory in a loop: blocks must make progress together */
  QUERN_KERNEL_FULL_WARPS = 1u << 3, /* `blocks` serves launches with block[0] % 32 == 0 only; `start` serves the others */
  /* `start` runs a block, not a thread: it stops for the grid's barrier alone. */
  QUERN_KERNEL_WHOLE_BLOCKS = 1u << 7,
  /* Neighbours along one axis of the grid may run as one block that is as many times wider in x, at most QUERN_JOINED_THREADS.
   * Of launches with QUERN_LAUNCH_SMALL_GRID. */
  QUERN_KERNEL_JOINS_X = 1u << 4,
  QUERN_KERNEL_JOINS_Y = 1u << 5,
  QUERN_KERNEL_JOINS_Z = 1u << 6,
  QUERN_KERNEL_BOUNDED = 1u << 8, /* each of its threads ends soon, whatever its arguments and memory are */
};

#define QUERN_JOINED_THREADS 8192u /* along x; other blocks have 1024 at most */

typedef struct {
  const char* symbol;    /* "saxpy" or "_Z5saxpyfPKfPfi" */
  const char* name;      /* as written: "saxpy", "ns::saxpy<float>" */
  const char* signature; /* the parameter types in Itanium encoding: "fPKfPfi" */
  QuernCpuBlocks blocks; /* one of blocks and start is set; both with QUERN_KERNEL_FULL_WARPS */
  QuernCpuStart start;
  const QuernCpuParam* params;
  uint32_t param_count, param_bytes;
  uint32_t static_shared; /* bytes; dynamic shared memory begins at the next multiple of 64 */
  uint32_t slot_bytes;    /* for each thread of a block (regions) */
  uint64_t frame_bytes;   /* for each thread of a block (coroutines) */
  uint32_t flags;         /* QUERN_KERNEL_... */
  uint32_t max_threads;   /* from __launch_bounds__, else 1024 */
} QuernCpuKernel;

typedef struct {
  const char* name; /* as written, and */
  const char* symbol;
  void* address;
  uint64_t size;
} QuernCpuGlobal;

typedef struct {
  uint32_t abi; /* QUERN_CPU_ABI */
  uint32_t kernel_count, global_count;
  uint32_t place_count; /* of checked code; 0: it is not checked */
  const QuernCpuKernel* kernels;
  const QuernCpuGlobal* globals; /* __device__, __constant__ and __managed__ variables */
  const QuernCpuPlace* places;
  const QuernCpuObject* objects;
  uint64_t object_count;
} QuernCpuModule;

#ifdef __cplusplus
}
#endif
#endif
