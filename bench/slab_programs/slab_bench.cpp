// Slab programs against hand-written C++ with the same flags: time of one right-hand side, and of compilation.
//
// Build with the bench preset; prints one table. The programs are built from graphs as the language elaborates them
// (loops unrolled, every body through the hash-consing graph), so nothing of the loop's structure is handed over.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "expr/graph.hpp"
#include "program/vm/aligned_buffer.hpp"
#include "program/vm/interpreter.hpp"
#include "program/vm/slab_compiler.hpp"

namespace {

using saltus::NodeId;
using saltus::ParameterId;
using saltus::VariableId;
using saltus::expr::Graph;
using saltus::expr::Op;
namespace program = saltus::program;

struct Case {
  Graph graph;
  std::vector<NodeId> roots;
  std::vector<double> x;
  std::vector<double> parameters;
};

VariableId variable(std::size_t i) {
  return VariableId(i);
}

// der(u[i]) = ((1+a*(u[i+1]+u[i])/2)*(u[i+1]-u[i]) - (1+a*(u[i]+u[i-1])/2)*(u[i]-u[i-1]))/dx^2, ends held.
Case heat_chain(std::size_t n) {
  Case c;
  Graph& g = c.graph;
  const NodeId a = g.parameter(ParameterId(0U));
  const NodeId dx = g.parameter(ParameterId(1U));
  const auto u = [&g](std::size_t i) { return g.variable(variable(i)); };
  const auto flux = [&](std::size_t i, std::size_t j) {
    const NodeId k = g.add(g.constant(1), g.divide(g.multiply(a, g.add(u(i), u(j))), g.constant(2)));
    return g.multiply(k, g.subtract(u(i), u(j)));
  };
  c.roots.push_back(g.constant(0));
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const NodeId dx2 = g.binary(Op::power_integer, dx, g.constant(2));
    c.roots.push_back(g.divide(g.subtract(flux(i + 1, i), flux(i, i - 1)), dx2));
  }
  c.roots.push_back(g.constant(0));
  for (std::size_t i = 0; i < n; ++i) {
    c.x.push_back(1.0 + std::sin(static_cast<double>(i)));
  }
  c.parameters = {0.3, 1.0 / static_cast<double>(n)};
  return c;
}

void heat_chain_by_hand(std::size_t n, const double* u, const double* p, double* du) {
  const double a = p[0];
  const double dx = p[1];
  du[0] = 0.0;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    du[i] = ((1 + a * (u[i + 1] + u[i]) / 2) * (u[i + 1] - u[i]) -
             (1 + a * (u[i] + u[i - 1]) / 2) * (u[i] - u[i - 1])) /
            (dx * dx);
  }
  du[n - 1] = 0.0;
}

// Lorenz 1963: no two operations are alike, every instruction has length 1.
Case lorenz() {
  Case c;
  Graph& g = c.graph;
  const NodeId x = g.variable(variable(0));
  const NodeId y = g.variable(variable(1));
  const NodeId z = g.variable(variable(2));
  const auto p = [&g](std::size_t i) { return g.parameter(ParameterId(i)); };
  c.roots = {g.multiply(p(0), g.subtract(y, x)), g.subtract(g.multiply(x, g.subtract(p(1), z)), y),
             g.subtract(g.multiply(x, y), g.multiply(p(2), z))};
  c.x = {1, 1.5, 2};
  c.parameters = {10, 28, 8.0 / 3.0};
  return c;
}

void lorenz_by_hand(std::size_t, const double* s, const double* p, double* ds) {
  ds[0] = p[0] * (s[1] - s[0]);
  ds[1] = s[0] * (p[1] - s[2]) - s[1];
  ds[2] = s[0] * s[1] - p[2] * s[2];
}

constexpr std::size_t kBodies = 7;

