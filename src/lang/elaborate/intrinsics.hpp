/// The functions the language knows by name (LANGUAGE 2, 3, 5).
#pragma once

#include <cstdint>
#include <string_view>

#include "expr/graph.hpp"

namespace saltus::lang {

enum class Intrinsic : std::uint8_t {
  none,
  elementary,  ///< sin, cos, …: one operation of the graph
  atan2,
  abs,
  sign,
  min,
  max,
  floor,
  ceil,
  integer,
  div,
  mod,
  rem,
  size,
  ndims,
  zeros,
  ones,
  fill,
  identity,
  diagonal,
  linspace,
  sum,
  product,
  transpose,
  cat,
  scalar,
  vector,
  matrix,
  cross,
  outer_product,
  skew,
  direction,  ///< saltus' own: a function of this name in the text takes its place
  der,
  pre,
  edge,
  change,
  initial,
  terminal,
  sample,
  smooth,
  no_event,
  homotopy,
  interpolate,  ///< likewise
  reinit,
  assert,
  terminate,
  contact,  ///< likewise
  refused,  ///< of Modelica, not of the subset: refused by name
};

struct IntrinsicInfo {
  std::string_view name;
  Intrinsic intrinsic = Intrinsic::none;
  expr::Op operation = expr::Op::constant;  ///< of an elementary function
  int n_least = 1;                          ///< number of arguments
  int n_most = 1;
};

/// Null if there is no such function.
[[nodiscard]] const IntrinsicInfo* find_intrinsic(std::string_view name);
/// The value of Modelica.Constants.pi and friends; null if there is no such constant.
[[nodiscard]] const double* find_named_constant(std::string_view name);

}  // namespace saltus::lang
