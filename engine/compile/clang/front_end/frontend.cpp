// See frontend.h. parse() is the way in: it writes the text that clang reads (wrap), the options it reads it with (arguments),
// runs clang over a file system held in memory, and collects what was declared (Collector).
#include "compile/clang/front_end/frontend.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Mangle.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "compile/clang/front_end/alignments.h"
#include "compile/clang/front_end/asm_statements.h"
#include "compile/clang/front_end/clang_run.h"
#include "compile/clang/front_end/diagnostics.h"
#include "compile/clang/front_end/texture_variables.h"
#include "compile/clang/front_end/thunks.h"
#include "compile/clang/ptx/translate.h"

namespace quern::plugin {
namespace {

constexpr const char* name_variable = "__quern_name_";

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

// Headers of the user's may have asm statements as well as the text; CCCL's see to it themselves (prelude/cccl).
bool may_have_asm(const Request& request) {
  return request.text.find("asm") != std::string::npos || !request.options.include_dirs.empty();
}

bool may_align(const Request& request) {
  return request.text.find("alignas") != std::string::npos || !request.options.include_dirs.empty();
}

// The user's text between what the options define and one variable for each name expression, whose initialiser makes clang
// instantiate what the expression names. Line markers keep every message at the user's own line.
std::string wrap(const Request& request) {
  std::string out;
  if (may_have_asm(request) && !request.headers.empty()) out += "#include <quern/asm.cuh>\n";
  if (may_align(request) && !request.headers.empty()) out += "#include <quern/alignments.cuh>\n";
  if (!request.options.definitions.empty() || !request.options.includes.empty()) {
    out += "# 1 \"<options>\"\n";
    for (const std::string& line : request.options.definitions) out += line + "\n";
    for (const std::string& name : request.options.includes) out += "#include \"" + name + "\"\n";
  }
  out += "# 1 " + in_quotes(request.name) + "\n";
  out += request.text;
  out += "\n";
  for (size_t i = 0; i < request.name_expressions.size(); ++i) {
    const std::string& name = request.name_expressions[i];
    bool is_address = !name.empty() && (name[0] == '&' || name[0] == '(');
    out += "# 1 \"<name expression>\"\nextern \"C\" { __device__ auto " + (name_variable + std::to_string(i)) + " =" +
           (is_address ? "" : " &") + "\n# 1 \"<name expression>\"\n" + name + "\n; }\n";
  }
  return out;
}

std::vector<std::string> arguments(const Request& request, bool use_pch) {
  std::vector<std::string> out = language_options(request.options, request.cccl);
  if (use_pch) {
    for (const char* word : {"-include-pch", pch_path, "-fno-validate-pch"}) out.push_back(word);
  } else if (!request.headers.empty()) {
    out.push_back("-include");
    out.push_back(header_path(request.headers[0].path));
  }
  out.push_back(main_path);
  return out;
}

using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

// The host's own files are opened only when the user names folders of them; CCCL's, which come with us, are no news.
FileSystem with_host_files(const Request& request, FileSystem files, HostFiles& record) {
  bool users = !request.options.include_dirs.empty();
  if (!users && request.cccl.empty()) return files;
  FileSystem cccl = files_below(request.cccl);
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(users ? host_files(record) : cccl);
  if (users) all->pushOverlay(cccl);
  all->pushOverlay(files);
  return all;
}

uint32_t max_threads(const clang::ASTContext& ast, const clang::FunctionDecl& decl) {
  constexpr uint32_t most = 1024;
  const auto* bounds = decl.getAttr<clang::CUDALaunchBoundsAttr>();
  if (!bounds || !bounds->getMaxThreads()) return most;
  auto value = bounds->getMaxThreads()->getIntegerConstantExpr(ast);
  return value && value->getExtValue() > 0 ? static_cast<uint32_t>(std::min<int64_t>(value->getExtValue(), most)) : most;
}

// Loads from __constant__ memory may be moved and merged: nothing writes it while a kernel runs.
void mark_constant_loads(llvm::GlobalVariable& variable) {
  llvm::SmallVector<llvm::Value*> work = {&variable};
  while (!work.empty()) {
    for (llvm::User* user : work.pop_back_val()->users()) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(load->getContext(), {}));
      } else if (llvm::isa<llvm::GEPOperator>(user)) {
        work.push_back(user);
      }
    }
  }
}

// Whether the function, or one that it names, is the prelude's printf.
bool reaches_print(const llvm::Function& function, llvm::SmallPtrSetImpl<const llvm::Function*>& seen) {
  if (!seen.insert(&function).second) return false;
  if (function.getName() == "__quern_print") return true;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    for (const llvm::Value* operand : instruction.operands()) {
      const auto* named = llvm::dyn_cast<llvm::Function>(operand);
      if (named && reaches_print(*named, seen)) return true;
    }
  }
  return false;
}

