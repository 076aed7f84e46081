// Strong ids: an index that says what it indexes and converts to nothing else by itself.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace saltus {

/// Sizes and loop counters.
using Index = std::ptrdiff_t;

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t value) : value_(value) {}
  constexpr explicit Id(std::size_t value) : value_(static_cast<std::uint32_t>(value)) {}

  [[nodiscard]] constexpr bool valid() const { return value_ != kNone; }
  [[nodiscard]] constexpr std::uint32_t value() const { return value_; }
  /// For subscripts: items[id.index()].
  [[nodiscard]] constexpr std::size_t index() const { return value_; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t value_ = kNone;
};

using NodeId = Id<struct NodeTag>;            ///< node of an expression graph
using VariableId = Id<struct VariableTag>;    ///< variable of a flat model
using ParameterId = Id<struct ParameterTag>;  ///< parameter or constant of a flat model
using EquationId = Id<struct EquationTag>;
using ConditionId = Id<struct ConditionTag>;
using GuardId = Id<struct GuardTag>;
using ModeId = Id<struct ModeTag>;

}  // namespace saltus

template <class Tag>
struct std::hash<saltus::Id<Tag>> {
  std::size_t operator()(saltus::Id<Tag> id) const noexcept { return id.value(); }
};
