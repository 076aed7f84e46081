/// Equations over slots: the one form in which a model hands residuals and their derivatives to algorithms.
///
/// A slot is a quantity that the rows may contain: a derivative of some order of a variable. The same type serves
///   the residual form     rows r(t, y, ẏ) = 0 of index at most 1, for implicit methods (LockedDae::residual_form);
///   the constraints       rows that the states must satisfy, hidden ones too, for projection (LockedDae::constraints);
///   the derivative array  F, dF/dt, … for rank decisions and consistent values (LockedDae::derivative_array);
///   the start             every equation that consistent values must satisfy (HybridSystem::initial_problem).
///
/// EquationSet is immutable and shared by threads; an EquationRunner belongs to one thread and does not allocate.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "saltus/source_text.hpp"
#include "system/configuration.hpp"
#include "system/evaluation.hpp"
#include "system/pullback.hpp"
#include "system/quantity.hpp"
#include "system/tangents.hpp"

namespace saltus::system {

struct SlotInfo {
  std::string name;     ///< "x", "der(x)", "der(der(x))"
  Index variable = -1;  ///< index in HybridSystem::variables(); slots of one variable share it
  int order = 0;        ///< of the derivative
  double nominal = 1.0;

  [[nodiscard]] Quantity quantity() const { return {variable, order}; }
};

struct RowInfo {
  std::string text;  ///< the equation as a person reads it, differentiated ones in terms of der(…)
  Index equation =
      -1;  ///< number of the equation as written that this row comes from; rows of one equation share it
  int order = 0;  ///< how often it was differentiated
  std::optional<SourceSpan> span = {};
  /// It comes from a combination of equations, and `order` does not tell constraints of positions from those of velocities.
  bool is_combined = false;
};

/// Compressed columns of a matrix that need not be square: rows[column_starts[j] … column_starts[j+1]) are the rows of
/// column j, strictly ascending.
struct RectangularPattern {
  Index n_rows = 0;
  Index n_columns = 0;
  std::vector<Index> column_starts;  ///< n_columns + 1
  std::vector<Index> rows;

  [[nodiscard]] std::size_t n_entries() const { return rows.size(); }

  void fields(Archive& a) { a(n_rows, n_columns, column_starts, rows); }
};

/// Evaluates one EquationSet.
class EquationRunner {
 public:
  EquationRunner() = default;
  EquationRunner(const EquationRunner&) = delete;
  EquationRunner& operator=(const EquationRunner&) = delete;
  virtual ~EquationRunner() = default;

  /// What it remembers from call to call (base/archive.hpp).
  virtual void fields(Archive& a) { a.refuse("equations of their own are not saved"); }
  /// As Evaluator::set_configuration and set_latched.
  virtual void set_configuration(const Configuration& configuration) = 0;
  virtual void set_latched(Index /*guard*/, double /*value*/) {}

  /// One number for every row, left minus right side. not_finite: the culprit is a row.
  virtual Evaluation residual(double t, std::span<const double> slots, std::span<double> values) = 0;
  /// ∂row/∂slot in the order of the pattern's entries. not_finite: the culprit is a row.
  virtual Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) = 0;
  /// Null: it offers none. Allocates.
  [[nodiscard]] virtual std::unique_ptr<EquationTangents> tangents(
      const ParameterDirections& /*directions*/) {
    return nullptr;
  }
  /// The transpose, of its rows. Null: it offers none. Allocates.
  [[nodiscard]] virtual std::unique_ptr<Pullback> pullback() { return nullptr; }
};

class EquationSet {
 public:
  EquationSet() = default;
  EquationSet(const EquationSet&) = delete;
  EquationSet& operator=(const EquationSet&) = delete;
  virtual ~EquationSet() = default;

  [[nodiscard]] virtual const std::vector<SlotInfo>& slots() const = 0;
  /// For messages: may be put together when it is first asked for. For the number of rows ask n_rows().
  [[nodiscard]] virtual const std::vector<RowInfo>& rows() const = 0;
  [[nodiscard]] virtual const RectangularPattern& pattern() const = 0;
  /// Whether every row is affine in the slots together (coefficients may depend on time).
  [[nodiscard]] virtual bool is_linear() const = 0;
  /// Whether the entries depend on parameters and the configuration alone.
  [[nodiscard]] virtual bool has_constant_jacobian() const { return false; }
  /// Of a residual form: the states whose derivatives occur in a row otherwise than linearly, alone or together with other derivatives
  /// and algebraic unknowns (∂r/∂ẏ depends on ẏ or z). There a slope near that of the solution is needed, also to stay with one of
  /// several solutions. Ascending.
  [[nodiscard]] virtual std::span<const Index> nonlinear_derivatives() const { return {}; }
  /// Rows that may depend on the latched value of a guard, ascending; all of them where nothing better is known. Allocates.
  [[nodiscard]] virtual std::vector<Index> rows_over(Index guard) const;
  [[nodiscard]] virtual std::unique_ptr<EquationRunner> make_runner() const = 0;

  [[nodiscard]] Index n_slots() const { return pattern().n_columns; }
  [[nodiscard]] Index n_rows() const { return pattern().n_rows; }
};

}  // namespace saltus::system
