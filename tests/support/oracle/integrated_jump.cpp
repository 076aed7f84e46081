#include "support/oracle/integrated_jump.hpp"

#include "support/oracle/linear_flow.hpp"
#include "support/oracle/tiered_nearest.hpp"

namespace saltus::test::oracle {
namespace {

Matrix transposed(const Matrix& m, std::size_t columns) {
  Matrix t(columns, Vector(m.size(), 0));
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      t[j][i] = m[i][j];
    }
  }
  return t;
}

/// Rows that are an orthonormal basis of the v with A v = 0.
Matrix null_space(const Matrix& a, std::size_t n) {
  TieredNearest nearest(n);
  nearest.add_tier(a, Vector(a.size(), 0));
  return nearest.free();
}

}  // namespace

IntegratedJump integrated_jump(const SwitchedDae& system, std::size_t mode, Real t, const Vector& x) {
  const DaeMode& target = system.modes[mode];
  const DaeFlow flow(system, mode);
  const std::size_t n = system.n();
  Matrix impulses;  // columns of A of what may have one
  for (std::size_t j = 0; j < n; ++j) {
    if (!target.is_differential(j)) {
      impulses.push_back(transposed(target.a, n)[j]);
    }
  }
  const Matrix law = product(null_space(impulses, n), target.e);
  const Vector forced = times(flow.x, [&] {  // X₂ w
    Vector z(flow.d, 0);
    const Vector w = forcings(system.omega, t);
    z.insert(z.end(), w.begin(), w.end());
    return z;
  }());
  Matrix free(n);  // X₁
  for (std::size_t i = 0; i < n; ++i) {
    free[i].assign(flow.x[i].begin(), flow.x[i].begin() + static_cast<std::ptrdiff_t>(flow.d));
  }
  const Matrix law_of_free = product(law, free);
  const Matrix positions = product(null_space(transposed(law_of_free, flow.d), law.size()), law);

  // Least change: first the positions, then everything as before, in nominal values.
  Matrix scaled = positions;
  Matrix same;
  Vector before(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (Vector& row : scaled) {
      row[j] *= system.nominal[j];
    }
    before[j] = x[j] / system.nominal[j];
    same.emplace_back(n, 0);
    same[j][j] = 1;
  }
  TieredNearest moving(n);
  moving.add_tier(scaled, times(positions, forced));
  moving.add_tier(same, before);
  IntegratedJump jump{.moved = moving.point(), .y = {}};
  Vector wanted(n);
  for (std::size_t j = 0; j < n; ++j) {
    jump.moved[j] *= system.nominal[j];
    wanted[j] = jump.moved[j] - forced[j];
  }
  TieredNearest after(flow.d);
  after.add_tier(law_of_free, times(law, wanted));
  jump.y = after.point();
  return jump;
}

}  // namespace saltus::test::oracle
