// What the tape's files share: what an array's record is, and what an entry keeps. For tape.cpp and tape_calls.cpp.
#pragma once

#include "graph/tape.h"

namespace quern {

bool has_gradient(DType type);
uint64_t next_number();                // of the entry that is made next
uint64_t writes_of(const Node& node);  // how often its exposed memory was written
void check_may_keep(const Array& array);
void keep(TapeOperand& operand, const Array* array);  // `array`: the operand; none for a number
TapeView& tape_of(const Array& array);
bool is_apart(const TapeViewRef& tape);       // is the record its Variable's and not its cell's?
const EntryRef& base_of(const Array& array);  // of all that the array's Variable holds, or of its cell's value
// Is the entry's layout that of the array which was handed out (take_shape(), set_view()), which its node may lack?
bool takes_shape(const Entry& entry);
// A write into a part of memory: whose gradient is passed on through it, and where that lies.
void set_written(Entry& entry, const Array& target, const EntryRef& base);

}  // namespace quern
