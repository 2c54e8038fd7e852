// File: quern/error.h
//
// Everything that goes wrong is thrown as quern::Error. Its kind says whose fault it is and what a caller may do; its text names
// the operation, what is wrong and what to do.
//
//   try {
//     kernel({1024}, {256}, x, y);
//     device.synchronize();
//   } catch (const quern::Error& e) {
//     if (e.kind() == quern::ErrorKind::out_of_memory) ...
//   }
#pragma once

#include <stdexcept>
#include <string>

namespace quern {

enum class ErrorKind {
  value,            // an argument's value is wrong
  type,             // an argument's type is wrong, or there are too many or too few
  index,            // out of range
  key,              // no such name
  os,               // a file, a folder, a library
  overflow,         // a number does not fit
  zero_division,    // a division by zero that has no meaning, as by weights whose sum is zero
  buffer,           // memory that cannot be shared as asked for
  not_implemented,  // not served
  runtime,          // the driver or the machine failed
  out_of_memory,    // no room on the device, also after unused memory was given back
  compile,          // the source is at fault; the text is the compiler's log
  launch,           // a kernel failed while it ran
  logic,            // a call that makes no sense now: freed memory, an unknown kernel, a block over the limits
  algebra,          // a matrix is not what the function needs: singular, not positive definite
  bug,              // a fault of quern's own
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace quern
