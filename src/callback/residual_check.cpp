#include "callback/residual_check.hpp"

#include <algorithm>
#include <cmath>

#include "callback/guard_calls.hpp"
#include "callback/residual_array.hpp"
#include "callback/residual_derivatives.hpp"
#include "system/equation_set.hpp"
#include "system/function_failed.hpp"

namespace saltus::callback {
namespace {

// Points beside the start, in nominal values.
constexpr double kCheckDistance = 0.1;
constexpr int kPointsOfCheck = 3;
// What is given and differences may differ by this part of the largest number of the row.
constexpr double kMismatch = 1e-6;

// Numbers without a pattern, between ½ and 1 in size.
double some_number(std::size_t i) {
  const double fraction = std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0);
  return (i % 2 == 0 ? 1.0 : -1.0) * (0.5 + 0.5 * fraction);
}

// Slots of an array at a point: x beside the start, derivatives of the sizes of the unknowns.
std::vector<double> slots_at(const CallbackModel& model, int point, int n_derivatives) {
  std::vector<double> slots = model.initial;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i] += kCheckDistance * point * some_number(i + static_cast<std::size_t>(point)) * model.nominal(i);
  }
  for (int order = 1; order <= n_derivatives; ++order) {
    for (std::size_t i = 0; i < model.states.size(); ++i) {
      const double size = point == 0 ? 0.0 : 1.0;
      slots.push_back(size * some_number(slots.size() + static_cast<std::size_t>(point)) * model.nominal(i));
    }
  }
  return slots;
}

// Sides at the start; a guard that is zero there has the side +1.
std::vector<double> sides_at(const std::shared_ptr<const CallbackModel>& model, double t,
                             std::span<const double> x) {
  GuardCalls guards(model);
  std::vector<double> sides(model->guards.size(), 1.0);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const double value = guards.value(static_cast<Index>(i), {t, x, sides, model->parameters});
    sides[i] = value < 0.0 ? -1.0 : 1.0;
  }
  return sides;
}

template <class Work>
bool answers(Work work) {
  try {
    work();
    return true;
  } catch (const system::FunctionFailed&) {
    return false;
  }
}

void mark_changes(const CallbackModel& model, const CallbackResidual& equations, const CallbackPoint& at,
                  std::vector<double> xdot, std::vector<std::uint8_t>& occurs) {
  std::vector<double> before(equations.n_equations());
  std::vector<double> after(equations.n_equations());
  equations.values(at, xdot, before);
  for (std::size_t j = 0; j < xdot.size(); ++j) {
    const double kept = xdot[j];
    xdot[j] += model.nominal(j);
    equations.values(at, xdot, after);
    xdot[j] = kept;
    occurs[j] = occurs[j] != 0 || before != after ? 1 : 0;
  }
}

system::Configuration configuration_of(const CallbackModel& model, std::vector<double> sides) {
  system::Configuration configuration;
  configuration.latched = std::move(sides);
  configuration.discrete = model.parameters;
  return configuration;
}

std::optional<ResidualMismatch> compare(const system::EquationSet& names, std::span<const double> given,
                                        std::span<const double> found, std::size_t n_columns) {
  for (std::size_t row = 0; row < names.rows().size(); ++row) {
    double largest = 0.0;
    for (std::size_t j = 0; j < n_columns; ++j) {
      largest =
          std::max({largest, std::abs(given[row * n_columns + j]), std::abs(found[row * n_columns + j])});
    }
    for (std::size_t j = 0; j < n_columns; ++j) {
      const double a = given[row * n_columns + j];
      const double b = found[row * n_columns + j];
      if (!(std::abs(a - b) <= kMismatch * largest)) {
        return ResidualMismatch{names.rows()[row].text, n_columns > 1 ? names.slots()[j].name : "", a, b};
      }
    }
  }
  return std::nullopt;
}

