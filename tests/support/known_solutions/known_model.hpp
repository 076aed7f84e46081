/// A model text with its exact solution: what a run of it must show at every row and event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/known_solutions/canonical.hpp"

namespace saltus::test::known {

/// A scalar function of one or two unknowns, or of one alone (a = 0 for the second).
struct Guard {
  enum class Kind { sum, product, sine };  ///< a·zᵢ + b·zⱼ; zᵢ·zⱼ; sin(a·zᵢ) + b·zⱼ
  Kind kind = Kind::sum;
  std::size_t i = 0;
  std::size_t j = 0;
  double a = 1.0;
  double b = 0.0;

  [[nodiscard]] double value(const Canonical& canonical, double t) const;
  [[nodiscard]] std::string text() const;
  /// Bounds of |∂g/∂zᵢ|, |∂g/∂zⱼ| on the solution.
  [[nodiscard]] double gain_i(const Canonical& canonical) const;
  [[nodiscard]] double gain_j(const Canonical& canonical) const;
};

/// when g > level then counter = pre(counter) + 1
struct Clause {
  std::string counter{};
  Guard guard{};
  double level = 0.0;
  bool is_falling = false;  ///< g < level instead
  /// |g - level| at every extremum of g, at the start and at the end is at least this: an error below it changes no count.
  double margin = 0.0;
  std::vector<double> times{};  ///< at which it fires
};

struct ModelVariable {
  std::string name{};
  ClosedForm exact{};
  double scale = 1.0;  ///< its nominal value
  double jump = 0.0;   ///< in units of scale, at every firing of a clause; 0: none
  std::size_t jump_clause = 0;
  std::vector<double> gains{};  ///< |error|/scale ≤ Σ gains·errors of the unknowns
};

struct KnownModel {
  std::string recipe{};
  std::uint32_t seed = 0;
  std::string text{};
  Canonical canonical{};
  std::vector<ModelVariable> variables{};
  std::vector<Clause> clauses{};
  /// A local error of 1 in the weighted norm of the model's variables is at most this in every unknown: √n times the largest
  /// weight/(tolerance·scale), times what the substitution of variables does.
  double injection = 1.0;

  [[nodiscard]] std::string name() const { return recipe + ":" + std::to_string(seed); }
};

/// Clauses with known firing times, at most `n`; those that would graze are drawn again.
[[nodiscard]] std::vector<Clause> random_clauses(const Canonical& canonical, Random& random, std::size_t n);

/// How equations and unknowns are disguised.
struct Disguise {
  bool mixes_equations = false;  ///< rows of a well-conditioned matrix times the equations
  bool mixes_unknowns = false;   ///< differential unknowns are sums of variables
  bool mixes_all_unknowns = false;
  bool jumps = false;          ///< a clause moves a variable each time that it fires
  double largest_scale = 1.0;  ///< variables and equations are multiplied by 1/largest_scale … largest_scale
};

/// Completes text, variables and injection from canonical and clauses.
void write_model(KnownModel& model, Random& random, const Disguise& disguise);

}  // namespace saltus::test::known
