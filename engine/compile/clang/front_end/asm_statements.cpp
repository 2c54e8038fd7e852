#include "compile/clang/front_end/asm_statements.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Lex/LiteralSupport.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>

#include <vector>

#include "compile/clang/ptx/names.h"

namespace quern::plugin {
namespace {

using clang::Token;

// "=l" as "=r": the operand's type determines its width and kind.
bool rename_registers(std::string& spelling) {
  bool changed = false;
  for (char& c : spelling) {
    if (c != 'l' && c != 'h' && c != 'f' && c != 'd') continue;
    c = 'r';
    changed = true;
  }
  return changed;
}

class AsmHandler : public clang::PragmaHandler {
 public:
  explicit AsmHandler(std::shared_ptr<AsmTexts> texts) : PragmaHandler("quern_asm"), texts_(std::move(texts)) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer, Token& first) override {
    Token token;
    preprocessor.Lex(first);  // the end of the pragma
    std::vector<Token> tokens;
    int depth = 0, section = 0;
    bool opened = false;
    std::vector<Token> text;
    for (preprocessor.Lex(token); token.isNot(clang::tok::eof); preprocessor.Lex(token)) {
      bool within = depth == 1;
      depth += token.isOneOf(clang::tok::l_paren, clang::tok::l_square, clang::tok::l_brace);
      depth -= token.isOneOf(clang::tok::r_paren, clang::tok::r_square, clang::tok::r_brace);
      opened |= depth > 0;
      if (within && token.is(clang::tok::colon)) section += 1;
      if (within && token.is(clang::tok::coloncolon)) section += 2;
      if (within && clang::tok::isStringLiteral(token.getKind())) {
        if (section == 0) text.push_back(token);
        if (section == 1 || section == 2) accept(preprocessor, token);
      }
      tokens.push_back(token);
      if (depth <= 0 && (opened || token.is(clang::tok::semi))) break;
    }
    if (!text.empty()) {
      clang::StringLiteralParser literal(text, preprocessor);
      if (!literal.hadError) texts_->all += literal.GetString().str() + "\n";
    }
    bool ended = token.is(clang::tok::eof);
    if (ended) tokens.push_back(token);
    auto stream = std::make_unique<Token[]>(tokens.size());
    std::copy(tokens.begin(), tokens.end(), stream.get());
    preprocessor.EnterTokenStream(std::move(stream), tokens.size(), /*DisableMacroExpansion=*/true, /*IsReinject=*/true);
  }

 private:
  static void accept(clang::Preprocessor& preprocessor, Token& token) {
    std::string spelling = preprocessor.getSpelling(token);
    if (!rename_registers(spelling)) return;
    clang::SourceLocation at = token.getLocation();
    Token renamed = token;
    preprocessor.CreateString(spelling, renamed, at, at);
    token = renamed;
  }

  std::shared_ptr<AsmTexts> texts_;
};

class RowRequester : public clang::ASTConsumer {
 public:
  RowRequester(clang::CodeGenerator& generator, std::shared_ptr<AsmTexts> texts)
      : generator_(generator), texts_(std::move(texts)) {}

  void HandleTranslationUnit(clang::ASTContext& ast) override {
    if (texts_->all.empty()) return;
    for (const std::string& name : ptx::rows_named_in(texts_->all)) {
      for (clang::NamedDecl* found : ast.getTranslationUnitDecl()->lookup(&ast.Idents.get(name))) {
        auto* function = llvm::dyn_cast<clang::FunctionDecl>(found);
        if (function) generator_.GetAddrOfGlobal(clang::GlobalDecl(function), /*isForDefinition=*/false);
      }
    }
  }

 private:
  clang::CodeGenerator& generator_;
  std::shared_ptr<AsmTexts> texts_;
};

}  // namespace

void watch_asm(clang::Preprocessor& preprocessor, std::shared_ptr<AsmTexts> texts) {
  preprocessor.AddPragmaHandler(new AsmHandler(std::move(texts)));  // the preprocessor owns its handlers
}

std::unique_ptr<clang::ASTConsumer> request_rows(clang::CodeGenerator& generator, std::shared_ptr<AsmTexts> texts) {
  return std::make_unique<RowRequester>(generator, std::move(texts));
}

}  // namespace quern::plugin
