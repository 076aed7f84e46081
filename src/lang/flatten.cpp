#include "lang/flatten.hpp"

#include <fmt/format.h>

#include "lang/instance/instance_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

KnownSettings known_settings(const CompileOptions& options) {
  KnownSettings settings;
  for (const auto& [name, setting] : options.parameters) {
    KnownValue value;
    value.shape.assign(setting.shape.begin(), setting.shape.end());
    value.numbers = setting.numbers;
    value.type = KnownValue::Type::real;
    if (setting.numbers.empty() && setting.shape.empty()) {
      value.type = KnownValue::Type::string;
      value.texts = {setting.text};
    }
    settings[name] = std::move(value);
  }
  return settings;
}

/// A place in the file that is shown, or in words.
void add_place(Diagnostic& item, const FilePlace& place, const SourceText& shown) {
  if (place.file == nullptr) {
    return;
  }
  if (place.file->source.get() == &shown) {
    item.span = place.span;
    return;
  }
  const SourcePosition position = place.file->source->position(place.span.offset);
  item.notes.push_back(
      {fmt::format("at {}:{}:{}", place.file->source->name(), position.line, position.column), std::nullopt});
}

void add_note(Diagnostic& item, const std::string& message, const FilePlace& place, const SourceText& shown) {
  if (place.file != nullptr && place.file->source.get() != &shown) {
    const SourcePosition position = place.file->source->position(place.span.offset);
    item.notes.push_back(
        {fmt::format("{} ({}:{}:{})", message, place.file->source->name(), position.line, position.column),
         std::nullopt});
    return;
  }
  item.notes.push_back({message, place.file == nullptr ? std::nullopt : std::optional(place.span)});
}

Diagnostics told(const Reports& reports, const std::shared_ptr<const SourceText>& shown) {
  Diagnostics result(shown);
  for (const Reports::Item& item : reports.items()) {
    Diagnostic& one =
        result.add(item.severity, DiagnosticCode{item.code}, item.message, std::nullopt, item.hint);
    add_place(one, item.place, *shown);
    for (const Reports::Note& note : item.notes) {
      add_note(one, note.message, note.place, *shown);
    }
  }
  return result;
}

}  // namespace

Diagnostics Flattened::told(const Diagnostics& found) const {
  const auto place_of = [this](SourceSpan span) {
    if (span.offset >= extension_begin) {
      return FilePlace{extension.file, {extension.span.offset + span.offset - extension_begin, span.length}};
    }
    return written_at(origins, span);
  };
  Diagnostics result(shown);
  std::set<std::pair<std::string, std::pair<const ClassFile*, std::uint32_t>>> seen;
  for (const Diagnostic& item : found.items()) {
    const FilePlace place = item.span ? place_of(*item.span) : FilePlace{};
    // One problem of a class is reported once, however many components have it.
    if (place.file != nullptr && !seen.insert({item.code, {place.file, place.span.offset}}).second) {
      continue;
    }
    Diagnostic& one =
        result.add(item.severity, DiagnosticCode{item.code}, item.message, std::nullopt, item.hint);
    add_place(one, place, *shown);
    for (const Diagnostic::Note& note : item.notes) {
      add_note(one, note.message, note.span ? place_of(*note.span) : FilePlace{}, *shown);
    }
  }
  return result;
}

Result<Flattened> flatten(std::shared_ptr<const SourceText> source, Ast ast, const std::string& path,
                          const CompileOptions& options) {
  Flattened result;
  result.reports = std::make_shared<Reports>();
  Reports& reports = *result.reports;
  result.tree = std::make_shared<ClassTree>(options.library.get(), reports);
  const ClassFile& file = result.tree->add(source, std::move(ast));
  ClassDef* const model = result.tree->find_path(path);
  result.shown = model != nullptr && model->file != nullptr ? model->file->source : source;
  if (model == nullptr || model->text == nullptr) {
    if (!reports.has_errors()) {
      reports.error(kUnknownClass, fmt::format("there is no class '{}'", path), {},
                    "are all libraries given? (--library DIR, MODELICAPATH)");
    }
    return Unexpected(told(reports, result.shown));
  }
  const KnownSettings settings = known_settings(options);
  Instantiator instantiator(*result.tree, reports, settings);
  std::optional<FlatText> flat = instantiator.flatten(*model);
  if (!flat || reports.has_errors()) {
    return Unexpected(told(reports, result.shown));
  }
  result.origins = std::move(flat->origins);
  result.structural = std::move(flat->structural);
  result.types = std::move(flat->types);
  for (const Class& item : file.ast.classes) {
    if (!options.extension.empty() && !item.is_nested() && file.ast.text(item.name) == options.extension) {
      result.extension_begin = static_cast<std::uint32_t>(flat->text.size());
      result.extension = {&file, item.extent};
      flat->text += source->text(item.extent);
    }
  }
  // What is found later (at the start, in a run) has places of the flat text: its name says so.
  result.source = std::make_shared<const SourceText>(result.shown->name() + " (flat)", std::move(flat->text));
  return result;
}

}  // namespace saltus::lang
