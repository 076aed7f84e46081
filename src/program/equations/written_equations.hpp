/// Problem      the equations of a mode as written, over boxes of values (system/written_equations.hpp)
/// Method       both sides of every equation as one tape (guard_tape.hpp), run in intervals
/// Choices      a tape and no slab program: it is made in one pass over the nodes, at a few percent of the time of the analysis, and
///              checks run seldom
/// Cost         to make: the nodes of the equations. To run: some ten times the equations in numbers
/// Checked by   tests/unit/program/written_equations_test.cpp
#pragma once

#include <memory>
#include <vector>

#include "program/equations/system_data.hpp"
#include "program/guards/guard_tape.hpp"
#include "system/written_equations.hpp"

namespace saltus::program {

struct WrittenCode {
  WrittenCode(const SystemCode& code, const ModeCode& mode);

  const SystemCode& code;
  const ModeCode& mode;
  std::vector<structure::Unknown> unknowns;  ///< by slot
  GuardTape tape;
  TapePiece piece;  ///< roots: left and right side of every equation in turn
};

class WrittenProgram final : public system::WrittenEquations {
 public:
  WrittenProgram(std::shared_ptr<const WrittenCode> code, std::shared_ptr<const SystemData> data);

  [[nodiscard]] const std::vector<Slot>& slots() const override { return slots_; }
  [[nodiscard]] std::size_t n_rows() const override { return code_->piece.roots.size() / 2; }
  [[nodiscard]] std::unique_ptr<system::WrittenRunner> make_runner() const override;
  [[nodiscard]] bool is_constraint(std::size_t row) const override {
    return code_->mode.causalized.differentiations[row] > 0;
  }
  [[nodiscard]] std::string text(std::size_t row) const override;
  [[nodiscard]] std::string slot_name(std::size_t slot) const override;
  [[nodiscard]] std::vector<std::size_t> slots_of(std::size_t row) const override;
  [[nodiscard]] std::vector<std::size_t> rows_over(Index guard) const override;

 private:
  friend class WrittenProgramRunner;
  [[nodiscard]] std::vector<NodeId> leaves_of_row(std::size_t row) const;

  std::shared_ptr<const WrittenCode> code_;
  std::shared_ptr<const SystemData> data_;
  std::vector<Slot> slots_;
  TapeNumbers numbers_;
};

}  // namespace saltus::program
