#include "program/vm/tangent_interpreter.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "expr/derivative.hpp"
#include "expr/evaluate.hpp"
#include "program/vm/slab_compiler.hpp"
#include "random_graph.hpp"
#include "support/allocation_guard.hpp"

namespace saltus::program {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

using Real = long double;

// An operation with its partial derivatives, written down from the textbook, at operands away from kinks.
struct Known {
  SlabOp op;
  std::string name;
  double low;
  double high;
  std::function<std::vector<Real>(Real a, Real b, Real c)> partials;
  std::int32_t n = 0;  // of power_integer
};

std::vector<Known> known_operations() {
  using std::numbers::ln10_v;
  const auto sq = [](Real a) { return a * a; };
  const auto rest = [](Real, Real, Real) { return std::vector<Real>{0, 0, 0}; };
  std::vector<Known> known = {
      {SlabOp::negate, "negate", -2, 2, [](Real, Real, Real) { return std::vector<Real>{-1}; }},
      {SlabOp::sqrt, "sqrt", 0.5, 4,
       [](Real a, Real, Real) { return std::vector<Real>{1 / (2 * sqrtl(a))}; }},
      {SlabOp::exp, "exp", -2, 2, [](Real a, Real, Real) { return std::vector<Real>{expl(a)}; }},
      {SlabOp::log, "log", 0.5, 4, [](Real a, Real, Real) { return std::vector<Real>{1 / a}; }},
      {SlabOp::log10, "log10", 0.5, 4,
       [](Real a, Real, Real) { return std::vector<Real>{1 / (a * ln10_v<Real>)}; }},
      {SlabOp::sin, "sin", -2, 2, [](Real a, Real, Real) { return std::vector<Real>{cosl(a)}; }},
      {SlabOp::cos, "cos", -2, 2, [](Real a, Real, Real) { return std::vector<Real>{-sinl(a)}; }},
      {SlabOp::tan, "tan", -1, 1, [=](Real a, Real, Real) { return std::vector<Real>{1 / sq(cosl(a))}; }},
      {SlabOp::asin, "asin", -0.8, 0.8,
       [=](Real a, Real, Real) { return std::vector<Real>{1 / sqrtl(1 - sq(a))}; }},
      {SlabOp::acos, "acos", -0.8, 0.8,
       [=](Real a, Real, Real) { return std::vector<Real>{-1 / sqrtl(1 - sq(a))}; }},
      {SlabOp::atan, "atan", -2, 2, [=](Real a, Real, Real) { return std::vector<Real>{1 / (1 + sq(a))}; }},
      {SlabOp::sinh, "sinh", -2, 2, [](Real a, Real, Real) { return std::vector<Real>{coshl(a)}; }},
      {SlabOp::cosh, "cosh", -2, 2, [](Real a, Real, Real) { return std::vector<Real>{sinhl(a)}; }},
      {SlabOp::tanh, "tanh", -9, 9, [=](Real a, Real, Real) { return std::vector<Real>{1 / sq(coshl(a))}; }},
      {SlabOp::abs, "abs of positive", 1, 2, [](Real, Real, Real) { return std::vector<Real>{1}; }},
      {SlabOp::abs, "abs of negative", -2, -1, [](Real, Real, Real) { return std::vector<Real>{-1}; }},
      {SlabOp::sign, "sign", 0.2, 0.8, rest},
      {SlabOp::floor, "floor", 1.2, 1.8, rest},
      {SlabOp::ceil, "ceil", 1.2, 1.8, rest},
      {SlabOp::truncate, "truncate", 1.2, 1.8, rest},
      {SlabOp::logical_not, "not", 0, 0, rest},
      {SlabOp::add, "add", -2, 2,
       [](Real, Real, Real) {
         return std::vector<Real>{1, 1};
       }},
      {SlabOp::subtract, "subtract", -2, 2,
       [](Real, Real, Real) {
         return std::vector<Real>{1, -1};
       }},
      {SlabOp::multiply, "multiply", -2, 2,
       [](Real a, Real b, Real) {
         return std::vector<Real>{b, a};
       }},
      {SlabOp::divide, "divide", 0.5, 2,
       [](Real a, Real b, Real) {
         return std::vector<Real>{1 / b, -a / (b * b)};
       }},
      {SlabOp::power, "power", 0.5, 3,
       [](Real a, Real b, Real) {
         return std::vector<Real>{b * powl(a, b - 1), powl(a, b) * logl(a)};
       }},
      {SlabOp::atan2, "atan2", 0.5, 3,
       [](Real a, Real b, Real) {
         return std::vector<Real>{b / (a * a + b * b), -a / (a * a + b * b)};
       }},
      {SlabOp::minimum, "minimum", -2, 2,
       [](Real a, Real b, Real) {
         return std::vector<Real>{a < b ? 1.0L : 0, a < b ? 0 : 1.0L};
       }},
      {SlabOp::maximum, "maximum", -2, 2,
       [](Real a, Real b, Real) {
         return std::vector<Real>{a > b ? 1.0L : 0, a > b ? 0 : 1.0L};
       }},
      {SlabOp::less, "less", -2, 2, rest},
      {SlabOp::less_equal, "less_equal", -2, 2, rest},
      {SlabOp::equal, "equal", -2, 2, rest},
      {SlabOp::not_equal, "not_equal", -2, 2, rest},
      {SlabOp::logical_and, "and", 1, 1, rest},
      {SlabOp::logical_or, "or", 0, 0, rest},
      {SlabOp::square, "square", -2, 2, [](Real a, Real, Real) { return std::vector<Real>{2 * a}; }},
      {SlabOp::cube, "cube", -2, 2, [](Real a, Real, Real) { return std::vector<Real>{3 * a * a}; }},
      {SlabOp::select, "select", 0.2, 0.8,
       [](Real a, Real, Real) {
         return std::vector<Real>{0, a, 1 - a};
       }},
      {SlabOp::copy, "copy", -2, 2, [](Real, Real, Real) { return std::vector<Real>{1}; }},
  };
  for (const int n : {-3, -1, 0, 1, 5}) {
    known.push_back({SlabOp::power_integer, "power " + std::to_string(n), 0.5, 2,
                     [n](Real a, Real, Real) {
                       return std::vector<Real>{n == 0 ? 0.0L : n * powl(a, static_cast<Real>(n - 1))};
                     },
                     n});
  }
  return known;
}

// Operands in three spaces, each with room for all strides, results in the outputs.
struct Bench {
  static constexpr std::size_t kRoom = 16;
  static constexpr std::uint32_t kLength = 4;
  std::vector<double> spaces[3] = {std::vector<double>(kRoom), std::vector<double>(kRoom),
                                   std::vector<double>(kRoom)};
  std::vector<double> outputs = std::vector<double>(kRoom);