// Runs after code generation and fills the Program from clang's declarations.
class Collector : public clang::ASTConsumer {
 public:
  Collector(const Request& request, Program& program, clang::CodeGenerator& generator)
      : request_(request), program_(program), generator_(generator) {}

  void HandleTranslationUnit(clang::ASTContext& ast) override {
    llvm::Module* module = generator_.GetModule();
    if (!module || ast.getDiagnostics().hasErrorOccurred()) return;
    mangler_.reset(clang::ItaniumMangleContext::create(ast, ast.getDiagnostics()));
    try {
      collect(ast, *module);
    } catch (const CompileError& caught) {
      error = caught.what();  // clang's frames, which lie above this one, must not be unwound
      return;
    }
    program_.module.reset(generator_.ReleaseModule());
  }

  std::string error;

 private:
  void collect(clang::ASTContext& ast, llvm::Module& module) {
    for (size_t i = 0; i < request_.name_expressions.size(); ++i) resolve_name(ast, i);
    for (llvm::Function& function : llvm::make_early_inc_range(module)) collect_kernel(ast, function);
    for (llvm::GlobalVariable& variable : module.globals()) collect_variable(ast, variable);
    translate_asm(ast, module);
  }

  void translate_asm(clang::ASTContext& ast, llvm::Module& module) {
    std::vector<llvm::Function*> threads;
    for (const KernelEntry& kernel : program_.kernels) threads.push_back(kernel.thread);
    clang::DiagnosticsEngine& diagnostics = ast.getDiagnostics();
    unsigned id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0");
    ptx::translate(module, threads, [&](const std::string& what, unsigned place) {
      diagnostics.Report(clang::SourceLocation::getFromRawEncoding(place), id) << what;
    });
  }

  const clang::Decl* decl_of(const llvm::GlobalValue& value) { return generator_.GetDeclForMangledName(value.getName()); }

  void resolve_name(clang::ASTContext& ast, size_t index) {
    const std::string& text = request_.name_expressions[index];
    std::string variable_name = name_variable + std::to_string(index);
    const clang::ValueDecl* named = nullptr;
    for (const clang::NamedDecl* found : ast.getTranslationUnitDecl()->lookup(&ast.Idents.get(variable_name))) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(found);
      const clang::Expr* init = variable ? variable->getInit() : nullptr;
      if (!init) continue;
      init = init->IgnoreParenCasts();
      if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(init)) init = address->getSubExpr()->IgnoreParenCasts();
      if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(init)) named = reference->getDecl();
    }
    bool kernel = named && named->hasAttr<clang::CUDAGlobalAttr>();
    bool variable = named && (named->hasAttr<clang::CUDADeviceAttr>() || named->hasAttr<clang::CUDAConstantAttr>());
    if (!kernel && !(variable && llvm::isa<clang::VarDecl>(named))) {
      throw CompileError("[compile] name expression '" + text +
                         "' is not a kernel or a __device__ or __constant__ variable of this source");
    }
    clang::GlobalDecl global =
        kernel ? clang::GlobalDecl(llvm::cast<clang::FunctionDecl>(named)) : clang::GlobalDecl(llvm::cast<clang::VarDecl>(named));
    program_.name_symbols.push_back(generator_.GetMangledName(global).str());
    // The helper variable has done its work.
    if (auto* helper = generator_.GetModule()->getNamedGlobal(variable_name)) {
      helper->replaceAllUsesWith(llvm::UndefValue::get(helper->getType()));
      helper->eraseFromParent();
    }
  }

  void collect_kernel(clang::ASTContext& ast, llvm::Function& function) {
    if (function.isDeclaration()) return;
    const auto* decl = llvm::dyn_cast_or_null<clang::FunctionDecl>(decl_of(function));
    if (!decl || !decl->hasAttr<clang::CUDAGlobalAttr>()) return;
    KernelEntry kernel;
    kernel.symbol = function.getName().str();
    llvm::raw_string_ostream name(kernel.name);
    decl->getNameForDiagnostic(name, ast.getPrintingPolicy(), true);
    kernel.max_threads = max_threads(ast, *decl);
    make_thunk(generator_.CGM(), *mangler_, *decl, function, kernel);
    llvm::SmallPtrSet<const llvm::Function*, 16> seen;
    kernel.prints = reaches_print(function, seen);
    program_.kernels.push_back(std::move(kernel));
  }

  void collect_variable(clang::ASTContext& ast, llvm::GlobalVariable& variable) {
    const auto* decl = llvm::dyn_cast_or_null<clang::VarDecl>(decl_of(variable));
    if (!decl) return;
    if (decl->hasAttr<clang::CUDASharedAttr>()) {
      (variable.isDeclaration() ? program_.dynamic_shared : program_.shared).push_back(&variable);
      return;
    }
    bool constant = decl->hasAttr<clang::CUDAConstantAttr>();
    if ((!constant && !decl->hasAttr<clang::CUDADeviceAttr>()) || variable.isDeclaration()) return;
    if (!decl->getType().isConstQualified()) variable.setConstant(false);  // the host may write it
    keep_declared_values(*decl, variable);
    if (constant) mark_constant_loads(variable);
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable.setVisibility(llvm::GlobalValue::HiddenVisibility);
    variable.setExternallyInitialized(true);
    if (decl->isStaticLocal()) return;  // has no name that the host could ask for
    uint64_t size = static_cast<uint64_t>(ast.getTypeSizeInChars(decl->getType()).getQuantity());
    program_.globals.push_back({&variable, decl->getQualifiedNameAsString(), variable.getName().str(), size});
  }

  const Request& request_;
  Program& program_;
  clang::CodeGenerator& generator_;
  std::unique_ptr<clang::MangleContext> mangler_;
};

