#include "lang/compile.hpp"

#include "lang/elaborate/elaborator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"
#include "lang/syntax/parser.hpp"

namespace saltus::lang {

Result<Compiled> compile(std::shared_ptr<const SourceText> source, const CompileOptions& options) {
  Diagnostics diagnostics(source);
  const ParseResult parsed = parse(*source, options.dialect, diagnostics);
  const Class* main = parsed.ast.main_model();
  if (diagnostics.has_errors() || main == nullptr) {
    if (!diagnostics.has_errors()) {
      diagnostics.error(kNoModel, "the text holds no model");
    }
    return Unexpected(std::move(diagnostics));
  }
  Elaborator elaborator(parsed.ast, *main, source, options, diagnostics);
  flat::Model model = elaborator.run();
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  return Compiled{std::move(model), std::move(diagnostics)};
}

}  // namespace saltus::lang
