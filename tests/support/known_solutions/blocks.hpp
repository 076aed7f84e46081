/// Blocks of equations with known solutions and known spreading of errors; each adds unknowns and equations.
#pragma once

#include <string>

#include "support/known_solutions/canonical.hpp"

namespace saltus::test::known {

/// How differential equations contain their derivative; the solution and its neighbours are the same.
enum class DerivativeForm {
  plain,      ///< ẋ + r(x) = …
  mass,       ///< (2 + sin x)·(ẋ + r(x) - …) = 0
  nonlinear,  ///< h(ẋ) = h(… - r(x)), h growing
  any,
};

struct OdeTraits {
  std::size_t n = 2;
  bool is_neutral = false;  ///< oscillators without damping; else errors decay
  bool is_linear = false;
  DerivativeForm form = DerivativeForm::plain;
  bool has_kinks = false;  ///< coefficients and terms that change at conditions
};
/// ż = -(c + S) z - n(z), S skew: errors decay with rate c in the Euclidean norm.
void add_ode(Canonical& canonical, Random& random, const OdeTraits& traits);

/// ẋ + L (x - φ(u)): follows another unknown at once. L in [10, limit].
void add_slave(Canonical& canonical, Random& random, double limit);
/// Two that turn about each other while they follow.
void add_slave_pair(Canonical& canonical, Random& random, double limit);

/// y = φ(u).
void add_algebraic(Canonical& canonical, Random& random);
/// y from one or two equations that have to be iterated.
void add_iterated(Canonical& canonical, Random& random);

/// A multiplier holds φ(x₁, x₂): ẋᵢ + c xᵢ = bᵢ λ, one of them free; or x = φ(u), none free.
void add_index_two(Canonical& canonical, Random& random);
/// Positions, velocities, a multiplier that holds the positions.
void add_index_three(Canonical& canonical, Random& random);

/// A relay that holds a variable on a known motion by sliding.
void add_sliding(Canonical& canonical, Random& random);

}  // namespace saltus::test::known
