#include "support/oracle/random_dae.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/oracle/dae_oracle.hpp"
#include "support/oracle/draw.hpp"
#include "support/oracle/linear_flow.hpp"

namespace saltus::test::oracle {
namespace {

Matrix zero(std::size_t rows, std::size_t columns) {
  return Matrix(rows, Vector(columns, 0));
}

Matrix identity(std::size_t n) {
  Matrix m = zero(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    m[i][i] = 1;
  }
  return m;
}

/// diag(a, b)
Matrix joined(const Matrix& a, const Matrix& b) {
  Matrix m = zero(a.size() + b.size(), a.size() + b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::copy(a[i].begin(), a[i].end(), m[i].begin());
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    std::copy(b[i].begin(), b[i].end(), m[a.size() + i].begin() + static_cast<std::ptrdiff_t>(a.size()));
  }
  return m;
}

/// -1/2, 0 or 1/2: a few of them multiplied are well conditioned.
Real half(Draw& draw) {
  return (static_cast<Real>(draw.below(3)) - 1) / 2;
}

void permute(Draw& draw, Matrix& m) {
  for (std::size_t i = m.size(); i-- > 1;) {
    std::swap(m[i], m[draw.below(i + 1)]);
  }
}

/// One of P and Qᵀ: a matrix that is invertible whatever is drawn, the first d and the other rows and columns apart.
Matrix mixing_matrix(Draw& draw, Mixing mixing, std::size_t n, std::size_t d) {
  Matrix m = identity(n);
  Matrix upper = identity(n);
  switch (mixing) {
    case Mixing::permuted: break;
    case Mixing::coupled:
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = d; j < n; ++j) {
          m[i][j] = half(draw);
        }
      }
      break;
    case Mixing::sparse:
      for (std::size_t k = 0; k < (n + 1) / 2; ++k) {
        const std::size_t to = draw.below(n);
        const std::size_t from = draw.below(n);
        const Real factor = half(draw);
        for (std::size_t j = 0; j < n && from != to; ++j) {
          m[to][j] += factor * m[from][j];
        }
      }
      break;
    case Mixing::dense:
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          m[i][j] = half(draw);
          upper[j][i] = half(draw);
        }
      }
      m = product(m, upper);
      break;
  }
  permute(draw, m);
  return m;
}

Matrix transposed(const Matrix& m) {
  Matrix t = zero(m.size(), m.size());
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j < m.size(); ++j) {
      t[j][i] = m[i][j];
    }
  }
  return t;
}

/// Sizes of the nilpotent blocks: the first of `index`, others not larger, at least one differential variable left.
std::vector<std::size_t> blocks_of(Draw& draw, std::size_t n, std::size_t index) {
  std::vector<std::size_t> blocks;
  if (index == 0) {
    return blocks;
  }
  blocks.push_back(index);
  if (const std::size_t left = n - index; left > 1 && draw.below(2) == 0) {
    blocks.push_back(1 + draw.below(std::min(index, left - 1)));
  }
  return blocks;
}

Matrix nilpotent(const std::vector<std::size_t>& blocks) {
  Matrix n;
  for (const std::size_t size : blocks) {
    Matrix block = zero(size, size);
    for (std::size_t i = 0; i + 1 < size; ++i) {
      block[i][i + 1] = 1;
    }
    n = joined(n, block);
  }
  return n;
}

Vector forcing(Draw& draw) {
  Vector b(kForcings, 0);
  b[0] = draw.fraction(1);
  const std::size_t other = 1 + draw.below(kForcings - 1);
  b[other] = other == 2 ? draw.fraction(1) / 4 : draw.fraction(1);
  return b;
}

/// What modes with the same constraints share: Q, N, B₂.
struct Constraints {
  std::size_t d = 0;
  Matrix n;
  Matrix q;
  Matrix b;
  std::vector<bool> comes_first;
};

Constraints constraints_of(Draw& draw, const DaeTraits& traits, std::size_t n,
                           const std::vector<std::size_t>& blocks) {
  Constraints constraints;
  constraints.n = nilpotent(blocks);
  constraints.d = n - constraints.n.size();
  constraints.q = transposed(mixing_matrix(draw, traits.mixing, n, constraints.d));
  for (std::size_t i = 0; i < constraints.n.size(); ++i) {
    constraints.b.push_back(forcing(draw));
  }
  constraints.comes_first.assign(n, false);
  std::size_t last = constraints.d;  // behind the last row of a block: y = -B w, an equation as it stands
  for (const std::size_t size : blocks) {
    last += size;
    for (std::size_t j = 0; j < n && size == 3 && shows_index(traits.mixing); ++j) {
      constraints.comes_first[j] = constraints.comes_first[j] || constraints.q[last - 1][j] != 0;
    }
  }
  return constraints;
}

