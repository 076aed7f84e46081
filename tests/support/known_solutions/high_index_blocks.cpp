// Blocks of index 2 and 3: an unknown that occurs in no constraint of its own holds others on one.
#include <algorithm>
#include <cmath>

#include "support/known_solutions/blocks.hpp"
#include "support/known_solutions/coupling.hpp"

namespace saltus::test::known {
namespace {

/// Pairs of coefficients with b₁ + k b₂ away from zero.
struct Multiplier {
  double b1 = 1.0;
  double b2 = 0.0;
  double k = 1.0;
  [[nodiscard]] double determinant() const { return std::abs(b1 + k * b2); }
};
Multiplier random_multiplier(Random& random) {
  Multiplier m;
  do {
    m = {random.signed_between(0.5, 1.5), random.signed_between(0.2, 1.0), random.signed_between(0.2, 1.0)};
  } while (m.determinant() < 0.4);
  return m;
}

}  // namespace

void add_index_two(Canonical& canonical, Random& random) {
  canonical.index = std::max(canonical.index, 2);
  const double c = random.between(0.3, 1.5);
  const double stop = canonical.stop;
  if (random.chance(0.4)) {
    // ẋ + c x = b λ, x = φ(u): x and λ follow u.
    const Coupling motion = random_coupling(canonical, random, true);
    const double b = random.signed_between(0.5, 1.5);
    const std::size_t x = canonical.add(random_closed_form(random, stop), true);
    const std::size_t lambda = canonical.add(random_closed_form(random, stop), false);
    canonical.equations.push_back(
        {dz(x) + " + " + text_of(c) + "*" + z(x) + " - " + text_of(b) + "*" + z(lambda)});
    canonical.equations.push_back({z(x) + " - " + motion.text});
    add_gains(canonical.unknowns[x].from, motion.value, 1.0);
    Unknown& multiplier = canonical.unknowns[lambda];
    multiplier.own = (1.0 + c) / std::abs(b);
    add_gains(multiplier.from, motion.rate, 1.0 / std::abs(b));
    add_gains(multiplier.from, motion.value, c / std::abs(b));
    return;
  }
  // Errors on the constraint: e₁ = -k e₂, ė₂ = -c e₂, eλ = 0.
  const Multiplier m = random_multiplier(random);
  const std::size_t x2 = canonical.add(random_closed_form(random, stop), true);
  const std::size_t x1 = canonical.add(random_closed_form(random, stop), true);
  const std::size_t lambda = canonical.add(random_closed_form(random, stop), false);
  const std::string damped = " + " + text_of(c) + "*";
  // The bent constraint has b₂ = 0: x₂ is then free of the multiplier, and e₂ decays as before.
  const bool is_bent = random.chance(0.5);
  canonical.equations.push_back({dz(x1) + damped + z(x1) + " - " + text_of(m.b1) + "*" + z(lambda)});
  canonical.equations.push_back(
      {dz(x2) + damped + z(x2) + (is_bent ? "" : " - " + text_of(m.b2) + "*" + z(lambda))});
  canonical.equations.push_back(
      {z(x1) + " + " + text_of(m.k) + "*" + (is_bent ? "sin(" + z(x2) + ")" : z(x2))});
  const double pull = is_bent ? std::abs(m.b1) : m.determinant();
  // Local errors are moved along the constraint and into x₂.
  canonical.unknowns[x2].own = 1.0 + (std::abs(m.b2) + 1.0) / pull;
  canonical.unknowns[x2].rate = c;
  canonical.unknowns[x1].from = {{x2, std::abs(m.k)}};
  const double bend = is_bent ? canonical.unknowns[x2].sizes.rate : 0.0;
  canonical.unknowns[lambda].own = (1.0 + c) / pull;
  canonical.unknowns[lambda].from = {{x2, std::abs(m.k) * (2.0 * c + bend) / pull}};
}

void add_index_three(Canonical& canonical, Random& random) {
  canonical.index = std::max(canonical.index, 3);
  const double c = random.between(0.3, 1.2);
  const double d = 2.0 * c;
  const double w = 1.0 + c * c;
  const double stop = canonical.stop;
  if (random.chance(0.4)) {
    // ṗ = v - c p, v̇ + d v = b λ, p = φ(u).
    const Coupling motion = random_coupling(canonical, random, true);
    const double b = random.signed_between(0.5, 1.5);
    const std::size_t p = canonical.add(random_closed_form(random, stop), true);
    const std::size_t v = canonical.add(random_closed_form(random, stop), true);
    const std::size_t lambda = canonical.add(random_closed_form(random, stop), false);
    canonical.equations.push_back({dz(p) + " - " + z(v) + " + " + text_of(c) + "*" + z(p)});
    canonical.equations.push_back(
        {dz(v) + " + " + text_of(d) + "*" + z(v) + " - " + text_of(b) + "*" + z(lambda)});
    canonical.equations.push_back({z(p) + " - " + motion.text});
    add_gains(canonical.unknowns[p].from, motion.value, 1.0);
    Unknown& velocity = canonical.unknowns[v];
    velocity.own = 1.0 + c;
    add_gains(velocity.from, motion.rate, 1.0);
    add_gains(velocity.from, motion.value, c);
    Unknown& multiplier = canonical.unknowns[lambda];
    multiplier.own = (1.0 + c) * (1.0 + d) / std::abs(b);
    add_gains(multiplier.from, motion.second, 1.0 / std::abs(b));
    add_gains(multiplier.from, motion.rate, (c + d) / std::abs(b));
    add_gains(multiplier.from, motion.value, c * d / std::abs(b));
    return;
  }
  // p̈ᵢ + 2c ṗᵢ + (1 + c²) pᵢ = bᵢ λ, p₁ + k p₂ = …: e₂ solves the same equation without λ. In (e, ė + c e) its matrix is
  // -c I plus a skew one, so that errors decay with rate c.
  const Multiplier m = random_multiplier(random);
  const bool is_bent = random.chance(0.4);
  const std::size_t p2 = canonical.add(random_closed_form(random, stop), true);
  const std::size_t v2 = canonical.add(random_closed_form(random, stop), true);
  const std::size_t p1 = canonical.add(random_closed_form(random, stop), true);
  const std::size_t v1 = canonical.add(random_closed_form(random, stop), true);
  const std::size_t lambda = canonical.add(random_closed_form(random, stop), false);
  canonical.equations.push_back({dz(p1) + " - " + z(v1)});
  canonical.equations.push_back({dz(p2) + " - " + z(v2)});
  const std::string spring = " + " + text_of(w) + "*";
  const std::string damper = " + " + text_of(d) + "*";
  canonical.equations.push_back(
      {dz(v1) + spring + z(p1) + damper + z(v1) + " - " + text_of(m.b1) + "*" + z(lambda)});
  canonical.equations.push_back(
      {dz(v2) + spring + z(p2) + damper + z(v2) + (is_bent ? "" : " - " + text_of(m.b2) + "*" + z(lambda))});
  canonical.equations.push_back(
      {z(p1) + " + " + text_of(m.k) + "*" + (is_bent ? "sin(" + z(p2) + ")" : z(p2))});
  const double pull = is_bent ? std::abs(m.b1) : m.determinant();
  const double moved = 1.0 + (std::abs(m.b2) + 1.0) / pull;
  for (const std::size_t i : {p2, v2}) {
    canonical.unknowns[i].own = std::sqrt(2.0) * (1.0 + c) * (1.0 + c) * moved;
    canonical.unknowns[i].rate = c;
  }
  const Sizes& s = canonical.unknowns[p2].sizes;
  const double k = std::abs(m.k);
  canonical.unknowns[p1].from = {{p2, k}};
  canonical.unknowns[v1].from = {{v2, k}, {p2, is_bent ? k * s.rate : 0.0}};
  const double bend = is_bent ? s.rate * s.rate + s.second + 2.0 * s.rate : 0.0;
  canonical.unknowns[lambda].own = (1.0 + w + d) / pull;
  canonical.unknowns[lambda].from = {{p2, k * (2.0 * w + bend + d * s.rate) / pull},
                                     {v2, k * (2.0 * d + bend) / pull}};
}

}  // namespace saltus::test::known
