/// When the projectors of reduced equations are made anew, as a small object that decides from how far a matrix has moved.
///
/// Method       Reduced equations have the same solutions with any projectors for which they are regular; what changes is how well
///              their Jacobian fits. Projectors are functions of a matrix (of ∂(x - P)/∂x): relative to its rows it may change by
///              kDrift over its condition before directions have moved by about kDrift. Asked when a method wants a
///              Jacobian, that is between steps or after an iteration that did not converge: within the iteration of a step
///              projectors never change.
/// Checked by   tests/unit/reduce/projector_policy_test.cpp
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"

namespace saltus::reduce {

class ProjectorPolicy {
 public:
  static constexpr double kDrift = 0.1;

  /// Nothing made so far counts.
  void forget() { has_projectors_ = false; }
  /// Projectors have been made from these entries; `rows` says which row each belongs to.
  void made(std::span<const double> entries, std::span<const Index> rows, Index n_rows, double condition) {
    entries_.assign(entries.begin(), entries.end());
    size_.assign(static_cast<std::size_t>(n_rows), 0.0);
    for (std::size_t e = 0; e < entries.size(); ++e) {
      double& size = size_[static_cast<std::size_t>(rows[e])];
      size = std::max(size, std::abs(entries[e]));
    }
    condition_ = condition;
    has_projectors_ = true;
  }
  [[nodiscard]] bool needs_projectors(std::span<const double> entries, std::span<const Index> rows) const {
    return !has_projectors_ || drift(entries, rows) * condition_ > kDrift;
  }

  void fields(Archive& a) { a(has_projectors_, condition_, entries_, size_); }

 private:
  [[nodiscard]] double drift(std::span<const double> entries, std::span<const Index> rows) const {
    double largest = 0.0;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const double change = std::abs(entries[e] - entries_[e]);
      const double size = size_[static_cast<std::size_t>(rows[e])];
      largest = change > 0.0 ? std::max(largest, size > 0.0 ? change / size : 1.0) : largest;
    }
    return largest;
  }

  bool has_projectors_ = false;
  double condition_ = 1.0;
  std::vector<double> entries_;
  std::vector<double> size_;  // of the rows
};

}  // namespace saltus::reduce
