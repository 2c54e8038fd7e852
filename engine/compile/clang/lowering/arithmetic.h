// Gives the arithmetic that C++ leaves undefined the results that a GPU gives, before any pass can make use of it.
#pragma once

namespace llvm {
class BinaryOperator;
class Function;
}  // namespace llvm

namespace quern::lowering {

//   x << n, x >> n with n >= width   0 (or the sign); costs nothing for constant and masked amounts
//   float to integer                 truncated, then held within 32 or 64 bits; NaN gives 0
//   x / 0, INT_MIN / -1              some value, but no trap
void define_arithmetic(llvm::Function& function);
void define_division(llvm::BinaryOperator& division);

}  // namespace quern::lowering
