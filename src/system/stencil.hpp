/// Derivatives by differences, for what offers no tangents of its own.
///
/// Method     five points, the middle one of weight zero: F'(0) ≈ (F(-2η) - 8F(-η) + 8F(η) - F(2η))/(12η), error O(η⁴)
/// Choices    arguments move by kPart of their size. There the truncation error, kPart⁴ ≈ 1e-12, and the rounding errors of F over
///            kPart ≈ 1e-13 are of one size for functions whose derivatives are of the size of their values.
#pragma once

#include <array>

namespace saltus::system {

struct Stencil {
  static constexpr double kPart = 0x1p-10;
  static constexpr std::array<double, 4> offsets{-2.0, -1.0, 1.0, 2.0};
  static constexpr std::array<double, 4> weights{1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
};

}  // namespace saltus::system
