#include "api/analysis/mode_control.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/machine.hpp"
#include "reduce/project/motion_equations.hpp"
#include "reduce/projected_evaluator.hpp"
#include "structure/control_form.hpp"
#include "structure/match/names.hpp"

namespace saltus::api {
namespace {

Matrix zeros(std::size_t n_rows, std::size_t n_columns) {
  return Matrix(n_rows, std::vector<double>(n_columns, 0.0));
}

// Which states are positions, and whose rates are velocities.
struct Pairs {
  std::vector<std::size_t> positions;
  std::vector<std::size_t> velocities;  // those of the positions first, in their order
};

Pairs pair_states(const std::vector<system::StateInfo>& states) {
  std::unordered_map<system::Quantity, std::size_t, system::QuantityHash> place;
  for (std::size_t i = 0; i < states.size(); ++i) {
    place.emplace(states[i].quantity, i);
    for (const system::StateInfo::Alias& alias : states[i].aliases) {
      place.emplace(alias.quantity, i);
    }
  }
  Pairs pairs;
  std::vector<bool> is_paired(states.size(), false);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto rate = place.find({states[i].quantity.variable, states[i].quantity.order + 1});
    if (rate != place.end()) {
      pairs.positions.push_back(i);
      is_paired[i] = true;
      if (!is_paired[rate->second]) {
        pairs.velocities.push_back(rate->second);
        is_paired[rate->second] = true;
      }
    }
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!is_paired[i]) {
      pairs.velocities.push_back(i);
    }
  }
  return pairs;
}

class ControlDescription {
 public:
  ControlDescription(const system::LockedDae& locked, const system::Configuration& configuration, double t,
                     std::span<const double> x)
      : locked_(locked),
        t_(t),
        x_(x.begin(), x.end()),
        evaluator_(reduce::make_reduced_evaluator(locked)),
        configuration_(configuration) {
    evaluator_->set_configuration(configuration);
  }

  void name_motion(const structure::ControlForm& form, const structure::Causalized& causalized) {
    for (const std::uint32_t row : form.rows) {
      const std::uint32_t equation = causalized.origins[row].equation;
      if (causalized.differentiations[equation] == 0) {  // else it says that a rate has two names
        motion_rows_.push_back(static_cast<Index>(equation));
      }
    }
    is_direct_ =
        std::all_of(form.moved.begin(), form.moved.end(), [](const auto& item) { return item.order > 0; });
  }

  void name_blocks(ModeControl& control) {
    const std::vector<system::StateInfo>& states = locked_.states();
    const Pairs pairs = pair_states(states);
    for (const system::StateInfo& state : states) {
      control.states.push_back(state.name);
    }
    for (const std::size_t i : pairs.positions) {
      control.positions.push_back(states[i].name);
    }
    for (const std::size_t i : pairs.velocities) {
      control.velocities.push_back(states[i].name);
    }
    velocity_places_ = pairs.velocities;
  }

  // False: no rates here.
  bool fill(std::span<const Index> multipliers, ModeControl& control) {
    std::vector<reduce::MotionEquations::Entry> beside;
    for (std::size_t j = 0; j < multipliers.size(); ++j) {
      beside.push_back({.row = static_cast<Index>(j), .state = -1, .variable = multipliers[j]});
    }
    const auto motion = reduce::MotionEquations::make(locked_, std::ssize(multipliers), beside);
    const std::vector<double> ones(multipliers.size(), 1.0);
    std::vector<double> rates(x_.size());
    if (motion == nullptr || !evaluator_->project_instant(t_, x_).ok() ||
        !evaluator_->rhs(t_, x_, rates).ok()) {
      return false;
    }
    motion->set_configuration(configuration_);
    if (!motion->factorize(t_, x_, *evaluator_, ones)) {
      return false;
    }
    control.point = x_;
    control.input = zeros(x_.size(), multipliers.size());
    control.drift = rates;
    std::vector<double> unit(multipliers.size(), 0.0);
    std::vector<double> answer(x_.size());
    for (std::size_t j = 0; j < multipliers.size(); ++j) {
      unit[j] = 1.0;
      motion->solve(unit, answer);
      unit[j] = 0.0;
      const double u = motion->value_of(multipliers[j]);
      control.control.push_back(u);
      for (std::size_t i = 0; i < x_.size(); ++i) {
        control.input[i][j] = answer[i];
        control.drift[i] -= answer[i] * u;
      }
    }
    add_mass(*motion, control);
    return add_constraints(control);
  }

