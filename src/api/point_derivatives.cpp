#include "api/point_derivatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "api/model/diagnostic_codes.hpp"
#include "saltus/contract.hpp"

namespace saltus::api {
namespace {

constexpr std::string_view kDerivative = "der(";

// The place of a state that is named so, or is always this or its negative; none: -1.
struct StatePlace {
  std::ptrdiff_t place = -1;
  double sign = 1.0;
};

StatePlace state_named(const std::vector<system::StateInfo>& states, std::string_view name) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].name == name) {
      return {static_cast<std::ptrdiff_t>(i), 1.0};
    }
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const system::StateInfo::Alias& alias : states[i].aliases) {
      if (alias.name == name) {
        return {static_cast<std::ptrdiff_t>(i), alias.sign};
      }
    }
  }
  return {};
}

}  // namespace

void PointDerivatives::set_unknowns(std::span<const std::string> names) {
  for (const std::string& name : names) {
    unknowns_.push_back(find_unknown(name));
  }
}

void PointDerivatives::set_knowns(std::span<const std::string> names) {
  for (const std::string& name : names) {
    SALTUS_EXPECT(std::count(names.begin(), names.end(), name) == 1, "'" + name + "' is a known twice");
    knowns_.push_back(find_known(name));
  }
}

PointDerivatives::Known PointDerivatives::find_known(const std::string& name) const {
  if (name == "time") {
    return {Known::Kind::time, 0, 1.0};
  }
  const std::vector<system::GuardInfo>& guards = system_.guards();
  for (std::size_t i = 0; i < guards.size(); ++i) {
    if (guards[i].kind == system::GuardInfo::Kind::external && guards[i].condition == name) {
      const auto& variables = system_.variables();
      const bool is_whole = std::any_of(variables.begin(), variables.end(), [&](const auto& variable) {
        return variable.name == name && (variable.is_boolean || variable.is_integer);
      });
      SALTUS_EXPECT(!is_whole, "'" + name + "' is no Real: nothing has a derivative with respect to it");
      return {Known::Kind::outside, i, 1.0};
    }
  }
  const std::vector<system::StateInfo>& states = at_.mode().locked->states();
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].name == name) {
      return {Known::Kind::state, i, 1.0};
    }
  }
  SALTUS_EXPECT(false, fmt::format("'{}' is no state of mode '{}', no input without a table, no tunable "
                                   "parameter and not time",
                                   name, system_.modes()[at_.configuration().mode.index()].name));
  return {};
}

PointDerivatives::Unknown PointDerivatives::find_unknown(const std::string& name) const {
  const std::vector<system::StateInfo>& states = at_.mode().locked->states();
  if (const StatePlace state = state_named(states, name); state.place >= 0) {
    return {Unknown::Kind::state, static_cast<std::size_t>(state.place), state.sign, name};
  }
  const auto& variables = system_.variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::vector<std::uint8_t>& has = system_.modes()[at_.configuration().mode.index()].has_variable;
    if (variables[i].name == name) {
      SALTUS_EXPECT(has.empty() || has[i] != 0,
                    fmt::format("mode '{}' has no variable '{}'",
                                system_.modes()[at_.configuration().mode.index()].name, name));
      return {Unknown::Kind::variable, i, 1.0, name};
    }
  }
  if (name.starts_with(kDerivative) && name.ends_with(')')) {
    const std::string_view inner =
        std::string_view(name).substr(kDerivative.size(), name.size() - kDerivative.size() - 1);
    if (const StatePlace state = state_named(states, inner); state.place >= 0) {
      return {Unknown::Kind::rate, static_cast<std::size_t>(state.place), state.sign, name};
    }
  }
  SALTUS_EXPECT(false, fmt::format("'{}' is neither a variable nor the derivative of a state", name));
  return {};
}

Diagnostics PointDerivatives::not_there(const std::string& why) const {
  Diagnostics problems;
  problems.error(kNoPointDerivative, fmt::format("there are no derivatives at time {}: {}", at_.time(), why));
  return problems;
}

