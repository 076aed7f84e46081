#include "support/oracle/linear_flow.hpp"

#include <cmath>
#include <utility>

namespace saltus::test::oracle {

Real dot(const Vector& a, const Vector& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

Vector times(const Matrix& a, const Vector& x) {
  Vector y(a.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    y[i] = dot(a[i], x);
  }
  return y;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), Vector(b.empty() ? 0 : b[0].size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[k].size(); ++j) {
        c[i][j] += a[i][k] * b[k][j];
      }
    }
  }
  return c;
}

std::optional<Matrix> solved(Matrix k, Matrix r) {
  const std::size_t n = k.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      pivot = std::abs(k[row][column]) > std::abs(k[pivot][column]) ? row : pivot;
    }
    if (std::abs(k[pivot][column]) < kDirection) {
      return std::nullopt;
    }
    std::swap(k[pivot], k[column]);
    std::swap(r[pivot], r[column]);
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column) {
        continue;
      }
      const Real factor = k[row][column] / k[column][column];
      for (std::size_t j = 0; j < n; ++j) {
        k[row][j] -= factor * k[column][j];
      }
      for (std::size_t j = 0; j < r[row].size(); ++j) {
        r[row][j] -= factor * r[column][j];
      }
    }
  }
  for (std::size_t row = 0; row < n; ++row) {
    for (Real& value : r[row]) {
      value /= k[row][row];
    }
  }
  return r;
}

Vector Flow::field(const Vector& x) const {
  Vector f = times(m, x);
  for (std::size_t i = 0; i < f.size(); ++i) {
    f[i] += q[i];
  }
  return f;
}

std::optional<Flow> flow_of(const SwitchedSystem& system, std::size_t mode, const std::vector<Side>& sides) {
  const std::size_t n = system.n();
  Flow flow{.m = system.modes[mode].a, .q = system.modes[mode].b, .sliding = {}, .w = {}, .w0 = {}};
  for (std::size_t j = 0; j < sides.size(); ++j) {
    if (sides[j] == Side::sliding) {
      flow.sliding.push_back(j);
    }
    for (std::size_t i = 0; i < n; ++i) {
      flow.q[i] += sign_of(sides[j]) * system.surfaces[j].d[i];
    }
  }
  if (flow.sliding.empty()) {
    return flow;
  }
  // G D [W w0] = -[G A, G b + f]
  const std::size_t count = flow.sliding.size();
  Matrix gd(count, Vector(count));
  Matrix right(count, Vector(n + 1, 0));
  for (std::size_t k = 0; k < count; ++k) {
    const AffineFunction& g = system.surfaces[flow.sliding[k]].g;
    for (std::size_t l = 0; l < count; ++l) {
      gd[k][l] = dot(g.c, system.surfaces[flow.sliding[l]].d);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        right[k][j] -= g.c[i] * system.modes[mode].a[i][j];
      }
      right[k][n] -= g.c[i] * flow.q[i];
    }
    right[k][n] -= g.f;
  }
  const std::optional<Matrix> weights = solved(gd, right);
  if (!weights) {
    return std::nullopt;
  }
  for (std::size_t k = 0; k < count; ++k) {
    flow.w0.push_back((*weights)[k][n]);
    flow.w.emplace_back((*weights)[k].begin(), (*weights)[k].end() - 1);
    const Vector& d = system.surfaces[flow.sliding[k]].d;
    for (std::size_t i = 0; i < n; ++i) {
      flow.q[i] += d[i] * flow.w0[k];
      for (std::size_t j = 0; j < n; ++j) {
        flow.m[i][j] += d[i] * flow.w[k][j];
      }
    }
  }
  return flow;
}

int direction(const AffineFunction& g, const Flow& flow, const Vector& x) {
  Vector rate = flow.field(x);
  Real value = dot(g.c, rate) + g.f;
  for (int order = 1; order <= 3; ++order) {
    if (std::abs(value) > kDirection) {
      return value > 0 ? 1 : -1;
    }
    rate = times(flow.m, rate);
    value = dot(g.c, rate);
  }
  return 0;
}

}  // namespace saltus::test::oracle
