#include "program/equations/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/time_tolerance.hpp"
#include "expr/linearity.hpp"
#include "expr/substitute.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using Kind = flat::Condition::Kind;
using expr::Op;

// Which nodes depend, between events, on nothing but time.
class TimeDependence {
 public:
  TimeDependence(const flat::Model& model, std::span<const structure::Block> blocks)
      : model_(model), of_variable_(model.variables.size(), Mark::other) {
    for (std::size_t i = 0; i < of_variable_.size(); ++i) {
      if (model.variables[i].variability == flat::Variability::discrete) {
        of_variable_[i] = Mark::held;
      }
    }
    for (const structure::Block& block : blocks) {
      if (block.kind != structure::Block::Kind::explicit_formula || block.unknowns[0].order > 0) {
        continue;
      }
      if (of(block.formula) != Mark::other) {
        const std::size_t variable = block.unknowns[0].variable.index();
        of_variable_[variable] = Mark::formula;
        formulas_.emplace_back(block.unknowns[0].variable, block.formula);
      }
    }
  }

  enum class Mark : std::uint8_t {
    unseen,
    held,     // no continuous variable
    formula,  // contains variables that formulas in time give
    other,
  };

  // Blocks come in order of computation: the mark of a node does not change once its variables are marked.
  Mark of(NodeId root) {
    marks_.resize(std::max(marks_.size(), model_.graph.size()), Mark::unseen);
    stack_.push_back(root);
    while (!stack_.empty()) {
      const NodeId id = stack_.back();
      if (marks_[id.index()] != Mark::unseen) {
        stack_.pop_back();
        continue;
      }
      const expr::Node& node = model_.graph[id];
      Mark mark = Mark::held;
      const std::size_t before = stack_.size();
      for (int k = 0; k < expr::n_operands(node.op); ++k) {
        const Mark operand = marks_[node.operand(k)];
        if (operand == Mark::unseen) {
          stack_.emplace_back(node.operand(k));
        }
        mark = std::max(mark, operand);
      }
      if (stack_.size() > before) {
        continue;
      }
      if (node.op == Op::variable) {
        mark = node.second > 0 ? Mark::other : of_variable_[node.first];
      } else if (node.op == Op::previous) {
        mark = of_variable_[node.first] == Mark::held ? Mark::held : Mark::other;
      }
      marks_[id.index()] = mark;
      stack_.pop_back();
    }
    return marks_[root.index()];
  }

  [[nodiscard]] const std::vector<std::pair<VariableId, NodeId>>& formulas() const { return formulas_; }

 private:
  const flat::Model& model_;
  std::vector<Mark> of_variable_;
  std::vector<Mark> marks_;
  std::vector<NodeId> stack_;
  std::vector<std::pair<VariableId, NodeId>> formulas_;
};

// Replaces variables by their formulas until none is left.
NodeId expand(flat::Model& model, TimeDependence& dependence, NodeId node) {
  std::vector<expr::Replacement> replacements;
  for (const auto& [variable, formula] : dependence.formulas()) {
    replacements.push_back({.from = model.graph.variable(variable), .to = formula});
  }
  while (dependence.of(node) == TimeDependence::Mark::formula) {
    node = expr::substitute(model.graph, node, replacements);
  }
  return node;
}

std::optional<ScheduledGuard> affine_in_time(expr::Graph& graph, expr::AffineSplitter& splitter,
                                             NodeId expression) {
  ScheduledGuard guard;
  guard.divisor = graph.constant(1.0);
  if (const expr::Node node = graph[expression]; node.op == Op::divide) {
    const expr::AffineForm divisor = splitter.split(NodeId(node.second));
    if (divisor.is_affine && divisor.terms.empty()) {
      guard.divisor = NodeId(node.second);
      expression = NodeId(node.first);
    }
  }
  const expr::AffineForm form = splitter.split(expression);
  if (!form.is_affine) {
    return std::nullopt;
  }
  guard.rate = form.terms.empty() ? graph.constant(0.0) : form.terms[0].coefficient;
  guard.offset = form.remainder.valid() ? form.remainder : graph.constant(0.0);
  return guard;
}

