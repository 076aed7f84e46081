/// The residual form of a mode for implicit methods: r(t, y, ẏ) = 0 of index at most 1.
///
/// Problem      blocks give the derivatives of the states one after the other. An implicit method wants rows in y = (states
///              x, algebraic unknowns z) and ẏ of the states, as few and as sparse as possible, with no iteration inside.
/// Method       a state has the row ẏ - f where its derivative has a formula or is a state, and rows of an implicit block
///              where the block gives it, perhaps under another name; other unknowns of needed implicit blocks are z. Formulas of algebraic variables
///              are substituted, or kept as rows z - f where substituting costs too many entries.
/// Notation     r: slots that a formula depends on when all before it is substituted; c: blocks that read it.
/// Contract     row i belongs to y_i. Slots: y, then ẏ. z contains what the derivatives depend on, no more. `point` gives
///              (z, ẏ) at a state x with the same implicit blocks, in the same order, as the right-hand side.
/// Choices      a formula is kept where (r - 1)(c - 1), the fill of Markowitz [Mar57], exceeds kMostFill, or r exceeds
///              kMostDependencies: prefix sums of n states would give n²/2 entries.
/// Cost         linear in the blocks.
/// Checked by   tests/unit/program/residual_form_test.cpp
#pragma once

#include <memory>
#include <vector>

#include "base/archive.hpp"
#include "program/blocks/block_sequence.hpp"
#include "program/equations/equation_program.hpp"

namespace saltus::program {

struct SystemCode;
struct ModeCode;

/// Fill that is accepted for having one unknown less: an unknown has its row, column and diagonal entry in every
/// factorisation, and small systems are dense anyway.
inline constexpr std::size_t kMostFill = 16;
inline constexpr std::size_t kMostDependencies = 64;

/// Where the unknown of an implicit block is in the point (y, ẏ).
struct PlaceInPoint {
  Index slot = -1;  ///< -1: nowhere, the derivatives do not depend on it
  double sign = 1.0;
};

struct ResidualCode {
  std::shared_ptr<const EquationCode> equations;
  std::vector<structure::Unknown> algebraic;  ///< z
  std::shared_ptr<const SequenceCode> point;  ///< outputs: z, then ẏ
  std::vector<PlaceInPoint> guess_places;     ///< by unknown of all implicit blocks of the mode
};

[[nodiscard]] std::shared_ptr<const ResidualCode> build_residual_form(const SystemCode& code,
                                                                      const ModeCode& mode);

/// … with the numbers of one system.
struct ResidualForm {
  std::shared_ptr<const ResidualCode> code;
  std::shared_ptr<const EquationProgram> equations;
  BlockSequence point;
};

/// The unknowns of implicit blocks at a point of the residual form, in the order of a guess; NaN where it does not contain them.
void copy_guess(const ResidualCode& form, const system::ResidualPoint& point, std::span<double> guess);

/// The residual form as one evaluator uses it.
class ResidualRunner {
 public:
  /// Begins with the held inputs of the evaluator.
  ResidualRunner(std::shared_ptr<const ResidualForm> form, const HeldInputs& inputs,
                 std::span<const double> held);

  [[nodiscard]] system::EquationRunner& equations() { return *equations_; }
  [[nodiscard]] const SequenceRunner& point_runner() const { return point_; }
  void set_held(std::size_t i, double value) { point_.set_held(i, value); }

  /// y = (x, z) and ẏ at the state x. Iterations begin at the last solutions of `derivatives`, which then becomes those
  /// found. A value that is not finite: culprit is its place in (z, ẏ).
  [[nodiscard]] system::Evaluation point(double t, std::span<const double> x, SequenceRunner& derivatives,
                                         std::span<double> y, std::span<double> ydot);

  void fields(Archive& a) {
    // Not saved: form_.
    a(equations_, point_, outputs_, guess_);
  }

 private:
  std::shared_ptr<const ResidualForm> form_;
  std::unique_ptr<system::EquationRunner> equations_;
  SequenceRunner point_;
  std::vector<double> outputs_;
  std::vector<double> guess_;
};

}  // namespace saltus::program
