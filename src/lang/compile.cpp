#include "lang/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "flat/read_derivatives.hpp"
#include "flat/square_laws.hpp"
#include "flat/verify.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"
#include "lang/syntax/parser.hpp"
#include "saltus/contract.hpp"

namespace saltus::lang {
namespace {

/// Those without a place come last.
Diagnostics in_text_order(const Diagnostics& found) {
  std::vector<const Diagnostic*> order;
  for (const Diagnostic& item : found.items()) {
    order.push_back(&item);
  }
  const auto place = [](const Diagnostic* item) {
    return item->span ? item->span->offset : std::numeric_limits<std::uint32_t>::max();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Diagnostic* a, const Diagnostic* b) { return place(a) < place(b); });
  Diagnostics result(found.source());
  for (const Diagnostic* item : order) {
    result.add(item->severity, DiagnosticCode{item->code}, item->message, item->span, item->hint).notes =
        item->notes;
  }
  return result;
}

// The model that was asked for, or the last one of the text, which is reported where there are several. Null: there is none.
const Class* choose_model(const Ast& ast, const std::string& name, Diagnostics& diagnostics) {
  const std::vector<const Class*> models = ast.top_models();
  if (models.empty()) {
    return nullptr;
  }
  std::string names;
  const Class* chosen = name.empty() ? models.back() : nullptr;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::string_view text = ast.text(models[i]->name);
    names += (i == 0 ? "" : i + 1 == models.size() ? " and " : ", ") + std::string(text);
    chosen = text == name ? models[i] : chosen;
  }
  if (chosen == nullptr) {
    diagnostics.error(kUnknownModel, fmt::format("the text holds no model '{}', but {}", name, names));
  } else if (name.empty() && models.size() > 1 &&
             !diagnostics.has_errors()) {  // a missing end makes models too
    diagnostics.warning(kSeveralModels,
                        fmt::format("the text holds {} models: {}; the last one, {}, is taken", models.size(),
                                    names, ast.text(chosen->name)),
                        chosen->name_span, "--model NAME takes another one");
  }
  return chosen;
}

// What one class declares belongs to another one too.
void extend(Ast& ast, std::size_t place, const std::string& name) {
  for (const Class& candidate : ast.classes) {
    if (candidate.kind == ClassKind::model && !candidate.is_nested() && ast.text(candidate.name) == name) {
      Class& main = ast.classes[place];
      main.components.insert(main.components.end(), candidate.components.begin(), candidate.components.end());
      main.equations.insert(main.equations.end(), candidate.equations.begin(), candidate.equations.end());
    }
  }
}

}  // namespace

Result<Compiled> compile(std::shared_ptr<const SourceText> source, const CompileOptions& options) {
  Diagnostics diagnostics(source);
  ParseResult parsed = parse(*source, options.dialect, diagnostics);
  const Class* main = choose_model(parsed.ast, options.model, diagnostics);
  if (main == nullptr || parsed.damage.unread) {
    if (!diagnostics.has_errors()) {
      diagnostics.error(kNoModel, "the text holds no model");
    }
    return Unexpected(std::move(diagnostics));
  }
  if (!options.extension.empty()) {
    extend(parsed.ast, static_cast<std::size_t>(main - parsed.ast.classes.data()), options.extension);
  }
  // After errors of syntax too: one run reports them all.
  Elaborator elaborator(parsed.ast, *main, source, options, parsed.damage, diagnostics);
  flat::Model model = elaborator.run();
  model.reinit_follows = options.dialect == Dialect::modelica;
  diagnostics = in_text_order(diagnostics);
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  flat::give_read_derivatives(model);
  flat::solve_square_laws(model);
  SALTUS_ASSERT(flat::verify(model).empty());
  return Compiled{std::move(model), std::move(diagnostics)};
}

}  // namespace saltus::lang
