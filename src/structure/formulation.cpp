#include "structure/formulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "expr/derivative.hpp"
#include "expr/substitute.hpp"
#include "expr/taylor.hpp"
#include "expr/traversal.hpp"
#include "structure/causalize.hpp"
#include "structure/control_form.hpp"
#include "structure/index/stabilization.hpp"
#include "structure/match/diagnostic_codes.hpp"
#include "structure/match/names.hpp"
#include "structure/reaching_law.hpp"

namespace saltus::structure {
namespace {

using Rewriting = FormulationRequest::Rewriting;

using Law = FormulationRequest::Law;

bool is_same(const flat::Equation& a, const flat::Equation& b) {
  return a.left == b.left && a.right == b.right && a.span == b.span;
}

class Reformulation {
 public:
  Reformulation(const flat::Model& model, const FormulationRequest& request)
      : request_(request),
        model_(std::make_shared<flat::Model>(model)),
        graph_(model_->graph),
        taylor_(graph_, {.coefficient = {},
                         .rests =
                             [this](const expr::Node& leaf) {
                               return model_->variables[leaf.first].variability ==
                                      flat::Variability::discrete;
                             }}),
        law_(*model_, request) {}

  Result<std::shared_ptr<const flat::Model>> run(Diagnostics& warnings) {
    find_differentiations();
    model_->formulation = request_.formulation;
    number_constraints();
    if (!has_constraints_ && !problems_.has_errors() && !request_.is_of_method) {
      warnings.warning(kFormulationWithoutEffect,
                       "--formulation has no effect: the model has no equations that constrain states");
    }
    if (request_.law == Law::raw && has_constraints_ && !problems_.has_errors()) {
      if (const std::optional<std::string> why = law_.find_couplings()) {
        refuse(*why);
      }
    }
    if (request_.rewriting != Rewriting::none && !problems_.has_errors()) {
      rewrite_common();
      for (std::size_t m = 0; m < model_->modes.size(); ++m) {
        rewrite(own_[m], model_->modes[m].equations);
      }
    }
    if (!problems_.has_errors()) {
      finish();
    }
    if (problems_.has_errors()) {
      return Unexpected(std::move(problems_));
    }
    return std::shared_ptr<const flat::Model>(std::move(model_));
  }

 private:
  void refuse(const std::string& why, const flat::Equation* equation = nullptr) {
    const std::string what = request_.is_of_method ? "this --method" : "this --formulation";
    problems_.error(kFormulationNotSupported, what + " is not possible here: " + why,
                    equation == nullptr ? std::nullopt : std::optional(equation->span));
  }

  // Equations are looked for as they were written.
  [[nodiscard]] bool names_equations() const {
    return request_.rewriting != Rewriting::none || !request_.constraint_rates.empty();
  }
  // What constraints act by must be known.
  [[nodiscard]] bool needs_motion() const {
    return request_.formulation.result == flat::Formulation::Result::stabilized_mass ||
           request_.formulation.control == flat::Formulation::Control::of_steps;
  }

