#include "reduce/linear/order_array.hpp"

#include <algorithm>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;
using linalg::modular::Field;
using linalg::modular::Residues;

// Calls add(p, l, factor, C) for every term factor·C of x⁽ᵖ⁾ in row l.
template <class Add>
void for_terms(const Coefficients& coefficients, int level, const Add& add) {
  for (int l = 0; l <= level; ++l) {
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      double factor = 1.0;  // binomial(l, j)
      for (int j = 0; j <= l && j < static_cast<int>(coefficients[i].size()); ++j) {
        add(i + static_cast<std::size_t>(l - j), l, factor, coefficients[i][static_cast<std::size_t>(j)]);
        factor *= static_cast<double>(l - j) / static_cast<double>(j + 1);
      }
    }
  }
}

template <class Matrix>
std::vector<Matrix> empty_array(const Coefficients& coefficients, int level) {
  const DenseMatrix& one = coefficients[0][0];
  return std::vector<Matrix>(coefficients.size() + static_cast<std::size_t>(level),
                             Matrix(one.rows() * static_cast<Index>(level + 1), one.columns()));
}

}  // namespace

void check_coefficients(const Coefficients& coefficients) {
  SALTUS_EXPECT(coefficients.size() >= 2, "coefficients of x and of ẋ at least");
  for (const std::vector<DenseMatrix>& derivatives : coefficients) {
    SALTUS_EXPECT(!derivatives.empty(), "a coefficient of every order");
  }
  const DenseMatrix& one = coefficients[0][0];
  for (const std::vector<DenseMatrix>& derivatives : coefficients) {
    for (const DenseMatrix& matrix : derivatives) {
      SALTUS_EXPECT(matrix.rows() == one.rows() && matrix.columns() == one.columns() && matrix.is_finite(),
                    "coefficients of one shape and of finite numbers");
    }
  }
}

std::vector<DenseMatrix> order_array(const Coefficients& coefficients, int level) {
  check_coefficients(coefficients);
  std::vector<DenseMatrix> array = empty_array<DenseMatrix>(coefficients, level);
  for_terms(coefficients, level, [&](std::size_t order, int l, double factor, const DenseMatrix& block) {
    for (Index j = 0; j < block.columns(); ++j) {
      for (Index i = 0; i < block.rows(); ++i) {
        array[order](l * block.rows() + i, j) += factor * block(i, j);
      }
    }
  });
  return array;
}

std::vector<Residues> exact_order_array(const Coefficients& coefficients, int level, const Field& field) {
  std::vector<Residues> array = empty_array<Residues>(coefficients, level);
  for_terms(coefficients, level, [&](std::size_t order, int l, double factor, const DenseMatrix& block) {
    const std::uint64_t times = field.residue(factor);
    for (Index j = 0; j < block.columns(); ++j) {
      for (Index i = 0; i < block.rows(); ++i) {
        std::uint64_t& entry = array[order](l * block.rows() + i, j);
        entry = field.plus(entry, field.times(times, field.residue(block(i, j))));
      }
    }
  });
  return array;
}

Coefficients companion_form(const Coefficients& coefficients) {
  check_coefficients(coefficients);
  const std::size_t order = coefficients.size() - 1;
  const Index m = coefficients[0][0].rows();
  const Index n = coefficients[0][0].columns();
  const Index n_chains = n * static_cast<Index>(order - 1);
  const DenseMatrix none(m + n_chains, n * static_cast<Index>(order));
  const auto put = [&](DenseMatrix& into, const DenseMatrix& block, Index column) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < m; ++i) {
        into(i, column + j) = block(i, j);
      }
    }
  };
  Coefficients result(2, {none});
  for (std::size_t i = 0; i <= order; ++i) {
    std::vector<DenseMatrix>& derivatives = result[i == order ? 1 : 0];
    for (std::size_t j = 0; j < coefficients[i].size(); ++j) {
      derivatives.resize(std::max(derivatives.size(), j + 1), none);
      put(derivatives[j], coefficients[i][j], static_cast<Index>(std::min(i, order - 1)) * n);
    }
  }
  for (Index i = 0; i < n_chains; ++i) {
    result[1][0](m + i, i) = 1.0;
    result[0][0](m + i, n + i) = -1.0;
  }
  return result;
}

}  // namespace saltus::reduce
