#include "linalg/pencil/pencil_eigenvalues.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"
#include "base/work_watch.hpp"
#include "linalg/eigenvalues.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

using Complex = std::complex<double>;

// And after so many what is small beside the norm counts as zero: the values stay those of a pair that is as near.
constexpr int kStepsBeforeNorm = 30;
// In units of base/work_watch.hpp.
constexpr Index kWorkOfQz = 60;

// (c, s; -s̄, c)·(x; y) = (r; 0), c real.
struct ComplexRotation {
  double c = 1.0;
  Complex s = 0.0;

  static ComplexRotation of(Complex x, Complex y) {
    const double norm = std::hypot(std::abs(x), std::abs(y));
    if (norm == 0.0) {
      return {};
    }
    const Complex phase = x == 0.0 ? Complex(1.0) : x / std::abs(x);
    return {std::abs(x) / norm, phase * std::conj(y) / norm};
  }
};

class Qz {
 public:
  Qz(const DenseMatrix& e, const DenseMatrix& a)
      : n_(e.rows()),
        a_(a.entries().begin(), a.entries().end()),
        e_(e.entries().begin(), e.entries().end()) {}

  std::vector<Complex> values() {
    make_triangular();
    make_hessenberg();
    double square = 0.0;
    for (const Complex& entry : a_) {
      square += std::norm(entry);
    }
    negligible_ = kEpsilon * std::sqrt(square);
    std::vector<Complex> found;
    Index last = n_ - 1;
    int steps = 0;
    while (last >= 0) {
      const Index first = first_of_block(last, steps > kStepsBeforeNorm);
      if (first == last) {
        found.push_back(a(last, last) / e(last, last));
        --last;
        steps = 0;
        continue;
      }
      ++steps;
      SALTUS_ASSERT(steps < kMostStepsOfAnEigenvalue);
      step(first, last, steps % kStepsBeforeOtherShift == 0 ? other_shift(last) : shift(last));
    }
    return found;
  }

 private:
  Complex& a(Index i, Index j) { return a_[at_index(i + j * n_)]; }
  Complex& e(Index i, Index j) { return e_[at_index(i + j * n_)]; }

  // Rows i and i + 1 of both, columns first … last.
  void rotate_rows(const ComplexRotation& rotation, Index i, Index first, Index last) {
    for (std::vector<Complex>* matrix : {&a_, &e_}) {
      for (Index j = first; j <= last; ++j) {
        Complex& upper = (*matrix)[at_index(i + j * n_)];
        Complex& lower = (*matrix)[at_index(i + 1 + j * n_)];
        const Complex before = upper;
        upper = rotation.c * before + rotation.s * lower;
        lower = rotation.c * lower - std::conj(rotation.s) * before;
      }
    }
  }

  // Columns j and j + 1 of both, rows first … last, so that (x, y) in them becomes (0, r).
  void rotate_columns(Complex x, Complex y, Index j, Index first, Index last) {
    const ComplexRotation rotation = ComplexRotation::of(y, x);
    for (std::vector<Complex>* matrix : {&a_, &e_}) {
      for (Index i = first; i <= last; ++i) {
        Complex& left = (*matrix)[at_index(i + j * n_)];
        Complex& right = (*matrix)[at_index(i + (j + 1) * n_)];
        const Complex before = right;
        right = rotation.c * before + rotation.s * left;
        left = rotation.c * left - std::conj(rotation.s) * before;
      }
    }
  }

  void make_triangular() {
    for (Index j = 0; j + 1 < n_; ++j) {
      for (Index i = n_ - 1; i > j; --i) {
        if (e(i, j) != 0.0) {
          rotate_rows(ComplexRotation::of(e(i - 1, j), e(i, j)), i - 1, 0, n_ - 1);
          e(i, j) = 0.0;
        }
      }
    }
  }

  void make_hessenberg() {
    for (Index j = 0; j + 2 < n_; ++j) {
      for (Index i = n_ - 1; i > j + 1; --i) {
        if (a(i, j) == 0.0) {
          continue;
        }
        rotate_rows(ComplexRotation::of(a(i - 1, j), a(i, j)), i - 1, 0, n_ - 1);
        a(i, j) = 0.0;
        rotate_columns(e(i, i - 1), e(i, i), i - 1, 0, n_ - 1);
        e(i, i - 1) = 0.0;
      }
    }
  }

