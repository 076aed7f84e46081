#include "settle/start/consistent_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reduce/consistent/consistent_values.hpp"
#include "reduce/consistent/raised_problem.hpp"
#include "reduce/projected_evaluator.hpp"
#include "reduce/ranks/characteristic_values.hpp"
#include "saltus/contract.hpp"
#include "settle/start/discrete_start.hpp"
#include "settle/state/diagnostic_codes.hpp"
#include "settle/state/held_number.hpp"
#include "settle/state/start_clauses.hpp"

namespace saltus::settle {
namespace {

// Initial values of states that differ by less are the same.
constexpr double kSameStart = 1e-9;
// As many sets of sides as program/initial_point.cpp tries, beside one for every guard and discrete variable.
constexpr std::size_t kMostTrials = 100;

double latched_at(const system::GuardInfo& guard, double value) {
  if (guard.kind != system::GuardInfo::Kind::relation) {
    return number_at(guard, value);
  }
  return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0;
}

// Initial values and what they decide ask for each other without an end; what differs between two configurations of the circle.
Diagnostics cycle_between(const system::HybridSystem& system, const system::Configuration& one,
                          const system::Configuration& other) {
  std::string names;
  std::optional<SourceSpan> span;
  for (std::size_t i = 0; i < one.latched.size(); ++i) {
    if (one.latched[i] != other.latched[i]) {
      names += (names.empty() ? "the conditions '" : ", '") + system.guards()[i].condition + "'";
      span = span ? span : system.guards()[i].span;
    }
  }
  for (std::size_t i = 0; i < one.discrete.size() && names.empty(); ++i) {
    if (one.discrete[i] != other.discrete[i]) {
      const auto column = static_cast<std::size_t>(system.discrete()[i]);
      names = "the discrete variable " + system.variables()[column].name;
    }
  }
  Diagnostics problems;
  problems.error(kStartConditionsCycle,
                 fmt::format("no initial values agree with {}: each choice of their values gives initial "
                             "values for which they are different",
                             names.empty() ? "the discrete equations" : names),
                 span, "give start values that decide the conditions, or fix fewer of them");
  return problems;
}

class Completion {
 public:
  Completion(const system::HybridSystem& system, const system::LockedDae& locked,
             system::InitialPoint initial, double t)
      : system_(system), locked_(locked), point_(std::move(initial)), problem_(*point_.problem), t_(t) {
    point_.problem = nullptr;
    discrete_starts_ = point_.discrete_before;
    for (std::size_t i = 0; i < system.guards().size(); ++i) {
      if (locked.watches(static_cast<Index>(i))) {
        watched_.push_back(static_cast<Index>(i));
      }
    }
  }

  /// The values found ask for a configuration of another structure: the problem is to be put in that.
  [[nodiscard]] const std::optional<system::Configuration>& asks_for() const { return asks_for_; }

  Result<ConsistentStart> run() {
    if (locked_.reduction() == system::Reduction::ranks && !raise()) {
      return Unexpected(std::move(problems_));
    }
    if (locked_.reduction() == system::Reduction::structural) {
      mark_states();
    }
    if (!settle()) {
      return Unexpected(std::move(problems_));
    }
    if (asks_for_) {
      return ConsistentStart{};
    }
    point_.configuration = problem_.configuration;
    point_.discrete_before = discrete_starts_;
    point_.values.assign(system_.variables().size(), 0.0);
    if (is_least_squares_ && !evaluator_->project(t_, point_.x).ok()) {
      problems_.error(kStartNotEvaluated, "the equations at the start have no solution by least squares");
      return Unexpected(std::move(problems_));
    }
    ConsistentStart start;
    // The evaluator is still at the configuration and the point of the last trial.
    system::Evaluation evaluation = evaluator_->outputs(t_, point_.x, point_.values);
    std::vector<double> rates(point_.x.size());
    if (evaluation.ok()) {
      evaluation = evaluator_->rhs(t_, point_.x, rates);
    }
    if (evaluation.status == system::Evaluation::Status::singular_block) {
      start.singularity = evaluator_->describe(evaluation, t_);
    } else if (!evaluation.ok()) {
      problems_.error(kStartNotEvaluated, evaluator_->describe(evaluation, t_));
      return Unexpected(std::move(problems_));
    }
    start.point = std::move(point_);
    start.undetermined = undetermined_;
    start.has_moved = has_moved_;
    return start;
  }