  [[nodiscard]] Memory memory() {
    return {spaces[0].data(), spaces[1].data(), outputs.data(), spaces[2].data()};
  }
};

Instruction instruction_of(const Known& known, Form form) {
  Instruction i{.op = known.op, .length = form == Form::scalar ? 1 : Bench::kLength};
  i.destination = Location(Space::outputs, 0);
  const std::int32_t strides[5][3] = {{0, 0, 0}, {1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {3, -2, 2}};
  const Space spaces[3] = {Space::registers, Space::states, Space::frozen};
  for (int k = 0; k < n_operands(known.op); ++k) {
    i.strides[k] = strides[static_cast<int>(form)][k];
    i.operands[k] = Location(spaces[k], i.strides[k] < 0 ? 12 : 1);
  }
  if (known.op == SlabOp::power_integer) {
    i.operands[1] = operand_from_bits(std::bit_cast<std::uint32_t>(known.n));
  }
  i.choose(form);
  return i;
}

// Fourth-order central difference of f at 0.
double difference(const std::function<double(double)>& f, double h) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

void check_operation(const Known& known, Form form, std::size_t n_directions) {
  SCOPED_TRACE(known.name + ", form " + std::to_string(static_cast<int>(form)) + ", directions " +
               std::to_string(n_directions));
  const Instruction i = instruction_of(known, form);
  std::mt19937 random(7);
  Bench values;
  Bench tangents;
  for (int s = 0; s < 3; ++s) {
    for (double& v : values.spaces[s]) {
      v = std::uniform_real_distribution<double>(known.low, known.high)(random);
    }
    tangents.spaces[s].resize(Bench::kRoom * n_directions);
    for (double& v : tangents.spaces[s]) v = std::uniform_real_distribution<double>(-1, 1)(random);
  }
  tangents.outputs.assign(Bench::kRoom * n_directions, 77.0);
  Bench plain = values;
  run_code({&i, 1}, nullptr, plain.memory());
  run_code_tangents({&i, 1}, nullptr, {values.memory(), tangents.memory(), n_directions});
  for (std::uint32_t e = 0; e < i.length; ++e) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(values.outputs[e]),
              std::bit_cast<std::uint64_t>(plain.outputs[e]));
    std::size_t places[3] = {};
    Real operands[3] = {};
    for (int k = 0; k < n_operands(known.op); ++k) {
      places[k] = static_cast<std::size_t>(static_cast<std::int64_t>(i.operands[k].offset()) +
                                           std::int64_t{i.strides[k]} * e);
      operands[k] = static_cast<Real>(values.spaces[k][places[k]]);
    }
    const std::vector<Real> partials = known.partials(operands[0], operands[1], operands[2]);
    for (std::size_t d = 0; d < n_directions; ++d) {
      Real expected = 0;
      Real size = 0;
      for (int k = 0; k < n_operands(known.op); ++k) {
        const Real term = partials[static_cast<std::size_t>(k)] *
                          static_cast<Real>(tangents.spaces[k][places[k] * n_directions + d]);
        expected += term;
        size += std::abs(term);
      }
      const double found = tangents.outputs[e * n_directions + d];
      EXPECT_NEAR(found, static_cast<double>(expected), 8 * kEpsilon * static_cast<double>(size));
      const double h = 1e-3;
      const double by_difference = difference(
          [&](double step) {
            Bench moved = plain;
            for (int s = 0; s < 3; ++s) {
              for (std::size_t p = 0; p < Bench::kRoom; ++p) {
                moved.spaces[s][p] = values.spaces[s][p] + step * tangents.spaces[s][p * n_directions + d];
              }
            }
            run_code({&i, 1}, nullptr, moved.memory());
            return moved.outputs[e];
          },
          h);
      const bool jumps = known.op == SlabOp::minimum || known.op == SlabOp::maximum;
      const bool is_logic = known.op == SlabOp::logical_not || known.op == SlabOp::logical_and ||
                            known.op == SlabOp::logical_or ||
                            known.op == SlabOp::select;  // truths do not move
      if (!is_logic && (!jumps || std::abs(operands[0] - operands[1]) > 0.01L)) {
        EXPECT_NEAR(found, by_difference, 2e-10 * std::max(1.0, static_cast<double>(size)));
      }
    }
    EXPECT_EQ(tangents.outputs[i.length * n_directions], 77.0);  // nothing beyond the slab
  }
}

