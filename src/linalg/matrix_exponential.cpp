#include "linalg/matrix_exponential.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "linalg/dense_lu.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// [Hig05] (2.3): coefficients of the approximant.
constexpr std::array<double, 14> kPade = {64764752532480000.0,
                                          32382376266240000.0,
                                          7771770303897600.0,
                                          1187353796428800.0,
                                          129060195264000.0,
                                          10559470521600.0,
                                          670442572800.0,
                                          33522128640.0,
                                          1323241920.0,
                                          40840800.0,
                                          960960.0,
                                          16380.0,
                                          182.0,
                                          1.0};
// [Hig05] Table 2.3, θ₁₃: the largest norm that it serves.
constexpr double kLargestNorm = 5.371920351148152;

}  // namespace

DenseMatrix exponential(const DenseMatrix& a) {
  SALTUS_EXPECT(a.rows() == a.columns() && a.is_finite(), "a square matrix of finite numbers");
  if (a.rows() == 0) {
    return a;
  }
  const double norm = a.column_norm();
  const int squarings = norm > kLargestNorm ? static_cast<int>(std::ceil(std::log2(norm / kLargestNorm))) : 0;
  const DenseMatrix scaled = std::ldexp(1.0, -squarings) * a;
  const DenseMatrix square = scaled * scaled;
  // Even and odd parts: the numerator is their sum, the denominator their difference.
  DenseMatrix power = DenseMatrix::identity(a.rows());
  DenseMatrix even(a.rows(), a.rows());
  DenseMatrix odd(a.rows(), a.rows());
  for (std::size_t k = 0; k < kPade.size(); k += 2) {
    even = even + kPade[k] * power;
    odd = odd + kPade[k + 1] * power;
    power = power * square;
  }
  odd = scaled * odd;
  DenseLu lu(a.rows());
  const DenseMatrix denominator = even - odd;
  std::copy(denominator.entries().begin(), denominator.entries().end(), lu.matrix().begin());
  SALTUS_EXPECT(lu.factorize().ok(), "the denominator is nonsingular within its norm");
  DenseMatrix result = even + odd;
  const auto n = static_cast<std::size_t>(a.rows());
  for (std::size_t j = 0; j < n; ++j) {
    lu.solve(result.entries().subspan(j * n, n));
  }
  for (int i = 0; i < squarings; ++i) {
    result = result * result;
  }
  return result;
}

}  // namespace saltus::linalg