 private:
  // The depth of the equations is that of the characteristic values near the guess.
  bool raise() {
    reduce::AnalysisOptions options;
    options.form = reduce::AnalysisForm::states;
    const std::vector<double> x = states_of(problem_.guess);
    Result<reduce::CharacteristicValues> found =
        reduce::find_characteristic_values(locked_, problem_.configuration, t_, x, options);
    if (!found) {
      problems_ = std::move(found).error();
      return false;
    }
    Result<system::InitialProblem> raised = reduce::raise_problem(problem_, locked_, found->level);
    if (!raised) {
      problems_ = std::move(raised).error();
      return false;
    }
    problem_ = *std::move(raised);
    undetermined_ = found->undetermined;
    return true;
  }

  void mark_states() {
    problem_.is_state.assign(problem_.guess.size(), 0);
    for (const std::size_t slot : slots_of_states()) {
      problem_.is_state[slot] = 1;
    }
  }

  bool settle() {
    std::vector<system::Configuration> tried;
    std::vector<double> states_before;
    while (true) {
      states_before = point_.x;
      if (!solve()) {
        return false;
      }
      system::Configuration next = problem_.configuration;
      if (!look(next.latched) || !look_at_discrete(next)) {
        return false;
      }
      keep_sides(next);
      if (!keep_discrete(next)) {
        return false;
      }
      if (next == problem_.configuration) {
        point_.warnings.append(std::move(warnings_));
        return true;
      }
      if (!(system_.structure_of(next) == system_.structure_of(problem_.configuration))) {
        asks_for_ = std::move(next);
        return true;
      }
      tried.push_back(problem_.configuration);
      if (tried.size() == kMostTrials + next.latched.size() + next.discrete.size() ||
          std::find(tried.begin(), tried.end(), next) != tried.end()) {
        if (may_slide(problem_.configuration, next, states_before)) {
          point_.warnings.append(std::move(warnings_));
          return true;
        }
        problems_.append(cycle_between(system_, tried.back(), next));
        return false;
      }
      problem_.configuration = std::move(next);
    }
  }

  // Sides that only algebraic variables depend on, and that can be blended: the run begins between them (docs/semantics.md 7.8).
  [[nodiscard]] bool may_slide(const system::Configuration& one, const system::Configuration& other,
                               std::span<const double> states_before) const {
    for (std::size_t i = 0; i < one.latched.size(); ++i) {
      if (one.latched[i] != other.latched[i] && !system_.guards()[i].can_slide) {
        return false;
      }
    }
    return one.discrete == other.discrete &&
           std::equal(
               states_before.begin(), states_before.end(), point_.x.begin(), point_.x.end(),
               [](double a, double b) { return std::abs(a - b) <= kSameStart * std::max(1.0, std::abs(b)); });
  }

  // More equations than unknowns, in a mode reduced by ranks: where they are linear the run meets them by least squares, and so does its
  // start.
  [[nodiscard]] bool is_overdetermined() const {
    if (locked_.reduction() != system::Reduction::ranks) {
      return false;
    }
    const std::vector<system::RowInfo>& rows = problem_.equations->rows();
    const auto n_equations = std::count_if(rows.begin(), rows.end() - problem_.n_initial_equations,
                                           [](const system::RowInfo& row) { return row.order == 0; });
    std::vector<Index> variables;
    for (const system::SlotInfo& slot : problem_.equations->slots()) {
      if (!system_.variables()[static_cast<std::size_t>(slot.variable)].is_discrete) {
        variables.push_back(slot.variable);
      }
    }
    std::sort(variables.begin(), variables.end());
    return n_equations > std::unique(variables.begin(), variables.end()) - variables.begin();
  }

  // With these sides there are no values: values with relations that follow them are looked for, and the search begins again with their
  // sides.
  [[nodiscard]] Result<reduce::ConsistentValues> solve_from_afar(Diagnostics problems) {
    if (!problem_.free_relations || locked_.reduction() == system::Reduction::ranks) {
      return Unexpected(std::move(problems));
    }
    const system::FreeRelations free = problem_.free_relations();
    system::InitialProblem asked = problem_;
    asked.equations = free.equations;
    const Result<reduce::ConsistentValues> found = reduce::find_consistent_values(asked, t_);
    if (!found) {
      return Unexpected(std::move(problems));
    }
    asked.equations = problem_.equations;
    const std::vector<double> latched = free.latched(t_, found->slots);
    for (std::size_t i = 0; i < latched.size(); ++i) {
      asked.configuration.latched[i] = std::isnan(latched[i]) ? asked.configuration.latched[i] : latched[i];
    }
    for (std::size_t j = 0; j < asked.guess.size(); ++j) {
      asked.guess[j] = asked.tier[j] == system::StartTier::free ? found->slots[j] : asked.guess[j];
    }
    Result<reduce::ConsistentValues> with_sides = reduce::find_consistent_values(asked, t_);
    if (with_sides) {
      problem_ = std::move(asked);
      return with_sides;
    }
    return Unexpected(std::move(problems));
  }

