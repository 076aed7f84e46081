/// A switched linear system as plain data: what random tests generate, the oracle solves and model texts say.
///
///   ẋ = A x + b + Σⱼ dⱼ·sign(gⱼ)      (A, b of the mode),     gⱼ = c·x + e + f·t
///
/// with clauses (when g > 0 then reinit …) and modes (transition when g > 0). All numbers are short binary fractions, so
/// that a text, a double and a long double mean the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace saltus::test::oracle {

using Real = long double;
using Vector = std::vector<Real>;
using Matrix = std::vector<Vector>;  ///< rows

/// c·x + e + f·t
struct AffineFunction {
  Vector c;
  Real e = 0;
  Real f = 0;
  [[nodiscard]] Real at(Real t, const Vector& x) const;
};

struct Surface {
  AffineFunction g;
  Vector d;  ///< the field gets +d where g > 0, -d where g < 0
};

/// x[target] ← factor·x[target] + offset
struct Reset {
  std::size_t target = 0;
  Real factor = 1;
  Real offset = 0;
};

struct Clause {
  AffineFunction g;  ///< fires when g becomes positive
  Reset reset;
};

struct Transition {
  std::size_t target = 0;
  AffineFunction g;  ///< fires while g is positive
  std::vector<Reset> resets;
};

struct Mode {
  Matrix a;
  Vector b;
  std::vector<Transition> transitions;
};

struct SwitchedSystem {
  Vector x0;
  std::vector<Mode> modes;  ///< the first is initial
  std::vector<Surface> surfaces;
  std::vector<Clause> clauses;
  Real stop = 1;

  [[nodiscard]] std::size_t n() const { return x0.size(); }
};

/// How surfaces are spelled in a model text.
enum class Spelling {
  sign,      ///< sign(g)
  choice,    ///< if g > 0 then 1 else -1
  reversed,  ///< if 0 > 2*g then -1 else 1
  modes,     ///< two modes with opposite transitions (one surface, no other mode)
};

/// The model as the language says it; `named` gives every sign a variable of its own.
[[nodiscard]] std::string model_text(const SwitchedSystem& system, const std::vector<Spelling>& spelling,
                                     bool named);

}  // namespace saltus::test::oracle