class EmitAction : public clang::ASTFrontendAction {
 public:
  EmitAction(const Request& request, Program& program) : request_(request), program_(program) {}

  std::string error;  // what the collector had against the text

 protected:
  bool BeginSourceFileAction(clang::CompilerInstance& instance) override {
    explain_missing_headers(instance.getPreprocessor());
    watch_asm(instance.getPreprocessor(), asm_texts_);
    watch_alignments(instance.getPreprocessor());
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance, llvm::StringRef file) override {
    clang::CodeGenerator* generator = clang::CreateLLVMCodeGen(instance.getDiagnostics(), file, &instance.getVirtualFileSystem(),
                                                               instance.getHeaderSearchOpts(), instance.getPreprocessorOpts(),
                                                               instance.getCodeGenOpts(), *program_.context);
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(request_rows(*generator, asm_texts_));
    consumers.push_back(mark_texture_variables());
    consumers.emplace_back(generator);
    auto collector = std::make_unique<Collector>(request_, program_, *generator);
    collector_ = collector.get();
    consumers.push_back(std::move(collector));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

  void EndSourceFileAction() override {
    if (collector_) error = collector_->error;
  }

 private:
  const Request& request_;
  Program& program_;
  Collector* collector_ = nullptr;
  std::shared_ptr<AsmTexts> asm_texts_ = std::make_shared<AsmTexts>();
};

// LLVM's passes report here; what they could not optimise is no message for users.
void keep_errors_only(llvm::LLVMContext& context, std::string& errors) {
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* info, void* out) {
        if (info->getSeverity() != llvm::DS_Error) return;
        llvm::raw_string_ostream stream(*static_cast<std::string*>(out));
        llvm::DiagnosticPrinterRawOStream printer(stream);
        stream << "error: ";
        info->print(printer);
        stream << "\n";
      },
      &errors);
}

}  // namespace

Program parse(const Request& request, std::string& log) {
  for (const std::string& warning : request.options.warnings) log += "warning: " + warning + "\n";
  std::string text = wrap(request);

  std::unique_ptr<llvm::MemoryBuffer> pch;
  if (!request.pch.empty() && request.options.standard == "c++17") {
    if (auto file = llvm::MemoryBuffer::getFile(request.pch, /*IsText=*/false, /*RequiresNullTerminator=*/false)) {
      pch = std::move(*file);
    }
  }
  for (bool use_pch : {pch != nullptr, false}) {
    Program program;
    program.context = std::make_unique<llvm::LLVMContext>();
    program.errors = std::make_unique<std::string>();
    keep_errors_only(*program.context, *program.errors);
    auto files = header_files(request);
    files->addFile(main_path, 0, llvm::MemoryBuffer::getMemBuffer(text, main_path));
    if (use_pch) files->addFileNoOwn(pch_path, 0, pch->getMemBufferRef());
    bool bad_pch = false;
    std::string messages;
    EmitAction action(request, program);
    bool ok =
        run_clang(arguments(request, use_pch), with_host_files(request, files, program.host_files), action, messages, &bad_pch);
    if (use_pch && bad_pch) continue;  // made by another build: the text says the same
    log += messages;
    if (!action.error.empty()) throw CompileError(log + action.error);
    if (!ok || !program.module) throw CompileError(log);
    return program;
  }
  throw CompileError(log);
}

}  // namespace quern::plugin