TEST(TangentInterpreter, EveryOperationInEveryForm) {
  for (const Known& known : known_operations()) {
    for (const Form form :
         {Form::scalar, Form::contiguous, Form::left_broadcast, Form::right_broadcast, Form::strided}) {
      if (n_operands(known.op) != 2 && (form == Form::left_broadcast || form == Form::right_broadcast)) {
        continue;
      }
      for (const std::size_t n_directions : {1U, 3U, 8U}) {
        check_operation(known, form, n_directions);
      }
    }
  }
}

// Value and tangents of one instruction over scalars.
struct Outcome {
  double value = 0.0;
  double tangent = 0.0;
};
Outcome apply_one(SlabOp op, std::vector<double> operands, std::vector<double> tangents, int n = 0) {
  Instruction i{.op = op};
  for (std::size_t k = 0; k < operands.size(); ++k) {
    i.operands[k] = Location(Space::registers, static_cast<std::uint32_t>(k));
  }
  if (op == SlabOp::power_integer) {
    i.operands[1] = operand_from_bits(std::bit_cast<std::uint32_t>(n));
  }
  i.destination = Location(Space::outputs, 0);
  i.choose(Form::scalar);
  Outcome outcome;
  run_code_tangents({&i, 1}, nullptr,
                    {{operands.data(), nullptr, &outcome.value, nullptr},
                     {tangents.data(), nullptr, &outcome.tangent, nullptr},
                     1});
  return outcome;
}

