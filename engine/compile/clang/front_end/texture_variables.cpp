#include "compile/clang/front_end/texture_variables.h"

#include <clang/AST/APValue.h>
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclGroup.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GlobalVariable.h>

namespace quern::plugin {
namespace {

bool is_reference(clang::QualType type) {
  return type->isCUDADeviceBuiltinTextureType() || type->isCUDADeviceBuiltinSurfaceType();
}

// Of structures and arrays of integers.
llvm::Constant* constant_of(const clang::APValue& value, llvm::Type* type) {
  llvm::SmallVector<llvm::Constant*> parts;
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type); structure && value.isStruct()) {
    for (unsigned i = 0; i < structure->getNumElements() && i < value.getStructNumFields(); ++i)
      parts.push_back(constant_of(value.getStructField(i), structure->getElementType(i)));
    return parts.size() == structure->getNumElements() ? llvm::ConstantStruct::get(structure, parts)
                                                       : llvm::Constant::getNullValue(type);
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type); array && value.isArray()) {
    for (unsigned i = 0; i < array->getNumElements(); ++i) {
      bool has = i < value.getArrayInitializedElts();
      parts.push_back(has ? constant_of(value.getArrayInitializedElt(i), array->getElementType())
                          : llvm::Constant::getNullValue(array->getElementType()));
    }
    return llvm::ConstantArray::get(array, parts);
  }
  return value.isInt() && type->isIntegerTy() ? llvm::ConstantInt::get(type, value.getInt()) : llvm::Constant::getNullValue(type);
}

class Marker : public clang::ASTConsumer {
 public:
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* decl : group) mark(decl);
    return true;
  }

 private:
  static void mark(clang::Decl* decl) {
    if (auto* variable = llvm::dyn_cast<clang::VarDecl>(decl)) {
      if (is_reference(variable->getType()) && !variable->hasAttr<clang::CUDADeviceAttr>() &&
          !variable->hasAttr<clang::CUDAConstantAttr>())
        variable->addAttr(clang::CUDADeviceAttr::CreateImplicit(decl->getASTContext()));
    } else if (llvm::isa<clang::LinkageSpecDecl, clang::NamespaceDecl>(decl)) {
      for (clang::Decl* inner : llvm::cast<clang::DeclContext>(decl)->decls()) mark(inner);
    }
  }
};

}  // namespace

std::unique_ptr<clang::ASTConsumer> mark_texture_variables() { return std::make_unique<Marker>(); }

void keep_declared_values(const clang::VarDecl& decl, llvm::GlobalVariable& variable) {
  if (!is_reference(decl.getType())) return;
  const clang::APValue* value = decl.getInit() ? decl.evaluateValue() : nullptr;
  variable.setInitializer(value ? constant_of(*value, variable.getValueType())
                                : llvm::Constant::getNullValue(variable.getValueType()));
}

}  // namespace quern::plugin
