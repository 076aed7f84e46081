/// The equations of the mode in which a simulation is, as they are written: residuals and Jacobian at its point, or at another one.
///
/// Contract     `elsewhere` replaces values of unknowns, of their derivatives and of "time"; other names break the contract. Sides and discrete
///              values are those of the simulation.
/// Fails when   the mode is given by a right-hand side in C++, has more unknowns than ranks are decided for, or an equation has no value there
/// Checked by   tests/unit/api/point_derivatives_test.cpp
#pragma once

#include <span>
#include <vector>

#include "api/model/instance.hpp"
#include "saltus/simulation.hpp"
#include "settle/state/position.hpp"

namespace saltus::api {

/// `values`: of all variables at the point.
[[nodiscard]] Result<EquationValues> equations_at(const Instance& instance, const settle::Position& at,
                                                  std::span<const double> values,
                                                  const std::vector<NamedValue>& elsewhere);

}  // namespace saltus::api