std::optional<ResidualMismatch> find_mismatch(const std::shared_ptr<const CallbackModel>& model,
                                              std::size_t mode, double t, int point) {
  const CallbackResidual& equations = model->modes[mode].residual;
  const int depth = equations.array ? std::min(equations.array_order, 1) : 1;
  auto plain = std::make_shared<CallbackModel>(*model);
  plain->modes[mode].residual.jacobian = nullptr;
  plain->modes[mode].residual.array = nullptr;
  plain->modes[mode].residual.array_jacobian = nullptr;
  const auto names = make_residual_array(plain, mode, depth);
  const std::vector<double> slots = slots_at(*model, point, depth + 1);
  const system::Configuration configuration =
      configuration_of(*model, sides_at(model, t, std::span(slots).first(model->states.size())));
  const std::size_t n_rows = (*names)->rows().size();
  std::vector<double> given(n_rows * slots.size());
  std::vector<double> found(given.size());
  ResidualDerivatives theirs(model, mode, depth);
  ResidualDerivatives ours(plain, mode, depth);
  theirs.weights().set_configuration(configuration);
  ours.weights().set_configuration(configuration);
  std::optional<ResidualMismatch> mismatch;
  if (theirs.jacobian(t, slots, given).ok() && ours.jacobian(t, slots, found).ok()) {
    mismatch = compare(**names, given, found, slots.size());
  }
  const std::span<double> rows = std::span(given).first(n_rows);
  const std::span<double> own_rows = std::span(found).first(n_rows);
  if (!mismatch && theirs.values(t, slots, rows).ok() && ours.values(t, slots, own_rows).ok()) {
    // A row that is zero is measured by the others.
    double largest = 0.0;
    for (std::size_t i = 0; i < n_rows; ++i) {
      largest = std::max(largest, std::abs(own_rows[i]));
    }
    for (std::size_t i = 0; i < n_rows && !mismatch; ++i) {
      if (!(std::abs(rows[i] - own_rows[i]) <= kMismatch * largest)) {
        mismatch = ResidualMismatch{(*names)->rows()[i].text, "", rows[i], own_rows[i]};
      }
    }
  }
  return mismatch;
}

}  // namespace

std::string find_not_repeatable(const std::shared_ptr<const CallbackModel>& model, double t) {
  const std::size_t n = model->states.size();
  const std::vector<double> slots = slots_at(*model, 1, 1);
  const std::span<const double> x = std::span(slots).first(model->states.size());
  const std::span<const double> xdot = std::span(slots).subspan(n);
  std::string name;
  const auto ask = [&](const std::string& what, std::size_t size, auto call) {
    std::vector<double> once(size);
    std::vector<double> again(size);
    const bool has_answered = answers([&] {
      call(std::span(once));
      call(std::span(again));
    });
    // NaN does not equal itself.
    const bool is_same = std::equal(once.begin(), once.end(), again.begin(), [](double a, double b) {
      return a == b || (std::isnan(a) && std::isnan(b));
    });
    if (has_answered && !is_same && name.empty()) {
      name = what;
    }
  };
  std::vector<double> sides(model->guards.size(), 1.0);
  (void)answers([&] { sides = sides_at(model, t, x); });
  const CallbackPoint at{t, x, sides, model->parameters};
  for (const CallbackMode& mode : model->modes) {
    const std::string of = model->modes.size() > 1 ? " of mode '" + mode.name + "'" : std::string();
    if (mode.rhs) {
      ask("the function rhs" + of, n, [&](std::span<double> values) { mode.rhs(at, values); });
    }
    if (mode.has_residual()) {
      ask("the residual" + of, mode.residual.n_equations(),
          [&](std::span<double> values) { mode.residual.values(at, xdot, values); });
    }
  }
  if (model->guard_values) {
    ask("the function guard_values", sides.size(),
        [&](std::span<double> values) { model->guard_values(at, values); });
  }
  return name;
}

