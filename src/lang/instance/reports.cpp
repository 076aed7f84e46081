#include "lang/instance/reports.hpp"

#include <algorithm>

namespace saltus::lang {

Reports::Item& Reports::error(DiagnosticCode code, std::string message, FilePlace place, std::string hint) {
  const bool told =
      place.file != nullptr && std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
        return item.code == code.name && item.place.file == place.file && item.place.span == place.span;
      });
  if (told) {
    unsaid_ = Item();
    return unsaid_;
  }
  ++n_errors_;
  items_.push_back({Severity::error, std::string(code.name), std::move(message), place, std::move(hint), {}});
  return items_.back();
}

void Reports::warn(DiagnosticCode code, std::string message, FilePlace place) {
  items_.push_back({Severity::warning, std::string(code.name), std::move(message), place, {}, {}});
}

void Reports::add(const Diagnostics& found, const ClassFile& file) {
  for (const Diagnostic& item : found.items()) {
    n_errors_ += item.severity == Severity::error ? 1 : 0;
    const FilePlace place = item.span ? FilePlace{&file, *item.span} : FilePlace{};
    items_.push_back({item.severity, item.code, item.message, place, item.hint, {}});
    for (const Diagnostic::Note& note : item.notes) {
      items_.back().notes.push_back({note.message, note.span ? FilePlace{&file, *note.span} : FilePlace{}});
    }
  }
}

}  // namespace saltus::lang
