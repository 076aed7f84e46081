#include "api/gradient/functional_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/gradient/diagnostic_codes.hpp"
#include "api/gradient/mapped_text.hpp"
#include "api/model/model_data.hpp"
#include "api/model/set_values.hpp"
#include "flat/variability.hpp"

namespace saltus::api {
namespace {

constexpr const char* kExtension = "functionals of a run";

// As a name of the language.
std::string name_in_text(std::string_view name) {
  std::string text = "'";
  for (const char c : name) {
    text += c == '\'' || c == '\\' ? std::string{'\\', c} : c == '\n' ? std::string(" ") : std::string{c};
  }
  return text + "'";
}

// Problems of the text behind the model, where they were written.
Diagnostics told_where_written(const Diagnostics& found, const MappedText& text, std::size_t n_own,
                               const std::shared_ptr<const SourceText>& source) {
  Diagnostics told(source);
  for (const Diagnostic& item : found.items()) {
    const bool is_of_model = item.span && item.span->offset < n_own;
    if (item.severity == Severity::error) {
      const auto span = item.span && !is_of_model ? std::optional(text.original(*item.span)) : std::nullopt;
      told.error(DiagnosticCode{item.code}, item.message, span, item.hint);
    }
  }
  return told;
}

class Maker {
 public:
  Maker(const Model& model, FunctionalTexts texts, const std::vector<SetValue>& set)
      : model_(model), texts_(std::move(texts)), set_(set) {}

  Result<FunctionalModel> make() {
    const ModelData& data = model_.data();
    Result<SortedSet> sorted = sort_set(data, set_);
    if (!sorted) {
      return Unexpected(std::move(sorted).error());
    }
    structural_ = std::move(sorted->structural);
    MappedText terms = text_of_terms();
    Result<Model> extended = read(terms);
    if (!extended) {
      return Unexpected(
          told_where_written(extended.error(), terms, data.source->text().size(), texts_.source));
    }
    check_names(*extended->data().flat);
    check_conditions(*(*sorted->elaborated)->compiled->flat(), *extended->data().flat);
    MappedText functions = text_of_functions();
    Result<Model> outer = read(functions);
    if (!outer) {
      problems_.append(
          told_where_written(outer.error(), functions, data.source->text().size(), texts_.source));
    }
    if (problems_.has_errors()) {
      return Unexpected(std::move(problems_));
    }
    OuterFunctions made(*outer->data().flat, functional_names_, term_names_);
    if (!made.structural().empty()) {
      return refused(
          "the values of terms cannot choose what is computed while the model is read: an index or a size",
          texts_.functionals.front().span);
    }
    return FunctionalModel{std::move(texts_), *std::move(extended), std::move(variables_), std::move(added_),
                           std::move(made)};
  }

 private:
  Unexpected<Diagnostics> refused(std::string message, SourceSpan span) {
    problems_.set_source(texts_.source);
    problems_.error(kWrongFunctional, std::move(message), span);
    return Unexpected(problems_);
  }

  [[nodiscard]] MappedText begin_text() const {
    MappedText text(texts_.source->text(), std::string(model_.data().source->text()));
    text.add(fmt::format("\nmodel {}\n", name_in_text(kExtension)));
    return text;
  }

  [[nodiscard]] Result<Model> read(MappedText& text) const {
    const ModelData& data = model_.data();
    text.add(fmt::format("end {};\n", name_in_text(kExtension)));
    return read_model(data.source->name(), text.text(), data.flat->name, data.files, data.added, kExtension,
                      data.library, structural_);
  }

