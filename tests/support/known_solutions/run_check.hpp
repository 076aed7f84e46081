/// One run of a known model, held against its exact solution at every row and every event.
///
/// Contract     A row is right if every variable is within 10·tolerance·K of the exact solution, K as in canonical.hpp with the steps
///              that the run took and a local error of 1 in the norm of the error test at each. A firing of a clause is right if the
///              exact guard is at its level within what errors of that size make of it. Where those errors
///              exceed half of the margin that the guard keeps from grazing, counts say nothing and are not compared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/model.hpp"
#include "support/known_solutions/known_model.hpp"

namespace saltus::test::known {

struct RunCheck {
  std::string method{};
  double tolerance = 0.0;
  std::string failure{};  ///< reason of a run that did not reach its end, empty otherwise
  std::string message{};
  std::size_t n_rows = 0;
  std::size_t rows_wrong = 0;
  double worst_ratio = 0.0;  ///< largest error divided by its bound
  std::string worst{};       ///< where that was
  std::size_t n_events = 0;  ///< compared
  std::size_t missed = 0;
  std::size_t doubled = 0;  ///< too many
  std::string wrong_events{};
  std::size_t undecided = 0;  ///< clauses not compared
  std::int64_t steps = 0;
  double seconds = 0.0;

  [[nodiscard]] bool is_without_progress() const {
    return failure == "step_limit" || failure == "time_limit";
  }
  [[nodiscard]] bool is_right() const {
    return failure.empty() && rows_wrong == 0 && missed == 0 && doubled == 0;
  }
  /// One line.
  [[nodiscard]] std::string text() const;
};

/// Methods that must solve the model; dopri5 only where it is not stiff.
[[nodiscard]] std::vector<std::string> methods_for(const KnownModel& known);

[[nodiscard]] RunCheck check_run(const Model& model, const KnownModel& known, const std::string& method,
                                 double tolerance);

}  // namespace saltus::test::known
