// The form of a group: how its index space is walked and where each operand lies, split into what the kernel source depends on
// (patterns, which are part of the key) and what it takes as arguments (numbers).
#pragma once

#include "core/trace.h"
#include "graph/reduction_order.h"
#include "graph/schedule.h"

namespace quern {

// How an operand moves along one dimension of the form. Backwards by one element, along the last dimension on the CPU, has code
// of its own: vectors are turned around, which is much faster than to gather them.
enum class Step : uint8_t { none, unit, numbered, back };

struct Path {
  std::vector<Step> steps;  // one for each dimension
  int64_t offset = 0;       // of its first element
};

// Who computes what. Elements: a thread each. A reduction's results: a thread each, one after the other (few elements); 32
// threads each, as neighbours (lanes_inside) or beside those of the next results (lanes_outside); on the CPU a thread each, which
// goes from lane to lane (columns), or all lanes at once, as vectors (rows); on a GPU with few results a block for each chunk
// (block).
enum class Walk : uint8_t { elements, threads, lanes_inside, lanes_outside, columns, block, rows };
// Of a block, on a GPU. Where it is more than 256 the text says so: then a thread may not have all 255 registers.
constexpr int64_t most_threads(Walk walk) {
  return walk == Walk::lanes_outside ? 1024 : walk == Walk::block ? reduce_block : 256;
}
constexpr int64_t threads_with_any_registers = 256;

struct Form {
  // Dimensions: first the kept ones, then those that reductions take away; each part collapsed by itself.
  size_t kept = 0, reduced = 0;
  bool wide = false;  // indices need 64 bits
  Walk walk = Walk::elements;
  bool chunked = false;                        // a result has more than one chunk: partial results are stored
  bool combines = false;                       // and the last block to end makes the results of them
  int pack = 1;                                // neighbouring elements that a thread takes at once, on a GPU
  bool has_long_rows = false;                  // the innermost reduced dimension has as many elements as there are lanes
  Shape shape;                                 // of the dimensions
  int64_t results = 1, count = 1;              // elements kept, elements of each that are reduced
  int64_t chunk = chunk_elements, chunks = 1;  // of each result: elements, how many
  int64_t block = 0;                           // most threads of a block that reduces
  std::vector<Path> loads, stores;
  std::vector<int64_t> numbers;  // arguments: the shape, then every numbered step
};

Form form_of(const Group& group);
// The same elements by a form that more groups share: in four dimensions, all steps but the innermost ones arguments, or those,
// too. Of elementwise groups without `wide` and of four dimensions at most; nothing of others.
enum class Shared : uint8_t { rows, elements };
std::optional<Form> shared_form(const Form& form, Shared how);

// What a kernel is found by: equal keys have equal texts, and the numbers are arguments.
using Key = std::vector<uint64_t>;
Key key_of(const Group& group, const Form& form);

// What a key consists of, for the reasons of compiles: what is computed, and what it is compiled for.
uint64_t work_of(const Group& group);
std::vector<KernelTrait> traits_of(const Group& group, const Form& form);

}  // namespace quern
