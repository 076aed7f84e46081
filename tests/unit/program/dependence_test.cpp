#include "program/vm/dependence.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace saltus::program {
namespace {

Instruction instruction(SlabOp op, Location destination, std::vector<Location> operands,
                        std::uint32_t length = 1, std::int32_t stride = 1) {
  Instruction made;
  made.op = op;
  made.length = length;
  made.destination = destination;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    made.operands[k] = operands[k];
    made.strides[k] = stride;
  }
  return made;
}

Location frozen(std::uint32_t place) {
  return {Space::frozen, place};
}
Location state(std::uint32_t place) {
  return {Space::states, place};
}
Location output(std::uint32_t place) {
  return {Space::outputs, place};
}
Location reg(std::uint32_t place) {
  return {Space::registers, place};
}

// Parameters p₀, p₁, p₂, of which the prologue makes p₀·p₁; three directions, one for each.
SlabProgram program_of(std::vector<Instruction> code, std::uint32_t n_outputs) {
  SlabProgram program;
  program.n_states = 3;
  program.n_inputs = 1;
  program.n_registers = 4;
  program.n_parameters = 3;
  program.n_frozen = 4;
  program.prologue = {instruction(SlabOp::multiply, frozen(3), {frozen(0), frozen(1)})};
  program.parts = {{0, static_cast<std::uint32_t>(code.size()), n_outputs}};
  program.code = std::move(code);
  return program;
}

std::vector<std::vector<Index>> directions_of(const SlabProgram& program) {
  return moving_directions(program, 0, std::vector<double>{1, 0, 0, 0, 2, 0, 0, 0, 3}, 3);
}

TEST(Dependence, FollowsProductsThroughRegistersAndThePrologue) {
  const SlabProgram program = program_of(
      {instruction(SlabOp::multiply, reg(1), {frozen(3), state(0)}),
       instruction(SlabOp::add, output(0), {reg(1), state(1)}),
       instruction(SlabOp::sin, output(1), {frozen(2)}), instruction(SlabOp::negate, output(2), {state(2)})},
      3);
  EXPECT_EQ(directions_of(program), (std::vector<std::vector<Index>>{{0, 1}, {2}, {}}));
}

// Element by element: neighbours do not share what they depend on.
TEST(Dependence, OfSlabs) {
  const SlabProgram program =
      program_of({instruction(SlabOp::multiply, output(0), {frozen(0), state(0)}, 3)}, 3);
  EXPECT_EQ(directions_of(program), (std::vector<std::vector<Index>>{{0}, {1}, {2}}));
}

TEST(Dependence, ChoicesCountOnBothSidesAndTruthsRest) {
  const SlabProgram program =
      program_of({instruction(SlabOp::less, reg(1), {frozen(2), state(0)}),
                  instruction(SlabOp::select, output(0), {reg(1), frozen(0), frozen(1)}),
                  instruction(SlabOp::maximum, output(1), {frozen(1), frozen(2)}),
                  instruction(SlabOp::floor, output(2), {frozen(0)})},
                 3);
  EXPECT_EQ(directions_of(program), (std::vector<std::vector<Index>>{{0, 1}, {1, 2}, {}}));
}

// A register that is written again forgets.
TEST(Dependence, OfRegistersUsedTwice) {
  const SlabProgram program = program_of(
      {instruction(SlabOp::copy, reg(2), {frozen(0)}), instruction(SlabOp::copy, output(0), {reg(2)}),
       instruction(SlabOp::copy, reg(2), {frozen(2)}), instruction(SlabOp::copy, output(1), {reg(2)})},
      2);
  EXPECT_EQ(directions_of(program), (std::vector<std::vector<Index>>{{0}, {2}}));
}

}  // namespace
}  // namespace saltus::program
