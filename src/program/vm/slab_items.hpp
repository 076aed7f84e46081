/// First half of slab compilation: what has to be computed, in which piece of the program.
///
/// An item is one value: a leaf in its place, or one operation. Items refer to items, so the second half
/// (slab_emitter.hpp) needs the graph no more.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "program/vm/slab_compiler.hpp"

namespace saltus::program {

inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

/// How often a value has to be computed.
enum class Rhythm : std::uint8_t {
  frozen,  ///< depends on parameters and constants alone: once
  held,    ///< … and on held inputs: when one of them has changed
  run,     ///< in every run
};

struct Item {
  enum class Kind : std::uint8_t { leaf, constant, operation };
  Kind kind = Kind::operation;
  SlabOp op = SlabOp::copy;
  Rhythm rhythm = Rhythm::run;
  bool iterated = false;                                       ///< depends on an iterated input of its part
  std::uint32_t operands[3] = {kNoIndex, kNoIndex, kNoIndex};  ///< items
  std::int32_t immediate = 0;                                  ///< exponent of power_integer
  std::uint32_t node = 0;  ///< where it comes from; orders items by creation
  std::uint32_t depth = 0;
  std::uint64_t shape = 0;
  std::uint32_t uses = 0;  ///< times that other items read it
  std::uint32_t segment = 0;
  std::uint32_t last_segment = 0;   ///< the last one that reads it
  std::uint32_t output = kNoIndex;  ///< of its part, when it is written there and nowhere else
  std::uint32_t group = kNoIndex;   ///< slab whose registers hold it (emitter)
  Location location;                ///< of a leaf; of the others once emitted
  double value = 0.0;               ///< of a constant
};

/// Items computed together; strips end at strip_ends[0], strip_ends[1], …, the last at items.size().
struct Segment {
  std::vector<std::uint32_t> items;
  std::vector<std::uint32_t> strip_ends;
  bool iterated = false;
};

inline constexpr std::uint32_t kPrologueSegment = 0;
inline constexpr std::uint32_t kHeldSegment = 1;
/// Request i has segments kFirstPartSegment + 2i (not iterated part) and the one after it.
inline constexpr std::uint32_t kFirstPartSegment = 2;

struct ItemList {
  std::vector<Item> items;
  std::vector<Segment> segments;
};

[[nodiscard]] ItemList collect_items(const expr::Graph& graph, const LeafBindings& bindings,
                                     const ProgramRequest& request);

}  // namespace saltus::program
