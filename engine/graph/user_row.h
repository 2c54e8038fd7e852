// Rows that are added to the ops table at run time: a user's text for one element, over any number of operands and results.
//
//   const UserRow& row = add_row({.name = "scale", .body = "z = x * 2;", .operands = {{"x", DType::float32}},
//                                 .results = {{"z", DType::float32}}});
//   std::vector<Array> out = apply(row, {{Argument(a)}});       // array.h; fuses with the built-in rows
//
// A row is plain data, never changes and stays for the life of the process; equal ones are the same row.
#pragma once

#include "core/dtype.h"

#include <cstdint>
#include <string>
#include <vector>

namespace quern {

struct UserRow {
  struct Input {
    std::string name;  // in the body, by value; "" for one that only a result starts from
    DType dtype;
    bool operator==(const Input&) const = default;
  };
  struct Result {
    std::string name;  // in the body, a variable
    DType dtype;
    int start = -1;  // the operand whose value it has before the body; -1: zero
    bool operator==(const Result&) const = default;
  };
  std::string name;
  std::string preamble;  // types and functions for the body, printed once in each kernel, in a namespace of the row's own
  std::string body;      // statements
  std::vector<Input> operands;
  std::vector<Result> results;
  bool is_python = false;  // the preamble is a Python function's (quern/python.cuh)
  uint64_t hash = 0;       // add_row() gives it: no two rows have the same

  bool same_text(const UserRow& other) const {
    return name == other.name && preamble == other.preamble && body == other.body && operands == other.operands &&
           results == other.results;
  }
};

const UserRow& add_row(UserRow row);

}  // namespace quern
