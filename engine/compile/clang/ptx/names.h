// Which function of quern/ptx.cuh an instruction is: its name with the modifiers that mean nothing on a CPU left out. The
// functions are the table of instructions; here stands only what their names leave out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quern::plugin::ptx {

// "add.rn.f32" taken apart at its dots.
std::vector<std::string> parts_of(std::string_view word);

// __quern_ptx_add_f32 for {"add", "rn", "f32"}.
std::string row_of(std::vector<std::string> instruction);
std::string row_of_special_register(std::string_view name);  // of %tid.x

// Suffixes of rows that exist beside the plain one: `d|p` as the result; no mask.
inline constexpr const char* pair_suffix = "_pair";

// The names of all rows that a text of PTX may need; the text may be anything.
std::vector<std::string> rows_named_in(std::string_view text);

}  // namespace quern::plugin::ptx
