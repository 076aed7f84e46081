/// A model that carries what functionals need: their terms as variables, their integrals as states; and the functionals as functions of terms.
///
/// Method       The text is read again with a second model behind it whose declarations and equations belong to the first one: a variable
///              v = e for each expression e, a state with der(v) = e for each integral. So names, arrays, functions and errors are those of the language, and
///              values and derivatives of terms are those of variables. Functionals themselves are read the same way, with a parameter
///              in place of each term; they are differentiated symbolically.
/// Contract     Events of the run are those of the model: where events are counted, an expression that adds conditions of its own is refused.
/// Checked by   tests/gradient/gradient_test.cpp
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/gradient/functional_text.hpp"
#include "flat/model.hpp"
#include "program/guards/parameter_values.hpp"
#include "saltus/model.hpp"
#include "saltus/result.hpp"
#include "saltus/set_value.hpp"

namespace saltus::api {

/// Functionals as functions of terms.
class OuterFunctions {
 public:
  OuterFunctions() = default;
  /// `functionals`, `terms`: names in the model, of variables and of parameters.
  OuterFunctions(const flat::Model& model, const std::vector<std::string>& functionals,
                 const std::vector<std::string>& terms);

  struct Value {
    double value = 0.0;
    std::vector<double> derivatives;  ///< by term
    bool is_at_kink = false;          ///< a choice within it changes there: it has no derivative
  };
  /// `changes`: by term, what counts as a small change of it; a choice that these lead over counts as changing there, unless slopes are continuous.
  [[nodiscard]] Value evaluate(std::size_t functional, const std::vector<double>& terms,
                               const std::vector<double>& changes) const;
  /// Without derivatives; NaN: it has none.
  [[nodiscard]] double value(std::size_t functional, const std::vector<double>& terms) const;
  /// Names of terms whose values decide sizes: no functions of them can be made.
  [[nodiscard]] const std::vector<std::string>& structural() const { return structural_; }

 private:
  /// What changes its slope, or jumps, where `distance` is zero, or a whole number.
  struct Choice {
    NodeId distance;
    bool is_at_whole = false;
    std::vector<NodeId> slopes;  ///< of distance, by term
  };
  struct Function {
    NodeId value;
    std::vector<NodeId> derivatives;
    std::vector<Choice> choices;
  };
  [[nodiscard]] bool is_on_edge(const Function& function, const Choice& choice,
                                const std::vector<double>& terms, const std::vector<double>& changes) const;
  [[nodiscard]] std::vector<double> numbers_at(const Function& function,
                                               const std::vector<double>& terms) const;
  [[nodiscard]] program::ParameterOverrides overrides(const std::vector<double>& terms) const;

  std::shared_ptr<const flat::Model> model_;
  std::vector<std::string> terms_;
  std::vector<std::string> structural_;
  std::vector<Function> functions_;
};

/// By term: kTolerancesOfReach tolerances. Parameters are what they are.
[[nodiscard]] std::vector<double> small_changes(const FunctionalTexts& texts,
                                                const std::vector<double>& terms, double rtol, double atol);

struct FunctionalModel {
  FunctionalTexts texts;
  Model model;                         ///< with all that was added
  std::vector<std::string> variables;  ///< by term: that carries it; empty for event_time
  std::vector<std::string> added;      ///< all variables that the given model does not have
  OuterFunctions outer;
};

/// `set`: of the runs; sizes that follow from it are those that the functionals see.
[[nodiscard]] Result<FunctionalModel> make_functional_model(const Model& model, FunctionalTexts texts,
                                                            const std::vector<SetValue>& set);

}  // namespace saltus::api
