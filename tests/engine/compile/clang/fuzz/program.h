// The lowering fuzzer's little language: kernels whose result CUDA defines, by construction.
//
//   generate.cpp   draws a kernel        print.cpp       writes it as CUDA C++
//   interpret.cpp  runs it, thread by thread, statement by statement      fuzz_lowering.cpp   compiles, runs and compares
//
// All values are unsigned and wrap. Threads talk to each other only in ways that have one answer: a shared slot is written by its
// own thread and read by others after a barrier; atomic additions are read after a barrier; shuffles and votes stand where whole
// warps are together. So it does not matter in which order threads run, and the interpreter takes the simplest.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace fuzz {

using Value = uint32_t;

constexpr int variables = 5, private_slots = 4, shared_arrays = 2, counters = 4, inputs = 64;

struct Shape {
  uint32_t block[3], grid[3];
  uint32_t threads() const { return block[0] * block[1] * block[2]; }
  uint32_t blocks() const { return grid[0] * grid[1] * grid[2]; }
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  enum class Op {
    constant,
    variable,
    counter_of_loop,
    tid,
    tid_x,
    tid_y,
    lane,
    warp,
    block,
    n,
    add,
    sub,
    mul,
    div,
    rem,
    bit_and,
    bit_or,
    bit_xor,
    shift_left,
    shift_right,
    less,
    equal,
    select,
    minimum,
    high_of_product,
    bits_set,
    zeros_in_front,
    reversed,
    funnel_shift,
    bytes_picked,
    wide_product,  // 64 bits
    real_sum,      // float, exact
    real_quotient,
    input,
    texel,  // the same by way of a texture object
    private_at,
    shared_own,
    shared_other,
    shared_counter,
    shuffle,
    shuffle_xor,
    shuffle_down,
    shuffle_up,
    shuffle_in_part,  // number: the width
    match_any,
    match_all,
    warp_sum,
    warp_min,
    warp_xor,
    tile_sum,  // number: the tile's size, as of the three below
    tile_scan,
    tile_shuffle,
    tile_ballot,
    ballot,
    any,
    all,
    barrier_count,
    barrier_or,
    barrier_and,
  } op;
  Value number = 0;  // constant, variable index, array index, loop depth
  std::vector<ExprPtr> args;
};

struct Stmt;
using Body = std::vector<std::unique_ptr<Stmt>>;

struct Stmt {
  enum class Op {
    assign,
    store_private,
    store_shared,
    add_counter,
    add_global,    // number: which counter, which has its own kind of addition
    add_together,  // the same by those who are here at once, one of whom adds for all
    barrier,
    warp_barrier,  // number: of a tile of that size; 0: of the warp
    among_some,    // those for whom it holds talk to each other
    branch,
    loop,
    loop_while,
    switch_of,
    exit,
    leave_loop,
    next_round,
    call,
  } op;
  Value number = 0;
  std::vector<ExprPtr> args;
  std::vector<Body> bodies;
};

struct Kernel {
  Shape shape;
  Body body;
  Body function;  // a device function called by Stmt::call: statements on the same state
  bool inlines = true;
  bool has_dynamic_memory = false;  // the second shared array is the launch's
};

// What a run leaves behind: one value for each thread of the grid, then the counters in global memory.
using Result = std::vector<Value>;

Kernel generate(std::mt19937_64& random);
std::string print(const Kernel& kernel, const std::string& name);
Result interpret(const Kernel& kernel, const std::vector<Value>& input, Value n);

}  // namespace fuzz