TEST(TangentInterpreter, ZeroTimesAnInfiniteSlopeIsZero) {
  EXPECT_EQ(apply_one(SlabOp::sqrt, {0.0}, {0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::sqrt, {0.0}, {1.0}).tangent, kInfinity);
  EXPECT_EQ(apply_one(SlabOp::asin, {1.0}, {0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::acos, {-1.0}, {0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::log, {0.0}, {0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::log, {-1.0}, {0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::divide, {1.0, 0.0}, {0.0, 0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::divide, {0.0, 0.0}, {0.0, 0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::multiply, {kInfinity, 2.0}, {3.0, 0.0}).tangent, 6.0);
  EXPECT_EQ(apply_one(SlabOp::multiply, {kNan, 2.0}, {0.0, 0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::atan2, {0.0, 0.0}, {0.0, 0.0}).tangent, 0.0);
  EXPECT_TRUE(std::isnan(apply_one(SlabOp::atan2, {0.0, 0.0}, {1.0, 0.0}).tangent));
  EXPECT_EQ(apply_one(SlabOp::exp, {1000.0}, {0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::power_integer, {0.0}, {0.0}, -2).tangent, 0.0);
}

TEST(TangentInterpreter, PowersAtZeroAndOfNegativeBases) {
  EXPECT_EQ(apply_one(SlabOp::power, {0.0, 2.0}, {1.0, 0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::power, {0.0, 1.0}, {3.0, 0.0}).tangent, 3.0);
  EXPECT_EQ(apply_one(SlabOp::power, {0.0, 0.0}, {3.0, 0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::power, {0.0, 0.5}, {0.0, 0.0}).tangent, 0.0);
  EXPECT_EQ(apply_one(SlabOp::power, {0.0, 0.5}, {1.0, 0.0}).tangent, kInfinity);
  EXPECT_EQ(apply_one(SlabOp::power, {0.0, 2.5}, {0.0, 1.0}).tangent, 0.0);
  EXPECT_TRUE(std::isnan(apply_one(SlabOp::power, {0.0, 0.0}, {0.0, 1.0}).tangent));  // 1, and 0 beside it
  EXPECT_EQ(apply_one(SlabOp::power, {-2.0, 3.0}, {1.0, 0.0}).tangent, 12.0);         // the exponent rests
  EXPECT_TRUE(std::isnan(apply_one(SlabOp::power, {-2.0, 3.0}, {1.0, 1.0}).tangent));
  EXPECT_EQ(apply_one(SlabOp::power, {1e-200, 2.0}, {1.0, 0.0}).tangent, 2e-200);  // the value is 0
  EXPECT_EQ(apply_one(SlabOp::power_integer, {0.0}, {1.0}, 1).tangent, 1.0);
  EXPECT_EQ(apply_one(SlabOp::power_integer, {0.0}, {1.0}, 0).tangent, 0.0);
  EXPECT_DOUBLE_EQ(apply_one(SlabOp::atan2, {3e200, 4e200}, {1e200, 0.0}).tangent, 0.16);
}

TEST(TangentInterpreter, TheSideTakenAlone) {
  for (const double bad : {kNan, kInfinity}) {
    EXPECT_EQ(apply_one(SlabOp::select, {1.0, 2.0, bad}, {9.0, 3.0, bad}).tangent, 3.0);
    EXPECT_EQ(apply_one(SlabOp::select, {0.0, bad, 2.0}, {9.0, bad, 4.0}).tangent, 4.0);
    EXPECT_EQ(apply_one(SlabOp::minimum, {1.0, 2.0}, {3.0, bad}).tangent, 3.0);
    EXPECT_EQ(apply_one(SlabOp::maximum, {1.0, 2.0}, {bad, 3.0}).tangent, 3.0);
  }
  EXPECT_EQ(apply_one(SlabOp::select, {0.25, 2.0, 6.0}, {9.0, 8.0, 4.0}).tangent,
            5.0);                                                              // a weight is a number
  EXPECT_EQ(apply_one(SlabOp::minimum, {1.0, 1.0}, {3.0, 4.0}).tangent, 4.0);  // the second at a tie
  EXPECT_EQ(apply_one(SlabOp::maximum, {1.0, 1.0}, {3.0, 4.0}).tangent, 4.0);
  EXPECT_EQ(apply_one(SlabOp::abs, {0.0}, {3.0}).tangent, 0.0);
}

TEST(TangentInterpreter, Gathers) {
  Instruction i{.op = SlabOp::gather, .length = 3};
  i.operands[0] = Location(Space::states, 0);
  i.operands[1] = operand_from_bits(1);
  i.destination = Location(Space::registers, 0);
  i.choose(Form::strided);
  const std::uint32_t indices[4] = {9, 2, 0, 2};
  const double states[3] = {1.0, 2.0, 3.0};
  const double tangents[6] = {10.0, 11.0, 20.0, 21.0, 30.0, 31.0};
  double out[3] = {};
  double moved[6] = {};
  run_code_tangents({&i, 1}, indices,
                    {{out, states, nullptr, nullptr}, {moved, tangents, nullptr, nullptr}, 2});
  EXPECT_EQ(std::vector<double>(out, out + 3), (std::vector<double>{3.0, 1.0, 3.0}));
  EXPECT_EQ(std::vector<double>(moved, moved + 6), (std::vector<double>{30.0, 31.0, 10.0, 11.0, 30.0, 31.0}));
}

// A random program with everything that moves in it.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : m(test::random_model(seed)), random_(seed) {
    LeafBindings bindings;
    for (int i = 0; i < m.n_states; ++i) {
      bindings.bind_variable(VariableId(static_cast<std::size_t>(i)), 0,
                             {Binding::Kind::state, static_cast<std::uint32_t>(i)});
    }
    for (int i = 0; i < m.n_conditions; ++i) {
      bindings.bind_condition(ConditionId(static_cast<std::size_t>(i)),
                              {Binding::Kind::input, static_cast<std::uint32_t>(1 + i)});
    }
    program = compile_program(m.graph, bindings,
                              {.n_states = static_cast<std::uint32_t>(m.n_states),
                               .n_inputs = static_cast<std::uint32_t>(1 + m.n_conditions),
                               .n_held = static_cast<std::uint32_t>(m.n_conditions),
                               .n_parameters = static_cast<std::uint32_t>(m.n_parameters),
                               .parts = {{.roots = m.roots}}});
    p = draw(program.n_parameters);
    x = draw(program.n_states);
    t = 0.7;
    for (int i = 0; i < m.n_conditions; ++i) conditions.push_back(static_cast<double>(random_() % 2));
    p_tangents = draw(p.size() * n);
    x_tangents = draw(x.size() * n);
    t_tangents = draw(n);
  }

  void run() {
    const std::vector<double> frozen = freeze(program, p);
    const std::vector<double> frozen_tangents = freeze_tangents(program, frozen, p_tangents, n);
    std::vector<double> registers(program.n_registers);
    std::vector<double> register_tangents(program.n_registers * n);
    registers[0] = t;
    std::copy(conditions.begin(), conditions.end(), registers.begin() + 1);
    std::copy(t_tangents.begin(), t_tangents.end(), register_tangents.begin());
    values.assign(m.roots.size(), 0.0);
    tangents.assign(m.roots.size() * n, 0.0);
    const TangentMemory memory{
        {registers.data(), x.data(), values.data(), frozen.data()},
        {register_tangents.data(), x_tangents.data(), tangents.data(), frozen_tangents.data()},
        n};
    const saltus::test::AllocationGuard guard;
    run_code_tangents(program.held_code, program.indices.data(), memory);
    run_part_tangents(program, 1, memory);
    EXPECT_EQ(guard.count(), 0);
  }

  // The tangents of all roots in one direction as expr gives them, at the point moved by so many roundings.
  std::vector<double> symbolic(std::size_t direction, double roundings) {
    std::vector<expr::Seed> seeds;
    const auto seed = [&](NodeId leaf, double tangent) {
      seeds.push_back({leaf, m.graph.constant(tangent)});
    };
    for (std::size_t i = 0; i < x.size(); ++i) {
      seed(m.graph.variable(VariableId(i)), x_tangents[i * n + direction]);
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      seed(m.graph.parameter(ParameterId(i)), p_tangents[i * n + direction]);
    }
    seed(m.graph.time(), t_tangents[direction]);
    const std::vector<NodeId> nodes = expr::forward_derivatives(m.graph, m.roots, seeds);
    std::mt19937 random(static_cast<std::uint32_t>(1000.0 * roundings) + 1);
    const auto moved = [&](double v) {
      return v * (1.0 + roundings * kEpsilon * (random() % 2 == 0 ? 1.0 : -1.0));
    };
    std::vector<double> moved_x = x;
    std::vector<double> moved_p = p;
    for (double& v : moved_x) v = moved(v);
    for (double& v : moved_p) v = moved(v);
    return expr::evaluate(
        m.graph, nodes,
        {.time = moved(t), .variables = moved_x, .parameters = moved_p, .conditions = conditions});
  }

  static constexpr std::size_t n = 3;
  test::RandomModel m;
  SlabProgram program;
  double t = 0.0;
  std::vector<double> p, x, conditions, p_tangents, x_tangents, t_tangents, values, tangents;

 private:
  std::vector<double> draw(std::size_t count) {
    std::vector<double> values_drawn(count);
    for (double& v : values_drawn) v = std::uniform_real_distribution<double>(-3.0, 3.0)(random_);
    return values_drawn;
  }
  std::mt19937 random_;
};

// Two ways to round one derivative: they may differ by what a few roundings of the point change, and by roundings of the result.
TEST(TangentInterpreter, RandomGraphsAgreeWithSymbolicDerivatives) {
  int n_compared = 0;
  int n_vague = 0;
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    RandomProgram program(seed);
    program.run();
    for (std::size_t d = 0; d < RandomProgram::n; ++d) {
      const std::vector<double> expected = program.symbolic(d, 0.0);
      std::vector<double> spread(expected.size(), 0.0);
      for (const double roundings : {1.0, 2.0, 4.0}) {
        const std::vector<double> beside = program.symbolic(d, roundings);
        for (std::size_t i = 0; i < spread.size(); ++i) {
          spread[i] = std::max(spread[i], std::abs(beside[i] - expected[i]));
        }
      }
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!std::isfinite(expected[i]) || !std::isfinite(program.values[i])) {
          continue;
        }
        if (!(spread[i] <= 1e-6 * (1.0 + std::abs(expected[i])))) {
          ++n_vague;
          continue;
        }
        ++n_compared;
        const double found = program.tangents[i * RandomProgram::n + d];
        ASSERT_NEAR(found, expected[i], 20 * spread[i] + 64 * kEpsilon * std::abs(expected[i]) + 1e-14)
            << "seed " << seed << " root " << i << " direction " << d;
      }
    }
  }
  EXPECT_GT(n_compared, 5000);
  EXPECT_LT(n_vague, n_compared / 50);
}

TEST(TangentInterpreter, NothingMovesWhereNothingIsMoved) {
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    RandomProgram program(seed);
    for (std::vector<double>* seeds : {&program.p_tangents, &program.x_tangents, &program.t_tangents}) {
      std::fill(seeds->begin(), seeds->end(), 0.0);
    }
    // Where functions have poles and kinks.
    std::fill(program.x.begin(), program.x.end(), 0.0);
    std::fill(program.p.begin(), program.p.end(), 0.0);
    program.t = 0.0;
    program.run();
    for (const double tangent : program.tangents) {
      ASSERT_EQ(tangent, 0.0) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace saltus::program
