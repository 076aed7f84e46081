// Linear combinations of the equations of a model change nothing but rounding. Systems of index 1, 2 and 3 around trajectories in
// closed form, linear and not, with a clock; their equations multiplied by a random matrix that is well conditioned (sparse, dense, rows
// scaled by 1e-3 … 1e3) and shuffled. Coefficients are numbers (the structure is found again), parameters or functions of time
// (by ranks). Every row must have the values of the closed form, samples of the multiplier their sum, and the steps must
// be about those of the equations as they were.
//
// SALTUS_MIXED_MODELS: number of models (default: 90). SALTUS_MIXED_FIRST: the first seed (default: 1).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/hybrid_run.hpp"
#include "support/oracle/draw.hpp"

namespace saltus::test {
namespace {

using oracle::Draw;

constexpr double kStop = 2.0;
constexpr double kSample = 0.3;
// Largest error of a row in tolerances: what the unmixed equations have at worst (38 with bdf at 1e-8), with some room.
constexpr double kMostTolerances = 100.0;
constexpr double kWellConditioned = 60.0;

int number_given(const char* name, int otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? std::atoi(given) : otherwise;
}

double between(Draw& draw, double low, double high) {
  return low + (high - low) * 0.5 * (1.0 + static_cast<double>(draw.unit()));
}

// A sin(b·t + c) as text and as function, with its derivatives.
struct Trajectory {
  double a, b, c;
  explicit Trajectory(Draw& draw)
      : a(between(draw, 0.5, 1.5)), b(between(draw, 0.5, 3.0)), c(between(draw, 0.0, 6.0)) {}
  [[nodiscard]] double at(double t, int order = 0) const {
    return a * std::pow(b, order) * std::sin(b * t + c + order * 0.5 * 3.14159265358979323846);
  }
  [[nodiscard]] std::string text(int order = 0) const {
    const double factor = (order >= 2 ? -1.0 : 1.0) * a * std::pow(b, order);
    return "(" + number(factor) + ")*" + (order % 2 == 0 ? "sin(" : "cos(") + number(b) + "*time + " +
           number(c) + ")";
  }
};

struct Unknown {
  std::string name;
  std::function<double(double)> exact;
  bool is_fixed = false;
};

struct System {
  std::vector<Unknown> unknowns;
  std::vector<std::pair<std::string, std::string>> rows;
  Trajectory multiplier;
};

std::string minus(const std::string& name, const std::string& exact) {
  return "(" + name + " - " + exact + ")";
}

// Index 3: der(x) = v, der(v) = …λ, g(x) = 0. Index 2: der(x) = …λ, g(x) = 0. Index 1: g(λ, x) = 0. Each with y = … beside it.
System draw_system(Draw& draw, int index) {
  System system{.unknowns = {}, .rows = {}, .multiplier = Trajectory(draw)};
  const std::size_t n = 2 + draw.below(2);
  const bool is_linear = draw.below(2) == 0;
  const Trajectory& multiplier = system.multiplier;
  const std::string off = minus("lambda", multiplier.text());
  std::vector<Trajectory> x;
  std::string left;
  std::string right;
  for (std::size_t i = 0; i < n; ++i) {
    x.emplace_back(draw);
    const Trajectory& own = x.back();
    const std::string name = "x" + std::to_string(i);
    const std::string speed = "v" + std::to_string(i);
    const std::string pull = number(between(draw, 0.5, 1.5)) + "*" + off;
    const bool is_fixed = index == 1 || i + 1 < n;
    if (index == 3) {
      system.rows.emplace_back("der(" + name + ")", speed);
      system.rows.emplace_back("der(" + speed + ")", own.text(2) + " - 2*" + minus(speed, own.text(1)) +
                                                         " - " + minus(name, own.text()) + " + " + pull);
      system.unknowns.push_back({speed, [own](double t) { return own.at(t, 1); }, is_fixed});
    } else {
      system.rows.emplace_back("der(" + name + ")",
                               own.text(1) + " - " + minus(name, own.text()) + " + " + pull);
    }
    system.unknowns.push_back({name, [own](double t) { return own.at(t); }, is_fixed});
    const std::string weight = number(between(draw, 0.5, 1.5));
    left += (i > 0 ? " + " : "") + weight + "*" + name;
    right += (i > 0 ? " + " : "") + weight + "*" + own.text();
  }
  if (!is_linear) {
    left += " + 0.1*sin(x0)";
    right += " + 0.1*sin(" + x[0].text() + ")";
  }
  if (index == 1) {
    left += " + 2*lambda" + std::string(is_linear ? "" : " + 0.2*sin(lambda)");
    right += " + 2*" + multiplier.text() + (is_linear ? "" : " + 0.2*sin(" + multiplier.text() + ")");
  }
  system.rows.emplace_back(left, right);
  system.unknowns.push_back({"lambda", [multiplier](double t) { return multiplier.at(t); }, false});
  system.rows.emplace_back("y", "3*lambda + x0*x1");
  system.unknowns.push_back(
      {"y", [multiplier, x](double t) { return 3.0 * multiplier.at(t) + x[0].at(t) * x[1].at(t); }, false});
  system.rows.emplace_back("der(clock)", "1");
  system.unknowns.push_back({"clock", [](double t) { return t; }, true});
  return system;
}

using Matrix = std::vector<std::vector<double>>;

double norm_of(const Matrix& a) {
  double largest = 0.0;
  for (const std::vector<double>& row : a) {
    const double sum = std::accumulate(row.begin(), row.end(), 0.0,
                                       [](double total, double entry) { return total + std::abs(entry); });
    if (std::isnan(sum)) {
      return sum;
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

// In the norm of largest row sums, by Gauss and Jordan.
double condition_of(Matrix a) {
  const std::size_t n = a.size();
  const double norm = norm_of(a);
  Matrix inverse(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    inverse[i][i] = 1.0;
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      pivot = std::abs(a[i][k]) > std::abs(a[pivot][k]) ? i : pivot;
    }
    std::swap(a[k], a[pivot]);
    std::swap(inverse[k], inverse[pivot]);
    const double divisor = a[k][k];
    for (std::size_t j = 0; j < n; ++j) {
      a[k][j] /= divisor;
      inverse[k][j] /= divisor;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = i == k ? 0.0 : a[i][k];
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[k][j];
        inverse[i][j] -= factor * inverse[k][j];
      }
    }
  }
  const double condition = norm * norm_of(inverse);
  return std::isfinite(condition) ? condition : 1e300;
}

enum class Mixing { none, sparse, dense, scaled };
enum class Coefficients { numbers, parameters, functions };

Matrix draw_matrix(Draw& draw, std::size_t n, Mixing mixing) {
  Matrix matrix;
  do {
    matrix.assign(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const bool is_there = mixing != Mixing::none && (mixing != Mixing::sparse || draw.below(n) < 2);
        matrix[i][j] = is_there ? std::round(1000.0 * between(draw, -1.0, 1.0)) / 1000.0 : 0.0;
      }
      matrix[i][i] += mixing == Mixing::none || mixing == Mixing::sparse ? 1.0 : 0.0;
    }
  } while (condition_of(matrix) > kWellConditioned);
  for (std::size_t i = 0; mixing == Mixing::scaled && i < n; ++i) {
    const double scale = std::pow(10.0, between(draw, -3.0, 3.0));
    std::transform(matrix[i].begin(), matrix[i].end(), matrix[i].begin(),
                   [scale](double entry) { return scale * entry; });
  }
  return matrix;
}

std::string text_of(const System& system, Draw draw, Mixing mixing, Coefficients coefficients) {
  const std::size_t n = system.rows.size();
  const Matrix matrix = draw_matrix(draw, n, mixing);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = n; mixing != Mixing::none && i-- > 1;) {
    std::swap(order[i], order[draw.below(i + 1)]);
  }
  std::string parameters;
  std::string equations;
  for (const std::size_t i : order) {
    std::string left;
    std::string right;
    for (std::size_t j = 0; j < n; ++j) {
      if (matrix[i][j] == 0.0) {
        continue;
      }
      std::string factor = "(" + number(matrix[i][j]) + ")";
      if (mixing != Mixing::none && coefficients == Coefficients::parameters) {
        const std::string name = "m" + std::to_string(i) + "_" + std::to_string(j);
        parameters += "  parameter Real " + name + " = " + number(matrix[i][j]) + ";\n";
        factor = name;
      } else if (mixing != Mixing::none && coefficients == Coefficients::functions) {
        factor = "(" + number(matrix[i][j]) + "*(1 + 0.05*sin(time + " + std::to_string(i + j) + ")))";
      }
      left += (left.empty() ? "" : " + ") + factor + "*(" + system.rows[j].first + ")";
      right += (right.empty() ? "" : " + ") + factor + "*(" + system.rows[j].second + ")";
    }
    equations += "  " + left + " = " + right + ";\n";
  }
  std::string text = "model Mixed\n" + parameters;
  for (const Unknown& unknown : system.unknowns) {
    text += "  Real " + unknown.name + "(start = " + number(unknown.exact(0.0)) +
            (unknown.is_fixed ? ", fixed = true);\n" : ");\n");
  }
  return text + "  discrete Real q(start = 0, fixed = true);\nequation\n" + equations + "  when sample(" +
         number(kSample) + ", " + number(kSample) + ") then q = pre(q) + lambda; end when;\nend Mixed;\n";
}

struct Outcome {
  std::string failure;
  std::int64_t steps = 0;
  double error = 0.0;  // largest of a row, in tolerances
};

Outcome run(const System& system, const std::string& text, const std::string& method, double tolerance) {
  OptionList options = {{"stop", number(kStop)}, {"tolerance", number(tolerance)}, {"interval", "0.0131"}};
  if (method != "auto") {
    options.emplace_back("method", method);
  }
  const auto done = try_run(text, options);
  Outcome outcome;
  if (!done) {
    outcome.failure = render_text(done.error());
    return outcome;
  }
  if (done->result.status != SimulationStatus::success) {
    outcome.failure = done->words();
    return outcome;
  }
  outcome.steps = done->result.statistics.accepted_steps;
  std::string worst;
  for (const Unknown& unknown : system.unknowns) {
    const std::size_t column = done->column(unknown.name);
    for (const RowRecord& row : done->rows) {
      const double exact = unknown.exact(row.time);
      const double error = std::abs(row.values[column] - exact) / ((1.0 + std::abs(exact)) * tolerance);
      if (!(error <= outcome.error)) {
        outcome.error = error;
        worst = unknown.name + " is " + number(row.values[column]) + " instead of " + number(exact) + " at " +
                number(row.time);
      }
    }
  }
  double sum = 0.0;
  for (int k = 1; k * kSample < kStop; ++k) {
    sum += system.multiplier.at(k * kSample);
  }
  if (!(outcome.error <= kMostTolerances)) {
    outcome.failure = worst + " (" + number(outcome.error) + " tolerances)";
  } else if (!(std::abs(done->final("q") - sum) <= 6.0 * kMostTolerances * tolerance)) {
    outcome.failure = "the samples add up to " + number(done->final("q")) + " instead of " + number(sum);
  }
  return outcome;
}

TEST(MixedEquations, CombinationsOfEquationsChangeNothingButRounding) {
  const int first = number_given("SALTUS_MIXED_FIRST", 1);
  const int count = number_given("SALTUS_MIXED_MODELS", 90);
  const std::array<std::string, 4> methods = {"auto", "radau5", "sdirk4", "bdf"};
  const std::array<double, 3> tolerances = {1e-4, 1e-6, 1e-8};
  double largest = 0.0;
  int n_failed = 0;
  for (int seed = first; seed < first + count && n_failed < 5; ++seed) {
    Draw draw(static_cast<std::uint32_t>(seed));
    const int index = 1 + seed % 3;
    const std::string& method = methods[draw.below(methods.size())];
    const double tolerance = tolerances[draw.below(tolerances.size())];
    const System system = draw_system(draw, index);
    const Outcome plain =
        run(system, text_of(system, draw, Mixing::none, Coefficients::numbers), method, tolerance);
    const std::array<std::pair<Mixing, Coefficients>, 4> ways = {
        std::pair(Mixing::sparse, Coefficients::numbers), std::pair(Mixing::dense, Coefficients::numbers),
        std::pair(Mixing::scaled, Coefficients::numbers),
        std::pair(seed % 2 == 0 ? Mixing::sparse : Mixing::dense,
                  draw.below(2) == 0 ? Coefficients::parameters : Coefficients::functions)};
    for (std::size_t way = 0; way < ways.size(); ++way) {
      const std::string text = text_of(system, draw, ways[way].first, ways[way].second);
      const Outcome mixed = run(system, text, method, tolerance);
      largest = std::max(largest, mixed.error);
      std::string failure = mixed.failure;
      // By ranks all variables are states, whose errors count, between the ends of steps too, and whose rates choose the first step
      // after each sample.
      const bool is_by_ranks = way == 3;
      const double allowed = is_by_ranks ? 30.0 + 2.0 * static_cast<double>(plain.steps)
                                         : 6.0 + 0.35 * static_cast<double>(plain.steps);
      if (failure.empty() && plain.failure.empty() &&
          std::abs(static_cast<double>(mixed.steps - plain.steps)) > allowed) {
        failure = std::to_string(mixed.steps) + " steps instead of " + std::to_string(plain.steps);
      }
      if (!failure.empty()) {
        ++n_failed;
        ADD_FAILURE() << "seed " << seed << ", index " << index << ", way " << way << ", " << method << " at "
                      << tolerance << ": " << failure << "\nunmixed: " << plain.failure << "\n"
                      << text;
      }
    }
  }
  std::printf("%d models from seed %d: largest error of a row %.2g tolerances\n", count, first, largest);
}

}  // namespace
}  // namespace saltus::test
