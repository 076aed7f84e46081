#include "support/known_solutions/blocks.hpp"

#include <algorithm>
#include <cmath>

#include "support/known_solutions/coupling.hpp"

namespace saltus::test::known {
namespace {

/// r + ẋ = r* + ẋ* in one of its forms.
std::string derivative_form(Random& random, DerivativeForm form, std::size_t i, const std::string& r) {
  if (form == DerivativeForm::any) {
    form = static_cast<DerivativeForm>(random.below(3));
  }
  switch (form) {
    case DerivativeForm::mass:
      return "(2 + sin(" + z(i) + "))*(" + dz(i) + " + " + r + " - (" + starred(dz(i) + " + " + r) + "))";
    case DerivativeForm::nonlinear: {
      const std::string q = "(" + starred(dz(i)) + " - (" + r + ") + (" + starred(r) + "))";
      return random.chance(0.5) ? dz(i) + " + 0.4*sin(" + dz(i) + ") - (" + q + " + 0.4*sin" + q + ")"
                                : dz(i) + "^3 + " + dz(i) + " - (" + q + "^3 + " + q + ")";
    }
    case DerivativeForm::plain:
    case DerivativeForm::any: break;
  }
  return dz(i) + " + " + r;
}

}  // namespace

void add_ode(Canonical& canonical, Random& random, const OdeTraits& traits) {
  const std::size_t n = traits.n;
  const std::size_t first = canonical.unknowns.size();
  const double c = traits.is_neutral ? 0.0 : random.between(0.4, 2.0);
  const Coupling input =
      traits.is_neutral || traits.is_linear ? Coupling{} : random_coupling(canonical, random, false);
  std::vector<std::vector<double>> skew(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      skew[i][j] = random.signed_between(0.1, 1.5);
      skew[j][i] = -skew[i][j];
    }
  }
  double lipschitz = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    canonical.add(random_closed_form(random, canonical.stop), true);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::string x = z(first + i);
    std::string r = text_of(c) + "*" + x;
    double row = c;
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i) {
        r += " + " + text_of(skew[i][j]) + "*" + z(first + j);
        row += std::abs(skew[i][j]);
      }
    }
    if (!traits.is_linear && random.chance(0.5)) {
      const double size = canonical.unknowns[first + i].sizes.value;
      switch (random.below(3)) {
        case 0:
          r += " + 0.4*tanh(" + x + ")";
          row += 0.4;
          break;
        case 1:
          r += " + 0.2*" + x + "^3";
          row += 0.6 * size * size;
          break;
        default:
          r += " + 0.3*(" + x + " + sin(" + x + "))";
          row += 0.6;
          break;
      }
    }
    if (traits.has_kinks) {
      // A coefficient that changes its size at a condition, in front of what vanishes on the solution; a kink.
      const double level = random.between(-0.3, 0.3);
      r += random.chance(0.5) ? " + (if " + x + " > " + text_of(level) + " then 0.5 else 1.5)*(" + x + " - " +
                                    starred(x) + ")"
                              : " + 0.3*(" + x + " + abs(" + x + " - " + text_of(level) + "))";
      row += 1.5;
    }
    if (i == 0 && !input.value.empty()) {
      r += " + " + input.text;
    }
    lipschitz = std::max(lipschitz, row);
    canonical.equations.push_back({derivative_form(random, traits.form, first + i, r)});
  }
  for (std::size_t i = 0; i < n; ++i) {
    Unknown& unknown = canonical.unknowns[first + i];
    unknown.own = std::sqrt(static_cast<double>(n));
    unknown.rate = c;
    // Derivatives of bends and inputs are not followed further.
    const bool is_bounded = input.value.empty() && traits.is_linear && !traits.has_kinks;
    unknown.lipschitz = is_bounded ? lipschitz : kNotBounded;
    if (!input.value.empty()) {
      add_gains(unknown.from, input.value, 1.0 / c);
    }
  }
}