// Seven bodies in the plane (Hairer, Norsett, Wanner I, II.10): x, y, vx, vy of each;
// der(vx[i]) = sum(m[j]*(x[j]-x[i])/((x[i]-x[j])^2 + (y[i]-y[j])^2)^(3/2) for j <> i).
Case pleiades() {
  Case c;
  Graph& g = c.graph;
  const auto x = [&g](std::size_t i) { return g.variable(variable(i)); };
  const auto y = [&g](std::size_t i) { return g.variable(variable(kBodies + i)); };
  const auto square = [&g](NodeId a) { return g.binary(Op::power_integer, a, g.constant(2)); };
  std::vector<NodeId> ax;
  std::vector<NodeId> ay;
  for (std::size_t i = 0; i < 2 * kBodies; ++i) {
    c.roots.push_back(g.variable(variable(2 * kBodies + i)));
  }
  for (std::size_t i = 0; i < kBodies; ++i) {
    for (const bool horizontal : {true, false}) {
      NodeId sum = g.constant(0);
      for (std::size_t j = 0; j < kBodies; ++j) {
        if (i == j) {
          continue;
        }
        const NodeId r2 = g.add(square(g.subtract(x(i), x(j))), square(g.subtract(y(i), y(j))));
        const NodeId r3 = g.power(r2, g.constant(1.5));
        const NodeId d = horizontal ? g.subtract(x(j), x(i)) : g.subtract(y(j), y(i));
        const NodeId term = g.divide(g.multiply(g.parameter(ParameterId(j)), d), r3);
        sum = g.is_constant(sum) ? term : g.add(sum, term);
      }
      (horizontal ? ax : ay).push_back(sum);
    }
  }
  c.roots.insert(c.roots.end(), ax.begin(), ax.end());
  c.roots.insert(c.roots.end(), ay.begin(), ay.end());
  c.x = {3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0};
  c.parameters = {1, 2, 3, 4, 5, 6, 7};
  return c;
}

void pleiades_by_hand(std::size_t, const double* s, const double* m, double* ds) {
  const double* x = s;
  const double* y = s + kBodies;
  for (std::size_t i = 0; i < 2 * kBodies; ++i) {
    ds[i] = s[2 * kBodies + i];
  }
  for (std::size_t i = 0; i < kBodies; ++i) {
    double ax = 0.0;
    double ay = 0.0;
    for (std::size_t j = 0; j < kBodies; ++j) {
      if (j != i) {
        const double dx = x[i] - x[j];
        const double dy = y[i] - y[j];
        const double r3 = std::pow(dx * dx + dy * dy, 1.5);
        ax += m[j] * (x[j] - x[i]) / r3;
        ay += m[j] * (y[j] - y[i]) / r3;
      }
    }
    ds[2 * kBodies + i] = ax;
    ds[3 * kBodies + i] = ay;
  }
}

// Best of several batches, in nanoseconds per call: the machine is shared, the minimum is the code's own time.
template <class F>
double nanoseconds(F call) {
  using Clock = std::chrono::steady_clock;
  constexpr int kBatches = 15;
  constexpr double kBatchSeconds = 0.01;
  long repetitions = 1;
  double best = 1e300;
  for (int batch = 0; batch < kBatches;) {
    const auto begin = Clock::now();
    for (long r = 0; r < repetitions; ++r) {
      call();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (seconds < kBatchSeconds && batch == 0) {
      repetitions *= 2;
      continue;
    }
    best = std::min(best, 1e9 * seconds / static_cast<double>(repetitions));
    ++batch;
  }
  return best;
}

template <class ByHand>
void measure(const char* name, const Case& c, ByHand by_hand) {
  program::LeafBindings bindings;
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    bindings.bind_variable(variable(i), 0, {program::Binding::Kind::state, static_cast<std::uint32_t>(i)});
  }
  const program::ProgramRequest request{.n_states = static_cast<std::uint32_t>(c.x.size()),
                                        .n_parameters = static_cast<std::uint32_t>(c.parameters.size()),
                                        .parts = {{.roots = c.roots}}};
  const auto begin = std::chrono::steady_clock::now();
  const program::SlabProgram compiled = program::compile_program(c.graph, bindings, request);
  const double compile_ms =
      1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::vector<double> frozen = program::freeze(compiled, c.parameters);
  program::AlignedBuffer registers(compiled.n_registers);
  std::vector<double> out(c.x.size());
  std::vector<double> expected(c.x.size());
  const program::Memory memory{registers.data(), c.x.data(), out.data(), frozen.data()};
  const double slab = nanoseconds([&] { program::run_part(compiled, 1, memory); });
  const double hand =
      nanoseconds([&] { by_hand(c.x.size(), c.x.data(), c.parameters.data(), expected.data()); });
  double difference = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    difference = std::max(difference, std::abs(out[i] - expected[i]));
  }
  std::printf("%-12s %7zu %9zu %7zu %9u %10.2f %10.0f %10.0f %6.2f  %.1e\n", name, c.x.size(), c.graph.size(),
              compiled.code.size(), compiled.n_registers, compile_ms, slab, hand, slab / hand, difference);
}

}  // namespace

int main() {
  std::printf("%-12s %7s %9s %7s %9s %10s %10s %10s %6s  %s\n", "model", "states", "nodes", "instr.",
              "registers", "compile ms", "slab ns", "by hand ns", "ratio", "difference");
  measure("lorenz", lorenz(), lorenz_by_hand);
  for (const std::size_t n : {10U, 100U, 1000U, 10000U, 20000U}) {
    measure("heat chain", heat_chain(n), heat_chain_by_hand);
  }
  measure("pleiades", pleiades(), pleiades_by_hand);
  return 0;
}
