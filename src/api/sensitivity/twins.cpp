#include "api/sensitivity/twins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "api/model/start_point.hpp"
#include "api/sensitivity/plain_parameters.hpp"
#include "api/sensitivity/settled_twins.hpp"
#include "expr/graph.hpp"
#include "expr/operation.hpp"
#include "program/guards/parameter_values.hpp"
#include "sensitivity/field/structure_beside.hpp"

namespace saltus::api {
namespace {

// Fornberg 1988, table 1 (centred) and table 3 (one-sided), first derivative, fourth order; over h.
constexpr StencilPoint kCentred[] = {
    {-2, 1.0 / 12, 0.0}, {-1, -2.0 / 3, -0.5}, {1, 2.0 / 3, 0.5}, {2, -1.0 / 12, 0.0}};
constexpr StencilPoint kOneSided[] = {
    {0, -25.0 / 12, -1.5}, {1, 4.0, 2.0}, {2, -3.0, -0.5}, {3, 4.0 / 3, 0.0}, {4, -1.0 / 4, 0.0}};

// A start that is given must be found where it is found without: up to what its iterations leave.
constexpr double kStartGiven = 1e-8;

// One-sided differences of smooth start values agree to their truncation, 2⁻²⁰ of their third derivatives.
constexpr double kSmoothStart = 1e-4;

enum class Verdict { usable, cannot_be, is_another };

// Which branch an operation over parameters takes that is not smooth; none: it is smooth, or not over parameters.
std::optional<double> branch_of(const expr::Node& node, program::ParameterValues& values) {
  const auto operand = [&](std::uint32_t place) { return values.of(NodeId(place)); };
  switch (node.op) {
    case expr::Op::abs:
    case expr::Op::sign: {
      const auto a = operand(node.first);
      return a ? std::optional(expr::apply<expr::Op::sign>(*a)) : std::nullopt;
    }
    case expr::Op::floor:
    case expr::Op::ceil:
    case expr::Op::truncate: {
      const auto a = operand(node.first);
      return a ? std::optional(expr::apply(node.op, *a)) : std::nullopt;
    }
    case expr::Op::minimum:
    case expr::Op::maximum: {
      const auto a = operand(node.first);
      const auto b = a ? operand(node.second) : std::nullopt;
      return b ? std::optional(expr::apply<expr::Op::sign>(*a - *b)) : std::nullopt;
    }
    case expr::Op::less:
    case expr::Op::less_equal:
    case expr::Op::equal:
    case expr::Op::not_equal: {
      const auto a = operand(node.first);
      const auto b = a ? operand(node.second) : std::nullopt;
      return b ? std::optional(expr::apply(node.op, *a, *b)) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

// One target and its twins.
class TwinMaker {
 public:
  TwinMaker(const Instance& base, const system::InitialPoint& initial, const SensitivityTarget& target,
            const RunSettings& settings, double distance)
      : base_(base),
        initial_(initial),
        target_(target),
        settings_(settings),
        base_values_(*base.flat, base.overrides) {
    Diagnostics ignored;
    base_parameters_ = base_values_.all(ignored);
    set_.h = distance * target.size;
  }

  TwinSet make(TwinSides sides) {
    if (target_.is_start && !has_same_start()) {
      return std::move(set_);
    }
    const int chosen = settings_.sensitivity_side == SensitivitySide::plus    ? 1
                       : settings_.sensitivity_side == SensitivitySide::minus ? -1
                                                                              : 0;
    const bool may_be_centred = chosen == 0 || sides == TwinSides::any;
    if (may_be_centred && try_stencil(kCentred, 1) && is_start_smooth()) {
      return std::move(set_);
    }
    if (chosen != 0) {
      set_.undefined.clear();
      set_.undefined = try_stencil(kOneSided, chosen) ? "" : reason_;
    } else if (set_.undefined.empty()) {
      const int good_side = is_good(-1) && is_good(-2) ? -1 : 1;
      if (!try_stencil(kOneSided, good_side) && set_.undefined.empty()) {
        set_.undefined = reason_;
      }
    }
    return std::move(set_);
  }

 private:
  // False: not all of them are there.
  template <std::size_t N>
  bool try_stencil(const StencilPoint (&points)[N], int side) {
    set_.stencil.clear();
    bool are_all_good = true;
    for (const StencilPoint& point : points) {
      are_all_good = is_good(side * point.offset) && are_all_good;
      if (!set_.undefined.empty()) {
        return false;
      }
      set_.stencil.push_back({side * point.offset, static_cast<double>(side) * point.weight / set_.h,
                              static_cast<double>(side) * point.coarse / set_.h});
    }
    return are_all_good;
  }

  // Where the run begins on a surface, start values may have a kink: differences of second order to either side say so.
  bool is_start_smooth() {
    if (set_.leaves.empty()) {
      return true;
    }
    const auto of_side = [this](int side, auto get) {
      const auto at = [&](int offset) { return get(set_.twins.at(offset).initial); };
      return side * (4.0 * at(side) - at(2 * side) - 3.0 * get(initial_)) / (2.0 * set_.h);
    };
    for (std::size_t i = 0; i < initial_.x.size(); ++i) {
      const auto state = [i](const system::InitialPoint& point) { return point.x[i]; };
      const double plus = of_side(1, state);
      const double minus = of_side(-1, state);
      if (!(std::abs(plus - minus) <= kSmoothStart * std::max(std::abs(plus), std::abs(minus)))) {
        set_.undefined = reason_ = "the start has a kink there";
        return false;
      }
    }
    return true;
  }

  // Makes a twin that is not there yet.
  bool is_good(int offset) {
    const auto known = verdicts_.find(offset);
    if (known != verdicts_.end()) {
      return known->second;
    }
    Verdict verdict = Verdict::usable;
    if (offset != 0 || target_.is_start) {
      std::optional<TwinInstance> twin = make_twin(offset);
      verdict = !twin ? Verdict::cannot_be : is_like_base(*twin) ? Verdict::usable : Verdict::is_another;
      if (verdict == Verdict::usable) {
        set_.twins.emplace(offset, *std::move(twin));
      }
    }
    if (verdict == Verdict::is_another) {
      set_.undefined = reason_;
    }
    return verdicts_[offset] = verdict == Verdict::usable;
  }

  [[nodiscard]] bool is_within_bounds(double value) {
    const auto bound = [&](const std::optional<NodeId>& node, double otherwise) {
      return node ? base_values_.of(*node).value_or(otherwise) : otherwise;
    };
    const flat::Model& model = *base_.flat;
    const auto& low =
        target_.is_start ? model.variables[target_.place].minimum : model.parameters[target_.place].minimum;
    const auto& high =
        target_.is_start ? model.variables[target_.place].maximum : model.parameters[target_.place].maximum;
    return value >= bound(low, -HUGE_VAL) && value <= bound(high, HUGE_VAL);
  }

  std::optional<TwinInstance> make_twin(int offset) {
    const double value = target_.value + offset * set_.h;
    if (!is_within_bounds(value)) {
      reason_ = "values on both sides of it are beyond its bounds";
      return std::nullopt;
    }
    TwinInstance twin{base_, {}, {}};
    twin.instance.overrides.emplace_back(target_.name, value);
    twin.instance.start_by_ranks = {};
    twin.instance.check = nullptr;  // it knows the values of the base
    auto system = base_.compiled->system(twin.instance.overrides);
    if (!system) {
      reason_ = "the model cannot be built beside it: " + first_message(system.error());
      return std::nullopt;
    }
    twin.instance.system = *std::move(system);
    Diagnostics warnings;
    Result<system::InitialPoint> start = find_start(
        twin.instance, settings_.start, settings_.stop - settings_.start, settings_.start_rule, warnings);
    if (!start) {
      reason_ = "no start is found beside it: " + first_message(start.error());
      return std::nullopt;
    }
    twin.initial = *std::move(start);
    Diagnostics ignored;
    twin.parameters = program::ParameterValues(*base_.flat, twin.instance.overrides).all(ignored);
    return twin;
  }

  static std::string first_message(const Diagnostics& problems) {
    return problems.empty() ? "" : problems.items()[0].message;
  }

  // Else reason_ says what is another.
  bool is_like_base(const TwinInstance& twin) {
    return has_same_parameters(twin) && has_same_structure(twin) && has_same_sides(twin);
  }

  bool has_same_parameters(const TwinInstance& twin) {
    const flat::Model& model = *base_.flat;
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
      const bool moves =
          twin.parameters[i] != base_parameters_[i] && !std::isnan(twin.parameters[i] + base_parameters_[i]);
      if (moves && model.parameters[i].type != flat::Type::real) {
        reason_ =
            fmt::format("the parameter '{}', which is no Real, changes with it", model.parameters[i].name);
        return false;
      }
    }
    program::ParameterValues values(model, twin.instance.overrides);
    for (std::size_t i = 0; i < model.graph.size(); ++i) {
      const expr::Node& node = model.graph[NodeId(i)];
      if (branch_of(node, base_values_) != branch_of(node, values)) {
        reason_ = "a condition over parameters has another value beside it";
        return false;
      }
    }
    for (const flat::Condition& condition : model.conditions) {
      const std::optional<double> here = base_values_.of(condition);
      if (here && here != values.of(condition)) {
        reason_ = fmt::format("the condition '{}' has another value beside it", condition.text);
        return false;
      }
    }
    return true;
  }

  bool has_same_structure(const TwinInstance& twin) {
    const system::HybridSystem& mine = *base_.system;
    const system::HybridSystem& theirs = *twin.instance.system;
    const auto here = mine.lock(mine.structure_of(initial_.configuration));
    const auto there = theirs.lock(theirs.structure_of(twin.initial.configuration));
    const bool is_same = here && there && have_same_states((*here)->states(), (*there)->states()) &&
                         mine.guards().size() == theirs.guards().size() &&
                         mine.discrete() == theirs.discrete() && mine.n_clocks() == theirs.n_clocks() &&
                         twin.instance.start_by_ranks == base_.start_by_ranks;
    if (!is_same) {
      reason_ = "the equations have another structure beside it";
      return false;
    }
    if (!sensitivity::watch_same_guards(mine, **here, theirs, **there)) {
      reason_ = "beside it the equations have a condition that they do not have without its term";
      return false;
    }
    return true;
  }

  static bool have_same_states(const std::vector<system::StateInfo>& mine,
                               const std::vector<system::StateInfo>& theirs) {
    return std::equal(
        mine.begin(), mine.end(), theirs.begin(), theirs.end(),
        [](const system::StateInfo& a, const system::StateInfo& b) { return a.name == b.name; });
  }

  bool has_same_sides(const TwinInstance& twin) {
    const system::Configuration& here = initial_.configuration;
    const system::Configuration& there = twin.initial.configuration;
    if (here.mode != there.mode) {
      reason_ = "the run begins in another mode beside it";
      return false;
    }
    const std::vector<system::GuardInfo>& guards = base_.system->guards();
    for (std::size_t i = 0; i < here.latched.size(); ++i) {
      const bool leaves = here.latched[i] != there.latched[i] && here.latched[i] == 0.0 &&
                          guards[i].kind == system::GuardInfo::Kind::relation;
      if (leaves) {
        const auto guard = static_cast<Index>(i);
        if (std::find(set_.leaves.begin(), set_.leaves.end(), guard) == set_.leaves.end()) {
          set_.leaves.push_back(guard);
        }
      } else if (here.latched[i] != there.latched[i]) {
        const std::string& text = guards[i].condition.empty() ? guards[i].text : guards[i].condition;
        reason_ = fmt::format("at the start '{}' has another side beside this value", text);
        return false;
      }
    }
    const std::vector<Index>& discrete = base_.system->discrete();
    for (std::size_t i = 0; i < here.discrete.size(); ++i) {
      const system::VariableInfo& info = base_.system->variables()[static_cast<std::size_t>(discrete[i])];
      if ((info.is_boolean || info.is_integer) && here.discrete[i] != there.discrete[i]) {
        reason_ = fmt::format("at the start '{}' has another value beside this one", info.name);
        return false;
      }
    }
    return true;
  }

  // A start value that the model does not give may be found in another way once it is given.
  bool has_same_start() {
    if (!is_good(0)) {
      set_.undefined = reason_;
      return false;
    }
    const system::InitialPoint& given = set_.twins.at(0).initial;
    for (std::size_t i = 0; i < initial_.x.size(); ++i) {
      if (!(std::abs(given.x[i] - initial_.x[i]) <= kStartGiven * std::max(1.0, std::abs(initial_.x[i])))) {
        set_.undefined = "the start is found in another way when this start value is given";
        return false;
      }
    }
    return true;
  }

  const Instance& base_;
  const system::InitialPoint& initial_;
  const SensitivityTarget& target_;
  const RunSettings& settings_;
  program::ParameterValues base_values_;
  std::vector<double> base_parameters_;
  TwinSet set_;
  std::map<int, bool> verdicts_;
  std::string reason_;
};

// Differences to what they are of at the value itself: what does not move is zero exactly.
template <class Get>
double derivative(const TwinSet& set, double here, Get get) {
  double sum = 0.0;
  for (const StencilPoint& point : set.stencil) {
    const auto twin = set.twins.find(point.offset);
    sum += twin == set.twins.end() ? 0.0 : point.weight * (get(twin->second) - here);
  }
  return sum;
}

std::vector<sensitivity::Twin> twins_of(const Instance& base, const TwinSet& set) {
  std::vector<sensitivity::Twin> twins;
  for (const StencilPoint& point : set.stencil) {
    const auto twin = set.twins.find(point.offset);
    twins.push_back({point.weight, point.offset * set.h,
                     twin == set.twins.end() ? base.system : twin->second.instance.system, point.coarse});
  }
  return twins;
}

// Of a parameter that did not need them at the start. Where there are none, what is made of them is not a number.
std::vector<sensitivity::Twin> late_twins(const Instance& base, const system::InitialPoint& initial,
                                          const SensitivityTarget& target, const RunSettings& settings) {
  const TwinSet set = make_settled_twins(base, initial, target, settings);
  return set.undefined.empty() ? twins_of(base, set)
                               : std::vector<sensitivity::Twin>{{std::nan(""), 0.0, base.system}};
}

}  // namespace

TwinSet make_twins(const Instance& base, const system::InitialPoint& initial, const SensitivityTarget& target,
                   const RunSettings& settings, double distance, TwinSides sides) {
  return TwinMaker(base, initial, target, settings, distance).make(sides);
}

sensitivity::Setup make_setup(const Instance& base, const system::InitialPoint& initial,
                              const std::vector<SensitivityTarget>& targets, const RunSettings& settings) {
  const std::size_t n = targets.size();
  const std::size_t n_parameters = base.flat->parameters.size();
  sensitivity::Setup setup;
  setup.directions.n_directions = static_cast<Index>(n);
  setup.directions.parameters.assign(n_parameters * n, 0.0);
  setup.x.assign(initial.x.size() * n, 0.0);
  setup.discrete.assign(initial.configuration.discrete.size() * n, 0.0);
  Diagnostics ignored;
  const std::vector<double> parameters = program::ParameterValues(*base.flat, base.overrides).all(ignored);
  const std::vector<bool> is_plain = find_plain(base, initial, settings.start, targets);
  for (std::size_t c = 0; c < n; ++c) {
    if (is_plain[c]) {
      setup.directions.parameters[targets[c].place * n + c] = 1.0;
      sensitivity::Column& column = setup.columns.emplace_back();
      column.name = targets[c].name;
      column.size = targets[c].size;
      column.moves_clocks = false;
      column.twins = sensitivity::Twins([&base, &initial, &settings, target = targets[c]] {
        return late_twins(base, initial, target, settings);
      });
      continue;
    }
    const TwinSet set = make_settled_twins(base, initial, targets[c], settings);
    sensitivity::Column column;
    column.name = targets[c].name;
    column.size = targets[c].size;
    column.moves_equations = !targets[c].is_start;
    column.moves_zero = moves_zero(set, parameters);
    column.undefined = set.undefined;
    column.leaves = set.leaves;
    if (!set.undefined.empty()) {
      setup.columns.push_back(std::move(column));
      continue;
    }
    for (sensitivity::Twin& twin : twins_of(base, set)) {
      column.twins.push_back(std::move(twin));
    }
    for (std::size_t i = 0; i < n_parameters && !targets[c].is_start; ++i) {
      setup.directions.parameters[i * n + c] =
          i == targets[c].place
              ? 1.0
              : derivative(set, parameters[i], [&](const TwinInstance& twin) { return twin.parameters[i]; });
    }
    const auto own = set.twins.find(0);
    const system::InitialPoint& here = own == set.twins.end() ? initial : own->second.initial;
    for (std::size_t i = 0; i < initial.x.size(); ++i) {
      setup.x[i * n + c] =
          derivative(set, here.x[i], [&](const TwinInstance& twin) { return twin.initial.x[i]; });
    }
    for (std::size_t i = 0; i < initial.configuration.discrete.size(); ++i) {
      setup.discrete[i * n + c] =
          derivative(set, here.configuration.discrete[i],
                     [&](const TwinInstance& twin) { return twin.initial.configuration.discrete[i]; });
    }
    setup.columns.push_back(std::move(column));
  }
  setup.known_directions = setup.directions;
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t i = 0; i < n_parameters && setup.columns[c].moves_zero; ++i) {
      setup.known_directions.parameters[i * n + c] = 0.0;
    }
  }
  return setup;
}

}  // namespace saltus::api
