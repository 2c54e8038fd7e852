// What a kernel's symbol says: its name in the source and the types of its parameters.
//
//   read_symbol("_ZN2ns6reduceIfLi3EEEvPKT_PS1_i")
//       name "ns::reduce<float, 3>", plain "reduce", signature "PKfPfi", params {const float*, float*, int}
//   read_signature("fPKfPfi")
//
// A signature is the Itanium encoding of the parameter types, here always written out in full: substitutions (S1_) and template
// parameters (T_) are replaced by what they stand for, so that a signature can be read alone. What the reader does not know
// (decltype, types local to functions) makes the signature unknown, never wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

struct ParamType {
  enum class Kind : uint8_t { scalar, pointer, other };
  enum class Number : uint8_t { none, boolean, integer, unsigned_integer, floating };

  Kind kind = Kind::other;
  Number scalar = Number::none;  // of the parameter, or of what it points to; none for void and classes
  uint32_t size = 0;             // bytes of that scalar; 0 when it is none
  bool pointee_const = false;    // pointers: nothing is written through it
  std::string code;              // "PKf"
  std::string text;              // "const float*", for messages
};

struct SymbolName {
  std::string name;       // "ns::reduce<float, 3>"; anonymous namespaces are left out
  std::string qualified;  // "ns::reduce"
  std::string plain;      // "reduce"
  std::string signature;  // "v" for a kernel without parameters, "" when not known
  std::vector<ParamType> params;
};

// For a symbol that is not mangled (extern "C"): the symbol as name, signature not known.
SymbolName read_symbol(std::string_view symbol);

// nullopt when it is not known or malformed; "v" gives no parameters.
std::optional<std::vector<ParamType>> read_signature(std::string_view signature);

// "float, const float*, float*, int"; "" when not known.
std::string describe_signature(std::string_view signature);

}  // namespace quern
