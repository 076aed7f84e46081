/// How variables and rates move with states, inputs, tunable parameters and time, at the point where a simulation stands.
///
/// Problem      δv for knowns k moved by δk, with everything else at rest: directional derivatives J·δk, and the transposed λᵀJ
/// Method       tangents of the field (system/tangents.hpp), which are exact. λᵀJ is made of J, column by column: there are no programs that run
///              backwards. Directions are taken kDirections at a time.
/// Contract     What the field computes afterwards is the same in every bit. Knowns are the states of the present mode, numbers that are set from
///              outside, and time; states count as independent, also where constraints relate them.
/// Fails when   the field offers no tangents: held on surfaces, reduced by ranks, functions of the user; or a derivative is not finite
/// Cost         adjoint: as many directions as knowns
/// Checked by   tests/unit/api/point_derivatives_test.cpp
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/evaluator_tangents.hpp"
#include "saltus/matrix_pair.hpp"
#include "saltus/result.hpp"
#include "settle/state/position.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::api {

class PointDerivatives {
 public:
  PointDerivatives(const system::HybridSystem& system, const settle::Position& at)
      : system_(system), at_(at) {}

  /// Names that do not exist violate the contract.
  void set_unknowns(std::span<const std::string> names);
  void set_knowns(std::span<const std::string> names);

  /// J·S: rows by unknown, columns by direction; `seeds` [known][direction].
  [[nodiscard]] Result<Matrix> along(const Matrix& seeds) const;
  /// J, row by row.
  [[nodiscard]] Result<Matrix> all() const;

 private:
  /// Directions that are taken at once: they share the evaluation of functions, and memory grows with them.
  static constexpr std::size_t kDirections = 16;

  struct Known {
    enum class Kind { time, state, outside } kind = Kind::time;
    std::size_t place = 0;
    double sign = 1.0;
  };
  struct Unknown {
    enum class Kind { variable, state, rate } kind = Kind::variable;
    std::size_t place = 0;
    double sign = 1.0;
    std::string name;
  };

  [[nodiscard]] Known find_known(const std::string& name) const;
  [[nodiscard]] Unknown find_unknown(const std::string& name) const;
  [[nodiscard]] Result<std::unique_ptr<program::ModeTangents>> tangents(std::size_t n) const;
  [[nodiscard]] Diagnostics not_there(const std::string& why) const;

  const system::HybridSystem& system_;
  const settle::Position& at_;
  std::vector<Known> knowns_;
  std::vector<Unknown> unknowns_;
};

}  // namespace saltus::api
