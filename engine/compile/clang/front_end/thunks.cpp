// See thunks.h. How a parameter reaches a function (in one register or two, by reference, not at all) is clang's decision;
// CGFunctionInfo describes it, and the loads here mirror it.
#include <algorithm>

#include "compile/clang/front_end/thunks.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/CGFunctionInfo.h>
#include <clang/CodeGen/CodeGenABITypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "compile/clang/front_end/frontend.h"

namespace quern::plugin {
namespace {

constexpr uint64_t block_align = 16;  // what a parameter block is aligned to at least

std::string mangled_type(clang::MangleContext& mangler, clang::QualType type) {
  std::string text;
  llvm::raw_string_ostream out(text);
  mangler.mangleCanonicalTypeName(type, out);
  constexpr size_t prefix = 4;  // "_ZTS"
  return text.substr(prefix);
}

[[noreturn]] void refuse(const clang::ASTContext& ast, const clang::ParmVarDecl& param, const std::string& kernel,
                         const std::string& why) {
  clang::PresumedLoc at = ast.getSourceManager().getPresumedLoc(param.getLocation());
  std::string where = at.isValid() ? std::string(at.getFilename()) + ":" + std::to_string(at.getLine()) + ": " : "";
  throw CompileError(where + "error: [compile] parameter '" + param.getNameAsString() + "' of kernel " + kernel + " " + why);
}

// The size, place and kind of each parameter in the packed block.
void lay_out(const clang::ASTContext& ast, clang::MangleContext& mangler, const clang::FunctionDecl& decl, KernelEntry& kernel) {
  if (decl.isVariadic()) throw CompileError("[compile] kernel " + kernel.name + " has variable arguments; list its parameters");
  uint64_t end = 0;
  if (decl.parameters().empty()) kernel.signature = "v";
  for (const clang::ParmVarDecl* param : decl.parameters()) {
    clang::QualType type = param->getType().getCanonicalType().getUnqualifiedType();
    if (type->isReferenceType()) {
      refuse(ast, *param, kernel.name, "is a reference, which a launch cannot pass; make it a pointer or a value");
    }
    lowering::KernelParam out;
    out.size = static_cast<uint32_t>(ast.getTypeSizeInChars(type).getQuantity());
    out.align = static_cast<uint32_t>(ast.getTypeAlignInChars(type).getQuantity());
    out.offset = static_cast<uint32_t>(llvm::alignTo(end, out.align));
    out.pointer = type->isPointerType();
    out.points_to_const = out.pointer && type->getPointeeType().isConstQualified();
    end = out.offset + out.size;
    kernel.params.push_back(out);
    kernel.param_names.push_back(param->getNameAsString());
    kernel.signature += mangled_type(mangler, type);
  }
  kernel.param_bytes = static_cast<uint32_t>(end);
}

class ThunkWriter {
 public:
  ThunkWriter(llvm::IRBuilder<>& builder, llvm::Value* block) : builder_(builder), block_(block) {}

  void add(const clang::CodeGen::ABIArgInfo& info, llvm::Type* memory_type, const lowering::KernelParam& param) {
    using Kind = clang::CodeGen::ABIArgInfo::Kind;
    if (llvm::Type* padding = info.getPaddingType()) arguments.push_back(llvm::UndefValue::get(padding));
    switch (info.getKind()) {
      case Kind::Ignore:
        return;
      case Kind::Direct:
      case Kind::Extend: {
        llvm::Type* type = info.getCoerceToType();
        uint64_t offset = param.offset + info.getDirectOffset();
        auto* parts = llvm::dyn_cast<llvm::StructType>(type);
        if (parts && info.isDirect() && info.getCanBeFlattened()) {
          add_parts(parts, offset, param.align);
        } else {
          arguments.push_back(load(type, offset, param.align));
        }
        return;
      }
      case Kind::Indirect:
        arguments.push_back(info.getIndirectByVal() ? address(param.offset) : copy(memory_type, param));
        return;
      default:
        throw CompileError("[compile] a parameter of a type that this compiler cannot pass by value; pass a pointer to it");
    }
  }

  std::vector<llvm::Value*> arguments;