// The level at which a held number n changes next when its argument rises or falls.
double next_level(const ConditionInputs::Guard& guard, double n, bool rises) {
  const Kind kind = guard.kind;
  if (kind == Kind::segment) {
    return rises ? segment_end(*guard.knots, n) : segment_begin(*guard.knots, n);
  }
  const bool like_floor = kind == Kind::floor || (kind == Kind::truncate && n >= 0.0);
  const bool like_ceil = kind == Kind::ceil || (kind == Kind::truncate && n <= 0.0);
  if (rises) {
    return like_floor ? n + 1.0 : n;
  }
  return like_ceil ? n - 1.0 : n;
}

// Whether `time` lies ahead of t, or is t itself where that counts.
bool is_due(double time, double t, double direction, double scale, bool inclusive) {
  if (!std::isfinite(time)) {
    return false;
  }
  return same_instant(time, t, scale) ? inclusive : (time - t) * direction > 0.0;
}

double instant_of(const Clock& clock, double k) {
  return std::fma(k, clock.interval, clock.start);
}

// Instants of a clock that are looked at, from the one before t on.
constexpr int kMostInstantsTried = 32;

// Of a clock with more instants than kMostInstantsTried within one of the run: the next time that can be told from t. So the clock does not fall
// silent; such a run has events without end, and the limit of events says so.
double next_instant(const Clock& clock, double t, double direction, double scale, bool inclusive) {
  const double never = direction * std::numeric_limits<double>::infinity();
  const double nearest = std::floor((t - clock.start) / clock.interval);
  double k = direction > 0.0 ? std::max(nearest - 1.0, 0.0) : nearest + 2.0;
  const int n_trials = nearest < std::numeric_limits<double>::infinity() ? kMostInstantsTried : 0;
  for (int trial = 0; trial < n_trials; ++trial, k += direction) {
    const double instant = instant_of(clock, k);
    if (k < 0.0 || !std::isfinite(instant)) {
      return never;
    }
    if (is_due(instant, t, direction, scale, inclusive)) {
      return instant;
    }
  }
  return t + direction * 2.0 * time_tolerance(t, scale);
}

}  // namespace

std::vector<ScheduledGuard> find_scheduled_guards(flat::Model& model, const ConditionInputs& conditions,
                                                  std::span<const structure::Block> blocks) {
  std::vector<ScheduledGuard> scheduled;
  TimeDependence dependence(model, blocks);
  const NodeId time = model.graph.time();
  expr::AffineSplitter splitter(model.graph, [time](NodeId leaf) {
    return leaf == time ? expr::SignedUnknown{.unknown = 0} : expr::SignedUnknown{};
  });
  for (std::size_t i = 0; i < conditions.guards().size(); ++i) {
    const ConditionInputs::Guard& guard = conditions.guards()[i];
    if (guard.is_constant || guard.kind >= Kind::external ||
        dependence.of(guard.expression) == TimeDependence::Mark::other) {
      continue;
    }
    if (auto form = affine_in_time(model.graph, splitter, expand(model, dependence, guard.expression))) {
      form->guard = static_cast<Index>(i);
      form->kind = guard.kind;
      scheduled.push_back(*form);
    }
  }
  return scheduled;
}

ScheduleCode::ScheduleCode(const expr::Graph& graph, const ConditionInputs& conditions,
                           std::vector<ScheduledGuard> scheduled, LeafBindings bindings,
                           std::size_t n_frozen_inputs, std::size_t n_discrete_values)
    : guards(std::move(scheduled)), n_discrete(n_discrete_values) {
  if (guards.empty()) {
    return;
  }
  std::vector<NodeId> outputs;
  for (const ScheduledGuard& guard : guards) {
    outputs.insert(outputs.end(), {guard.rate, guard.offset, guard.divisor});
  }
  sequence = std::make_shared<const SequenceCode>(
      graph, SequenceRequest{.blocks = {},
                             .states = {},
                             .outputs = outputs,
                             .n_frozen_inputs = n_frozen_inputs,
                             .bindings = std::move(bindings),
                             .n_held = static_cast<std::uint32_t>(conditions.n_conditions() + n_discrete)});
  // The program reads held inputs only if one of its instructions does.
  for (const Instruction& instruction : sequence->program().code) {
    for (int k = 0; k < n_operands(instruction.op); ++k) {
      varies = varies || instruction.operands[k].space() == Space::registers;
    }
  }
}

