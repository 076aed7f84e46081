/// E·Ṡ + A·Y + B = 0 at points of a stretch: the equations of a field, differentiated, for implicit steps.
///
/// Method     the residual form that the field offers, with its own Jacobian; where it offers none, or a twin that is needed has another, ẋ - f(t, x) = 0 with ∂f/∂x by
///            differences. B by tangents of the rows, where they are offered, else over the twins. Columns that move no row together are one direction
///            of the tangents [CPR74]: of many parameters each is usually in few equations.
/// Notation   slots (y, ẋ), y = (x, z); entries of the Jacobian in the order of pattern(); B [row][column]
/// Contract   the point of the residual form is the one that belongs to x: what equations give is solved for.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sensitivity/field/stretch_field.hpp"

namespace saltus::sensitivity {

class VariationEquations {
 public:
  VariationEquations(const FieldSource& source, StretchField& field);

  [[nodiscard]] std::size_t n_rows() const { return static_cast<std::size_t>(pattern_.n_rows); }
  [[nodiscard]] const system::RectangularPattern& pattern() const { return pattern_; }
  /// E and A alone; the point that belongs to x, with its rates, is then slots(), those of the residual form where runner() is one.
  [[nodiscard]] system::Evaluation jacobian_at(double t, std::span<const double> x,
                                               std::span<double> entries);
  [[nodiscard]] std::span<const double> slots() const { return slots_; }
  /// To a point where they have been before.
  void return_to(std::span<const double> slots) { slots_.assign(slots.begin(), slots.end()); }
  [[nodiscard]] system::EquationRunner* runner() const { return runner_; }
  /// B alone, there.
  [[nodiscard]] system::Evaluation parameters_at(double t, std::span<const double> x,
                                                 std::span<const double> discrete, std::span<double> b);
  [[nodiscard]] system::Evaluation at(double t, std::span<const double> x, std::span<const double> discrete,
                                      std::span<double> entries, std::span<double> b);

 private:
  [[nodiscard]] system::Evaluation find_point(double t, std::span<const double> x);
  [[nodiscard]] system::Evaluation rates_jacobian(double t, std::span<const double> x,
                                                  std::span<double> entries);
  void merge_columns();
  [[nodiscard]] system::Evaluation tangents_of_rows(double t, std::span<const double> discrete,
                                                    std::span<double> b);
  [[nodiscard]] bool have_twins_same_form() const;
  [[nodiscard]] bool has_same_form(const system::LockedDae& twin) const;
  [[nodiscard]] system::Evaluation add_twins(double t, std::span<double> b);
  [[nodiscard]] system::Evaluation rows_by_differences(double t, std::span<const double> discrete,
                                                       std::span<double> b);

  const FieldSource& source_;
  StretchField& field_;
  system::RectangularPattern pattern_;
  system::EquationRunner* runner_ = nullptr;
  bool has_form_ = false;  // of unknowns besides the states
  std::unique_ptr<system::EquationTangents> tangents_;
  std::unique_ptr<system::EquationTangents> merged_;  // null: no columns are merged
  std::size_t n_groups_ = 0;                          // directions of it
  std::vector<std::vector<Index>> columns_of_rows_;
  std::vector<std::size_t> group_of_column_;
  std::vector<double> merged_rows_;  // [row][group]
  std::vector<double> still_;        // seeds of merged_
  std::vector<double> slots_;
  std::vector<double> zero_;  // seeds of slots
  std::vector<double> x_;
  std::vector<double> values_;
  system::Configuration moved_;
};

}  // namespace saltus::sensitivity
