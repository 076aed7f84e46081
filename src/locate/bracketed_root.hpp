/// Problem      the sign change of a function within a bracket, to the last bit or to a given width
/// Method       inverse quadratic interpolation where it is safe, bisection otherwise [Cha97]
/// Contract     f(a) > 0 ≥ f(b) or f(a) ≥ 0 > f(b) in either order of a and b. The answer is the end of the last bracket with
///              the smaller |f|, so it lies on either side alike. A bracket ends when it is one or two spacings of doubles
///              wide; with `coarse_width` > 0 already when it is no wider than that, and the answer is its end with the sign of
///              f(b), or a root that was met; a value that is not a number counts as f(b) (it stands for what lies beyond).
/// Cost         6 to 10 evaluations for a simple root, at most about 3 bisections for each bit otherwise
/// Checked by   tests/unit/locate/bracketed_root_test.cpp
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace saltus::locate {

inline constexpr int kMaxRootIterations = 200;  // limit of work: bisection alone needs about 60

template <class Function>
[[nodiscard]] double bracketed_root(Function&& f, double a, double fa, double b, double fb,
                                    std::int64_t& n_iterations, double coarse_width = 0.0) {
  if (fa == 0.0 || fb == 0.0) {
    return fa == 0.0 ? a : b;
  }
  // Secant first: guards are close to straight over the last piece of their way.
  double t = std::clamp(fa / (fa - fb), 0.0, 1.0);
  const double beyond = fb;
  const bool is_beyond_negative = fb < 0.0;
  double c = a;
  double fc = fa;
  for (int iteration = 0; iteration < kMaxRootIterations; ++iteration) {
    const double width = b - a;
    if (std::abs(width) <= coarse_width) {
      return (fa < 0.0) == is_beyond_negative ? a : b;
    }
    const double nearest = std::abs(fa) < std::abs(fb) ? a : b;
    const double least = std::max(std::numeric_limits<double>::epsilon() * std::abs(nearest),
                                  std::numeric_limits<double>::min()) /
                         std::abs(width);
    if (!(least < 0.5)) {
      return nearest;
    }
    t = std::clamp(t, least, 1.0 - least);
    const double x = a + t * width;
    ++n_iterations;
    double fx = f(x);
    if (std::isnan(fx)) {
      fx = beyond;
    }
    if (fx == 0.0) {
      return x;
    }
    if ((fx < 0.0) == (fa < 0.0)) {
      c = a;
      fc = fa;
    } else {
      c = b;
      fc = fb;
      b = a;
      fb = fa;
    }
    a = x;
    fa = fx;
    const double xi = (a - b) / (c - b);
    const double phi = (fa - fb) / (fc - fb);
    const bool safe = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;
    t = safe ? fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb) : 0.5;
  }
  return std::abs(fa) < std::abs(fb) ? a : b;
}

}  // namespace saltus::locate
