#include "support/known_solutions/closed_form.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace saltus::test::known {
namespace {

using Kind = ClosedForm::Kind;
using Term = ClosedForm::Term;

double power_factor(int exponent, int order) {
  double factor = 1.0;
  for (int i = 0; i < order; ++i) {
    factor *= exponent - i;
  }
  return factor;
}

double value_of(const Term& term, double t, int order) {
  const double scale = term.a * std::pow(term.k, order);
  switch (term.kind) {
    case Kind::power: {
      const int exponent = static_cast<int>(term.c);
      return exponent < order
                 ? 0.0
                 : scale * power_factor(exponent, order) * std::pow(term.k * t, exponent - order);
    }
    case Kind::sine: {
      const double angle = term.k * t + term.c;
      return scale * (order == 0 ? std::sin(angle) : order == 1 ? std::cos(angle) : -std::sin(angle));
    }
    case Kind::decay: return (order == 1 ? -scale : scale) * std::exp(-term.k * t);
    case Kind::step: {
      const double u = std::tanh(term.k * (t - term.c));
      return scale * (order == 0 ? u : order == 1 ? 1.0 - u * u : -2.0 * u * (1.0 - u * u));
    }
    case Kind::bump: {
      const double u = term.k * (t - term.c);
      const double q = 1.0 + u * u;
      return scale * (order == 0   ? 1.0 / q
                      : order == 1 ? -2.0 * u / (q * q)
                                   : (6.0 * u * u - 2.0) / (q * q * q));
    }
  }
  return NAN;
}

std::string term_text(const Term& term, int order) {
  const double scale = term.a * std::pow(term.k, order);
  const std::string k = text_of(term.k);
  const std::string c = text_of(term.c);
  switch (term.kind) {
    case Kind::power: {
      const int exponent = static_cast<int>(term.c) - order;
      if (exponent < 0) {
        return "";
      }
      const std::string factor = text_of(scale * power_factor(exponent + order, order));
      return exponent == 0 ? factor : factor + "*(" + k + "*time)^" + std::to_string(exponent);
    }
    case Kind::sine:
      return text_of(order == 2 ? -scale : scale) + (order == 1 ? "*cos(" : "*sin(") + k + "*time + " + c +
             ")";
    case Kind::decay: return text_of(order == 1 ? -scale : scale) + "*exp(-" + k + "*time)";
    case Kind::step: {
      const std::string u = "tanh(" + k + "*(time - " + c + "))";
      return order == 0   ? text_of(scale) + "*" + u
             : order == 1 ? text_of(scale) + "*(1 - " + u + "^2)"
                          : text_of(-2.0 * scale) + "*" + u + "*(1 - " + u + "^2)";
    }
    case Kind::bump: {
      const std::string u = "(" + k + "*(time - " + c + "))";
      const std::string q = "(1 + " + u + "^2)";
      return order == 0   ? text_of(scale) + "/" + q
             : order == 1 ? text_of(-2.0 * scale) + "*" + u + "/" + q + "^2"
                          : text_of(scale) + "*(6*" + u + "^2 - 2)/" + q + "^3";
    }
  }
  return "";
}

}  // namespace

std::string text_of(double value) {
  char shortest[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(shortest, sizeof shortest, "%.*g", digits, value);
    if (std::strtod(shortest, nullptr) == value) {
      break;
    }
  }
  return std::signbit(value) ? "(" + std::string(shortest) + ")" : shortest;
}

double ClosedForm::value(double t, int order) const {
  double sum = 0.0;
  for (const Term& term : terms_) {
    sum += value_of(term, t, order);
  }
  return sum;
}

std::string ClosedForm::text(int order) const {
  std::string sum;
  for (const Term& term : terms_) {
    const std::string text = term_text(term, order);
    if (!text.empty()) {
      sum += (sum.empty() ? "" : " + ") + text;
    }
  }
  return sum.empty() ? "0" : sum;
}

void ClosedForm::add(const ClosedForm& other, double factor) {
  for (Term term : other.terms_) {
    term.a *= factor;
    terms_.push_back(term);
  }
}

ClosedForm random_closed_form(Random& random, double stop) {
  std::vector<Term> terms;
  const std::size_t n = 1 + random.below(3);
  for (std::size_t i = 0; i < n; ++i) {
    const double a = random.signed_between(0.4, 1.5) / static_cast<double>(n);
    const double centre = random.between(0.15 * stop, 0.85 * stop);
    switch (static_cast<Kind>(random.below(5))) {
      case Kind::power:
        terms.push_back({Kind::power, a, 1.0 / stop, static_cast<double>(random.below(4))});
        break;
      case Kind::sine:
        terms.push_back({Kind::sine, a, random.between(0.5, 3.0), random.between(0.0, 6.283)});
        break;
      case Kind::decay: terms.push_back({Kind::decay, a, random.between(0.2, 1.5), 0.0}); break;
      case Kind::step: terms.push_back({Kind::step, a, random.between(0.5, 4.0), centre}); break;
      case Kind::bump: terms.push_back({Kind::bump, a, random.between(0.5, 5.0), centre}); break;
    }
  }
  return ClosedForm(std::move(terms));
}

Sizes sizes_of(const ClosedForm& form, double stop) {
  constexpr int kSamples = 1000;
  Sizes sizes;
  for (int i = 0; i <= kSamples; ++i) {
    const double t = stop * i / kSamples;
    sizes.value = std::max(sizes.value, std::abs(form.value(t, 0)));
    sizes.rate = std::max(sizes.rate, std::abs(form.value(t, 1)));
    sizes.second = std::max(sizes.second, std::abs(form.value(t, 2)));
  }
  return sizes;
}

}  // namespace saltus::test::known
