#include "compile/clang/front_end/alignments.h"

#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>

namespace quern::plugin {
namespace {

class Handler : public clang::PragmaHandler {
 public:
  Handler() : PragmaHandler("quern_alignas") {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer, clang::Token& first) override {
    clang::Token token;
    preprocessor.Lex(first);  // the end of the pragma
    preprocessor.Lex(token);
    if (token.is(clang::tok::kw_alignas)) {
      token.setIdentifierInfo(preprocessor.getIdentifierInfo("_Alignas"));
      token.setKind(clang::tok::kw__Alignas);
    }
    preprocessor.EnterToken(token, /*IsReinject=*/true);
  }
};

}  // namespace

void watch_alignments(clang::Preprocessor& preprocessor) {
  preprocessor.AddPragmaHandler(new Handler());  // the preprocessor owns its handlers
}

}  // namespace quern::plugin
