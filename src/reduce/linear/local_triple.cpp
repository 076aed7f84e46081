#include "reduce/linear/local_triple.hpp"

#include <algorithm>
#include <vector>

#include "linalg/equilibration.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

template <class Algebra>
TripleValues values_by(Algebra& algebra, const typename Algebra::Matrix& m, const typename Algebra::Matrix& c,
                       const typename Algebra::Matrix& k, Index n_equations) {
  using Matrix = typename Algebra::Matrix;
  const Index n = Algebra::columns(m);
  const Matrix v1 = algebra.corange(m);
  const Matrix v2 = algebra.kernel(m);
  const Matrix c1 = algebra.transpose_times(v1, c);
  const Matrix v3 = algebra.product(v1, algebra.corange(c1));
  const Matrix k3 = algebra.transpose_times(v3, k);
  const Matrix c12 = algebra.product(c1, v2);
  const Matrix v4 = algebra.product(v2, algebra.kernel(c12));
  TripleValues values;
  values.rank = n - Algebra::columns(v2);
  values.algebraic = algebra.rank(algebra.product(k3, v4));
  values.strangeness_mck =
      n - algebra.rank(Algebra::beside(v2, Algebra::beside(algebra.kernel(c1), algebra.kernel(k3))));
  values.strangeness_ck = algebra.rank(algebra.product(k3, v2)) - values.algebraic;
  values.first_order = algebra.rank(c12) - values.strangeness_ck;
  values.strangeness_mc =
      algebra.rank(c1) - values.strangeness_mck - values.strangeness_ck - values.first_order;
  values.strangeness_mk =
      algebra.rank(k3) - values.algebraic - values.strangeness_mck - values.strangeness_ck;
  values.second_order = values.rank - values.strangeness_mck - values.strangeness_mc - values.strangeness_mk;
  values.vanishing = n_equations - values.rank - 2 * values.strangeness_ck - values.first_order -
                     2 * values.strangeness_mck - values.strangeness_mc - values.algebraic -
                     values.strangeness_mk;
  values.undetermined = n - values.rank - values.strangeness_ck - values.first_order - values.algebraic;
  return values;
}

}  // namespace

LocalTriple local_triple(const DenseMatrix& m, const DenseMatrix& c, const DenseMatrix& k, bool is_rounded) {
  SALTUS_EXPECT(m.rows() == c.rows() && m.rows() == k.rows() && m.columns() == c.columns() &&
                    m.columns() == k.columns(),
                "three matrices of one shape");
  SALTUS_EXPECT(m.is_finite() && c.is_finite() && k.is_finite(), "finite numbers");
  const Index n = m.columns();
  std::vector<std::vector<Index>> labels(2);
  for (Index j = 0; j < 3 * n; ++j) {
    labels[0].push_back(j % n);
    labels[1].push_back(j / n);
  }
  const DenseMatrix all = beside(m, beside(c, k));
  const DenseMatrix scaled = linalg::equilibrate(all, labels).apply(all);
  LocalTriple found;
  NumericAlgebra numeric;
  found.values = values_by(numeric, scaled.middle_columns(0, n), scaled.middle_columns(n, n),
                           scaled.middle_columns(2 * n, n), m.rows());
  found.doubts = numeric.doubts();
  found.exact = linalg::modular::agreed([&](const linalg::modular::Field& field) {
    ModularAlgebra exact(field);
    return values_by(exact, linalg::modular::residues_of(m, false, field),
                     linalg::modular::residues_of(c, false, field),
                     linalg::modular::residues_of(k, false, field), m.rows());
  });
  const bool is_rounding = is_rounded && found.doubts.is_rounding(std::max(m.rows(), n));
  found.is_clear = !found.doubts.is_unclear && (is_rounding || found.exact == found.values);
  return found;
}

}  // namespace saltus::reduce