  // c of every equation: of the common ones by mode, of the others in theirs.
  void find_differentiations() {
    const std::size_t n_modes = std::max<std::size_t>(model_->modes.size(), 1);
    common_.assign(model_->equations.size(), std::vector<int>(n_modes, 0));
    for (std::size_t m = 0; m < n_modes; ++m) {
      flat::Model copy = *model_;
      const bool has_modes = !model_->modes.empty();
      Result<Causalized> causalized = causalize(copy, has_modes ? ModeId(m) : ModeId());
      if (!causalized) {
        problems_.append(std::move(causalized).error());  // as without a formulation
        return;
      }
      const std::vector<Constraint>& constraints = causalized->constraints;
      has_constraints_ = has_constraints_ || !constraints.empty();
      if (causalized->needs_ranks || (names_equations() && !causalized->uncombined.empty())) {
        refuse("the index is not found from the equations one by one");
        return;
      }
      const auto strange = std::find_if(constraints.begin(), constraints.end(), [](const Constraint& item) {
        return item.is_combined || item.origin.order > 1;
      });
      if (request_.formulation.is_stabilized() && strange != constraints.end()) {
        refuse("post-stabilization is for constraints of positions and velocities", &strange->equation);
        return;
      }
      if (needs_motion() && !constraints.empty()) {
        if (const ControlForm form = control_form(copy, *causalized); form.refusal) {
          refuse(*form.refusal);
          return;
        }
      }
      std::vector<int>& own = own_.emplace_back();
      for (std::size_t i = 0; i < model_->equations.size(); ++i) {
        common_[i][m] = differentiations_of(*causalized, model_->equations[i]);
      }
      for (std::size_t i = 0; has_modes && i < model_->modes[m].equations.size(); ++i) {
        own.push_back(differentiations_of(*causalized, model_->modes[m].equations[i]));
      }
      const auto n_found = std::count_if(common_.begin(), common_.end(),
                                         [&](const std::vector<int>& by_mode) { return by_mode[m] > 0; }) +
                           std::count_if(own.begin(), own.end(), [](int c) { return c > 0; });
      const auto n_there = std::count_if(causalized->differentiations.begin(),
                                         causalized->differentiations.end(), [](int c) { return c > 0; });
      if (names_equations() && n_found != n_there) {
        refuse("a constraint is not one of the equations as they are written");
        return;
      }
    }
  }

  static int differentiations_of(const Causalized& causalized, const flat::Equation& equation) {
    for (std::size_t row = 0; row < causalized.written.size(); ++row) {
      if (is_same(causalized.written[row], equation)) {
        return std::max(causalized.differentiations[row], 0);
      }
    }
    return 0;
  }

  // Constraints in the order of the equations: those of all modes, then those of each.
  void number_constraints() {
    if (problems_.has_errors()) {
      return;
    }
    const auto number = [&](const flat::Equation& equation, bool is_constraint) {
      if (!is_constraint) {
        return;
      }
      const std::size_t n = numbers_.size();
      const std::vector<double>& rates = request_.constraint_rates;
      numbers_.push_back(
          {equation, rates.empty() ? request_.formulation.rate : rates[std::min(n, rates.size() - 1)]});
      if (!rates.empty()) {
        model_->formulation.rates.push_back({equation.left, equation.right, numbers_.back().rate});
      }
    };
    for (std::size_t i = 0; i < common_.size(); ++i) {
      number(model_->equations[i],
             std::any_of(common_[i].begin(), common_[i].end(), [](int c) { return c > 0; }));
    }
    for (std::size_t m = 0; m < model_->modes.size(); ++m) {
      for (std::size_t i = 0; i < own_[m].size(); ++i) {
        number(model_->modes[m].equations[i], own_[m][i] > 0);
      }
    }
    check_count("constraint-rate", request_.constraint_rates.size());
    check_count("reaching-rate", request_.reaching_rates.size());
  }

  void check_count(const char* option, std::size_t n) {
    if (n > 1 && has_constraints_ && n != numbers_.size()) {
      refuse(fmt::format("--{} has {} values and the model {} constraints", option, n, numbers_.size()));
    }
  }

  std::size_t number_of(const flat::Equation& equation) const {
    const auto found = std::find_if(numbers_.begin(), numbers_.end(),
                                    [&](const Numbered& item) { return is_same(item.equation, equation); });
    return static_cast<std::size_t>(found - numbers_.begin());
  }

  // An equation that is not differentiated alike in all modes becomes one of each.
  void rewrite_common() {
    std::vector<flat::Equation> kept;
    for (std::size_t i = 0; i < model_->equations.size(); ++i) {
      if (i >= common_.size()) {
        kept.push_back(model_->equations[i]);  // of the law
        continue;
      }
      const std::vector<int>& by_mode = common_[i];
      if (std::equal(by_mode.begin() + 1, by_mode.end(), by_mode.begin())) {
        kept.push_back(rewritten(model_->equations[i], by_mode[0]));
        continue;
      }
      for (std::size_t m = 0; m < model_->modes.size(); ++m) {
        model_->modes[m].equations.push_back(model_->equations[i]);
        own_[m].push_back(by_mode[m]);
      }
    }
    model_->equations = std::move(kept);
  }

