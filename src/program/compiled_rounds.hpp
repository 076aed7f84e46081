/// Solves the rounds of one mode by its compiled system (equations/round_system.hpp).
///
/// Contract     as system::RoundSolver. Tangents and pullbacks solve a round with a solver of their own, so that the one that they belong
///              to stays as it is.
/// Checked by   tests/unit/program/rounds_test.cpp, tests/unit/program/round_tangents_test.cpp, tests/unit/program/round_pullback_test.cpp
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "program/equations/system_data.hpp"
#include "system/rounds.hpp"

namespace saltus::program {

class CompiledRounds final : public system::RoundSolver {
 public:
  CompiledRounds(std::shared_ptr<const SystemData> data, std::size_t mode);

  void prepare(system::RoundSolution& solution) const override;
  system::Evaluation solve(const system::RoundInputs& inputs, system::RoundSolution& solution) override;
  std::shared_ptr<const system::JumpEquations> jump_equations() override;
  system::Configuration jump_configuration(const system::RoundInputs& inputs,
                                           std::span<const double> discrete) const override;
  std::unique_ptr<system::RoundTangents> tangents(const system::ParameterDirections& directions) override;
  std::unique_ptr<system::RoundPullback> pullback() override;
  std::string describe(const system::Evaluation& evaluation, double t) const override;
  void fields(Archive& a) override;

 private:
  class Tangents;
  class Pullback;
  using Status = system::Evaluation::Status;

  [[nodiscard]] bool has_left_over(const system::RoundInputs& inputs) const;
  void set_conditions(const system::RoundInputs& inputs);
  void set_values(const system::RoundInputs& inputs);
  [[nodiscard]] system::Evaluation check_finite() const;
  void hand_over(const system::RoundInputs& inputs, system::RoundSolution& solution) const;
  void find_overruled(const system::RoundInputs& inputs, system::RoundSolution& solution) const;

  std::shared_ptr<const SystemData> data_;
  std::size_t number_;  // of the mode
  const ModeData& mode_;
  const RoundSystem& round_;
  SequenceRunner runner_;
  std::vector<double> outputs_;
  std::vector<Index> guess_column_;  // by unknown of an implicit block; -1 for derivatives
  std::vector<double> guess_;
  std::shared_ptr<const system::JumpEquations> jumps_;
  double t_ = 0.0;
};

}  // namespace saltus::program
