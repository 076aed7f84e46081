#include "lang/compile.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "flat/read_derivatives.hpp"
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

}  // namespace

Result<Compiled> compile(std::shared_ptr<const SourceText> source, const CompileOptions& options) {
  Diagnostics diagnostics(source);
  const ParseResult parsed = parse(*source, options.dialect, diagnostics);
  const Class* main = parsed.ast.main_model();
  if (main == nullptr || parsed.damage.unread) {
    if (!diagnostics.has_errors()) {
      diagnostics.error(kNoModel, "the text holds no model");
    }
    return Unexpected(std::move(diagnostics));
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
  SALTUS_ASSERT(flat::verify(model).empty());
  return Compiled{std::move(model), std::move(diagnostics)};
}

}  // namespace saltus::lang