  void rewrite(std::span<const int> differentiations, std::vector<flat::Equation>& equations) {
    for (std::size_t i = 0; i < equations.size(); ++i) {
      // Its multiplier would stand in equations of modes that do not have the constraint.
      if (request_.rewriting == Rewriting::ggl && differentiations[i] > 0) {
        refuse("ggl is for constraints that all modes have", &equations[i]);
        return;
      }
      equations[i] = rewritten(equations[i], differentiations[i]);
    }
  }

  flat::Equation rewritten(const flat::Equation& equation, int c) {
    if (c == 0) {
      return equation;
    }
    return request_.rewriting == Rewriting::reaching ? reaching(equation, c) : velocities_too(equation, c);
  }

  std::vector<NodeId> leaves_of(const flat::Equation& equation) const {
    const NodeId sides[] = {equation.left, equation.right};
    std::vector<NodeId> leaves;
    for (const NodeId node : expr::needed_nodes(graph_, sides)) {
      if (graph_[node].op == expr::Op::variable &&
          model_->variables[graph_[node].first].variability == flat::Variability::continuous) {
        leaves.push_back(node);
      }
    }
    return leaves;
  }

  bool is_differentiated(VariableId variable) const {
    const auto contains = [&](const std::vector<flat::Equation>& equations) {
      return std::any_of(equations.begin(), equations.end(), [&](const flat::Equation& equation) {
        const std::vector<NodeId> leaves = leaves_of(equation);
        return std::any_of(leaves.begin(), leaves.end(), [&](NodeId leaf) {
          return graph_[leaf].first == variable.index() && graph_[leaf].second > 0;
        });
      });
    };
    return contains(model_->equations) ||
           std::any_of(model_->modes.begin(), model_->modes.end(),
                       [&](const flat::Mode& mode) { return contains(mode.equations); });
  }

  NodeId difference(const flat::Equation& equation, int order) {
    return graph_.subtract(taylor_.total_derivative(equation.left, order),
                           taylor_.total_derivative(equation.right, order));
  }

  // D S = -η sign(S).
  flat::Equation reaching(const flat::Equation& equation, int c) {
    for (const NodeId leaf : leaves_of(equation)) {
      const VariableId variable(graph_[leaf].first);
      if (!is_differentiated(variable)) {
        refuse(fmt::format("'{}' is in a constraint and has no derivative in the model, so that it has no "
                           "start value from which the constraint could be reached",
                           (*model_)[variable].name),
               &equation);
        return equation;
      }
    }
    std::vector<flat::Equation> derivatives;
    for (int k = 0; k <= c; ++k) {
      derivatives.push_back({difference(equation, k), graph_.constant(0.0), equation.span});
    }
    const std::size_t number = number_of(equation);
    const double rate = numbers_[number].rate;
    const flat::Formulation surface{.row = flat::Formulation::Row::surface, .rate = rate};
    const flat::Formulation damped{.row = flat::Formulation::Row::damped, .rate = rate};
    // (D + σ)ᶜ⁻¹ F and D of it.
    const NodeId s =
        stabilized(graph_, damped, std::span(derivatives).first(static_cast<std::size_t>(c))).left;
    flat::Equation result = stabilized(graph_, surface, derivatives);
    const std::vector<double>& rates = request_.reaching_rates;
    const ReachingLaw::Surface reached{equation, s,
                                       rates.empty() ? 1.0 : rates[std::min(number, rates.size() - 1)]};
    if (request_.law == Law::raw) {
      surfaces_.push_back(reached);  // in the order of the numbers: there are no modes
    } else {
      result.right = law_.right_side(reached);
    }
    return result;
  }

