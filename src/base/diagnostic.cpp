#include "saltus/diagnostic.hpp"

#include "saltus/contract.hpp"

namespace saltus {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return "error";
}

Diagnostic& Diagnostics::add(Severity severity, DiagnosticCode code, std::string message,
                             std::optional<SourceSpan> span, std::string hint) {
  n_errors_ += severity == Severity::error ? 1 : 0;
  Diagnostic& item = items_.emplace_back();
  item.code = code.name;
  item.severity = severity;
  item.message = std::move(message);
  item.span = span;
  item.hint = std::move(hint);
  return item;
}

Diagnostic& Diagnostics::error(DiagnosticCode code, std::string message, std::optional<SourceSpan> span,
                               std::string hint) {
  return add(Severity::error, code, std::move(message), span, std::move(hint));
}

Diagnostic& Diagnostics::warning(DiagnosticCode code, std::string message, std::optional<SourceSpan> span,
                                 std::string hint) {
  return add(Severity::warning, code, std::move(message), span, std::move(hint));
}

void Diagnostics::append(Diagnostics other) {
  SALTUS_ASSERT(!other.source_ || !source_ || other.source_ == source_);
  if (!source_) {
    source_ = std::move(other.source_);
  }
  n_errors_ += other.n_errors_;
  items_.insert(items_.end(), std::make_move_iterator(other.items_.begin()),
                std::make_move_iterator(other.items_.end()));
}

}  // namespace saltus
