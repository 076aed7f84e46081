#include "program/vm/pullback_interpreter.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "dot_product.hpp"
#include "program/vm/program_pullback.hpp"
#include "program/vm/slab_compiler.hpp"
#include "program/vm/tangent_interpreter.hpp"
#include "random_graph.hpp"
#include "support/allocation_guard.hpp"

namespace saltus::program {
namespace {

using test::DotProduct;
using test::draw;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

struct Range {
  SlabOp op;
  double low;
  double high;
  std::int32_t n = 0;  // of power_integer
};

// Every operation, at operands that it is defined for.
std::vector<Range> all_operations() {
  std::vector<Range> ranges;
#define SALTUS_RANGE(name) ranges.push_back({SlabOp::name, 0.2, 0.9});
  SALTUS_SLAB_UNARY(SALTUS_RANGE)
  SALTUS_SLAB_BINARY(SALTUS_RANGE)
#undef SALTUS_RANGE
  for (const SlabOp op : {SlabOp::square, SlabOp::cube, SlabOp::select, SlabOp::copy}) {
    ranges.push_back({op, 0.2, 0.9});
  }
  // Truths, and blends that are whole.
  ranges.push_back({SlabOp::select, 1.0, 1.0});
  ranges.push_back({SlabOp::select, 0.0, 0.0});
  for (const SlabOp op :
       {SlabOp::negate, SlabOp::exp, SlabOp::sin, SlabOp::cos, SlabOp::tan, SlabOp::atan, SlabOp::sinh,
        SlabOp::cosh, SlabOp::tanh, SlabOp::abs, SlabOp::add, SlabOp::subtract, SlabOp::multiply,
        SlabOp::atan2, SlabOp::minimum, SlabOp::maximum, SlabOp::square, SlabOp::cube}) {
    ranges.push_back({op, -1.4, 1.4});
  }
  for (const int n : {-3, -1, 0, 1, 5}) {
    ranges.push_back({SlabOp::power_integer, 0.5, 2.0, n});
  }
  return ranges;
}

enum class Places { apart, overlapping };

constexpr std::size_t kRoom = 32;
constexpr std::uint32_t kLength = 5;

Instruction instruction_of(const Range& range, Form form, Places places) {
  Instruction i{.op = range.op, .length = form == Form::scalar ? 1 : kLength};
  i.destination = Location(Space::outputs, 3);
  const std::int32_t strides[5][3] = {{0, 0, 0}, {1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {3, -2, 2}};
  const Space spaces[3] = {Space::registers, Space::states, Space::frozen};
  for (int k = 0; k < n_operands(range.op); ++k) {
    i.strides[k] = strides[static_cast<int>(form)][k];
    const std::uint32_t first = i.strides[k] < 0 ? 12 : 1;
    i.operands[k] = places == Places::apart
                        ? Location(spaces[k], first)
                        : Location(Space::registers, first + static_cast<std::uint32_t>(k));
  }
  if (range.op == SlabOp::power_integer) {
    i.operands[1] = operand_from_bits(std::bit_cast<std::uint32_t>(range.n));
  }
  i.choose(form);
  return i;
}

// Numbers in all spaces.
struct Field {
  std::vector<double> registers = std::vector<double>(kRoom);
  std::vector<double> states = std::vector<double>(kRoom);
  std::vector<double> outputs = std::vector<double>(kRoom);
  std::vector<double> frozen = std::vector<double>(kRoom);

  void draw_inputs(std::mt19937& random, double low, double high) {
    registers = draw(kRoom, random, low, high);
    states = draw(kRoom, random, low, high);
    frozen = draw(kRoom, random, low, high);
  }
  [[nodiscard]] Memory memory() { return {registers.data(), states.data(), outputs.data(), frozen.data()}; }
};

TEST(PullbackInterpreter, EveryOperationIsTheTransposeOfItsTangents) {
  std::mt19937 random(11);
  for (const Range& range : all_operations()) {
    for (const Form form :
         {Form::scalar, Form::contiguous, Form::left_broadcast, Form::right_broadcast, Form::strided}) {
      if (n_operands(range.op) != 2 && (form == Form::left_broadcast || form == Form::right_broadcast)) {
        continue;
      }
      for (const Places places : {Places::apart, Places::overlapping}) {
        SCOPED_TRACE("operation " + std::to_string(static_cast<int>(range.op)) + " form " +
                     std::to_string(static_cast<int>(form)) + " places " +
                     std::to_string(static_cast<int>(places)));
        const Instruction i = instruction_of(range, form, places);
        Field values;
        Field tangents;
        Field cotangents;
        values.draw_inputs(random, range.low, range.high);
        tangents.draw_inputs(random, -1.0, 1.0);
        cotangents.draw_inputs(random, -1.0, 1.0);  // sums that are added to
        const Field before = cotangents;
        const std::vector<double> weights = draw(kRoom, random);
        cotangents.outputs = weights;
        run_code_tangents({&i, 1}, nullptr, {values.memory(), tangents.memory(), 1});
        pull_code({&i, 1}, nullptr, {values.memory(), cotangents.memory()}, nullptr, nullptr);
        DotProduct forward;
        DotProduct back;
        forward.add(std::span(weights).subspan(3, i.length),
                    std::span(tangents.outputs).subspan(3, i.length));
        const auto add = [&](const std::vector<double>& sums, const std::vector<double>& at_first,
                             const std::vector<double>& moves) {
          for (std::size_t k = 0; k < kRoom; ++k) {
            back.add(sums[k], moves[k]);
            back.add(-at_first[k], moves[k]);
          }
        };
        add(cotangents.registers, before.registers, tangents.registers);
        add(cotangents.states, before.states, tangents.states);
        add(cotangents.frozen, before.frozen, tangents.frozen);
        test::expect_equal(forward, back, 8 * kEpsilon, "dot product");
        for (std::size_t k = 0; k < kRoom; ++k) {
          const bool is_written = k >= 3 && k < 3 + i.length;
          EXPECT_EQ(cotangents.outputs[k], is_written ? 0.0 : weights[k]);
        }
      }
    }
  }
}

// What one instruction over scalars passes on to its operands.
std::vector<double> pull_one(SlabOp op, std::vector<double> operands, double cotangent, int n = 0) {
  Instruction i{.op = op};
  for (std::size_t k = 0; k < operands.size(); ++k) {
    i.operands[k] = Location(Space::registers, static_cast<std::uint32_t>(k));
  }
  if (op == SlabOp::power_integer) {
    i.operands[1] = operand_from_bits(std::bit_cast<std::uint32_t>(n));
  }
  i.destination = Location(Space::outputs, 0);
  i.choose(Form::scalar);
  std::vector<double> sums(operands.size());
  double value = 0.0;
  run_code({&i, 1}, nullptr, {operands.data(), nullptr, &value, nullptr});
  pull_code({&i, 1}, nullptr,
            {{operands.data(), nullptr, &value, nullptr}, {sums.data(), nullptr, &cotangent, nullptr}},
            nullptr, nullptr);
  return sums;
}
using Sums = std::vector<double>;

TEST(PullbackInterpreter, ZeroTimesAnInfiniteSlopeIsZero) {
  EXPECT_EQ(pull_one(SlabOp::sqrt, {0.0}, 0.0), Sums{0.0});
  EXPECT_EQ(pull_one(SlabOp::sqrt, {0.0}, 1.0), Sums{kInfinity});
  EXPECT_EQ(pull_one(SlabOp::asin, {1.0}, 0.0), Sums{0.0});
  EXPECT_EQ(pull_one(SlabOp::log, {-1.0}, 0.0), Sums{0.0});
  EXPECT_EQ(pull_one(SlabOp::divide, {0.0, 0.0}, 0.0), (Sums{0.0, 0.0}));
  EXPECT_EQ(pull_one(SlabOp::atan2, {0.0, 0.0}, 0.0), (Sums{0.0, 0.0}));
  EXPECT_TRUE(std::isnan(pull_one(SlabOp::atan2, {0.0, 0.0}, 1.0)[0]));
  EXPECT_EQ(pull_one(SlabOp::power, {0.0, 0.5}, 0.0), (Sums{0.0, 0.0}));
  EXPECT_EQ(pull_one(SlabOp::power, {0.0, 0.5}, 2.0), (Sums{kInfinity, 0.0}));
  EXPECT_TRUE(std::isnan(pull_one(SlabOp::power, {-2.0, 3.0}, 1.0)[1]));
  EXPECT_EQ(pull_one(SlabOp::power, {-2.0, 3.0}, 1.0)[0], 12.0);
}

// 0 moves with nothing: neither does what lies behind it, however steep.
TEST(PullbackInterpreter, ASlopeThatIsZeroPassesNothingOn) {
  for (const double bad : {kInfinity, kNan}) {
    EXPECT_EQ(pull_one(SlabOp::multiply, {0.0, 3.0}, bad)[1], 0.0);
    EXPECT_FALSE(std::isfinite(pull_one(SlabOp::multiply, {0.0, 3.0}, bad)[0]));
    EXPECT_EQ(pull_one(SlabOp::abs, {0.0}, bad), Sums{0.0});
    EXPECT_EQ(pull_one(SlabOp::floor, {0.5}, bad), Sums{0.0});
    EXPECT_EQ(pull_one(SlabOp::square, {0.0}, bad), Sums{0.0});
  }
}

TEST(PullbackInterpreter, TheSideTakenAlone) {
  EXPECT_EQ(pull_one(SlabOp::select, {1.0, 2.0, kNan}, 3.0), (Sums{0.0, 3.0, 0.0}));
  EXPECT_EQ(pull_one(SlabOp::select, {0.0, kNan, 2.0}, 3.0), (Sums{0.0, 0.0, 3.0}));
  EXPECT_EQ(pull_one(SlabOp::select, {1.0, 2.0, 1.0}, kInfinity), (Sums{0.0, kInfinity, 0.0}));
  EXPECT_EQ(pull_one(SlabOp::select, {0.25, 2.0, 6.0}, 8.0), (Sums{0.0, 2.0, 6.0}));
  EXPECT_EQ(pull_one(SlabOp::minimum, {1.0, 2.0}, kInfinity), (Sums{kInfinity, 0.0}));
  EXPECT_EQ(pull_one(SlabOp::maximum, {1.0, 2.0}, kInfinity), (Sums{0.0, kInfinity}));
  EXPECT_EQ(pull_one(SlabOp::minimum, {1.0, 1.0}, 3.0), (Sums{0.0, 3.0}));  // the second at a tie
  EXPECT_EQ(pull_one(SlabOp::maximum, {1.0, 1.0}, 3.0), (Sums{0.0, 3.0}));
}

TEST(PullbackInterpreter, GathersScatter) {
  Instruction i{.op = SlabOp::gather, .length = 3};
  i.operands[0] = Location(Space::states, 0);
  i.operands[1] = operand_from_bits(1);
  i.destination = Location(Space::registers, 0);
  i.choose(Form::strided);
  const std::uint32_t indices[4] = {9, 2, 0, 2};
  const double states[3] = {1.0, 2.0, 3.0};
  double values[3] = {3.0, 1.0, 3.0};
  double cotangents[3] = {10.0, 20.0, 40.0};
  double sums[3] = {1.0, 1.0, 1.0};
  pull_code({&i, 1}, indices, {{values, states, nullptr, nullptr}, {cotangents, sums, nullptr, nullptr}},
            nullptr, nullptr);
  EXPECT_EQ(std::vector<double>(sums, sums + 3), (std::vector<double>{21.0, 1.0, 51.0}));
  EXPECT_EQ(std::vector<double>(cotangents, cotangents + 3), (std::vector<double>{0.0, 0.0, 0.0}));
}

// r := sin(x); y₀ := r·r; r := cos(x); y₁ := r·x: the way back needs both values of r.
TEST(PullbackInterpreter, RegistersThatAreUsedAgain) {
  SlabProgram program;
  program.n_states = 1;
  program.n_inputs = 1;
  program.n_registers = 2;
  const Location x(Space::states, 0);
  const Location r(Space::registers, 1);
  const auto push = [&](SlabOp op, Location to, Location a, Location b) {
    Instruction i{.op = op, .destination = to, .operands = {a, b, {}}};
    i.choose(Form::scalar);
    program.code.push_back(i);
  };
  push(SlabOp::sin, r, x, {});
  push(SlabOp::multiply, Location(Space::outputs, 0), r, r);
  push(SlabOp::cos, r, x, {});
  push(SlabOp::multiply, Location(Space::outputs, 1), r, x);
  program.parts = {{0, 0, 0}, {0, 4, 2}};
  const SavePlan plan(program);
  EXPECT_EQ(plan.code, (std::vector<std::uint32_t>{kNotSaved, kNotSaved, 0, kNotSaved}));
  EXPECT_EQ(plan.stack_size, 1U);
  ProgramPullback pullback(program, {}, {});
  const double at = 0.7;
  double outputs[2] = {};
  double weights[2] = {3.0, 5.0};
  pullback.run(1, &at, outputs);
  pullback.pull(1, &at, outputs, weights);
  const double expected = 3.0 * 2.0 * std::sin(at) * std::cos(at) + 5.0 * (std::cos(at) - at * std::sin(at));
  EXPECT_NEAR(pullback.state_cotangents()[0], expected, 1e-15);
}

// Random programs with loops, gathers, held inputs and a prologue, at random points and where functions have poles and kinks.
TEST(PullbackInterpreter, RandomProgramsAreTransposesOfTheirTangents) {
  int n_compared = 0;
  int n_saved = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::RandomModel m = test::random_model(seed);
    LeafBindings bindings;
    for (int i = 0; i < m.n_states; ++i) {
      bindings.bind_variable(VariableId(static_cast<std::size_t>(i)), 0,
                             {Binding::Kind::state, static_cast<std::uint32_t>(i)});
    }
    for (int i = 0; i < m.n_conditions; ++i) {
      bindings.bind_condition(ConditionId(static_cast<std::size_t>(i)),
                              {Binding::Kind::input, static_cast<std::uint32_t>(1 + i)});
    }
    const auto n_held = static_cast<std::uint32_t>(m.n_conditions);
    const SlabProgram program = compile_program(m.graph, bindings,
                                                {.n_states = static_cast<std::uint32_t>(m.n_states),
                                                 .n_inputs = 1 + n_held,
                                                 .n_held = n_held,
                                                 .n_parameters = static_cast<std::uint32_t>(m.n_parameters),
                                                 .parts = {{.roots = m.roots}}});
    std::mt19937 random(seed);
    const bool is_at_zero = seed % 4 == 0;
    const double span = is_at_zero ? 0.0 : 3.0;
    const std::vector<double> p = draw(program.n_parameters, random, -span, span);
    const std::vector<double> x = draw(program.n_states, random, -span, span);
    const std::vector<double> p_moves = draw(p.size(), random);
    const std::vector<double> x_moves = draw(x.size(), random);
    std::vector<double> inputs = {is_at_zero ? 0.0 : 0.7};
    for (std::uint32_t i = 0; i < n_held; ++i) inputs.push_back(static_cast<double>(random() % 2));
    const std::vector<double> input_moves = draw(inputs.size(), random);

    const std::vector<double> frozen = freeze(program, p);
    const std::vector<double> frozen_tangents = freeze_tangents(program, frozen, p_moves, 1);
    std::vector<double> registers(program.n_registers);
    std::vector<double> register_tangents(program.n_registers);
    std::copy(inputs.begin(), inputs.end(), registers.begin());
    std::copy(input_moves.begin(), input_moves.end(), register_tangents.begin());
    std::vector<double> values(m.roots.size());
    std::vector<double> tangents(m.roots.size());
    const TangentMemory memory{
        {registers.data(), x.data(), values.data(), frozen.data()},
        {register_tangents.data(), x_moves.data(), tangents.data(), frozen_tangents.data()},
        1};
    run_code_tangents(program.held_code, program.indices.data(), memory);
    run_part_tangents(program, 1, memory);

    std::vector<double> weights = draw(m.roots.size(), random);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const bool is_defined =
          std::isfinite(tangents[i]) && std::abs(tangents[i]) < 1e100 && std::isfinite(values[i]);
      weights[i] = is_defined ? weights[i] : 0.0;
      n_compared += is_defined ? 1 : 0;
    }
    ProgramPullback pullback(program, frozen, {});
    std::vector<double> share(pullback.share_size());
    std::vector<double> found(values.size());
    std::vector<double> sums(p.size());
    std::vector<double> cotangents = weights;
    const saltus::test::AllocationGuard guard;
    // The second time is as the first.
    for (int repetition = 0; repetition < 2; ++repetition) {
      pullback.clear();
      std::copy(inputs.begin(), inputs.end(), pullback.inputs().begin());
      pullback.run_held();
      pullback.run(1, x.data(), found.data());
      std::copy(weights.begin(), weights.end(), cotangents.begin());
      pullback.pull(1, x.data(), found.data(), cotangents.data());
      pullback.pull_held();
    }
    EXPECT_EQ(guard.count(), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(found[i]), std::bit_cast<std::uint64_t>(values[i]));
    }
    pullback.add_share(share);
    pullback.to_parameters(share, sums);
    DotProduct forward;
    DotProduct back;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] != 0.0) {
        forward.add(weights[i], tangents[i]);
      }
    }
    back.add(pullback.state_cotangents(), x_moves);
    back.add(pullback.input_cotangents(), input_moves);
    back.add(sums, p_moves);
    test::expect_equal(forward, back, 1e-11, "dot product");
    n_saved += SavePlan(program).stack_size > 0 ? 1 : 0;
  }
  EXPECT_GT(n_compared, 8000);
  EXPECT_GT(n_saved, 50);
}

}  // namespace
}  // namespace saltus::program