/// Mixing may leave an equation that is a constraint between differential variables alone as it is written: these variables come first,
/// whatever differentiation finds besides (docs/semantics.md 5.8 for modes reduced by ranks).
void note_written_constraints(DaeMode& mode) {
  for (std::size_t i = 0; i < mode.e.size(); ++i) {
    const auto is_zero = [](Real value) { return value == 0; };
    bool is_constraint = std::all_of(mode.e[i].begin(), mode.e[i].end(), is_zero);
    for (std::size_t j = 0; j < mode.a.size(); ++j) {
      is_constraint = is_constraint && (mode.a[i][j] == 0 || mode.is_differential(j));
    }
    for (std::size_t j = 0; j < mode.a.size() && is_constraint; ++j) {
      mode.comes_first[j] = mode.comes_first[j] || mode.a[i][j] != 0;
    }
  }
}

DaeMode mode_of(Draw& draw, const DaeTraits& traits, std::size_t n, const Constraints& constraints) {
  DaeMode mode;
  mode.d = constraints.d;
  mode.n = constraints.n;
  mode.comes_first = constraints.comes_first;
  for (std::size_t i = 0; i < mode.d; ++i) {
    mode.j.push_back(vector_of(draw, mode.d, 1));
    mode.j[i][i] -= 0.5L;  // rather stable than not: growth spoils the comparison of late events
    mode.b.push_back(forcing(draw));
  }
  mode.b.insert(mode.b.end(), constraints.b.begin(), constraints.b.end());
  const Matrix p = mixing_matrix(draw, traits.mixing, n, mode.d);
  mode.e = product(p, product(joined(identity(mode.d), mode.n), constraints.q));
  mode.a = product(p, product(joined(mode.j, identity(n - mode.d)), constraints.q));
  mode.f = product(p, mode.b);
  mode.q_inverse = *solved(constraints.q, identity(n));
  const bool has_positions =
      product(mode.n, mode.n) != mode.n;  // else all constraints are differentiated once
  if (!shows_index(traits.mixing) && has_positions) {
    note_written_constraints(mode);
  }
  return mode;
}

/// Sets all differential variables of the target to X₁(L x + l) + X₂ w, which its constraints allow.
std::vector<DaeReset> consistent_resets(Draw& draw, const SwitchedDae& system, std::size_t target) {
  const DaeFlow flow(system, target);
  Matrix before = zero(flow.d, system.n());
  Vector offset(flow.d);
  for (std::size_t i = 0; i < flow.d; ++i) {
    before[i][draw.below(system.n())] = draw.fraction(1);
    offset[i] = draw.fraction(1);
  }
  std::vector<DaeReset> resets;
  for (std::size_t i = 0; i < system.n(); ++i) {
    if (!system.modes[target].is_differential(i)) {
      continue;
    }
    const auto split = flow.x[i].begin() + static_cast<std::ptrdiff_t>(flow.d);
    const Matrix row{Vector(flow.x[i].begin(), split)};
    DaeReset reset{.target = i, .before = product(row, before)[0], .forced = Vector(split, flow.x[i].end())};
    reset.forced[0] += dot(row[0], offset);
    resets.push_back(std::move(reset));
  }
  return resets;
}

std::vector<DaeReset> some_resets(Draw& draw, const SwitchedDae& system, std::size_t target) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < system.n(); ++i) {
    if (system.modes[target].is_differential(i)) {
      candidates.push_back(i);
    }
  }
  std::vector<DaeReset> resets;
  for (std::size_t k = 0; k < 1 + draw.below(2) && !candidates.empty(); ++k) {
    const std::size_t place = draw.below(candidates.size());
    DaeReset reset{
        .target = candidates[place], .before = Vector(system.n(), 0), .forced = Vector(kForcings, 0)};
    reset.before[reset.target] = draw.fraction(1);
    reset.forced[0] = draw.nonzero(1);
    resets.push_back(std::move(reset));
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(place));
  }
  return resets;
}

/// A transition that the solution from x at time t reaches after a while.
DaeTransition transition_of(Draw& draw, const SwitchedDae& system, std::size_t mode, Real t, const Vector& x,
                            Jump jump) {
  DaeTransition transition;
  const std::size_t count = system.modes.size();
  transition.target = (mode + 1 + draw.below(count - 1)) % count;
  AffineFunction& g = transition.g;
  g.c = vector_of(draw, system.n(), 1);
  g.c[draw.below(system.n())] = draw.nonzero(1);
  g.f = draw.below(3) == 0 ? draw.fraction(1) / 2 : 0;
  const Real after = 0.1L + static_cast<Real>(draw.below(1000)) / 1000;
  const Vector later = advanced(system, mode, t, x, after);
  if (g.at(t + after, later) < g.at(t, x)) {
    std::for_each(g.c.begin(), g.c.end(), [](Real& c) { c = -c; });
    g.f = -g.f;
  }
  constexpr Real kUnit = 1024;
  g.e = -std::floor(g.at(t + after, later) * kUnit) / kUnit;
  if (g.at(t, x) >= 0) {
    g.e -= 1 / kUnit + std::ceil(g.at(t, x) * kUnit) / kUnit;
  }
  if (jump == Jump::set) {
    transition.resets = consistent_resets(draw, system, transition.target);
  } else if (jump == Jump::reset) {
    transition.resets = some_resets(draw, system, transition.target);
  }
  return transition;
}

