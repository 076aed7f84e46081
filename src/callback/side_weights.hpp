/// The sides that functions are asked with, and the corners of which a blend consists.
///
/// Method       Between ±1 a function is multilinear in the weights: Σ over the corners σ of Π (1 + σ_k s_k)/2 · f(σ).
/// Contract     A side that is 0 in a configuration is that of a guard that stays zero, and is handed on; a weight that is set is blended.
///              Does not allocate after construction.
/// Checked by   tests/unit/callback/callback_system_test.cpp
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "callback/callback_model.hpp"
#include "saltus/contract.hpp"
#include "system/configuration.hpp"

namespace saltus::callback {

class SideWeights {
 public:
  explicit SideWeights(const CallbackModel& model)
      : sides_(model.guards.size(), 1.0),
        is_blended_(model.guards.size(), 0),
        corner_(model.guards.size()),
        parameters_(model.parameters) {}

  void set_configuration(const system::Configuration& configuration) {
    SALTUS_EXPECT(configuration.latched.size() == sides_.size(), "the configuration is of this system");
    std::copy(configuration.latched.begin(), configuration.latched.end(), sides_.begin());
    std::copy(configuration.discrete.begin(), configuration.discrete.end(), parameters_.begin());
    std::fill(is_blended_.begin(), is_blended_.end(), std::uint8_t{0});
    n_blended_ = 0;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      if (sides_[i] != 0.0) {
        set_latched(static_cast<Index>(i), sides_[i]);
      }
    }
  }

  void set_latched(Index guard, double value) {
    const auto i = static_cast<std::size_t>(guard);
    const bool is_blended = std::abs(value) != 1.0;  // weights beyond ±1 occur in iterations
    n_blended_ += static_cast<int>(is_blended) - static_cast<int>(is_blended_[i]);
    is_blended_[i] = static_cast<std::uint8_t>(is_blended);
    sides_[i] = value;
  }

  [[nodiscard]] bool is_blended() const { return n_blended_ > 0; }
  [[nodiscard]] std::span<const double> sides() const { return sides_; }
  [[nodiscard]] std::span<const double> parameters() const { return parameters_; }
  [[nodiscard]] CallbackPoint at(double t, std::span<const double> x) const {
    return {t, x, sides_, parameters_};
  }

  /// Calls call(share, sides) for every corner; false from it ends that.
  template <class Call>
  void for_corners(Call call) {
    std::copy(sides_.begin(), sides_.end(), corner_.begin());
    for (std::uint64_t corner = 0; corner < (std::uint64_t{1} << n_blended_); ++corner) {
      double share = 1.0;
      std::uint64_t bits = corner;
      for (std::size_t i = 0; i < sides_.size(); ++i) {
        if (is_blended_[i] != 0) {
          corner_[i] = (bits & 1U) != 0 ? 1.0 : -1.0;
          share *= 0.5 * (1.0 + corner_[i] * sides_[i]);
          bits >>= 1U;
        }
      }
      if (!call(share, std::span<const double>(corner_))) {
        return;
      }
    }
  }

 private:
  std::vector<double> sides_;
  std::vector<std::uint8_t> is_blended_;
  int n_blended_ = 0;
  std::vector<double> corner_;
  std::vector<double> parameters_;
};

}  // namespace saltus::callback
