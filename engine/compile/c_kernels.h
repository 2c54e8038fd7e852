// Kernels that a text declares extern "C": their symbols do not tell the types of their parameters, so NVRTC is asked for the
// type of each.
//
//   c_kernels(text)  {"scale"}: names that the text seems to declare so; what is wrong about it must only cost time
//   type_request("scale")  a name expression, beside type_requests_need, whose symbol contains the type
//   type_told("_Z13__quern_typesIPFvPffiEEvT_")  "Pffi"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quern {

std::vector<std::string> c_kernels(std::string_view text);

// What stands behind a text that is asked so.
constexpr std::string_view type_requests_need = "\ntemplate <class F> __global__ void __quern_types(F) {}\n";
std::string type_request(std::string_view kernel);
bool is_of_type_request(std::string_view symbol);
std::string type_told(std::string_view symbol);  // "" when it is not known

}  // namespace quern
