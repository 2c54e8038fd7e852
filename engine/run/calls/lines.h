// Work along any axis on the CPU: a function of rows without gaps gets its lines as such, whatever the layouts of operand and
// result.
//
//   Lines lines(*in.layout, *out.layout, axis);
//   lines.each(in.data, size, out.data, size, [&](const char* in, char* out, int64_t rows) { ... }, least);
//
// Lines that lie as rows are handed on as they are; others are brought in and out some at a time, neighbours in memory together.
#pragma once

#include "core/layout.h"

#include <functional>

namespace quern {

class Lines {
 public:
  // The shapes agree but for the axis.
  Lines(const Layout& in, const Layout& out, size_t axis);

  int64_t count() const { return count_; }
  // Where so many lines, from the first of these on, begin in the operand and in the result: in elements.
  void places(int64_t first, int64_t count, int64_t* in, int64_t* out) const;
  bool are_rows() const { return are_rows_; }  // in both, one after the other
  int64_t in_step() const { return in_step_; }
  int64_t out_step() const { return out_step_; }
  // Do neighbouring lines lie side by side in both, so that they can be walked together? How many; else 0.
  int64_t side_by_side() const;
  // f(first element of the operand, of the result, how many lines) of such neighbours, by several threads.
  void each_beside(const char* in, size_t in_bytes, char* out, size_t out_bytes, int64_t most,
                   const std::function<void(const char*, char*, int64_t)>& f) const;
  // f(operand, result, how many rows) by several threads; `least`: so many rows are worth a thread.
  void each(const char* in, size_t in_bytes, char* out, size_t out_bytes,
            const std::function<void(const char*, char*, int64_t)>& f, int64_t least) const;

 private:
  struct Line {
    int64_t in, out;  // where it starts
  };
  Line line(int64_t i) const;

  int64_t count_ = 1, in_length_, out_length_, in_step_, out_step_;
  bool are_rows_;
  Layout in_rest_, out_rest_;  // the other axes, the innermost of the result last
};

}  // namespace quern
