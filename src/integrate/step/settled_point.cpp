#include "integrate/step/settled_point.hpp"

#include <algorithm>
#include <cmath>

#include "trajectory/segment.hpp"

namespace saltus::integrate {
namespace {

constexpr int kIterations = 2;  // the second shows whether the first contracted
// Part of the tolerance by which an extension is not moved.
constexpr double kLeastMove = 1e-6;
// Tolerances by which an extension of a step that passed its tests may be off anywhere.
constexpr double kMostOff = 32.0;
constexpr double kContraction = 0.5;  // a component follows the equations at once

bool filtered_defect(ImplicitSystem& system, double t, std::span<double> defect) {
  if (!system.residual(t, defect).ok()) {
    return false;
  }
  system.solve(defect);
  return true;
}

}  // namespace

bool settle_point(ImplicitSystem& system, double t, const SettlingRoom& room) {
  if (!filtered_defect(system, t, room.last)) {
    return false;
  }
  std::fill(room.change.begin(), room.change.end(), 0.0);
  bool settles = false;
  const std::span<double> y = system.y();
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] -= room.last[i];
    }
    if (!filtered_defect(system, t, room.next)) {
      return false;
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (room.last[i] != 0.0 && std::abs(room.next[i]) <= kContraction * std::abs(room.last[i])) {
        room.change[i] += room.last[i];
        settles = true;
      }
    }
    std::copy(room.next.begin(), room.next.end(), room.last.begin());
  }
  return settles;
}

bool is_worth_moving(double change, double theta) {
  return change > kLeastMove && change <= 2.0 * static_cast<double>(trajectory::kMaxSegmentDegree) *
                                              static_cast<double>(trajectory::kMaxSegmentDegree) * kMostOff *
                                              theta;
}

void MovedExtension::restore(std::span<double> slope) {
  if (is_known_) {
    std::copy(slope_.begin(), slope_.end(), slope.begin());
  } else {
    std::copy(slope.begin(), slope.end(), slope_.begin());
    is_known_ = true;
  }
}

void MovedExtension::move(double theta, std::span<const double> change, std::span<double> slope) {
  for (std::size_t i = 0; i < slope.size(); ++i) {
    slope[i] -= change[i] / theta;
  }
}

}  // namespace saltus::integrate
