/// y = x + h Σ_j a_j k_j in one pass over the states, for any number of stages.
///
/// Choices      A list keeps only the coefficients that are not zero; the sum over stages is unrolled by templates so
///              that the loop over states vectorises and every number is read once. The sum is formed first and then
///              multiplied by h: scaling time by a power of two changes no bit of y.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "base/ids.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {

/// Most stages of a method with its extra stages and one more (explicit_unseen_error.cpp).
inline constexpr std::size_t kMaxStages = 22;
/// Most coefficients of a combination that are not zero.
inline constexpr std::size_t kMostStageTerms = 16;

/// The coefficients of one combination that are not zero.
class Combination {
 public:
  Combination() = default;
  explicit Combination(std::span<const double> coefficients) {
    for (std::size_t stage = 0; stage < coefficients.size(); ++stage) {
      add(stage, coefficients[stage]);
    }
  }
  void add(std::size_t stage, double coefficient) {
    if (coefficient != 0.0) {
      SALTUS_ASSERT(size_ < kMostStageTerms);
      stages_[size_] = stage;
      coefficients_[size_] = coefficient;
      ++size_;
    }
  }

  /// Σ |a_j|.
  [[nodiscard]] double magnitude() const {
    double sum = 0.0;
    for (std::size_t j = 0; j < size_; ++j) {
      sum += std::abs(coefficients_[j]);
    }
    return sum;
  }

  /// y = x + h Σ a_j k_j; `k` are the stages of the step. y may not overlap x or a stage.
  void apply(std::span<const double> x, double h, std::span<double* const> k, std::span<double> y) const {
    dispatch(x.data(), h, k, y, std::make_index_sequence<kMostStageTerms + 1>{});
  }
  /// y = h Σ a_j (k_j - k_0): without the rounding errors of large terms that cancel, zero for stages that are alike.
  void apply_to_differences(double h, std::span<double* const> k, std::span<double> y) const {
    dispatch_differences(h, k, y, std::make_index_sequence<kMostStageTerms + 1>{});
  }
  /// … of some of the states: y has as many numbers as `states`.
  void apply_to_differences(double h, std::span<double* const> k, std::span<const Index> states,
                            std::span<double> y) const {
    dispatch_some(h, k, states, y, std::make_index_sequence<kMostStageTerms + 1>{});
  }
  /// y = h Σ a_j k_j.
  void apply(double h, std::span<double* const> k, std::span<double> y) const {
    dispatch(nullptr, h, k, y, std::make_index_sequence<kMostStageTerms + 1>{});
  }

 private:
  using Kernel = void (*)(const Combination&, const double*, double, double* const*, double*, std::size_t);

  template <std::size_t... Sizes>
  void dispatch(const double* x, double h, std::span<double* const> k, std::span<double> y,
                std::index_sequence<Sizes...> /*sizes*/) const {
    static constexpr std::array<Kernel, sizeof...(Sizes)> kWithBase = {&run<Sizes, true>...};
    static constexpr std::array<Kernel, sizeof...(Sizes)> kWithoutBase = {&run<Sizes, false>...};
    (x != nullptr ? kWithBase : kWithoutBase)[size_](*this, x, h, k.data(), y.data(), y.size());
  }

  using DifferenceKernel = void (*)(const Combination&, double, double* const*, double*, std::size_t);

  template <std::size_t... Sizes>
  void dispatch_differences(double h, std::span<double* const> k, std::span<double> y,
                            std::index_sequence<Sizes...> /*sizes*/) const {
    static constexpr std::array<DifferenceKernel, sizeof...(Sizes)> kKernels = {&run_differences<Sizes>...};
    kKernels[size_](*this, h, k.data(), y.data(), y.size());
  }
  template <std::size_t Size>
  static void run_differences(const Combination& self, double h, double* const* k, double* y, std::size_t n) {
    loop_differences<Size>(self, h, k, y, n, std::make_index_sequence<Size>{});
  }
  template <std::size_t Size, std::size_t... J>
  static void loop_differences([[maybe_unused]] const Combination& self, double h, double* const* k,
                               double* __restrict__ out, std::size_t n, std::index_sequence<J...> /*terms*/) {
    [[maybe_unused]] const std::array<const double*, Size> stage = {k[self.stages_[J]]...};
    [[maybe_unused]] const std::array<double, Size> a = {self.coefficients_[J]...};
    const double* const first = k[0];
    for (std::size_t i = 0; i < n; ++i) {
      [[maybe_unused]] const double k0 = first[i];
      out[i] = h * (0.0 + ... + (a[J] * (stage[J][i] - k0)));
    }
  }

  using SomeKernel = void (*)(const Combination&, double, double* const*, std::span<const Index>, double*);

  template <std::size_t... Sizes>
  void dispatch_some(double h, std::span<double* const> k, std::span<const Index> states, std::span<double> y,
                     std::index_sequence<Sizes...> /*sizes*/) const {
    static constexpr std::array<SomeKernel, sizeof...(Sizes)> kKernels = {&run_some<Sizes>...};
    kKernels[size_](*this, h, k.data(), states, y.data());
  }
  template <std::size_t Size>
  static void run_some(const Combination& self, double h, double* const* k, std::span<const Index> states,
                       double* y) {
    loop_some<Size>(self, h, k, states, y, std::make_index_sequence<Size>{});
  }
  template <std::size_t Size, std::size_t... J>
  static void loop_some([[maybe_unused]] const Combination& self, double h, double* const* k,
                        std::span<const Index> states, double* __restrict__ out,
                        std::index_sequence<J...> /*terms*/) {
    [[maybe_unused]] const std::array<const double*, Size> stage = {k[self.stages_[J]]...};
    [[maybe_unused]] const std::array<double, Size> a = {self.coefficients_[J]...};
    const double* const first = k[0];
    for (std::size_t n = 0; n < states.size(); ++n) {
      const Index i = states[n];
      [[maybe_unused]] const double k0 = first[i];
      out[n] = h * (0.0 + ... + (a[J] * (stage[J][i] - k0)));
    }
  }

  template <std::size_t Size, bool WithBase>
  static void run(const Combination& self, const double* x, double h, double* const* k, double* y,
                  std::size_t n) {
    loop<Size, WithBase>(self, x, h, k, y, n, std::make_index_sequence<Size>{});
  }

  // `out` is restrict as a parameter: compilers then vectorise without comparing it with every stage first.
  template <std::size_t Size, bool WithBase, std::size_t... J>
  static void loop([[maybe_unused]] const Combination& self, [[maybe_unused]] const double* __restrict__ x,
                   double h, [[maybe_unused]] double* const* k, double* __restrict__ out, std::size_t n,
                   std::index_sequence<J...> /*terms*/) {
    [[maybe_unused]] const std::array<const double*, Size> stage = {k[self.stages_[J]]...};
    [[maybe_unused]] const std::array<double, Size> a = {self.coefficients_[J]...};
    for (std::size_t i = 0; i < n; ++i) {
      const double sum = (0.0 + ... + (a[J] * stage[J][i]));
      if constexpr (WithBase) {
        out[i] = x[i] + h * sum;
      } else {
        out[i] = h * sum;
      }
    }
  }

  std::array<std::size_t, kMostStageTerms> stages_{};
  std::array<double, kMostStageTerms> coefficients_{};
  std::size_t size_ = 0;
};

}  // namespace saltus::integrate
