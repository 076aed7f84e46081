/// Problem      are the values of an instant a solution of the equations as the model has them, not as they were reduced?
/// Method       time is known to its resolution, every value q to δ only: q ± δ with δ = max(kTolerances·rtol, kLeastPart)·(|q| + nominal), for states with their own
///              absolute tolerance in the place of rtol·nominal. An equation as written holds if its sides can be equal for values in these
///              boxes (interval arithmetic: what is refused is wrong, not all that is wrong is refused). A hidden constraint holds if
///              |c(x)| ≤ Σ |∂c/∂x| δ.
/// Contract     Of a mode reduced by ranks the equations as written are looked at alone; where they contradict each other it meets them in the
///              sense of least squares and is not to be asked (v > 0). Derivatives that neither states nor the residual form give are taken to be any number. Nothing
///              allocates after the first look at a mode.
/// Choices      where steps leave the constraints (system/constraint_use.hpp) neither they nor the equations that they come from are looked at.
/// Cost         the equations in interval arithmetic, one right-hand side, the constraints with their Jacobian
/// Checked by   tests/events/equation_check_test.cpp, tests/events/verified_instants_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "integrate/step/error_norm.hpp"
#include "system/locked_dae.hpp"

namespace saltus::settle {

/// An equation that does not hold.
struct Violation {
  std::string equation;
  double residual = 0.0;  ///< the least difference of its sides that the boxes allow, or a constraint itself
  std::string values;     ///< of what it contains: "x = 1, der(x) = 2"
};

class EquationCheck {
 public:
  explicit EquationCheck(const system::LockedDae& locked);

  /// Where an instant stands: `values` of all variables, and the weights of the guards slid on.
  struct Point {
    double t = 0.0;
    double time_error = 0.0;  ///< the resolution of time
    std::span<const double> x;
    std::span<const double> values;
    std::span<const Index> surfaces;
    std::span<const double> weights;
  };
  /// The worst equation that does not hold, or none; `evaluator` has the configuration.
  [[nodiscard]] std::optional<Violation> look(system::Evaluator& evaluator,
                                              const system::Configuration& configuration, const Point& point,
                                              const integrate::Tolerances& tolerances);
  [[nodiscard]] bool is_empty() const { return written_ == nullptr && constraints_ == nullptr; }

 private:
  // Where the value of a slot comes from.
  struct Source {
    enum class Kind : std::uint8_t { unknown, value, state, rate, residual };
    Kind kind = Kind::unknown;
    std::size_t place = 0;
    double sign = 1.0;
    Index state = -1;  // whose tolerance it has; -1: none
  };
  struct Place {
    std::size_t place = 0;
    double sign = 1.0;
  };
  using Places = std::unordered_map<system::Quantity, Place, system::QuantityHash>;

  [[nodiscard]] static Source source_of(const system::Quantity& quantity, const Places& states);
  void ask_residual_form();
  [[nodiscard]] double value_of(const Source& source, const Point& point) const;
  [[nodiscard]] double error_of_state(std::size_t state, double value,
                                      const integrate::Tolerances& tolerances) const;
  [[nodiscard]] std::optional<Violation> look_at_written(const Point& point,
                                                         const integrate::Tolerances& tolerances);
  [[nodiscard]] std::optional<Violation> look_at_constraints(const Point& point,
                                                             const integrate::Tolerances& tolerances);
  [[nodiscard]] Violation describe(std::size_t row, double residual, const Point& point) const;

  const system::LockedDae& locked_;
  bool drifts_ = false;  // steps leave the constraints
  std::shared_ptr<const system::WrittenEquations> written_;
  std::unique_ptr<system::WrittenRunner> runner_;
  std::vector<Source> sources_;  // by slot of the equations as written
  std::vector<Interval> boxes_;
  std::vector<Interval> ranges_;
  std::shared_ptr<const system::EquationSet> constraints_;
  std::unique_ptr<system::EquationRunner> constraint_runner_;
  std::vector<double> residual_;
  std::vector<double> entries_;
  std::vector<double> allowed_;
  bool needs_rates_ = false;
  bool needs_form_ = false;
  std::vector<double> rates_;
  std::vector<double> y_;
  std::vector<double> ydot_;
};

}  // namespace saltus::settle
