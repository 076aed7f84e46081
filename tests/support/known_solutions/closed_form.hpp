/// Functions of time in closed form: values and texts of the function and of its derivatives.
#pragma once

#include <string>
#include <vector>

#include "support/known_solutions/random.hpp"

namespace saltus::test::known {

/// The text of a number that reads back as the same double, in parentheses where it is negative.
[[nodiscard]] std::string text_of(double value);

/// A sum of terms a·T(k, c; t).
class ClosedForm {
 public:
  enum class Kind {
    power,  ///< (k t)^c, c = 0 … 3
    sine,   ///< sin(k t + c)
    decay,  ///< exp(-k t)
    step,   ///< tanh(k (t - c))
    bump,   ///< 1/(1 + (k (t - c))²)
  };
  struct Term {
    Kind kind;
    double a;
    double k;
    double c;
  };

  ClosedForm() = default;
  explicit ClosedForm(std::vector<Term> terms) : terms_(std::move(terms)) {}

  /// The derivative of order 0, 1 or 2.
  [[nodiscard]] double value(double t, int order = 0) const;
  /// In the model language.
  [[nodiscard]] std::string text(int order = 0) const;

  /// Adds factor·other.
  void add(const ClosedForm& other, double factor);

 private:
  std::vector<Term> terms_;
};

/// One to three terms whose sizes are near 1 and whose features are wider than a hundredth of [0, stop].
[[nodiscard]] ClosedForm random_closed_form(Random& random, double stop);

/// Largest |derivative of order 0, 1, 2| over [0, stop], by sampling.
struct Sizes {
  double value = 0.0;
  double rate = 0.0;
  double second = 0.0;
};
[[nodiscard]] Sizes sizes_of(const ClosedForm& form, double stop);

}  // namespace saltus::test::known
