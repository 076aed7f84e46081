/// The guards of a mode as sequences of blocks like its rates: for tangents, which tapes (guards/guard_tape.hpp) do not have.
///
/// Choices      guards that read no unknown of an implicit block have a sequence of their own, which cannot fail with a block of others.
/// Contract     as everything that is built on demand (mode_equation_code.hpp).
/// Checked by   tests/unit/program/evaluator_tangents_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "program/blocks/block_sequence.hpp"

namespace saltus::program {

struct SystemCode;
struct ModeCode;

struct GuardValuesCode {
  enum class Kind : std::uint8_t { none, direct, solved };
  std::vector<Kind> kinds;  ///< by guard; none: it cannot be evaluated
  /// Outputs: by guard; 0 for those of the other sequence. Null: there is no such guard.
  std::shared_ptr<const SequenceCode> direct;
  std::shared_ptr<const SequenceCode> solved;
};

[[nodiscard]] std::shared_ptr<const GuardValuesCode> build_guard_values(const SystemCode& code,
                                                                        const ModeCode& mode);

/// … with the numbers of one system.
struct GuardValues {
  std::shared_ptr<const GuardValuesCode> code;
  std::optional<BlockSequence> direct;
  std::optional<BlockSequence> solved;
};

}  // namespace saltus::program
