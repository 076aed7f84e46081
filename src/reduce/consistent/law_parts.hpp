/// Which equations have a say in what the equations integrated over an instant conserve (impulse_law.hpp).
///
/// Problem      F(t, x, ẋ, y) = 0 as written contains more than what moves the states: monitors (p = u·i, also several that are solved
///              together), states that only follow (ẇ = p), and coefficients that are algebraic variables (C_e = 2·C, C_e·u̇ = i). A term
///              that cannot be integrated over the instant says nothing about the others where it stands in a row that they do not need,
///              and a coefficient that does not change in the instant is a number.
/// Method       sets of k rows and k unknowns, from assignments of the equations as written (system::WrittenCoefficients):
///                outputs     the unknowns are algebraic and occur in these rows alone
///                followers   the unknowns occur, differentiated or not, in these rows alone, none of which is overdetermined
///                constants   the rows contain, beside these unknowns, time, and differential unknowns that do not jump, nothing
///              each as the largest set that is left when rows which do not fit are taken out until all do. A constant in whose place a
///              constraint could be (w = 0 beside w = v1 - v2; r = 2 beside w1 = r·w2) is in doubt: it is one if it has its value already.
/// Contract     Whatever the others do, k regular rows give k outputs or followers: they ask nothing of the others. A set does not depend
///              on which of several assignments is given: its variables have no other rows (constants: its rows no other unknowns).
///              Without an assignment there are none of the three.
/// Fails when   the constants have no value near `slots` (solve_constants() is false)
/// Cost         linear in the entries for each row that is taken out of a set; Newton's method over the constants that are asked for
/// Checked by   tests/unit/reduce/law_parts_test.cpp, tests/events/impulse_monitors_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "system/written_coefficients.hpp"

namespace saltus::reduce {

struct LawConstants {
  std::vector<Index> row;                 ///< by slot: what it follows from; -1: it is none
  std::vector<std::uint8_t> is_in_doubt;  ///< by slot

  [[nodiscard]] bool has(std::size_t slot) const { return row[slot] >= 0; }
};

/// The equations as written at the values before the instant.
struct LawPoint {
  std::span<const double> slots;
  std::span<const double> residual;  ///< by row
  std::span<const double> entries;   ///< of the pattern
};

class LawParts {
 public:
  LawParts(std::shared_ptr<const system::WrittenCoefficients> written,
           std::span<const std::uint8_t> is_below);

  /// Outputs are no followers here.
  [[nodiscard]] bool is_output_row(std::size_t row) const { return is_output_row_[row] != 0; }
  [[nodiscard]] bool is_follower_row(std::size_t row) const { return is_follower_row_[row] != 0; }
  [[nodiscard]] bool is_output(std::size_t slot) const { return is_output_[slot] != 0; }
  [[nodiscard]] bool is_follower(std::size_t slot) const { return is_follower_[slot] != 0; }

  /// By slot; `jumps`, by slot: differential unknowns that do.
  [[nodiscard]] LawConstants constants(std::span<const std::uint8_t> jumps, const LawPoint& before) const;
  /// Gives those of `constants` that `is_asked_for`, and those that they are computed from, their values; those in doubt have them.
  [[nodiscard]] bool solve_constants(system::EquationRunner& runner, double t, const LawConstants& constants,
                                     std::span<const std::uint8_t> is_asked_for,
                                     std::span<double> slots) const;
  /// Followers, by slot, whose jumps and impulses hang on the unknowns of `rows` (by row, of followers). What is bounded, by slot, hands
  /// nothing on, and so does the jump of a differential unknown.
  [[nodiscard]] std::vector<std::uint8_t> following(std::span<const std::uint8_t> rows,
                                                    std::span<const std::uint8_t> is_bounded) const;

 private:
  struct Entry {
    Index slot = -1;
    std::size_t place = 0;  // in the pattern
  };
  [[nodiscard]] std::span<const Entry> row(std::size_t i) const {
    return std::span(entries_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }
  [[nodiscard]] std::span<const Index> rows_of(std::size_t slot) const;
  void take_out_what_others_need(std::vector<std::uint8_t>& rows,
                                 std::span<const std::uint8_t> ignored) const;

  void take_in_doubt(std::span<const std::uint8_t> jumps, const LawPoint& before, LawConstants& found) const;

  std::shared_ptr<const system::WrittenCoefficients> written_;
  std::vector<std::uint8_t> is_below_;
  std::vector<std::vector<Index>> slots_of_;  // by row: the unknown assigned and what it is a derivative of
  std::vector<Index> row_of_;                 // by slot of slots_of_, -1: none
  std::vector<std::size_t> starts_;           // by row
  std::vector<Entry> entries_;
  std::vector<std::uint8_t> is_output_row_;
  std::vector<std::uint8_t> is_follower_row_;
  std::vector<std::uint8_t> is_output_;
  std::vector<std::uint8_t> is_follower_;
};

}  // namespace saltus::reduce