  bool solve() {
    Result<reduce::ConsistentValues> found =
        reduce::find_consistent_values(problem_, t_, {.takes_least_squares = is_overdetermined()});
    if (!found) {
      found = solve_from_afar(std::move(found).error());
    }
    if (!found) {
      problems_ = std::move(found).error();
      return false;
    }
    warnings_ = std::move(found->warnings);
    is_least_squares_ = found->is_least_squares;
    has_moved_ = !found->moved.empty();
    sharpen_discrete(problem_, system_.variables(), t_, found->slots);
    point_.x = states_of(found->slots);
    take_discrete(found->slots);
    for (std::size_t i = 0; i < problem_.slot_of_guess.size(); ++i) {
      if (const Index slot = problem_.slot_of_guess[i]; slot >= 0) {
        point_.guess[i] = found->slots[static_cast<std::size_t>(slot)];
      }
    }
    return true;
  }

  // What initial equations say of discrete variables: v and pre(v), or pre(v) alone (structure/start_problem.hpp).
  void take_discrete(std::span<const double> slots) {
    const std::vector<system::SlotInfo>& infos = problem_.equations->slots();
    for (std::size_t j = 0; j < infos.size(); ++j) {
      const auto place = std::find(system_.discrete().begin(), system_.discrete().end(), infos[j].variable);
      if (place == system_.discrete().end()) {
        continue;
      }
      const auto k = static_cast<std::size_t>(place - system_.discrete().begin());
      discrete_starts_[k] = slots[j];
      if (infos[j].order == 0) {
        problem_.configuration.discrete[k] = slots[j];
      }
    }
  }

  // A state is the slot of the same quantity.
  [[nodiscard]] std::vector<std::size_t> slots_of_states() const {
    std::unordered_map<system::Quantity, std::size_t, system::QuantityHash> slot_of;
    const std::vector<system::SlotInfo>& slots = problem_.equations->slots();
    for (std::size_t j = 0; j < slots.size(); ++j) {
      slot_of.emplace(slots[j].quantity(), j);
    }
    std::vector<std::size_t> slots_of_states;
    for (const system::StateInfo& state : locked_.states()) {
      const auto slot = slot_of.find(state.quantity);
      SALTUS_ASSERT(slot != slot_of.end());
      slots_of_states.push_back(slot->second);
    }
    return slots_of_states;
  }
  [[nodiscard]] std::vector<double> states_of(std::span<const double> values) const {
    std::vector<double> x;
    for (const std::size_t slot : slots_of_states()) {
      x.push_back(values[slot]);
    }
    return x;
  }

  // Sides as written on the values.
  bool look(std::vector<double>& latched) {
    evaluator_ = reduce::make_reduced_evaluator(locked_, point_.guess);
    evaluator_->set_configuration(problem_.configuration);
    std::vector<double> values(watched_.size());
    const system::Evaluation evaluation = evaluator_->guards(watched_, t_, point_.x, values);
    if (evaluation.status == system::Evaluation::Status::singular_block) {
      return true;  // nothing can be said about guards; the caller will see why
    }
    if (!evaluation.ok()) {
      problems_.error(kStartNotEvaluated, evaluator_->describe(evaluation, t_));
      return false;
    }
    for (std::size_t k = 0; k < watched_.size(); ++k) {
      const auto guard = static_cast<std::size_t>(watched_[k]);
      const bool is_zero = system_.guards()[guard].kind == system::GuardInfo::Kind::relation &&
                           std::abs(values[k]) <= evaluator_->guard_noise(watched_[k], t_, point_.x);
      latched[guard] = is_zero ? 0.0 : latched_at(system_.guards()[guard], values[k]);
    }
    return true;
  }

  // A guard that is zero has the side of the structure in which the values were found (an ideal diode that conducts no current yet);
  // the run asks where it moves from there (docs/semantics.md 3.3). As written at zero it could ask for a structure whose values
  // ask for this one.
  void keep_sides(system::Configuration& found) const {
    const system::Configuration& asked = problem_.configuration;
    if (!system_.has_structures() || system_.structure_of(found) == system_.structure_of(asked)) {
      return;
    }
    system::Configuration kept = found;
    for (std::size_t i = 0; i < kept.latched.size(); ++i) {
      kept.latched[i] = kept.latched[i] == 0.0 ? asked.latched[i] : kept.latched[i];
    }
    if (system_.structure_of(kept) == system_.structure_of(asked)) {
      found = std::move(kept);
    }
  }

