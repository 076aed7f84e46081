/// What identifies an unknown everywhere: a variable and how often it is differentiated. Names are for people only; two modes that have
/// own variables of one name share its index.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>

#include "base/archive.hpp"
#include "base/ids.hpp"

namespace saltus::system {

struct Quantity {
  Index variable = -1;  ///< index in HybridSystem::variables()
  int order = 0;        ///< of the derivative

  friend auto operator<=>(const Quantity&, const Quantity&) = default;

  void fields(Archive& a) { a(variable, order); }
};

struct QuantityHash {
  [[nodiscard]] std::size_t operator()(const Quantity& quantity) const {
    constexpr Index kMostOrders = 64;  // spreads orders; more of them only collide
    return std::hash<Index>{}(quantity.variable * kMostOrders + quantity.order);
  }
};

}  // namespace saltus::system