std::optional<ResidualMismatch> find_wrong_gradient(const std::shared_ptr<const CallbackModel>& model,
                                                    double t) {
  std::optional<ResidualMismatch> mismatch;
  if (!model->guard_gradient) {
    return mismatch;
  }
  auto plain = std::make_shared<CallbackModel>(*model);
  plain->guard_gradient = nullptr;
  GuardCalls theirs(model);
  GuardCalls ours(plain);
  const std::size_t n = model->states.size();
  (void)answers([&] {
    const std::vector<double> x = slots_at(*model, 1, 0);
    const std::vector<double> sides = sides_at(plain, t, x);
    std::vector<double> given(n + 1);  // by state, then by time
    std::vector<double> found(n + 1);
    for (std::size_t i = 0; i < model->guards.size() && !mismatch; ++i) {
      const CallbackPoint at{t, x, sides, model->parameters};
      theirs.gradient(static_cast<Index>(i), at, std::span(given).first(n), given[n]);
      ours.gradient(static_cast<Index>(i), at, std::span(found).first(n), found[n]);
      double largest = 0.0;
      for (std::size_t j = 0; j <= n; ++j) {
        largest = std::max({largest, std::abs(given[j]), std::abs(found[j])});
      }
      for (std::size_t j = 0; j <= n && !mismatch; ++j) {
        if (!(std::abs(given[j] - found[j]) <= kMismatch * largest)) {
          mismatch =
              ResidualMismatch{model->guards[i].name, j < n ? model->states[j] : "time", given[j], found[j]};
        }
      }
    }
  });
  return mismatch;
}

std::vector<std::uint8_t> find_differentiated(const CallbackModel& model, double t) {
  const auto shared = std::make_shared<const CallbackModel>(model);
  const std::size_t n = model.states.size();
  std::vector<std::uint8_t> occurs(n, 0);
  for (const CallbackMode& mode : model.modes) {
    for (int point = 0; point < kPointsOfCheck && mode.has_residual(); ++point) {
      const std::vector<double> slots = slots_at(model, point, 1);
      const std::span<const double> x = std::span(slots).first(n);
      const std::vector<double> xdot(slots.begin() + static_cast<std::ptrdiff_t>(n), slots.end());
      (void)answers([&] {
        const std::vector<double> own = sides_at(shared, t, x);
        mark_changes(model, mode.residual, {t, x, own, model.parameters}, xdot, occurs);
      });
      for (const double side : {1.0, -1.0}) {
        const std::vector<double> sides(model.guards.size(), side);
        (void)answers([&] {
          mark_changes(model, mode.residual, {t, x, sides, model.parameters}, xdot, occurs);
        });
      }
    }
  }
  return occurs;
}

ResidualFindings inspect_residual(const std::shared_ptr<const CallbackModel>& model, std::size_t mode,
                                  double t) {
  const CallbackResidual& equations = model->modes[mode].residual;
  ResidualFindings findings;
  for (int point = 0; point < kPointsOfCheck && (equations.jacobian || equations.array) && !findings.mismatch;
       ++point) {
    (void)answers([&] { findings.mismatch = find_mismatch(model, mode, t, point); });
  }
  for (int depth = 1; depth <= LineDerivatives::kMostOrder && !equations.array; ++depth) {
    double error = 0.0;
    (void)answers([&] {
      const std::vector<double> slots = slots_at(*model, 1, depth + 1);
      ResidualDerivatives derivatives(model, mode, depth);
      derivatives.weights().set_configuration(
          configuration_of(*model, sides_at(model, t, std::span(slots).first(model->states.size()))));
      std::vector<double> entries(equations.n_equations() * static_cast<std::size_t>(depth + 1) *
                                  slots.size());
      if (derivatives.jacobian(t, slots, entries).ok()) {
        error = derivatives.error();
      }
    });
    if (error > kMostArrayError) {
      findings.error_beyond = error;
      break;
    }
    findings.differenced_order = depth;
  }
  return findings;
}

}  // namespace saltus::callback
