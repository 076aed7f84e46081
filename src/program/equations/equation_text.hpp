/// Equations in words: as written, and differentiated.
///
/// Method       both sides are differentiated once after the other, which prints as a person would write it
///              (2*x*der(x), without the factorials of a Taylor series).
/// Choices      texts end after kLongestEquation bytes.
/// Checked by   tests/unit/program/equation_program_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "flat/model.hpp"
#include "system/equation_set.hpp"

namespace saltus::program {

inline constexpr std::size_t kLongestEquation = 400;

/// A row before it is put in words.
struct RowSource {
  NodeId left;
  NodeId right;
  int n_more_derivatives = 0;  ///< to be taken of both sides
  int order = 0;               ///< as RowInfo::order: those that were taken already are counted too
  Index equation = -1;         ///< as RowInfo::equation
  SourceSpan span = {};
  bool is_combined = false;  ///< as RowInfo::is_combined
};

/// `graph` contains the model's and grows; discrete variables of the model rest.
[[nodiscard]] std::vector<system::RowInfo> describe_rows(const flat::Model& model, expr::Graph& graph,
                                                         std::span<const RowSource> rows);

}  // namespace saltus::program