 private:
  llvm::Value* address(uint64_t offset) { return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), block_, offset); }

  llvm::Value* load(llvm::Type* type, uint64_t offset, uint64_t align) {
    // A bool is one bit as a value and a byte in memory.
    llvm::Type* stored = type->isIntegerTy(1) ? builder_.getInt8Ty() : type;
    llvm::Align known = llvm::commonAlignment(llvm::Align(std::min(align, block_align)), offset);
    llvm::LoadInst* value = builder_.CreateAlignedLoad(stored, address(offset), known);
    value->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder_.getContext(), {}));
    return stored == type ? static_cast<llvm::Value*>(value) : builder_.CreateTrunc(value, type);
  }

  void add_parts(llvm::StructType* parts, uint64_t offset, uint64_t align) {
    const llvm::DataLayout& layout = builder_.GetInsertBlock()->getModule()->getDataLayout();
    const llvm::StructLayout* places = layout.getStructLayout(parts);
    for (unsigned i = 0; i < parts->getNumElements(); ++i) {
      arguments.push_back(load(parts->getElementType(i), offset + places->getElementOffset(i), align));
    }
  }

  // The callee may write to what it is given by reference: each thread gets its own.
  llvm::Value* copy(llvm::Type* type, const lowering::KernelParam& param) {
    llvm::AllocaInst* own = builder_.CreateAlloca(type);
    own->setAlignment(llvm::Align(param.align));
    builder_.CreateMemCpy(own, own->getAlign(), address(param.offset), llvm::Align(std::min<uint64_t>(param.align, block_align)),
                          param.size);
    return own;
  }

  llvm::IRBuilder<>& builder_;
  llvm::Value* block_;
};

}  // namespace

void make_thunk(clang::CodeGen::CodeGenModule& code, clang::MangleContext& mangler, const clang::FunctionDecl& decl,
                llvm::Function& function, KernelEntry& kernel) {
  const clang::ASTContext& ast = decl.getASTContext();
  lay_out(ast, mangler, decl, kernel);

  auto type = ast.getCanonicalType(decl.getType()).castAs<clang::FunctionProtoType>();
  const clang::CodeGen::CGFunctionInfo& info = clang::CodeGen::arrangeFreeFunctionType(code, type);

  llvm::LLVMContext& context = function.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  auto* thunk_type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false);
  auto* thunk =
      llvm::Function::Create(thunk_type, llvm::GlobalValue::InternalLinkage, "thread." + kernel.symbol, function.getParent());
  thunk->addFnAttr(llvm::Attribute::NoUnwind);
  thunk->addFnAttr(llvm::Attribute::Convergent);
  thunk->addParamAttr(0, llvm::Attribute::NoAlias);
  thunk->addParamAttr(0, llvm::Attribute::ReadOnly);
  thunk->addParamAttr(0, llvm::Attribute::NoUndef);
  if (kernel.param_bytes) thunk->addDereferenceableParamAttr(0, kernel.param_bytes);

  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", thunk));
  ThunkWriter writer(builder, thunk->getArg(0));
  unsigned index = 0;
  for (const auto& argument : info.arguments()) {
    writer.add(argument.info, clang::CodeGen::convertTypeForMemory(code, argument.type), kernel.params[index++]);
  }
  if (function.arg_size() != writer.arguments.size()) {
    throw CompileError("[compile] kernel " + kernel.name + " has parameters that cannot be passed; please report this as a bug");
  }
  llvm::CallInst* call = builder.CreateCall(&function, writer.arguments);
  call->setCallingConv(function.getCallingConv());
  call->setAttributes(llvm::AttributeList::get(context, llvm::AttributeSet(), llvm::AttributeSet(), [&] {
    std::vector<llvm::AttributeSet> sets;
    for (unsigned i = 0; i < function.arg_size(); ++i) sets.push_back(function.getAttributes().getParamAttrs(i));
    return sets;
  }()));
  builder.CreateRetVoid();
  kernel.thread = thunk;
  function.removeFnAttr(llvm::Attribute::NoInline);
  function.removeFnAttr(llvm::Attribute::OptimizeNone);
}

}  // namespace quern::plugin
