// File: quern/error.h
//
// All errors are thrown as quern::Error. The kind classifies the error; the text names the operation, what is wrong and what to
// do.
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

// What kind of mistake an error is.
enum class ErrorKind {
  value,            // an argument's value is wrong
  type,             // an argument's type is wrong, or there are too many or too few
  index,            // out of range
  key,              // no such name
  os,               // a file, a directory or a library could not be used
  overflow,         // a number does not fit its type
  zero_division,    // a division by zero, as by weights that sum to zero
  buffer,           // memory cannot be shared as requested
  not_implemented,  // not supported
  runtime,          // the driver or the machine failed
  out_of_memory,    // the device is out of memory, also after unused memory was released
  compile,          // the source does not compile; the text has the compiler's log
  launch,           // a kernel failed while it ran
  logic,            // an invalid call: freed memory, an unknown kernel, a block over the limits
  algebra,          // the matrix is not suited: singular, not positive definite, not square
  bug,              // an internal error of quern
};

// What quern's functions throw; what() says the operation, what is wrong and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace quern
