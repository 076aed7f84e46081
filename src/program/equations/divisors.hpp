/// What a mode divides by to get its unknowns: where one of these numbers changes its sign, the equations are singular.
///
/// Problem      singular points that a run passes between two evaluations leave no trace in it; their divisors do
/// Method       denominators of formulas and determinants of implicit blocks, as far as they depend on time or variables, are
///              outputs of a sequence of their own, evaluated where somebody asks (hybrid/singular_watch.hpp)
/// Contract     Divisors is immutable and shared, DivisorRunner belongs to one evaluator and does not allocate once it is made.
///              Determinants are those of matrices whose rows have entries of at most 1.
/// Choices      not for blocks that are solved by sparse matrices
/// Cost         the formulas and blocks that the divisors depend on, once for a step
/// Checked by   tests/unit/api/rank_change_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/blocks/block_sequence.hpp"

namespace saltus::program {

struct SystemData;
struct ModeData;

struct Divisors {
  struct Item {
    std::string text;
    bool gives_rates = false;   ///< derivatives of states are among what is divided by it
    Index order = 1;            ///< of the matrix; 1: the output itself
    std::vector<Index> places;  ///< in the matrix, column by column, of the outputs that follow
    std::size_t first_output = 0;
  };
  std::vector<Item> items;
  std::optional<BlockSequence> sequence;
  std::size_t n_guess = 0;  ///< unknowns of all implicit blocks of the mode
};

/// Null: there is nothing to watch.
[[nodiscard]] std::shared_ptr<const Divisors> find_divisors(const SystemData& data, const ModeData& mode);

class DivisorRunner {
 public:
  /// Begins with the held inputs of the evaluator; `store` as for SequenceRunner.
  DivisorRunner(std::shared_ptr<const Divisors> divisors, std::span<const double> held, SolutionStore& store);

  [[nodiscard]] const Divisors& divisors() const { return *divisors_; }
  void set_held(std::size_t i, double value) { runner_.set_held(i, value); }
  /// Iterations begin at the last solutions of `derivatives`.
  [[nodiscard]] system::Evaluation run(double t, std::span<const double> x, const SequenceRunner& derivatives,
                                       std::span<double> values);

 private:
  std::shared_ptr<const Divisors> divisors_;
  SequenceRunner runner_;
  std::vector<double> outputs_;
  std::vector<double> guess_;
  std::vector<double> matrix_;
};

}  // namespace saltus::program
