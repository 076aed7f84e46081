/// Values during elaboration: scalars and arrays of numbers that are known or nodes of the graph.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "flat/model.hpp"

namespace saltus::lang {

/// A number known at compile time, or a node. Known numbers make no nodes until they are used in one, so that
/// subscripts and loop bounds leave nothing in the graph. Neither known nor a node: not assigned yet.
struct Scalar {
  double number = 0.0;
  NodeId node;
  bool known = false;

  [[nodiscard]] bool defined() const { return known || node.valid(); }
  friend bool operator==(const Scalar& a, const Scalar& b) {
    return a.known == b.known && (a.known ? a.number == b.number : a.node == b.node);
  }
};

[[nodiscard]] inline Scalar known_scalar(double number) {
  return {number, NodeId(), true};
}
[[nodiscard]] inline Scalar node_scalar(NodeId node) {
  return {0.0, node, false};
}

/// Sizes of the dimensions; empty for a scalar.
using Shape = std::vector<Index>;

/// "[3, 4]", or "a scalar".
[[nodiscard]] std::string to_string(const Shape& shape);
[[nodiscard]] std::string_view to_string(flat::Type type);
/// The product of the sizes, or kTooManyElements if it is larger than that.
[[nodiscard]] Index n_elements(const Shape& shape);
inline constexpr Index kTooManyElements = 5'000'000;
/// Whole numbers beyond this are not exact as doubles.
inline constexpr double kMaxInteger = 9007199254740992.0;

struct Value {
  flat::Type type = flat::Type::real;
  bool failed = false;  ///< reported already: everything computed from it fails silently
  Shape shape;
  Scalar scalar;                            ///< if the shape is empty
  std::vector<Scalar> elements;             ///< in row-major order otherwise
  std::shared_ptr<const std::string> text;  ///< of a String

  [[nodiscard]] bool is_scalar() const { return shape.empty(); }
  [[nodiscard]] std::size_t size() const { return shape.empty() ? 1 : elements.size(); }
  [[nodiscard]] const Scalar& operator[](std::size_t i) const { return shape.empty() ? scalar : elements[i]; }
  [[nodiscard]] Scalar& operator[](std::size_t i) { return shape.empty() ? scalar : elements[i]; }
};

[[nodiscard]] Value failed_value();
[[nodiscard]] Value scalar_value(flat::Type type, Scalar scalar);
[[nodiscard]] inline Value integer_value(double number) {
  return scalar_value(flat::Type::integer, known_scalar(number));
}
/// An array with room for its elements, which are not defined yet.
[[nodiscard]] Value array_value(flat::Type type, Shape shape);

}  // namespace saltus::lang
