// Diagnostics: what is wrong with a model, an option or a file, as values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/source_text.hpp"

namespace saltus {

enum class Severity { error, warning, note };

[[nodiscard]] std::string_view to_string(Severity severity);

/// A stable name for one kind of problem, such as "unknown-name". Codes are defined as constants beside the
/// code that reports them; each has a section in docs/diagnostics/ and a case in tests/corpus/.
struct DiagnosticCode {
  std::string_view name;
};

struct Diagnostic {
  std::string code;
  Severity severity = Severity::error;
  std::string message;
  std::optional<SourceSpan> span;  ///< where in the model text; none for options and files
  std::string hint;                ///< what the user may do, empty if nothing helps

  /// A further place that belongs to the problem ("first set here").
  struct Note {
    std::string message;
    std::optional<SourceSpan> span;
  };
  std::vector<Note> notes;
};

/// A list of diagnostics with the text they refer to. The order is the order of reporting.
class Diagnostics {
 public:
  Diagnostics() = default;
  explicit Diagnostics(std::shared_ptr<const SourceText> source) : source_(std::move(source)) {}

  Diagnostic& add(Severity severity, DiagnosticCode code, std::string message,
                  std::optional<SourceSpan> span = std::nullopt, std::string hint = {});
  Diagnostic& error(DiagnosticCode code, std::string message, std::optional<SourceSpan> span = std::nullopt,
                    std::string hint = {});
  Diagnostic& warning(DiagnosticCode code, std::string message, std::optional<SourceSpan> span = std::nullopt,
                      std::string hint = {});
  /// Appends the items of another list over the same text (or over none).
  void append(Diagnostics other);

  [[nodiscard]] bool has_errors() const { return n_errors_ > 0; }
  [[nodiscard]] std::size_t n_errors() const { return n_errors_; }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] const std::vector<Diagnostic>& items() const { return items_; }
  [[nodiscard]] const std::shared_ptr<const SourceText>& source() const { return source_; }
  void set_source(std::shared_ptr<const SourceText> source) { source_ = std::move(source); }

 private:
  std::vector<Diagnostic> items_;
  std::size_t n_errors_ = 0;
  std::shared_ptr<const SourceText> source_;
};

/// For a person: "file:line:column: error: message [code]", the source line, a caret under the span, hint,
/// notes.
[[nodiscard]] std::string render_text(const Diagnostics& diagnostics, bool color = false);
/// For a program: a JSON array of objects with file, line, column, severity, code, message, hint, notes.
[[nodiscard]] std::string render_json(const Diagnostics& diagnostics);

}  // namespace saltus
