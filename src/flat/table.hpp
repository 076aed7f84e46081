/// Functions given by data: piecewise polynomials of one argument.
///
/// Problem      y(x) through points (xₖ, yₖ), the first and last value outside of them, so that nothing is smoothed over: a solver has to see
///              where a derivative jumps.
/// Method       y = c₀ + d·(c₁ + d·(c₂ + d·c₃)), d = x - o. Origin o and coefficients belong to the segment in which x lies; they are conditions
///              (flat::Condition::Kind::segment), locked between events like every other, and the knots are the surfaces at which
///              they change. So derivatives, bounds and index reduction see a polynomial, an argument that is affine in time makes
///              scheduled events, and a step ends at each knot.
///              `hold`: cᵢ = yₖ from xₖ on. `linear`: chords; an x given twice is a step. `cubic`: the natural spline, C² between the first
///              and last point (de Boor, A Practical Guide to Splines, ch. IV: second derivatives from a tridiagonal system
///              with dominant diagonal, so that elimination without pivoting is stable); where it ends is a surface of its own, because it
///              bends there: y = b + i·spline, b the value that is held outside, i = 1 inside.
/// Notation     columns: several y over the same x; they share knots, so that one argument makes one guard
/// Contract     table_problem() is empty for what is given to pieces_of
/// Choices      two arguments: Σⱼ bⱼ(v)·yⱼ(u), bⱼ the interpolant of the unit vector j over the points of v and yⱼ that of row j: bilinear,
///              held in both, or the tensor product of splines
/// Checked by   tests/unit/flat/table_test.cpp
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/knots.hpp"
#include "expr/graph.hpp"

namespace saltus::flat {

enum class Interpolation { linear, hold, cubic };
/// By the name that users write; none if there is no such rule.
[[nodiscard]] std::optional<Interpolation> interpolation_of(std::string_view name);

/// What is wrong with these points: "… at point 3 …"; empty: nothing. `argument` names x.
[[nodiscard]] std::string table_problem(std::string_view argument, const Numbers& x, Interpolation rule);

struct Pieces {
  SharedNumbers knots;
  SharedNumbers origins;  ///< by segment, as all numbers here
  /// By column: c₀, c₁, …, as many as some segment needs.
  std::vector<std::vector<SharedNumbers>> coefficients;
  /// How smooth the interpolant is at its knots: -1: it may jump, 0: it may have kinks, 2: a spline.
  int continuity = -1;

  /// Of a spline: its first and last point, by their segments whether it holds there, and by column what holds else.
  SharedNumbers ends = nullptr;
  SharedNumbers is_inside = nullptr;
  std::vector<SharedNumbers> outside = {};
};

[[nodiscard]] Pieces pieces_of(const Numbers& x, std::span<const Numbers> columns, Interpolation rule);

/// Makes the condition that holds the number of the segment in which the argument lies; `continuity` of what is made of such numbers.
using HeldBySegment =
    std::function<NodeId(const SharedNumbers& knots, const SharedNumbers& numbers, int continuity)>;
/// y of a column at `argument`.
[[nodiscard]] NodeId interpolant(expr::Graph& graph, NodeId argument, const Pieces& pieces,
                                 std::size_t column, const HeldBySegment& held);

}  // namespace saltus::flat
