#include "support/oracle/random_system.hpp"

#include <algorithm>

#include "support/oracle/draw.hpp"

namespace saltus::test::oracle {
namespace {

AffineFunction plane(Draw& draw, std::size_t n) {
  AffineFunction g{.c = vector_of(draw, n, 1), .e = draw.fraction(1), .f = 0};
  g.c[draw.below(n)] = draw.nonzero(1);
  return g;
}

Matrix matrix_of(Draw& draw, Family family, std::size_t n) {
  Matrix a(n, Vector(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    if (family == Family::chain) {
      if (i + 1 < n) {
        a[i][i + 1] = 1;
      }
    } else if (family != Family::constant) {
      a[i] = vector_of(draw, n, 1);
      a[i][i] -= 0.5L;  // rather stable than not: growth spoils the comparison of late events
    }
  }
  return a;
}

std::vector<Surface> surfaces_of(Draw& draw, Family family, std::size_t n, std::size_t count) {
  std::vector<Surface> surfaces;
  for (std::size_t j = 0; j < count; ++j) {
    Surface surface{.g = plane(draw, n), .d = vector_of(draw, n, 2)};
    if (family == Family::moving) {
      surface.g.f = draw.fraction(1);
    }
    // Half of the surfaces attract in a neighbourhood of the origin.
    if (draw.below(2) == 0) {
      for (std::size_t i = 0; i < n; ++i) {
        surface.d[i] -= 2 * surface.g.c[i];
      }
    }
    if (std::all_of(surface.d.begin(), surface.d.end(), [](Real value) { return value == 0; })) {
      surface.d[0] = 1;  // a surface without an effect is none
    }
    surfaces.push_back(std::move(surface));
  }
  return surfaces;
}

std::vector<Clause> clauses_of(Draw& draw, std::size_t n, std::size_t count) {
  std::vector<Clause> clauses;
  for (std::size_t k = 0; k < count && k < n; ++k) {
    // Clause k resets state k, so that two that fire together agree.
    clauses.push_back({.g = plane(draw, n), .reset = {k, draw.fraction(1), draw.fraction(2)}});
  }
  return clauses;
}

std::vector<Mode> modes_of(Draw& draw, Family family, std::size_t n) {
  const std::size_t count = family == Family::automaton ? 2 + draw.below(2) : 1;
  std::vector<Mode> modes;
  for (std::size_t m = 0; m < count; ++m) {
    Mode mode{.a = matrix_of(draw, family, n), .b = vector_of(draw, n, 2), .transitions = {}};
    for (std::size_t k = 0; count > 1 && k < 1 + draw.below(2); ++k) {
      Transition transition{
          .target = (m + 1 + draw.below(count - 1)) % count, .g = plane(draw, n), .resets = {}};
      if (draw.below(3) == 0) {
        transition.resets.push_back({draw.below(n), draw.fraction(1), draw.fraction(1)});
      }
      mode.transitions.push_back(std::move(transition));
    }
    modes.push_back(std::move(mode));
  }
  return modes;
}

std::vector<Spelling> spelling_of(Draw& draw, const SwitchedSystem& system) {
  std::vector<Spelling> spelling;
  const bool can_be_modes = system.surfaces.size() == 1 && system.modes.size() == 1 &&
                            system.clauses.empty() && system.surfaces[0].g.at(0, system.x0) > 0;
  if (can_be_modes && draw.below(2) == 0) {
    return {Spelling::modes};
  }
  for (std::size_t j = 0; j < system.surfaces.size(); ++j) {
    spelling.push_back(static_cast<Spelling>(draw.below(3)));
  }
  return spelling;
}

}  // namespace

const char* to_string(Family family) {
  constexpr const char* kNames[kFamilies] = {"constant",  "linear",  "chain", "on_surfaces",
                                             "automaton", "impacts", "moving"};
  return kNames[static_cast<int>(family)];
}

RandomSystem random_system(Family family, std::uint32_t seed) {
  Draw draw(seed * 7 + static_cast<std::uint32_t>(family));
  for (int i = 0; i < 3; ++i) {
    (void)draw.below(2);
  }
  const std::size_t n = 1 + draw.below(family == Family::chain ? 4 : 3) + (family == Family::chain ? 1 : 0);
  const bool has_actions = family == Family::automaton || family == Family::impacts;
  RandomSystem random;
  SwitchedSystem& system = random.system;
  system.stop = 5.123456789;  // no event of short fractions is there
  system.x0 = vector_of(draw, n, 2);
  const Family shape = family == Family::on_surfaces && draw.below(2) == 0 ? Family::constant : family;
  system.modes = modes_of(draw, shape, n);
  system.surfaces = surfaces_of(draw, family, n, has_actions ? draw.below(3) : 1 + draw.below(4));
  if (has_actions) {
    system.clauses = clauses_of(draw, n, (family == Family::impacts ? 1 : 0) + draw.below(2));
  }
  for (Transition& transition : system.modes[0].transitions) {
    AffineFunction& g = transition.g;
    if (g.at(0, system.x0) >= 0) {  // it must not hold at the start
      g.e -= g.at(0, system.x0) + draw.nonzero(1) * draw.nonzero(1) + 2;
    }
  }
  if (family == Family::on_surfaces) {
    // Two surfaces through one point of a line are one surface.
    const std::size_t wanted = n == 1 ? 1 : 1 + draw.below(2);
    for (std::size_t j = 0; j < std::min(system.surfaces.size(), wanted); ++j) {
      AffineFunction& g = system.surfaces[j].g;
      g.e -= g.at(0, system.x0);
    }
  }
  random.spelling = spelling_of(draw, system);
  random.named = draw.below(2) == 0;
  return random;
}

SwitchedSystem perturbed(const SwitchedSystem& system, Family family, std::uint32_t seed, Real amount) {
  Draw draw(seed);
  SwitchedSystem moved = system;
  const auto move = [&](Real& value) { value += amount * draw.unit(); };
  for (Mode& mode : moved.modes) {
    std::for_each(mode.b.begin(), mode.b.end(), move);
    for (Transition& transition : mode.transitions) {
      move(transition.g.e);
    }
  }
  for (Clause& clause : moved.clauses) {
    move(clause.g.e);
  }
  if (family != Family::on_surfaces) {
    std::for_each(moved.x0.begin(), moved.x0.end(), move);
    for (Surface& surface : moved.surfaces) {
      move(surface.g.e);
    }
  }
  for (Surface& surface : moved.surfaces) {
    std::for_each(surface.d.begin(), surface.d.end(), move);
  }
  return moved;
}

}  // namespace saltus::test::oracle
