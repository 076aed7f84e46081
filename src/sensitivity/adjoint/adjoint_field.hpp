/// The equations of a stretch, transposed: how a weighted sum of rates, variables or residuals moves with everything.
///
/// Problem    wᵀ·∂r/∂x, wᵀ·∂r/∂d and wᵀ·∂r/∂p of r = f(t, x), of the variables, and of the rows of the residual form
/// Method     pullbacks where the evaluator offers them (system/pullback.hpp), with the columns that these know nothing of over their twins;
///            else tangents in all columns (sources.hpp), multiplied by w
/// Contract   what falls to parameters is gathered in shares until collect(): a step that is tried and taken back leaves nothing behind.
/// Checked by tests/sensitivity/adjoint_test.cpp
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sensitivity/adjoint/sources.hpp"
#include "sensitivity/variation_equations.hpp"

namespace saltus::sensitivity {

/// A sum, pulled back once.
struct Pulled {
  double time = 0.0;
  std::vector<double> x;
  std::vector<double> discrete;
  std::vector<double> gradient;  ///< by given column; empty: nothing but what the share says
  std::vector<double> share;     ///< of parameters
};

/// What has come together on the way back.
struct AdjointSums {
  std::vector<double> x;         ///< λ
  std::vector<double> discrete;  ///< by discrete variable
  std::vector<double> gradient;  ///< by given column
};

class AdjointField {
 public:
  AdjointField(const AdjointSources& sources, StretchFacts facts);
  AdjointField(const AdjointField&) = delete;
  AdjointField& operator=(const AdjointField&) = delete;

  /// Why there is none; empty: there is.
  [[nodiscard]] const std::string& failure() const { return field_->failure(); }
  /// For another stretch of the same structure, without surfaces.
  void take(StretchFacts facts) { field_->take(std::move(facts)); }
  [[nodiscard]] StretchField& field() { return *field_; }
  [[nodiscard]] std::size_t n_states() const { return field_->n_states(); }
  /// Whether pullbacks do the work.
  [[nodiscard]] bool has_pullbacks() const { return rates_ != nullptr; }

  enum class Of : std::uint8_t { rates, outputs, guards, rows };
  /// Weights by state, or by variable.
  [[nodiscard]] system::Evaluation pull_rates(double t, std::span<const double> x,
                                              std::span<const double> weights, Pulled& pulled);
  [[nodiscard]] system::Evaluation pull_outputs(double t, std::span<const double> x,
                                                std::span<const double> weights, Pulled& pulled);
  /// Of one guard, times `weight`. Where pullbacks do the work.
  [[nodiscard]] system::Evaluation pull_guard(Index guard, double t, std::span<const double> x, double weight,
                                              Pulled& pulled);
  [[nodiscard]] VariationEquations& equations();
  /// Of the residual form at the point of equations() that was asked for last: weights by row. `pulled.x` is left empty.
  [[nodiscard]] system::Evaluation pull_rows(double t, std::span<const double> x,
                                             std::span<const double> weights, Pulled& pulled);

  /// sums += factor·pulled, but for x.
  void keep(Of of, double factor, const Pulled& pulled, AdjointSums& sums);
  /// What shares say of the gradient; they are empty afterwards.
  void collect(std::span<double> gradient);

 private:
  [[nodiscard]] bool make_with_pullbacks(const StretchFacts& facts);
  [[nodiscard]] system::Evaluation by_pullback(system::Pullback& pullback, double t,
                                               std::span<const double> x, std::span<const double> weights,
                                               Pulled& pulled);
  void by_columns(std::span<const double> weights, bool has_states, Pulled& pulled) const;
  void add_rest(std::span<const double> weights, Pulled& pulled) const;

  const AdjointSources& sources_;
  std::unique_ptr<StretchField> field_;
  const FieldSource* source_ = nullptr;  // of the field
  std::unique_ptr<system::Pullback> rates_;
  std::unique_ptr<system::Pullback> outputs_;
  std::unique_ptr<system::Pullback> guards_;  // made when it is needed
  std::unique_ptr<system::Pullback> rows_;
  std::optional<VariationEquations> equations_;
  std::array<std::vector<double>, 4> shares_;
  std::vector<double> guard_weights_;
  std::vector<double> unit_states_;
  std::vector<double> unit_discrete_;
  std::vector<double> tangents_;
  std::vector<double> slots_;  // sums of slots, which nobody asks for
};

}  // namespace saltus::sensitivity
