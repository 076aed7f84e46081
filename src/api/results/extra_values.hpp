/// What rows have besides the variables: derivatives and values of guards (--columns).
///
/// Method     The derivative of a state is a rate, or a state itself (der(x) of a second-order equation); what is always a state or its
///            negative has the same. Which, is looked up once for each system of equations. The first derivatives of other variables are
///            tangents along the solution (flow_rates.hpp).
/// Contract   NaN where the present system does not know a value, or where it does not exist at the point: nothing fails by a column.
/// Checked by tests/unit/api/columns_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "api/options/columns.hpp"
#include "api/results/flow_rates.hpp"
#include "system/locked_dae.hpp"

namespace saltus::api {

class ExtraValues {
 public:
  explicit ExtraValues(const Columns& columns)
      : n_variables_(columns.n_variables),
        derivatives_(columns.derivatives),
        guards_(columns.guards),
        sources_(derivatives_.size()) {}

  [[nodiscard]] std::size_t size() const { return derivatives_.size() + guards_.size(); }
  /// The points that follow belong to this system.
  void bind(const system::LockedDae& locked);
  void evaluate(system::Evaluator& evaluator, double t, std::span<const double> x, std::span<double> values);

 private:
  struct Source {
    enum class Kind : std::uint8_t { none, state, rate, variable };
    Kind kind = Kind::none;
    std::size_t place = 0;  // of the state, or of the variable
    double sign = 1.0;
  };
  [[nodiscard]] static Source source_of(const system::Quantity& wanted, const system::LockedDae& locked);

  std::size_t n_variables_;
  std::vector<system::Quantity> derivatives_;
  std::vector<Index> guards_;
  std::vector<Source> sources_;      // by derivative
  std::vector<Index> known_guards_;  // that the system watches …
  std::vector<std::size_t> places_;  // … and where they stand in guards_
  std::vector<double> guard_values_;
  std::vector<double> rates_;
  bool needs_rates_ = false;
  FlowRates flow_;
  bool needs_flow_ = false;
  std::vector<double> flow_rates_;  // by variable
};

}  // namespace saltus::api
