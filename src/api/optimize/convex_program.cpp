#include "api/optimize/convex_program.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "linalg/dense_lu.hpp"

namespace saltus::api {
namespace {

constexpr int kMostIterations = 100;
// Of the way to where a slack or a multiplier becomes zero.
constexpr double kBoundaryPart = 0.995;

class InteriorPoint {
 public:
  InteriorPoint(const ConvexProgram& program, std::vector<double> z)
      : program_(program),
        n_(static_cast<std::size_t>(program.hessian.rows())),
        m_(program.limits.size()),
        z_(std::move(z)),
        lambda_(m_, 1.0),
        lu_(static_cast<Index>(n_)) {
    double size = 1.0;
    for (const double q : program.linear) {
      size = std::max(size, std::abs(q));
    }
    size_ = size;
    const std::vector<double> rows = times_rows(z_);
    for (std::size_t i = 0; i < m_; ++i) {
      s_.push_back(std::max(program.limits[i] - rows[i], 1e-2));
      lambda_[i] = size;
    }
  }

  std::optional<ConvexSolution> run() {
    for (int k = 0; k < kMostIterations; ++k) {
      find_residuals();
      if (is_solved()) {
        return ConvexSolution{z_, lambda_};
      }
      if (!factorize()) {
        break;
      }
      // Predictor, then corrector with the centre that it suggests.
      std::vector<double> complementarity(m_);
      for (std::size_t i = 0; i < m_; ++i) {
        complementarity[i] = s_[i] * lambda_[i];
      }
      step(complementarity);
      const double reach = std::min(longest(s_, ds_), longest(lambda_, dl_));
      double after = 0.0;
      for (std::size_t i = 0; i < m_; ++i) {
        after += (s_[i] + reach * ds_[i]) * (lambda_[i] + reach * dl_[i]);
      }
      const double mu = gap_;
      const double ratio = after / static_cast<double>(m_) / mu;
      const double centre = ratio * ratio * ratio * mu;
      for (std::size_t i = 0; i < m_; ++i) {
        complementarity[i] += ds_[i] * dl_[i] - centre;
      }
      step(complementarity);
      const double length = std::min(1.0, kBoundaryPart * std::min(longest(s_, ds_), longest(lambda_, dl_)));
      for (std::size_t i = 0; i < n_; ++i) {
        z_[i] += length * dz_[i];
      }
      for (std::size_t i = 0; i < m_; ++i) {
        s_[i] += length * ds_[i];
        lambda_[i] += length * dl_[i];
      }
    }
    // What was reached is used where it is near enough.
    find_residuals();
    return gap_ <= 1e4 * kGap && std::isfinite(gap_) ? std::optional(ConvexSolution{z_, lambda_})
                                                     : std::nullopt;
  }

 private:
  [[nodiscard]] double row(std::size_t i, std::size_t j) const {
    return program_.rows(static_cast<Index>(i), static_cast<Index>(j));
  }
  [[nodiscard]] std::vector<double> times_rows(const std::vector<double>& z) const {
    return program_.rows * z;
  }

  void find_residuals() {
    dual_ = program_.hessian * z_;
    for (std::size_t j = 0; j < n_; ++j) {
      dual_[j] += program_.linear[j];
      for (std::size_t i = 0; i < m_; ++i) {
        dual_[j] += row(i, j) * lambda_[i];
      }
    }
    primal_ = times_rows(z_);
    gap_ = 0.0;
    for (std::size_t i = 0; i < m_; ++i) {
      primal_[i] += s_[i] - program_.limits[i];
      gap_ += s_[i] * lambda_[i] / static_cast<double>(m_);
    }
  }

  [[nodiscard]] bool is_solved() const {
    const auto largest = [](const std::vector<double>& values) {
      double found = 0.0;
      for (const double value : values) {
        found = std::max(found, std::abs(value));
      }
      return found;
    };
    return gap_ <= kGap && largest(dual_) <= 1e-10 * size_ && largest(primal_) <= 1e-11;
  }

  // H + Gᵀ·diag(λ/s)·G.
  [[nodiscard]] bool factorize() {
    const std::span<double> matrix = lu_.matrix();
    for (std::size_t a = 0; a < n_; ++a) {
      for (std::size_t b = 0; b < n_; ++b) {
        double sum = program_.hessian(static_cast<Index>(a), static_cast<Index>(b));
        for (std::size_t i = 0; i < m_; ++i) {
          sum += row(i, a) * lambda_[i] / s_[i] * row(i, b);
        }
        matrix[b * n_ + a] = sum;
      }
    }
    return lu_.factorize().kind == linalg::FactorStatus::Kind::ok;
  }

  // With what s·λ is to lose.
  void step(const std::vector<double>& complementarity) {
    dz_.assign(n_, 0.0);
    for (std::size_t j = 0; j < n_; ++j) {
      dz_[j] = -dual_[j];
      for (std::size_t i = 0; i < m_; ++i) {
        dz_[j] -= row(i, j) * (lambda_[i] * primal_[i] - complementarity[i]) / s_[i];
      }
    }
    lu_.solve(dz_);
    const std::vector<double> rows = times_rows(dz_);
    ds_.resize(m_);
    dl_.resize(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      ds_[i] = -primal_[i] - rows[i];
      dl_[i] = -(complementarity[i] + lambda_[i] * ds_[i]) / s_[i];
    }
  }

  static double longest(const std::vector<double>& from, const std::vector<double>& change) {
    double length = 1.0 / kBoundaryPart;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (change[i] < 0.0) {
        length = std::min(length, -from[i] / change[i]);
      }
    }
    return std::min(length, 1.0 / kBoundaryPart);
  }

  const ConvexProgram& program_;
  std::size_t n_;
  std::size_t m_;
  std::vector<double> z_;
  std::vector<double> s_;
  std::vector<double> lambda_;
  linalg::DenseLu lu_;
  std::vector<double> dual_;
  std::vector<double> primal_;
  std::vector<double> dz_;
  std::vector<double> ds_;
  std::vector<double> dl_;
  double gap_ = 0.0;
  double size_ = 1.0;
};

}  // namespace

std::optional<ConvexSolution> solve(const ConvexProgram& program, std::vector<double> z) {
  return InteriorPoint(program, std::move(z)).run();
}

}  // namespace saltus::api