Result<std::unique_ptr<program::ModeTangents>> PointDerivatives::tangents(std::size_t n) const {
  const bool is_held = at_.is_sliding() || at_.is_at_rest();
  auto found =
      is_held ? nullptr : at_.field().tangents({.n_directions = static_cast<Index>(n), .parameters = {}});
  if (auto* const compiled = dynamic_cast<program::ModeTangents*>(found.get())) {
    (void)found.release();
    return std::unique_ptr<program::ModeTangents>(compiled);
  }
  const std::string& mode = system_.modes()[at_.configuration().mode.index()].name;
  return Unexpected(not_there(
      is_held ? "the solution is held on a surface, on which the states are not independent"
      : at_.mode().locked->reduction() == system::Reduction::ranks
          ? fmt::format("mode '{}' is reduced by ranks, so that its states are not independent", mode)
          : "the equations are functions of the user"));
}

Result<Matrix> PointDerivatives::along(const Matrix& seeds) const {
  const std::size_t n_directions = seeds.empty() ? 0 : seeds[0].size();
  Matrix result(unknowns_.size(), std::vector<double>(n_directions, 0.0));
  if (n_directions == 0 || unknowns_.empty()) {
    return result;
  }
  const std::size_t n = std::min(kDirections, n_directions);
  Result<std::unique_ptr<program::ModeTangents>> tangents = this->tangents(n);
  if (!tangents) {
    return Unexpected(std::move(tangents).error());
  }
  const std::size_t n_states = at_.x().size();
  std::vector<double> time(n);
  std::vector<double> x(n_states * n);
  std::vector<double> outside(system_.guards().size() * n);
  std::vector<double> rates(n_states * n);
  std::vector<double> outputs(system_.variables().size() * n);
  const auto wants = [this](Unknown::Kind kind) {
    return std::any_of(unknowns_.begin(), unknowns_.end(), [&](const Unknown& u) { return u.kind == kind; });
  };
  const bool wants_rates = wants(Unknown::Kind::rate);
  const bool wants_outputs = wants(Unknown::Kind::variable);
  for (std::size_t first = 0; first < n_directions; first += n) {
    for (auto* const list : {&time, &x, &outside}) {
      std::fill(list->begin(), list->end(), 0.0);
    }
    const std::size_t n_used = std::min(n, n_directions - first);
    for (std::size_t k = 0; k < knowns_.size(); ++k) {
      std::vector<double>& into = knowns_[k].kind == Known::Kind::time    ? time
                                  : knowns_[k].kind == Known::Kind::state ? x
                                                                          : outside;
      std::copy_n(seeds[k].begin() + static_cast<std::ptrdiff_t>(first), n_used,
                  into.begin() + static_cast<std::ptrdiff_t>(knowns_[k].place * n));
    }
    const system::Seeds moved{time, x, {}};
    (*tangents)->set_outside(outside);
    // A value without a derivative leaves the others theirs.
    std::fill(rates.begin(), rates.end(), std::nan(""));
    std::fill(outputs.begin(), outputs.end(), std::nan(""));
    system::Evaluation problem;
    if (wants_rates) {
      problem = (*tangents)->rates(at_.time(), at_.x(), moved, rates);
    }
    if (wants_outputs) {
      const system::Evaluation of_outputs = (*tangents)->outputs(at_.time(), at_.x(), moved, outputs);
      problem = problem.ok() ? of_outputs : problem;
    }
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      const Unknown& unknown = unknowns_[u];
      const std::vector<double>& from = unknown.kind == Unknown::Kind::state  ? x
                                        : unknown.kind == Unknown::Kind::rate ? rates
                                                                              : outputs;
      for (std::size_t k = 0; k < n_used; ++k) {
        const double value = unknown.sign * from[unknown.place * n + k];
        if (!std::isfinite(value)) {
          return Unexpected(not_there(fmt::format("that of '{}' is not a number ({})", unknown.name,
                                                  at_.field().describe(problem, at_.time()))));
        }
        result[u][first + k] = value;
      }
    }
  }
  return result;
}

Result<Matrix> PointDerivatives::all() const {
  Matrix unit(knowns_.size(), std::vector<double>(knowns_.size(), 0.0));
  for (std::size_t k = 0; k < knowns_.size(); ++k) {
    unit[k][k] = 1.0;
  }
  return along(unit);
}

}  // namespace saltus::api
