#include "reduce/linear/trimmed_form.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "linalg/generalized_inverse.hpp"
#include "linalg/pencil/kronecker.hpp"
#include "reduce/ranks/rank_analysis.hpp"
#include "support/random_triple.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;
using test::RandomTriple;
using test::TripleGenerator;

void expect_minimal(const TrimmedForm& form, const ReducedOrder& reduced) {
  EXPECT_EQ(form.e.columns(), reduced.n_unknowns + reduced.d(2));
  EXPECT_EQ(form.e.rows(), reduced.n_equations + reduced.d(2));
  EXPECT_EQ(form.combine.columns(), (reduced.level + 1) * reduced.n_equations);
  const LocalValues local = local_values(form.e, form.a);
  EXPECT_EQ(local.strangeness, 0);
  EXPECT_EQ(local.differential, 2 * reduced.d(2) + reduced.d(1));
  EXPECT_EQ(local.algebraic, reduced.numbers.algebraic);
  EXPECT_EQ(local.undetermined, reduced.undetermined);
  EXPECT_EQ(local.vanishing, reduced.vanishing);
}

TEST(TrimmedForm, HasLeastSizeAndIndexZero) {
  TripleGenerator generator(21);
  for (int i = 0; i < 120; ++i) {
    const RandomTriple triple = generator.make(generator.draw(1, 6), 1, 3);
    const Coefficients coefficients{{triple.matrices[0]}, {triple.matrices[1]}, {triple.matrices[2]}};
    const OrderReduction found = reduce_order(coefficients);
    ASSERT_TRUE(found.reduced) << i;
    expect_minimal(trimmed_form(coefficients, *found.reduced, found.reduced->top), *found.reduced);
  }
}

// Radau IIA of order 5 ([HW96] Table IV.5.6) on E(t)·ẏ = A(t)·y + b(t), linear: one solution for the three stages.
class LinearRadau {
 public:
  using Point = std::function<TrimmedForm(double t)>;
  LinearRadau(Point form, std::function<DenseMatrix(double t)> data)
      : form_(std::move(form)), data_(std::move(data)) {}

