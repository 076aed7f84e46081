#include "linalg/pencil/modular_staircase.hpp"

#include "linalg/modular.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

using modular::columns_of;
using modular::Field;
using modular::kernel_of;
using modular::product;
using modular::Residues;
using modular::residues_of;
using modular::transpose;

std::vector<StairStep> descend(Residues& e, Residues& a, const Field& field) {
  std::vector<StairStep> steps;
  while (true) {
    std::vector<Index> rest;
    const Residues kernel = kernel_of(e, rest, field);
    StairStep step{.rows = e.rows, .columns = e.columns, .kernel = kernel.columns, .image = 0};
    if (step.kernel == 0) {
      steps.push_back(step);
      return steps;
    }
    std::vector<Index> images;
    const Residues others = transpose(kernel_of(transpose(product(a, kernel, field)), images, field));
    step.image = static_cast<Index>(images.size());
    steps.push_back(step);
    e = product(others, columns_of(e, rest), field);
    a = product(others, columns_of(a, rest), field);
  }
}

ExactStaircase staircase_modulo(const DenseMatrix& e, const DenseMatrix& a, const Field& field) {
  Residues left = residues_of(e, true, field);
  Residues right = residues_of(a, true, field);
  ExactStaircase result;
  result.transposed = descend(left, right, field);
  left = transpose(left);
  right = transpose(right);
  result.rest = descend(left, right, field);
  return result;
}

}  // namespace

std::optional<ExactStaircase> exact_staircase(const DenseMatrix& e, const DenseMatrix& a) {
  SALTUS_EXPECT(e.is_finite() && a.is_finite() && e.rows() == a.rows() && e.columns() == a.columns(),
                "two matrices of finite numbers and of one shape");
  return modular::agreed([&](const Field& field) { return staircase_modulo(e, a, field); });
}

}  // namespace saltus::linalg