/// Mode by mode, as the run comes to them. Transitions that set what their target does not allow, or after which the
/// run has no end because each fires the next at once, are drawn again.
void add_transitions(Draw& draw, SwitchedDae& system, Jump jump) {
  DaeRun run = solve(system);
  for (std::size_t k = 0; k < system.modes.size() && system.modes[run.mode].transitions.empty(); ++k) {
    const Real t = run.events.empty() ? 0 : run.events.back().time;
    const Vector x = run.events.empty() ? run.x0 : run.events.back().after;
    const std::size_t mode = run.mode;
    constexpr int kTrials = 16;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<DaeTransition> transitions;
      for (std::size_t i = 0; i < 1 + draw.below(2); ++i) {
        transitions.push_back(transition_of(draw, system, mode, t, x, jump));
      }
      system.modes[mode].transitions = std::move(transitions);
      run = solve(system);
      if (run.outcome == DaeRun::Outcome::complete) {
        break;
      }
    }
    if (run.outcome != DaeRun::Outcome::complete) {
      system.modes[mode].transitions.clear();
      return;
    }
  }
}

}  // namespace

bool shows_index(Mixing mixing) {
  return mixing == Mixing::permuted || mixing == Mixing::coupled;
}

const char* to_string(Mixing mixing) {
  constexpr const char* kNames[kMixings] = {"permuted", "coupled", "sparse", "dense"};
  return kNames[static_cast<int>(mixing)];
}

const char* to_string(Jump jump) {
  constexpr const char* kNames[kJumps] = {"none", "set", "nothing", "reset"};
  return kNames[static_cast<int>(jump)];
}

SwitchedDae random_dae(const DaeTraits& traits, std::uint32_t seed) {
  Draw draw(seed);
  SwitchedDae system;
  system.stop = 3.123456789;  // no event of short fractions is there
  system.omega = 1 + static_cast<Real>(draw.below(3)) / 2;
  system.is_fixed = draw.below(2) == 0;
  const std::size_t n = std::max<std::size_t>(2, traits.index + 1) + draw.below(5 - traits.index);
  system.size = std::min<std::size_t>(n, 5);
  system.nominal.assign(system.size, 1);
  if (draw.below(2) == 0) {
    for (Real& nominal : system.nominal) {
      nominal = std::ldexp(1.0L, static_cast<int>(draw.below(3)) - 1);
    }
  }
  const std::size_t count = 2 + draw.below(3);
  std::vector<std::size_t> blocks = blocks_of(draw, system.size, traits.index);
  Constraints constraints = constraints_of(draw, traits, system.size, blocks);
  for (std::size_t m = 0; m < count; ++m) {
    if (m > 0 && traits.jump != Jump::none) {
      if (!traits.is_uniform) {
        blocks = blocks_of(draw, system.size, draw.below(traits.index + 1));
      }
      constraints = constraints_of(draw, traits, system.size, blocks);
    }
    system.modes.push_back(mode_of(draw, traits, system.size, constraints));
  }
  if (!traits.is_uniform) {  // the one with the largest index need not be the first
    std::swap(system.modes[0], system.modes[draw.below(count)]);
  }
  system.y0 = vector_of(draw, system.modes[0].d, 2);
  system.start = solve(system).x0;
  if (!system.is_fixed && draw.below(2) == 0) {
    for (Real& value : system.start) {
      value += draw.fraction(1);
    }
    system.y0 = start_coordinates(system);
  }
  add_transitions(draw, system, traits.jump);
  return system;
}

SwitchedDae perturbed(const SwitchedDae& system, std::uint32_t seed, Real amount) {
  Draw draw(seed);
  SwitchedDae moved = system;
  const auto move = [&](Real& value) { value += amount * draw.unit(); };
  std::for_each(moved.y0.begin(), moved.y0.end(), move);
  for (DaeMode& mode : moved.modes) {
    for (Vector& b : mode.b) {
      move(b[0]);
    }
    for (DaeTransition& transition : mode.transitions) {
      move(transition.g.e);
      for (DaeReset& reset : transition.resets) {
        move(reset.forced[0]);
      }
    }
  }
  return moved;
}

SwitchedDae with_guards_raised(const SwitchedDae& system, Real amount) {
  SwitchedDae moved = system;
  for (DaeMode& mode : moved.modes) {
    for (DaeTransition& transition : mode.transitions) {
      transition.g.e += amount;
    }
  }
  return moved;
}

}  // namespace saltus::test::oracle
