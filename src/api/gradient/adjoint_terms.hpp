/// Terms of functionals for the way back: their values, and what each weighs where it is taken.
///
/// Contract     problem() says where a way back cannot give their derivatives though forward sensitivities may: several moves at the instant of
///              a term, another instant so close to it that parameters may change their order, or an event at the very end of a run that nothing ended, whose moving changes which values are the last ones.
/// Checked by   tests/gradient/gradient_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/gradient/functional_model.hpp"
#include "saltus/simulate.hpp"
#include "sensitivity/adjoint/go_back.hpp"

namespace saltus::api {

class AdjointTerms {
 public:
  /// The run has come to its end and has all instants that terms name. All outlive it.
  AdjointTerms(const FunctionalModel& functionals, const sensitivity::Tape& tape, const SimulationResult& run,
               double rtol);

  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Of Σ slope·term.
  [[nodiscard]] sensitivity::AdjointQuestion question(std::span<const double> slopes) const;

 private:
  void find_value(std::size_t term);

  const FunctionalModel& functionals_;
  const sensitivity::Tape& tape_;
  const SimulationResult& run_;
  double
      reach_;  // times that are closer to one another may change their order for a small change of parameters
  std::vector<double> values_;
  std::vector<std::size_t> places_;  // by term: of its variable
  std::string problem_;
};

}  // namespace saltus::api