  // Coupled surfaces are known when all of them are.
  void couple() {
    const std::vector<NodeId> sides = law_.coupled_right_sides(surfaces_);
    std::size_t next = 0;
    for (std::size_t i = 0; i < common_.size(); ++i) {
      if (common_[i][0] > 0) {
        model_->equations[i].right = sides[next++];
      }
    }
  }

  // The constraint stays, its derivative in terms of v joins it, and (∂F/∂q)ᵀ μ what q' = v says.
  flat::Equation velocities_too(const flat::Equation& equation, int c) {
    if (c != 2) {
      refuse(
          fmt::format("ggl is for constraints of positions, which are differentiated twice, not {} times", c),
          &equation);
      return equation;
    }
    flat::Variable multiplier;
    multiplier.name = fmt::format("ggl.mu[{}]", ++n_multipliers_);
    multiplier.description = "multiplier of a constraint of velocities";
    multiplier.span = equation.span;
    model_->variables.push_back(std::move(multiplier));
    const NodeId mu = graph_.variable(VariableId(model_->variables.size() - 1));
    const NodeId f = difference(equation, 0);
    for (const NodeId leaf : leaves_of(equation)) {
      changes_.push_back({leaf, graph_.multiply(mu, expr::derivative(graph_, f, leaf)), equation});
    }
    added_.push_back({difference(equation, 1), graph_.constant(0.0), equation.span});
    return equation;
  }

  struct Change {
    NodeId position;
    NodeId term;
    flat::Equation of;  // the constraint
  };

  // v where `equation` says der(q) = v.
  NodeId velocity(const flat::Equation& equation, NodeId position) {
    if (graph_[position].second != 0) {
      return {};
    }
    const NodeId rate = graph_.variable(VariableId(graph_[position].first), 1);
    return equation.left == rate ? equation.right : equation.right == rate ? equation.left : NodeId();
  }

  void finish() {
    std::vector<expr::Replacement> velocities;
    for (const Change& change : changes_) {
      const auto found = std::find_if(
          model_->equations.begin(), model_->equations.end(),
          [&](const flat::Equation& equation) { return velocity(equation, change.position).valid(); });
      if (found == model_->equations.end()) {
        refuse("a position of the constraint has no equation 'der(q) = v' that its multiplier could join",
               &change.of);
        return;
      }
      const NodeId rate = graph_.variable(VariableId(graph_[change.position].first), 1);
      const auto known = std::find_if(velocities.begin(), velocities.end(),
                                      [&](const expr::Replacement& item) { return item.from == rate; });
      if (known == velocities.end()) {
        velocities.push_back({rate, velocity(*found, change.position)});
      }
      NodeId& side = found->left == rate ? found->right : found->left;
      side = graph_.add(side, change.term);
    }
    expr::Substitution with_velocities(graph_, velocities);
    for (flat::Equation& equation : added_) {
      equation.left = with_velocities(equation.left);
      model_->equations.push_back(equation);
    }
    if (!surfaces_.empty()) {
      couple();
    }
  }

  struct Numbered {
    flat::Equation equation;
    double rate;  // σ
  };

  const FormulationRequest& request_;
  std::shared_ptr<flat::Model> model_;
  expr::Graph& graph_;
  expr::TaylorExpansion taylor_;
  Diagnostics problems_;
  bool has_constraints_ = false;
  std::vector<std::vector<int>> common_;  // by equation, by mode: c
  std::vector<std::vector<int>> own_;     // by mode, by equation of it
  std::vector<Numbered> numbers_;
  ReachingLaw law_;
  std::vector<ReachingLaw::Surface> surfaces_;  // of a law that couples them
  std::size_t n_multipliers_ = 0;
  std::vector<Change> changes_;
  std::vector<flat::Equation> added_;
};

}  // namespace

Result<std::shared_ptr<const flat::Model>> reformulate(const flat::Model& model,
                                                       const FormulationRequest& request,
                                                       Diagnostics& warnings) {
  return Reformulation(model, request).run(warnings);
}

}  // namespace saltus::structure
