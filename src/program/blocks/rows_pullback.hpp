/// Pullbacks of equations over slots: system::Pullback of the rows that a program with one part computes.
///
/// Contract     as system::Pullback; x are the slots.
///              not_finite: the culprit is the first weighted row that is not finite or by which a sum is not.
/// Checked by   tests/unit/program/equation_pullback_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "program/vm/slab_program.hpp"
#include "system/pullback.hpp"

namespace saltus::program {

/// All of it is read at every call and must outlive the object.
struct RowsOfProgram {
  const SlabProgram& program;
  std::span<const double> frozen;      ///< of the program
  std::span<const ParameterId> zeros;  ///< parameters that the code does not read (zero_parameters.hpp)
  std::span<const double> held;        ///< conditions, then discrete values, where a runner keeps them
  std::size_t n_discrete = 0;          ///< discrete values
  std::span<const char> rests;         ///< by discrete value: those that do; empty: none
};

[[nodiscard]] std::unique_ptr<system::Pullback> make_rows_pullback(const RowsOfProgram& rows);

}  // namespace saltus::program
