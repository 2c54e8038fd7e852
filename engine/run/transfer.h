// The values of arrays on their way in, out, from one device to another, and into the hands of a kernel.
#pragma once

#include "graph/array.h"
#include "run/context.h"

namespace quern {

// An array of what lies there, in that layout or in C order. The copy is done when this returns.
Array copied_in(Context& context, const void* data, size_t bytes, Layout layout, DType dtype, CopyKind kind);
Array copied_in(Context& context, const void* data, size_t bytes, const Shape& shape, DType dtype, CopyKind kind);

// The values in C order, of that many bytes; waits for them.
void read_into(const Array& array, void* out, size_t bytes);

// The array itself where it is there already, else a copy.
Array moved_to(const Array& array, Context& context);

// Submits a copy of device memory, known by its blocks or (null) by its addresses alone, to that stream; it may lie on other
// devices of the kind than the stream's.
void copy_within(Context& on, const StreamPtr& stream, void* dst, Block* to_block, const void* src, Block* from_block,
                 size_t bytes);

// Raises ErrorKind::logic where so many bytes are not memory of the host's, or reach out of a block of the CPU's pool: of an
// address that a program hands over as a number.
void require_host_memory(const void* address, size_t bytes, const char* what);

// The address of the first element, for a kernel that may write there: all that was recorded before is submitted, so that it
// reads what it should.
uint64_t address_for_kernel(const Array& array, Block** block);
// The same for a kernel that only reads there.
uint64_t address_to_read(const Array& array, Block** block);

}  // namespace quern
