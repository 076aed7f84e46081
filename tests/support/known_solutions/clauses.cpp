// Guards on the exact solution: when they cross a level, and how far they stay away from it otherwise.
#include <algorithm>
#include <cmath>

#include "support/known_solutions/known_model.hpp"

namespace saltus::test::known {
namespace {

constexpr int kSamples = 4000;
/// Share of the range of a guard that its extrema must stay away from the level.
constexpr double kLeastMargin = 0.06;
constexpr int kTries = 12;
constexpr std::size_t kMostCrossings = 40;

/// The largest (sign = 1) or least (sign = -1) value on [a, b], which holds one extremum; golden section.
double extremum(const Canonical& canonical, const Guard& guard, double a, double b, double sign) {
  constexpr double kRatio = 0.6180339887498949;
  double left = b - kRatio * (b - a);
  double right = a + kRatio * (b - a);
  double f_left = sign * guard.value(canonical, left);
  double f_right = sign * guard.value(canonical, right);
  for (int i = 0; i < 40; ++i) {
    if (f_left > f_right) {
      b = right;
      right = left;
      f_right = f_left;
      left = b - kRatio * (b - a);
      f_left = sign * guard.value(canonical, left);
    } else {
      a = left;
      left = right;
      f_left = f_right;
      right = a + kRatio * (b - a);
      f_right = sign * guard.value(canonical, right);
    }
  }
  return sign * std::max(f_left, f_right);
}

/// Whether the condition of the clause holds on the exact solution.
bool holds(const Canonical& canonical, const Clause& clause, double t) {
  const double g = clause.guard.value(canonical, t);
  return clause.is_falling ? g < clause.level : g > clause.level;
}

/// The condition changes once on [a, b].
double root(const Canonical& canonical, const Clause& clause, double a, double b) {
  const bool held = holds(canonical, clause, a);
  while (true) {
    const double middle = 0.5 * (a + b);
    if (middle <= a || middle >= b) {
      return b;
    }
    (holds(canonical, clause, middle) == held ? a : b) = middle;
  }
}

/// Values of a guard on a grid, with its extrema.
struct Course {
  std::vector<double> values;
  std::vector<double> extrema;  ///< ends included
  double least = 0.0;
  double largest = 0.0;
};

Course course_of(const Canonical& canonical, const Guard& guard) {
  Course course;
  const auto time = [&](int i) { return canonical.stop * i / kSamples; };
  for (int i = 0; i <= kSamples; ++i) {
    course.values.push_back(guard.value(canonical, time(i)));
  }
  course.extrema = {course.values.front(), course.values.back()};
  for (int i = 1; i < kSamples; ++i) {
    const double before = course.values[i] - course.values[i - 1];
    const double after = course.values[i + 1] - course.values[i];
    if (before * after <= 0.0) {
      course.extrema.push_back(
          extremum(canonical, guard, time(i - 1), time(i + 1), before > 0.0 || after < 0.0 ? 1.0 : -1.0));
    }
  }
  const auto [least, largest] = std::minmax_element(course.extrema.begin(), course.extrema.end());
  course.least = *least;
  course.largest = *largest;
  return course;
}

double margin_of(const Course& course, double level) {
  double margin = course.largest - course.least;
  for (const double extreme : course.extrema) {
    margin = std::min(margin, std::abs(extreme - level));
  }
  return margin;
}

Guard random_guard(const Canonical& canonical, Random& random) {
  const std::size_t n = canonical.unknowns.size();
  Guard guard{.kind = Guard::Kind::sum, .i = random.below(n), .j = random.below(n), .a = 1.0, .b = 0.0};
  if (guard.i == guard.j || random.chance(0.4)) {
    return guard;
  }
  guard.kind = static_cast<Guard::Kind>(random.below(3));
  guard.a = random.signed_between(0.5, 1.5);
  guard.b = random.signed_between(0.3, 1.0);
  return guard;
}

}  // namespace

double Guard::value(const Canonical& canonical, double t) const {
  const double u = canonical.unknowns[i].exact.value(t);
  const double v = canonical.unknowns[j].exact.value(t);
  switch (kind) {
    case Kind::sum: return a * u + b * v;
    case Kind::product: return u * v;
    case Kind::sine: return std::sin(a * u) + b * v;
  }
  return NAN;
}

std::string Guard::text() const {
  switch (kind) {
    case Kind::sum: return b == 0.0 ? z(i) : text_of(a) + "*" + z(i) + " + " + text_of(b) + "*" + z(j);
    case Kind::product: return z(i) + "*" + z(j);
    case Kind::sine: return "sin(" + text_of(a) + "*" + z(i) + ") + " + text_of(b) + "*" + z(j);
  }
  return "";
}

double Guard::gain_i(const Canonical& canonical) const {
  return kind == Kind::product ? canonical.unknowns[j].sizes.value : std::abs(a);
}

double Guard::gain_j(const Canonical& canonical) const {
  return kind == Kind::product ? canonical.unknowns[i].sizes.value : std::abs(b);
}

std::vector<Clause> random_clauses(const Canonical& canonical, Random& random, std::size_t n) {
  std::vector<Clause> clauses;
  for (int attempt = 0; attempt < kTries && clauses.size() < n; ++attempt) {
    Clause clause{.counter = {}, .guard = random_guard(canonical, random), .level = 0.0};
    clause.is_falling = random.chance(0.5);
    const Course course = course_of(canonical, clause.guard);
    const double range = course.largest - course.least;
    if (!(range > 0.1)) {
      continue;
    }
    for (int level = 0; level < kTries; ++level) {
      const double candidate = random.between(course.least, course.largest);
      const double margin = margin_of(course, candidate);
      if (margin > clause.margin) {
        clause.level = candidate;
        clause.margin = margin;
      }
    }
    if (clause.margin < kLeastMargin * range) {
      continue;
    }
    for (int i = 0; i < kSamples; ++i) {
      const double a = canonical.stop * i / kSamples;
      const double b = canonical.stop * (i + 1) / kSamples;
      if (!holds(canonical, clause, a) && holds(canonical, clause, b)) {
        clause.times.push_back(root(canonical, clause, a, b));
      }
    }
    if (clause.times.size() > kMostCrossings) {
      continue;
    }
    clause.counter = "n" + std::to_string(clauses.size() + 1);
    clauses.push_back(std::move(clause));
  }
  return clauses;
}

}  // namespace saltus::test::known
