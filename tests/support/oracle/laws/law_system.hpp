/// Motions with laws that jump or have infinite slopes, as regularised differential equations.
///
/// Notation     ẋ = A x + Σ forcings + Σₑ rₑ φₑ(ℓₑ·x + cₑ), φ one of a few scalar laws; with ε > 0 the smooth function next to it:
///              √ in both directions  d (d² + ε²)^(-1/4)
///              √ one way             the same for d > 0, else 0
///              sign                  v (v² + ε²)^(-1/2)
/// Contract     shares nothing with `src`. Laws are written as a model would be read, not as it was computed.
#pragma once

#include <cstddef>
#include <vector>

namespace saltus::test::laws {

struct Term {
  std::size_t state = 0;
  double factor = 0;
};
using Terms = std::vector<Term>;

enum class LawKind { root_both_ways, root_one_way, sign, linear };

struct Element {
  LawKind kind = LawKind::linear;
  Terms argument;     ///< ℓ
  double offset = 0;  ///< c
  Terms effect;       ///< r
};

/// A source: amplitude·(constant, or a sine of time) between two times.
struct Forcing {
  std::size_t state = 0;
  double amplitude = 0;
  double frequency = 0;  ///< 0: constant
  double phase = 0;
  double begin = 0;
  double end = 1e300;
};

struct LawSystem {
  std::vector<double> start;
  std::vector<Element> elements{};
  std::vector<Forcing> forcings{};
  double stop = 1;

  [[nodiscard]] std::size_t size() const { return start.size(); }
};

[[nodiscard]] double law(LawKind kind, double d, double epsilon);
[[nodiscard]] double slope(LawKind kind, double d, double epsilon);
[[nodiscard]] std::vector<double> rates(const LawSystem& system, double t, const std::vector<double>& x,
                                        double epsilon);
/// By rows.
[[nodiscard]] std::vector<double> slopes(const LawSystem& system, const std::vector<double>& x,
                                         double epsilon);

/// The states at ascending times; empty where the steps become too many.
///
/// Method       linearly implicit Euler steps, extrapolated with 1, 2, …, 6 parts [HW96] IV.9; steps end where sources begin and end
[[nodiscard]] std::vector<std::vector<double>> solve_regularised(const LawSystem& system,
                                                                 const std::vector<double>& times,
                                                                 double epsilon, double tolerance);

}  // namespace saltus::test::laws