void add_slave(Canonical& canonical, Random& random, double limit) {
  const double rate = random.of_magnitude(10.0, limit);
  const Coupling follows = random_coupling(canonical, random, false);
  const std::size_t x = canonical.add(random_closed_form(random, canonical.stop), true);
  std::string distance = "(" + z(x) + " - " + follows.text + ")";
  if (random.chance(0.25)) {
    distance = "(" + z(x) + " + 0.3*" + z(x) + "^3 - " + follows.text + ")";
  }
  canonical.equations.push_back({dz(x) + " + " + text_of(rate) + "*" + distance, rate});
  canonical.unknowns[x].rate = rate;
  add_gains(canonical.unknowns[x].from, follows.value, 1.0);
  canonical.stiffness = std::max(canonical.stiffness, rate);
}

void add_slave_pair(Canonical& canonical, Random& random, double limit) {
  const double rate = random.of_magnitude(10.0, limit);
  const std::string l = text_of(rate);
  const std::string m = text_of(rate * random.between(0.2, 1.5));
  const Coupling follows = random_coupling(canonical, random, false);
  const std::size_t x = canonical.add(random_closed_form(random, canonical.stop), true);
  const std::size_t y = canonical.add(random_closed_form(random, canonical.stop), true);
  const std::string u = "(" + z(x) + " - " + follows.text + ")";
  canonical.equations.push_back({dz(x) + " + " + l + "*" + u + " + " + m + "*" + z(y), rate});
  canonical.equations.push_back({dz(y) + " + " + l + "*" + z(y) + " - " + m + "*" + u, rate});
  for (const std::size_t i : {x, y}) {
    canonical.unknowns[i].own = std::sqrt(2.0);
    canonical.unknowns[i].rate = rate;
    add_gains(canonical.unknowns[i].from, follows.value, 2.5);
  }
  canonical.stiffness = std::max(canonical.stiffness, rate);
}

void add_algebraic(Canonical& canonical, Random& random) {
  const Coupling first = random_coupling(canonical, random, false);
  const Coupling second = random_coupling(canonical, random, false);
  const std::size_t y = canonical.add(random_closed_form(random, canonical.stop), false);
  canonical.equations.push_back({z(y) + " - " + first.text + " + " + second.text});
  add_gains(canonical.unknowns[y].from, first.value, 1.0);
  add_gains(canonical.unknowns[y].from, second.value, 1.0);
  canonical.index = std::max(canonical.index, 1);
}

void add_iterated(Canonical& canonical, Random& random) {
  canonical.index = std::max(canonical.index, 1);
  const Coupling first = random_coupling(canonical, random, false);
  const Coupling second = random_coupling(canonical, random, false);
  const std::size_t y = canonical.add(random_closed_form(random, canonical.stop), false);
  const std::string s = z(y);
  const std::string right = " - " + first.text + " - " + second.text;
  const std::size_t kind = random.below(5);
  double gain = 1.0;  // of the inverse
  if (kind < 4) {
    const char* const forms[] = {" + 0.5*sin(", "^3 + (", " + exp(0.5*", " + 0.6*tanh("};
    gain = kind == 0 ? 2.0 : 1.0;
    canonical.equations.push_back({s + forms[kind] + s + ")" + right});
    add_gains(canonical.unknowns[y].from, first.value, gain);
    add_gains(canonical.unknowns[y].from, second.value, gain);
    canonical.unknowns[y].own = gain;
    return;
  }
  const std::size_t w = canonical.add(random_closed_form(random, canonical.stop), false);
  canonical.equations.push_back({s + " + 0.4*sin(" + z(w) + ") - " + first.text});
  canonical.equations.push_back({z(w) + " + 0.4*cos(" + s + ") - " + second.text});
  gain = 1.0 / (1.0 - 0.4);
  for (const std::size_t i : {y, w}) {
    add_gains(canonical.unknowns[i].from, first.value, gain);
    add_gains(canonical.unknowns[i].from, second.value, gain);
    canonical.unknowns[i].own = gain;
  }
}

void add_sliding(Canonical& canonical, Random& random) {
  const std::size_t x = canonical.add(random_closed_form(random, canonical.stop), true);
  const double force = std::ceil(2.0 * (1.0 + canonical.unknowns[x].sizes.rate));
  // ẋ = -F sign(x - x*(t)): on the surface from the start, |ẋ*| < F.
  canonical.equations.push_back({dz(x) + " - (" + starred(dz(x)) + ") + " + text_of(force) + "*sign(" + z(x) +
                                 " - (" + starred(z(x)) + "))"});
}

}  // namespace saltus::test::known
