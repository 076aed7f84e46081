/// How a guard that is zero where a stretch begins goes on, in the run and beside it.
///
/// Problem    along the run g ≈ g⁽ᵐ⁾·τᵐ/m! with the order of contact m, τ the time since the stretch has begun; the run for p + δ has
///            g + δ·(G + G'·τ + …), G = dg/dp in a frame that begins when that run's stretch does. Where a derivative of G below the order m
///            is not zero, it is on the other side of the surface for one sign of δ: for a time O(δ) if the first of these is G⁽ᵐ⁻¹⁾, for one
///            that has no derivative if it is lower.
/// Method     G at five times of a short way along the field, x and S by the classical Runge-Kutta method; its derivatives by the polynomial
///            through these; once more on a way of half the length, for the error.
/// Choices    the way is short against the sizes of x and S. A guard none of whose known derivatives is beyond its noise rests: all orders count.
/// Fails when the field has no values on the way: then all derivatives are NaN
/// Checked by tests/sensitivity/surface_start_test.cpp
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sensitivity/instant/event_time.hpp"

namespace saltus::sensitivity {

/// What is zero up to rounding is within this many bounds of rounding errors: several steps have led there, each with its own.
inline constexpr double kRoundingsOfZero = 16.0;

/// Derivatives that a way shows: of the orders 0 to 3.
inline constexpr std::size_t kContactOrders = 4;

/// The least order of a derivative of the guard that is not zero; kContactOrders: it rests.
[[nodiscard]] std::size_t order_of_contact(StretchField& field, Index guard, const GuardRate& rate,
                                           const InstantPoint& point);

/// Of one order, by column.
struct AlongWay {
  std::vector<double> value;  ///< G⁽ᵒ⁾·Tᵒ, T the time in which something moves by its size
  std::vector<double> error;  ///< of the way
};

/// By order. `point.s` moves with the frame, whose time moves by `sigma`.
[[nodiscard]] std::array<AlongWay, kContactOrders> guard_along_way(const FieldSource& source,
                                                                   StretchField& field, Index guard,
                                                                   const InstantPoint& point,
                                                                   std::span<const double> sigma);

}  // namespace saltus::sensitivity