  DenseMatrix step(double t, double h, const DenseMatrix& y) const {
    const double r = std::sqrt(6.0);
    const double c[3] = {(4 - r) / 10, (4 + r) / 10, 1.0};
    const double a[3][3] = {{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                            {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                            {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}};
    const Index n = y.rows();
    DenseMatrix matrix(3 * n, 3 * n);
    DenseMatrix right(3 * n, 1);
    for (Index s = 0; s < 3; ++s) {
      const TrimmedForm form = form_(t + c[s] * h);
      const DenseMatrix known = form.a * y + form.combine * data_(t + c[s] * h);
      for (Index i = 0; i < n; ++i) {
        right(s * n + i, 0) = known(i, 0);
        for (Index p = 0; p < 3; ++p) {
          for (Index j = 0; j < n; ++j) {
            matrix(s * n + i, p * n + j) = (s == p ? form.e(i, j) : 0.0) - h * a[s][p] * form.a(i, j);
          }
        }
      }
    }
    const DenseMatrix rates = *linalg::inverse(matrix) * right;
    DenseMatrix next = y;
    for (Index i = 0; i < n; ++i) {
      for (Index p = 0; p < 3; ++p) {
        next(i, 0) += h * a[2][p] * rates(p * n + i, 0);
      }
    }
    return next;
  }

 private:
  Point form_;
  std::function<DenseMatrix(double t)> data_;
};

Coefficients example_3_23(double t) {
  return {{DenseMatrix{{1, 0, 0}, {0, 1, 0}, {0, 1 + t, 1}}, DenseMatrix{{0, 0, 0}, {0, 0, 0}, {0, 1, 0}}},
          {DenseMatrix{{1, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
          {DenseMatrix{{t, 0, 0}, {0, 1, 1}, {0, t, t}}, DenseMatrix{{1, 0, 0}, {0, 0, 0}, {0, 1, 1}}}};
}

// [Wun08] Example 3.36 is the trimmed form of 3.23: size 4, d = 2, a = 2, f'' at most. With f₁ = 0 its solution is x₁ = J₀(2·√t),
// x₂ = f₂ + 2f₂' + t·f₂'' - f₃'', x₃ = f₃ - t·f₂ - x₂.
TEST(TrimmedForm, Example3_36IsSolved) {
  // 1 + t is rounded.
  const auto reduced_at = [](double t) {
    return reduce_order(example_3_23(t), {.is_rounded = true}).reduced.value();
  };
  const DenseMatrix top = reduced_at(1.0).top;
  const LinearRadau radau([&](double t) { return trimmed_form(example_3_23(t), reduced_at(t), top); },
                          [](double t) {
                            // f₂ = sin t, f₃ = cos 2t and their first and second derivatives.
                            return DenseMatrix{{0}, {std::sin(t)},  {std::cos(2 * t)},
                                               {0}, {std::cos(t)},  {-2 * std::sin(2 * t)},
                                               {0}, {-std::sin(t)}, {-4 * std::cos(2 * t)}};
                          });
  expect_minimal(trimmed_form(example_3_23(1.0), reduced_at(1.0), top), reduced_at(1.0));
  const auto x1 = [](double t) { return std::cyl_bessel_j(0, 2 * std::sqrt(t)); };
  const auto rate = [](double t) { return -std::cyl_bessel_j(1, 2 * std::sqrt(t)) / std::sqrt(t); };
  const auto x2 = [](double t) {
    return std::sin(t) + 2 * std::cos(t) - t * std::sin(t) + 4 * std::cos(2 * t);
  };
  double errors[2];
  for (int refined = 0; refined < 2; ++refined) {
    const int steps = refined == 0 ? 10 : 20;
    double t = 1.0;
    const double h = 1.0 / steps;
    DenseMatrix y{{top(0, 0) * t * rate(t)}, {x1(t)}, {x2(t)}, {std::cos(2 * t) - t * std::sin(t) - x2(t)}};
    for (int i = 0; i < steps; ++i, t += h) {
      y = radau.step(t, h, y);
    }
    errors[refined] = std::abs(y(1, 0) - x1(2.0));
    EXPECT_NEAR(y(2, 0), x2(2.0), 1e-6);
    EXPECT_NEAR(y(3, 0), std::cos(4.0) - 2 * std::sin(2.0) - x2(2.0), 1e-6);
  }
  EXPECT_LT(errors[1], 1e-9);
  EXPECT_GT(errors[0] / errors[1], 20.0);  // of order five
}

// [Wun08] Example 3.1 needs f₂'' and no integration; its companion form is of index 3 and needs f₂'''.
TEST(TrimmedForm, Example3_1IsAlgebraic) {
  const Coefficients coefficients{
      {DenseMatrix{{0, 1}, {1, 0}}}, {DenseMatrix{{1, 0}, {0, 0}}}, {DenseMatrix{{1, 0}, {0, 0}}}};
  const ReducedOrder reduced = reduce_order(coefficients).reduced.value();
  const TrimmedForm form = trimmed_form(coefficients, reduced, reduced.top);
  expect_minimal(form, reduced);
  EXPECT_EQ(form.e.rows(), 2);
  EXPECT_EQ(form.e.largest_entry(), 0.0);
  // f₁ = 5, 6, 7 and f₂ = 2, 3, 4 with their derivatives: x₁ = 2, x₂ = 5 - 3 - 4.
  const DenseMatrix x =
      *linalg::inverse(-1.0 * form.a) * (form.combine * DenseMatrix{{5}, {2}, {6}, {3}, {7}, {4}});
  EXPECT_NEAR(x(0, 0), 2.0, 1e-12);
  EXPECT_NEAR(x(1, 0), -2.0, 1e-12);
}

// Eigenvalues of a regular triple are those of its trimmed form and of its companion form alike, and the index of the companion form is higher.
TEST(TrimmedForm, KeepsTheFiniteEigenvaluesOfTheCompanionForm) {
  // x₁'' + 3x₁' + 2x₁ + x₂ = f₁, x₂'' + x₃ = f₂, x₂ = f₃.
  const Coefficients coefficients{{DenseMatrix{{2, 1, 0}, {0, 0, 1}, {0, 1, 0}}},
                                  {DenseMatrix{{3, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
                                  {DenseMatrix{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}}};
  const ReducedOrder reduced = reduce_order(coefficients).reduced.value();
  const TrimmedForm form = trimmed_form(coefficients, reduced, reduced.top);
  const auto trimmed = linalg::kronecker_structure(form.e, form.a, {.tolerance = {}, .is_rounded = true});
  const Coefficients companion = companion_form(coefficients);
  const auto other = linalg::kronecker_structure(companion[1][0], -1.0 * companion[0][0]);
  ASSERT_TRUE(trimmed.blocks && other.blocks);
  ASSERT_EQ(trimmed.blocks->eigenvalues.size(), 2U);
  EXPECT_EQ(trimmed.blocks->index(), 1);
  EXPECT_EQ(other.blocks->index(), 4);
  EXPECT_EQ(form.e.rows(), 4);
  EXPECT_EQ(companion[0][0].rows(), 6);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(trimmed.blocks->eigenvalues[i].real(), i == 0 ? -2.0 : -1.0, 1e-12);
    EXPECT_NEAR(other.blocks->eigenvalues[i].real(), i == 0 ? -2.0 : -1.0, 1e-10);
  }
}

}  // namespace
}  // namespace saltus::reduce