Scheduler::Scheduler(const ScheduleCode& code, const ConditionInputs& conditions, std::vector<Clock> clocks,
                     std::span<const double> frozen_inputs)
    : code_(code),
      conditions_(conditions),
      clocks_(std::move(clocks)),
      coefficients_(code.guards.size()),
      times_(code.guards.size() + clocks_.size()) {
  if (code.guards.empty()) {
    return;
  }
  sequence_.emplace(code.sequence, frozen_inputs, [](const structure::Unknown&) { return UnknownScale{}; });
  runner_ = std::make_unique<SequenceRunner>(*sequence_);
  static_assert(sizeof(Coefficients) == 3 * sizeof(double));
  const system::Evaluation evaluation = runner_->run(0.0, nullptr, &coefficients_.front().rate);
  SALTUS_ASSERT(evaluation.ok());
  static_cast<void>(evaluation);
}

void Scheduler::update(const system::Configuration& configuration) const {
  for (std::size_t guard = 0; guard < conditions_.guards().size(); ++guard) {
    for (const ConditionInputs::Use& use : conditions_.of_guard(guard)) {
      runner_->set_held(use.condition,
                        ConditionInputs::value_in_equations(use, configuration.latched[guard], false));
    }
  }
  for (std::size_t i = 0; i < code_.n_discrete; ++i) {
    runner_->set_held(conditions_.n_conditions() + i, configuration.discrete[i]);
  }
  const system::Evaluation evaluation = runner_->run(0.0, nullptr, &coefficients_.front().rate);
  SALTUS_ASSERT(evaluation.ok());
  static_cast<void>(evaluation);
}

double Scheduler::time_of(std::size_t i, const system::Configuration& configuration, double direction) const {
  const auto& [rate, offset, divisor] = coefficients_[i];
  if (rate == 0.0) {
    return direction * std::numeric_limits<double>::infinity();
  }
  const Kind kind = code_.guards[i].kind;
  double level = 0.0;
  if (!is_relation(kind)) {
    const bool rises = (rate > 0.0) == (divisor > 0.0) ? direction > 0.0 : direction < 0.0;
    const auto guard = static_cast<std::size_t>(code_.guards[i].guard);
    level = next_level(conditions_.guards()[guard], configuration.latched[guard], rises);
  }
  return (level * divisor - offset) / rate;
}

void Scheduler::next(const system::Configuration& configuration, double t, double direction, double scale,
                     bool inclusive, system::Schedule& schedule) const {
  const double sign = direction < 0.0 ? -1.0 : 1.0;
  const double never = sign * std::numeric_limits<double>::infinity();
  schedule.time = never;
  schedule.guards.clear();
  schedule.clocks.clear();
  if (code_.guards.empty() && clocks_.empty()) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (code_.varies) {
    update(configuration);
  }
  for (std::size_t i = 0; i < times_.size(); ++i) {
    double time = never;
    if (i >= code_.guards.size()) {
      time = next_instant(clocks_[i - code_.guards.size()], t, sign, scale, inclusive);
    } else if (const double found = time_of(i, configuration, sign);
               is_due(found, t, sign, scale, inclusive)) {
      time = found;
    }
    times_[i] = time;
    if ((time - schedule.time) * sign < 0.0) {
      schedule.time = time;
    }
  }
  if (!std::isfinite(schedule.time)) {
    return;
  }
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (!std::isfinite(times_[i]) || !same_instant(times_[i], schedule.time, scale)) {
      continue;
    }
    if (i < code_.guards.size()) {
      schedule.guards.push_back(code_.guards[i].guard);
    } else {
      schedule.clocks.push_back(static_cast<Index>(i - code_.guards.size()));
    }
  }
}

}  // namespace saltus::program