  // One variable for each expression, one state for each integral of one.
  MappedText text_of_terms() {
    MappedText text = begin_text();
    std::string states;
    std::map<std::string, std::string> known;
    std::vector<std::pair<std::string, SourceSpan>> integrals;
    for (const Term& term : texts_.terms) {
      std::string& name = variables_.emplace_back();
      if (term.kind == Term::Kind::event_time) {
        continue;
      }
      const bool is_integral = term.kind == Term::Kind::integral;
      const std::string expression(texts_.source->text(term.expression));
      name = (is_integral ? "integral of " : "value of ") + expression;
      std::replace(name.begin(), name.end(), '\n', ' ');
      if (!known.emplace(name, "").second) {
        continue;
      }
      added_.push_back(name);
      if (is_integral) {
        text.add(fmt::format("Real {}(start = 0, fixed = true);\n", name_in_text(name)));
        integrals.emplace_back(name, term.expression);
      } else {
        text.add(fmt::format("Real {} = ", name_in_text(name)));
        text.copy(term.expression);
        text.add("\n;\n");
      }
    }
    text.add(integrals.empty() ? "" : "equation\n");
    for (const auto& [name, expression] : integrals) {
      text.add(fmt::format("der({}) = ", name_in_text(name)));
      text.copy(expression);
      text.add("\n;\n");
    }
    return text;
  }

  // Terms are parameters there.
  MappedText text_of_functions() {
    MappedText text = begin_text();
    for (std::size_t i = 0; i < texts_.terms.size(); ++i) {
      term_names_.push_back(fmt::format("term {}", i + 1));
      text.add(fmt::format("parameter Real {} = 0;\n", name_in_text(term_names_.back())));
    }
    for (std::size_t i = 0; i < texts_.functionals.size(); ++i) {
      const FunctionalTexts::Functional& functional = texts_.functionals[i];
      functional_names_.push_back(fmt::format("functional {}", i + 1));
      text.add(fmt::format("Real {} = ", name_in_text(functional_names_.back())));
      std::uint32_t at = functional.span.offset;
      for (const FunctionalTexts::Use& use : functional.uses) {
        text.copy({at, use.span.offset - at});
        text.replace(use.span, name_in_text(term_names_[use.term]));
        at = use.span.end();
      }
      text.copy({at, functional.span.end() - at});
      text.add("\n;\n");
    }
    return text;
  }

  // Names outside of terms must be those of parameters.
  void check_names(const flat::Model& model) {
    problems_.set_source(texts_.source);
    flat::VariabilityOfNodes variability(model);
    for (std::size_t i = 0; i < texts_.terms.size(); ++i) {
      const Term& term = texts_.terms[i];
      for (const flat::Equation& equation : model.equations) {
        const expr::Node& left = model.graph[equation.left];
        if (term.kind == Term::Kind::parameter && left.op == expr::Op::variable &&
            model.variables[left.first].name == variables_[i] &&
            variability.of(equation.right) > flat::NodeVariability::parameter) {
          problems_.error(
              kWrongFunctional,
              fmt::format("'{}' changes during the run: a functional must say where it is meant", term.text),
              term.span,
              fmt::format("final({0}), integral({0}), at_event(k, {0}) or before_event(k, {0})", term.text));
        }
      }
    }
  }

  // Those that are logged.
  static std::size_t n_conditions(const flat::Model& model) {
    return static_cast<std::size_t>(
        std::count_if(model.conditions.begin(), model.conditions.end(),
                      [](const flat::Condition& condition) { return !condition.kink; }));
  }

  void check_conditions(const flat::Model& own, const flat::Model& extended) {
    const auto counts = std::find_if(texts_.terms.begin(), texts_.terms.end(),
                                     [](const Term& term) { return is_at_an_event(term.kind); });
    if (counts != texts_.terms.end() && n_conditions(own) != n_conditions(extended)) {
      problems_.error(
          kWrongFunctional,
          fmt::format(
              "'{}' counts events, but relations within the terms would add events to those of the model",
              counts->text),
          counts->span, "declare a variable for the relation in the model");
    }
  }

  const Model& model_;
  FunctionalTexts texts_;
  const std::vector<SetValue>& set_;
  ModelData::StructuralValues structural_;
  Diagnostics problems_;
  std::vector<std::string> variables_;
  std::vector<std::string> added_;
  std::vector<std::string> term_names_;
  std::vector<std::string> functional_names_;
};

}  // namespace

Result<FunctionalModel> make_functional_model(const Model& model, FunctionalTexts texts,
                                              const std::vector<SetValue>& set) {
  return Maker(model, std::move(texts), set).make();
}

}  // namespace saltus::api
