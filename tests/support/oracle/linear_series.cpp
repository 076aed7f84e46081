#include "support/oracle/linear_series.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::test::oracle {
namespace {

constexpr std::size_t kDegree = 18;
/// Not a short fraction: events at short fractions of time then never lie at the end of a step.
constexpr Real kStepNorm = 0.2371398746512L;
constexpr Real kLeastNorm = 0.25L;   // of the matrix: without it steps would have no end
constexpr Real kLastDigit = 1e-22L;  // below the rounding of long double

}  // namespace

Real longest_step(const Flow& flow) {
  Real norm = kLeastNorm;
  for (const Vector& row : flow.m) {
    Real sum = 0;
    for (const Real value : row) {
      sum += std::abs(value);
    }
    norm = std::max(norm, sum);
  }
  return kStepNorm / norm;
}

Series series_of(const Flow& flow, const Vector& x) {
  Series series{x, flow.field(x)};
  while (series.size() <= kDegree) {
    Vector next = times(flow.m, series.back());
    for (Real& value : next) {
      value /= static_cast<Real>(series.size());
    }
    series.push_back(std::move(next));
  }
  return series;
}

Vector series_at(const Series& series, Real h) {
  Vector x;
  for (std::size_t i = 0; i < series.front().size(); ++i) {
    Polynomial p;
    for (const Vector& term : series) {
      p.push_back(term[i]);
    }
    x.push_back(value_at(p, h));
  }
  return x;
}

Polynomial along_step(const AffineFunction& g, Real sense, const Series& series, Real t, Real h) {
  Polynomial p;
  Real power = 1;
  for (const Vector& term : series) {
    p.push_back(sense * dot(g.c, term) * power);
    power *= h;
  }
  p[0] += sense * (g.e + g.f * t);
  p[1] += sense * g.f * h;
  Real largest = 0;
  for (const Real value : p) {
    largest = std::max(largest, std::abs(value));
  }
  while (p.size() > 1 && std::abs(p.back()) < kLastDigit * largest) {
    p.pop_back();
  }
  return p;
}

}  // namespace saltus::test::oracle
