#include "compile/clang/link/module_table.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include "compile/cpu_module.h"

namespace quern::plugin {
namespace {

// Builds constants laid out as C lays out the structs of cpu_module.h: LLVM's struct layout for x86-64 is the same.
class TableWriter {
 public:
  explicit TableWriter(llvm::Module& module) : module_(module), context_(module.getContext()) {}

  llvm::Constant* number(uint32_t value) { return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), value); }
  llvm::Constant* big_number(uint64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), value); }
  llvm::Constant* null() { return llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context_)); }
  llvm::Constant* or_null(llvm::Constant* value) { return value ? value : null(); }

  llvm::Constant* text(const std::string& value) { return constant(llvm::ConstantDataArray::getString(context_, value)); }

  llvm::Constant* record(std::initializer_list<llvm::Constant*> fields) {
    return llvm::ConstantStruct::getAnon(context_, llvm::ArrayRef(fields.begin(), fields.size()));
  }

  llvm::Constant* list(const std::vector<llvm::Constant*>& rows) {
    if (rows.empty()) return null();
    return constant(llvm::ConstantArray::get(llvm::ArrayType::get(rows[0]->getType(), rows.size()), rows));
  }

  llvm::GlobalVariable* constant(llvm::Constant* value, const char* name = nullptr) {
    auto linkage = name ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::PrivateLinkage;
    return new llvm::GlobalVariable(module_, value->getType(), true, linkage, value, name ? name : "");
  }

 private:
  llvm::Module& module_;
  llvm::LLVMContext& context_;
};

uint64_t frame_bytes(const lowering::LoweredKernel& kernel) {
  if (!kernel.frame_bytes || !kernel.frame_bytes->hasInitializer()) return 0;
  auto* value = llvm::dyn_cast<llvm::ConstantInt>(kernel.frame_bytes->getInitializer());
  return value ? value->getZExtValue() : 0;
}

}  // namespace

void add_module_table(Program& program, const std::vector<lowering::LoweredKernel>& lowered) {
  llvm::Module& module = *program.module;
  TableWriter table(module);

  std::vector<llvm::Constant*> kernels;
  for (size_t i = 0; i < lowered.size(); ++i) {
    const KernelEntry& kernel = program.kernels[i];
    const lowering::LoweredKernel& code = lowered[i];
    std::vector<llvm::Constant*> params;
    for (const lowering::KernelParam& param : code.params) {
      params.push_back(table.record(
          {table.number(param.offset), table.number(param.size), table.number(param.align), table.number(param.access)}));
    }
    kernels.push_back(
        table.record({table.text(kernel.symbol), table.text(kernel.name), table.text(kernel.signature),
                      table.or_null(code.blocks), table.or_null(code.start), table.list(params),
                      table.number(static_cast<uint32_t>(params.size())), table.number(kernel.param_bytes),
                      table.number(code.static_shared), table.number(code.slot_bytes), table.big_number(frame_bytes(code)),
                      table.number(code.flags | (kernel.prints ? QUERN_KERNEL_PRINTS : 0u)), table.number(kernel.max_threads)}));
  }
  std::vector<llvm::Constant*> globals;
  for (const Global& global : program.globals) {
    globals.push_back(
        table.record({table.text(global.name), table.text(global.symbol), global.variable, table.big_number(global.size)}));
  }
  std::vector<llvm::Constant*> places, objects;
  if (program.checks.places().size() > 1) {
    for (const lowering::Place& place : program.checks.places())
      places.push_back(table.record(
          {table.text(place.file), table.text(place.function), table.number(place.line), table.number(place.column)}));
    for (const lowering::Object& object : program.checks.objects())
      objects.push_back(table.record({table.text(object.name), table.big_number(object.bytes), table.number(object.kind)}));
  }
  llvm::GlobalVariable* header =
      table.constant(table.record({table.number(QUERN_CPU_ABI), table.number(static_cast<uint32_t>(kernels.size())),
                                   table.number(static_cast<uint32_t>(globals.size())),
                                   table.number(static_cast<uint32_t>(places.size())), table.list(kernels), table.list(globals),
                                   table.list(places), table.list(objects), table.big_number(objects.size())}),
                     "quern_module");
  header->setVisibility(llvm::GlobalValue::DefaultVisibility);

  llvm::GlobalVariable* runtime = module.getNamedGlobal("quern_runtime");
  if (!runtime) {
    runtime = new llvm::GlobalVariable(module, llvm::PointerType::getUnqual(module.getContext()), false,
                                       llvm::GlobalValue::ExternalLinkage, nullptr, "quern_runtime");
  }
  runtime->setInitializer(table.null());
  runtime->setVisibility(llvm::GlobalValue::DefaultVisibility);
  runtime->setConstant(false);
  runtime->setSection(".data.rel.ro.quern_runtime");  // set by the loader and never again
}

}  // namespace quern::plugin
