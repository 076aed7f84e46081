/// What a mode divides by to get its unknowns: where one of these numbers changes its sign, the equations are singular.
///
/// Problem      singular points that a run passes between two evaluations leave no trace in it; their divisors do
/// Method       denominators of formulas and determinants of implicit blocks, as far as they depend on time or variables, are
///              outputs of a sequence of their own, evaluated where somebody asks (hybrid/singular_watch.hpp)
/// Contract     DivisorCode and Divisors are immutable and shared, DivisorRunner belongs to one evaluator and does not allocate once it is made.
///              Determinants are those of matrices whose rows have entries of at most 1.
/// Choices      not for blocks that are solved by sparse matrices
/// Cost         the formulas and blocks that the divisors depend on, once for a step
/// Checked by   tests/unit/api/rank_change_test.cpp
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "program/blocks/block_sequence.hpp"

namespace saltus::program {

struct SystemCode;
struct ModeCode;

struct DivisorCode {
  struct Item {
    std::string text;
    bool gives_rates = false;  ///< derivatives of states are among what is divided by it
    Index block = -1;          ///< of the mode
    /// An equation is solved by it; else a formula as it is written contains it, and has a pole where it vanishes.
    bool is_coefficient = true;
    Index order = 1;            ///< of the matrix; 1: the output itself
    std::vector<Index> places;  ///< in the matrix, column by column, of the outputs that follow
    std::size_t first_output = 0;
  };
  std::vector<Item> items;
  std::shared_ptr<const SequenceCode> sequence;
  std::size_t n_guess = 0;  ///< unknowns of all implicit blocks of the mode
};

/// Null: there is nothing to watch.
[[nodiscard]] std::shared_ptr<const DivisorCode> find_divisors(const SystemCode& code, const ModeCode& mode);

/// … with the numbers of one system.
struct Divisors {
  std::shared_ptr<const DivisorCode> code;
  BlockSequence sequence;
};

class DivisorRunner {
 public:
  /// Begins with the held inputs of the evaluator; `store` as for SequenceRunner.
  DivisorRunner(std::shared_ptr<const Divisors> divisors, std::span<const double> held, SolutionStore& store);

  [[nodiscard]] const DivisorCode& divisors() const { return *divisors_->code; }
  void set_held(std::size_t i, double value) { runner_.set_held(i, value); }
  /// Iterations begin at the last solutions of `derivatives`.
  [[nodiscard]] system::Evaluation run(double t, std::span<const double> x, const SequenceRunner& derivatives,
                                       std::span<double> values);

  void fields(Archive& a) {
    // Not saved: divisors_.
    a(runner_, outputs_, guess_, matrix_);
  }

 private:
  std::shared_ptr<const Divisors> divisors_;
  SequenceRunner runner_;
  std::vector<double> outputs_;
  std::vector<double> guess_;
  std::vector<double> matrix_;
};

}  // namespace saltus::program
