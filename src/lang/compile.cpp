#include "lang/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "flat/directions.hpp"
#include "flat/read_derivatives.hpp"
#include "flat/square_laws.hpp"
#include "flat/verify.hpp"
#include "lang/class_choice.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/flatten.hpp"
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

Result<Compiled> elaborated(const std::shared_ptr<const SourceText>& source, ParseResult& parsed,
                            const Class& main, const CompileOptions& options, Diagnostics& diagnostics) {
  // After errors of syntax too: one run reports them all.
  Elaborator elaborator(parsed.ast, main, source, options, parsed.damage, diagnostics);
  flat::Model model = elaborator.run();
  model.reinit_follows = options.dialect == Dialect::modelica;
  diagnostics = in_text_order(diagnostics);
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  flat::give_read_derivatives(model);
  flat::solve_square_laws(model);
  flat::find_directions(model);
  SALTUS_ASSERT(flat::verify(model).empty());
  return Compiled{std::move(model), std::move(diagnostics)};
}

bool is_element_of(std::string_view name, const std::set<std::string>& names) {
  if (names.count(std::string(name)) != 0) {
    return true;
  }
  const std::size_t bracket = name.rfind('[');
  return bracket != std::string_view::npos && names.count(std::string(name.substr(0, bracket))) != 0;
}

// Names of types that the flat text does not have.
template <class Items>
void give_types(const std::map<std::string, std::string>& types, Items& items) {
  for (auto& item : items) {
    auto type = types.find(item.name);
    if (const std::size_t bracket = item.name.rfind('[');
        type == types.end() && bracket != std::string::npos) {
      type = types.find(item.name.substr(0, bracket));
    }
    if (type != types.end()) {
      flat::Declared said = item.declared != nullptr ? *item.declared : flat::Declared{};
      said.type = type->second;
      item.declared = std::make_shared<const flat::Declared>(std::move(said));
    }
  }
}

// Elaboration of the flat model that the class is made into.
Result<Compiled> compile_instances(const std::shared_ptr<const SourceText>& source, Ast ast,
                                   const std::string& path, const CompileOptions& options,
                                   const Diagnostics& warnings) {
  Result<Flattened> flat = flatten(source, std::move(ast), path, options);
  if (!flat) {
    Diagnostics problems = std::move(flat).error();
    const bool same_text = problems.source() == source;
    for (const Diagnostic& item : warnings.items()) {
      problems.add(item.severity, DiagnosticCode{item.code}, item.message,
                   same_text ? item.span : std::nullopt, item.hint);
    }
    return Unexpected(in_text_order(problems));
  }
  CompileOptions inner = options;
  std::erase_if(inner.parameters,
                [&](const auto& entry) { return is_element_of(entry.first, flat->structural); });
  Diagnostics diagnostics(flat->source);
  ParseResult parsed = parse(*flat->source, options.dialect, diagnostics);
  if (parsed.ast.classes.empty() || parsed.damage.unread) {
    return Unexpected(flat->told(diagnostics));
  }
  if (!options.extension.empty()) {
    extend(parsed.ast, 0, options.extension);
  }
  Result<Compiled> compiled =
      elaborated(flat->source, parsed, parsed.ast.classes.front(), inner, diagnostics);
  if (!compiled) {
    return Unexpected(in_text_order(flat->told(compiled.error())));
  }
  for (flat::Parameter& parameter : compiled->model.parameters) {
    if (is_element_of(parameter.name, flat->structural)) {
      parameter.is_final = false;
      parameter.is_structural = true;
    }
  }
  give_types(flat->types, compiled->model.parameters);
  give_types(flat->types, compiled->model.variables);
  for (const Reports::Item& item : flat->reports->items()) {
    compiled->warnings.add(item.severity, DiagnosticCode{item.code}, item.message, std::nullopt, item.hint);
  }
  for (const Diagnostic& item : warnings.items()) {
    compiled->warnings.add(item.severity, DiagnosticCode{item.code}, item.message, std::nullopt, item.hint);
  }
  return compiled;
}

// Files of flat models say what is not supported anywhere in them; others only for the classes that are used.
bool holds_only_flat_kinds(const Ast& ast) {
  return std::all_of(ast.classes.begin(), ast.classes.end(), [](const Class& item) {
    return item.kind == ClassKind::model || item.kind == ClassKind::function || item.kind == ClassKind::type;
  });
}

}  // namespace

Result<Compiled> compile(std::shared_ptr<const SourceText> source, const CompileOptions& options) {
  Diagnostics diagnostics(source);
  ParseResult parsed = parse(*source, options.dialect, diagnostics, Refusals::keep);
  const bool elsewhere = options.library != nullptr && options.model.find('.') != std::string::npos;
  const Class* main = choose_class(parsed.ast, options.model, elsewhere, diagnostics);
  if (main == nullptr && elsewhere && !diagnostics.has_errors()) {
    return compile_instances(source, std::move(parsed.ast), options.model, options, diagnostics);
  }
  const bool flat = main == nullptr || is_flat(parsed.ast, *main, options.library.get());
  if (!flat && !diagnostics.has_errors()) {
    const std::string path = path_of(parsed.ast, *main);
    return compile_instances(source, std::move(parsed.ast), path, options, diagnostics);
  }
  if (!flat) {
    return Unexpected(std::move(diagnostics));
  }
  if (main == nullptr || (!parsed.ast.refusals.empty() && holds_only_flat_kinds(parsed.ast))) {
    diagnostics = Diagnostics(source);
    parsed = parse(*source, options.dialect, diagnostics);
    main = choose_class(parsed.ast, options.model, false, diagnostics);
  }
  if (main == nullptr || parsed.damage.unread) {
    if (!diagnostics.has_errors()) {
      diagnostics.error(kNoModel, "the text holds no model");
    }
    return Unexpected(std::move(diagnostics));
  }
  if (!options.extension.empty()) {
    extend(parsed.ast, static_cast<std::size_t>(main - parsed.ast.classes.data()), options.extension);
  }
  return elaborated(source, parsed, *main, options, diagnostics);
}

}  // namespace saltus::lang