 private:
  // Where all that the forces of constraints move are rates of velocities.
  void add_mass(const reduce::MotionEquations& motion, ModeControl& control) const {
    if (!is_direct_) {
      return;
    }
    const system::EquationSet& equations = motion.equations();
    std::vector<Index> place_of(equations.rows().size(), -1);
    for (std::size_t r = 0; r < place_of.size(); ++r) {
      const system::RowInfo& row = equations.rows()[r];
      if (std::find(motion_rows_.begin(), motion_rows_.end(), row.equation) != motion_rows_.end()) {
        place_of[r] = std::ssize(control.motion);
        control.motion.push_back(row.text);
      }
    }
    control.mass = zeros(control.motion.size(), control.velocities.size());
    std::unordered_map<system::Quantity, std::pair<std::size_t, double>, system::QuantityHash> velocity_of;
    for (std::size_t k = 0; k < velocity_places_.size(); ++k) {
      const system::StateInfo& state = locked_.states()[velocity_places_[k]];
      velocity_of.emplace(system::Quantity{state.quantity.variable, state.quantity.order + 1},
                          std::pair(k, 1.0));
      for (const system::StateInfo::Alias& alias : state.aliases) {
        velocity_of.emplace(system::Quantity{alias.quantity.variable, alias.quantity.order + 1},
                            std::pair(k, alias.sign));
      }
    }
    const system::RectangularPattern& pattern = equations.pattern();
    for (std::size_t j = 0; j < equations.slots().size(); ++j) {
      const auto velocity = velocity_of.find(equations.slots()[j].quantity());
      for (Index e = pattern.column_starts[j];
           velocity != velocity_of.end() && e < pattern.column_starts[j + 1]; ++e) {
        const Index place = place_of[at_index(pattern.rows[at_index(e)])];
        if (place >= 0) {
          control.mass[at_index(place)][velocity->second.first] +=
              velocity->second.second * motion.jacobian()[at_index(e)];
        }
      }
    }
  }

  bool add_constraints(ModeControl& control) {
    const std::shared_ptr<const system::EquationSet> constraints = locked_.constraints();
    const std::unique_ptr<system::EquationRunner> runner = constraints->make_runner();
    runner->set_configuration(configuration_);
    std::vector<double> entries(constraints->pattern().n_entries());
    if (!runner->jacobian(t_, x_, entries).ok()) {
      return false;
    }
    // The highest row of a constraint is the one about velocities.
    const std::vector<system::RowInfo>& rows = constraints->rows();
    std::vector<Index> place_of(rows.size(), -1);
    Index n = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i + 1 == rows.size() || rows[i + 1].order == 0) {
        place_of[i] = n++;
      }
    }
    const std::size_t n_velocities = control.velocities.size();
    control.jacobian = zeros(at_index(n), n_velocities);
    for (std::size_t k = 0; k < n_velocities; ++k) {
      const std::size_t state = velocity_places_[k];
      for (Index e = constraints->pattern().column_starts[state];
           e < constraints->pattern().column_starts[state + 1]; ++e) {
        const Index place = place_of[at_index(constraints->pattern().rows[at_index(e)])];
        if (place >= 0) {
          control.jacobian[at_index(place)][k] = entries[at_index(e)];
        }
      }
    }
    const std::size_t m = control.control.size();
    control.gain = zeros(at_index(n), m);
    for (std::size_t i = 0; i < at_index(n); ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        for (std::size_t k = 0; k < n_velocities; ++k) {
          control.gain[i][j] += control.jacobian[i][k] * control.input[velocity_places_[k]][j];
        }
      }
    }
    return true;
  }

  const system::LockedDae& locked_;
  double t_;
  std::vector<double> x_;
  std::unique_ptr<system::Evaluator> evaluator_;
  const system::Configuration& configuration_;
  std::vector<std::size_t> velocity_places_;
  bool is_direct_ = false;
  std::vector<Index> motion_rows_;  // equations as written
};

}  // namespace

std::variant<ModeControl, std::string> describe_control(flat::Model& model,
                                                        const structure::Causalized& causalized,
                                                        const system::LockedDae& locked,
                                                        const system::Configuration& configuration, double t,
                                                        std::span<const double> x) {
  const structure::ControlForm form = structure::control_form(model, causalized);
  if (form.refusal) {
    return *form.refusal;
  }
  ModeControl control;
  control.is_paired = form.is_paired;
  std::unordered_map<std::string, Index> variable_of;
  const auto array = locked.derivative_array(0);
  if (!array) {
    return "its equations as written cannot be evaluated";
  }
  for (const system::SlotInfo& slot : (*array)->slots()) {
    if (slot.order == 0) {
      variable_of.emplace(slot.name, slot.variable);
    }
  }
  std::vector<Index> multipliers;
  for (const structure::Unknown& unknown : form.multipliers) {
    control.multipliers.push_back(structure::name_of(model, unknown));
    const auto found = variable_of.find(control.multipliers.back());
    multipliers.push_back(found == variable_of.end() ? -1 : found->second);
  }
  for (const structure::ControlForm::Constraint& constraint : form.constraints) {
    const std::string text = structure::quote(model, causalized.written[constraint.equation]);
    control.constraints.push_back(text.size() > 2 && text.front() == '\'' ? text.substr(1, text.size() - 2)
                                                                          : text);
    control.differentiations.push_back(constraint.differentiations);
  }
  ControlDescription description(locked, configuration, t, x);
  description.name_motion(form, causalized);
  description.name_blocks(control);
  if (!description.fill(multipliers, control)) {
    return "its equations of motion cannot be solved for the rates at this point";
  }
  return control;
}

}  // namespace saltus::api