  // Beside its neighbours, so that small values keep their digits beside large ones; beside all of A where that does not end.
  Index first_of_block(Index last, bool by_norm) {
    Index k = last;
    while (k > 0) {
      const double size = std::abs(a(k - 1, k - 1)) + std::abs(a(k, k));
      if (std::abs(a(k, k - 1)) <= std::max(kEpsilon * size, by_norm ? negligible_ : kSmallestNormal)) {
        a(k, k - 1) = 0.0;
        break;
      }
      --k;
    }
    return k;
  }

  // Of the last 2 × 2 blocks, A₂·E₂⁻¹.
  Complex shift(Index k) {
    const Complex ratio = e(k - 1, k) / e(k - 1, k - 1);
    const Complex p = a(k - 1, k - 1) / e(k - 1, k - 1);
    const Complex q = (a(k - 1, k) - a(k - 1, k - 1) * ratio) / e(k, k);
    const Complex r = a(k, k - 1) / e(k - 1, k - 1);
    const Complex s = (a(k, k) - a(k, k - 1) * ratio) / e(k, k);
    const Complex half = 0.5 * (p - s);
    const Complex root = std::sqrt(half * half + q * r);
    const Complex sum = std::abs(half + root) > std::abs(half - root) ? half + root : half - root;
    return sum == 0.0 ? s : s - q * r / sum;
  }

  Complex other_shift(Index k) {
    return std::abs(a(k, k - 1) / e(k - 1, k - 1)) + std::abs(a(k, k) / e(k, k));
  }

  void step(Index first, Index last, Complex mu) {
    Complex x = a(first, first) - mu * e(first, first);
    Complex y = a(first + 1, first);
    for (Index k = first; k < last; ++k) {
      rotate_rows(ComplexRotation::of(x, y), k, std::max(first, k - 1), last);
      if (k > first) {
        a(k + 1, k - 1) = 0.0;
      }
      rotate_columns(e(k + 1, k), e(k + 1, k + 1), k, first, std::min(k + 2, last));
      e(k + 1, k) = 0.0;
      x = a(k + 1, k);
      y = k + 2 <= last ? a(k + 2, k) : Complex(0.0);
    }
  }

  Index n_;
  std::vector<Complex> a_;
  std::vector<Complex> e_;
  double negligible_ = 0.0;
};

// Eigenvalues of a real pair are real or come in pairs: what rounding has left of that is put right.
std::vector<Complex> real_and_paired(std::vector<Complex> values) {
  std::sort(values.begin(), values.end(),
            [](const Complex& p, const Complex& q) { return std::abs(p.imag()) > std::abs(q.imag()); });
  std::vector<Complex> result;
  while (!values.empty()) {
    const Complex value = values.front();
    values.erase(values.begin());
    const auto partner =
        std::min_element(values.begin(), values.end(), [&](const Complex& p, const Complex& q) {
          return std::abs(std::conj(p) - value) < std::abs(std::conj(q) - value);
        });
    if (partner == values.end() || !(std::abs(std::conj(*partner) - value) < std::abs(value.imag()))) {
      result.emplace_back(value.real());
      continue;
    }
    const Complex mean = 0.5 * (value + std::conj(*partner));
    values.erase(partner);
    result.emplace_back(mean.real(), -std::abs(mean.imag()));
    result.emplace_back(mean.real(), std::abs(mean.imag()));
  }
  std::sort(result.begin(), result.end(), [](const Complex& p, const Complex& q) {
    return p.real() != q.real() ? p.real() < q.real() : p.imag() < q.imag();
  });
  return result;
}

}  // namespace

std::vector<std::complex<double>> pencil_eigenvalues(const DenseMatrix& e, const DenseMatrix& a) {
  SALTUS_EXPECT(e.rows() == e.columns() && a.rows() == a.columns() && e.rows() == a.rows() && e.is_finite() &&
                    a.is_finite(),
                "two square matrices of one order and of finite numbers");
  count_work(kWorkOfQz * e.rows() * e.rows() * e.rows());
  return real_and_paired(Qz(e, a).values());
}

}  // namespace saltus::linalg