  // As keep_sides(), where discrete variables decide the structure: of a guard that is zero the side is taken with which their equations
  // give what was asked for.
  bool keep_discrete(system::Configuration& found) {
    const system::Configuration& asked = problem_.configuration;
    for (std::size_t i = 0; i < found.latched.size() && found.discrete != asked.discrete; ++i) {
      if (found.latched[i] != 0.0 || system_.guards()[i].kind != system::GuardInfo::Kind::relation) {
        continue;
      }
      for (const double side : {-1.0, 1.0}) {
        system::Configuration kept = found;
        kept.latched[i] = side;
        if (!look_at_discrete(kept)) {
          return false;
        }
        if (n_same(kept.discrete, asked.discrete) > n_same(found.discrete, asked.discrete)) {
          found = std::move(kept);
          break;
        }
      }
    }
    return true;
  }
  static std::ptrdiff_t n_same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), std::ptrdiff_t{0}, std::plus<>(),
                              [](double x, double y) { return x == y ? 1 : 0; });
  }

  // Discrete equations with these sides: a round in which the clauses of the start fire. Before it discrete variables have their starts.
  bool look_at_discrete(system::Configuration& configuration) {
    if (!system_.has_rounds()) {
      return true;
    }
    Result<std::unique_ptr<system::RoundSolver>> solver =
        system_.rounds(system_.structure_of(problem_.configuration));
    if (!solver) {
      problems_ = std::move(solver).error();
      return false;
    }
    std::vector<double> before(system_.variables().size(), 0.0);
    system::Evaluation evaluation = evaluator_->outputs(t_, point_.x, before);
    if (evaluation.status == system::Evaluation::Status::singular_block) {
      return true;  // as in look()
    }
    for (std::size_t i = 0; i < system_.discrete().size(); ++i) {
      before[static_cast<std::size_t>(system_.discrete()[i])] = discrete_starts_[i];
    }
    const std::vector<std::uint8_t> fired = fired_at_start(system_);
    const std::vector<std::uint8_t> clocks(static_cast<std::size_t>(system_.n_clocks()), 0);
    system::RoundSolution solution;
    (*solver)->prepare(solution);
    evaluation = (*solver)->solve({.t = t_,
                                   .configuration = &configuration,
                                   .previous = before,
                                   .x_previous = point_.x,
                                   .fired = fired,
                                   .clocks = clocks,
                                   .is_initial = true,
                                   .keeps_states = true},
                                  solution);
    if (!evaluation.ok()) {
      problems_.error(kStartNotEvaluated, (*solver)->describe(evaluation, t_));
      return false;
    }
    configuration.discrete = solution.discrete;
    return true;
  }

  const system::HybridSystem& system_;
  const system::LockedDae& locked_;
  system::InitialPoint point_;
  system::InitialProblem problem_;
  double t_;
  std::vector<Index> watched_;
  std::vector<double> discrete_starts_;
  std::unique_ptr<system::Evaluator> evaluator_;
  std::optional<system::Configuration> asks_for_;
  Index undetermined_ = 0;
  bool has_moved_ = false;
  bool is_least_squares_ = false;
  Diagnostics warnings_;
  Diagnostics problems_;
};

}  // namespace

Result<ConsistentStart> complete_start(const system::HybridSystem& system, system::InitialPoint initial,
                                       double t) {
  if (initial.problem == nullptr) {
    ConsistentStart start;
    start.point = std::move(initial);
    return start;
  }
  std::vector<system::StructureId> tried{system.structure_of(initial.configuration)};
  while (true) {
    Result<std::shared_ptr<const system::LockedDae>> locked = system.lock(tried.back());
    if (!locked) {
      return Unexpected(std::move(locked).error());
    }
    system::Configuration before = initial.problem->configuration;
    Completion completion(system, **locked, std::move(initial), t);
    Result<ConsistentStart> start = completion.run();
    if (!start || !completion.asks_for()) {
      return start;
    }
    system::Configuration next = *completion.asks_for();
    // In the structure that is asked for the values may be found at once, and ask for another.
    do {
      const system::StructureId structure = system.structure_of(next);
      if (std::find(tried.begin(), tried.end(), structure) != tried.end()) {
        return Unexpected(cycle_between(system, before, next));
      }
      tried.push_back(structure);
      Result<system::InitialPoint> other = system.initial_in(next, t);
      if (!other) {
        return Unexpected(std::move(other).error());
      }
      initial = *std::move(other);
      if (initial.problem == nullptr && system.structure_of(initial.configuration) == structure) {
        ConsistentStart found;
        found.point = std::move(initial);
        return found;
      }
      before = next;
      if (initial.problem == nullptr) {
        next = initial.configuration;
      }
    } while (initial.problem == nullptr);
  }
}

}  // namespace saltus::settle
