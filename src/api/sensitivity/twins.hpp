/// The system beside itself: with other values of one parameter or start value, for derivatives by differences.
///
/// Problem      how start values, dependent parameters and what is solved at the start move with a parameter is known by solving again
/// Method       d/dp F ≈ Σ wᵢ·F(p + oᵢ·h) of fourth order: o = ±1, ±2 with weights ±2/3, ∓1/12 over h, or, where no system can be made on one side
///              (bounds of the parameter, assertions, no start), 0 … 4 on the other with -25/12, 4, -3, 4/3, -1/4 over h (Fornberg 1988,
///              table 3). h = kTwinDistance·size.
/// Contract     The base system is not changed. What does not depend on p has the derivative 0 exactly; a dependence that is linear is met up to
///              rounding. Nothing is said (Column::undefined) where neither side works or where the model beside p is another one: other
///              states, conditions over parameters, whole numbers or sides of the start, a zero that equations were simplified by. Guards that are
///              zero at the start may leave it (TwinSet::leaves) where start values are smooth across their surfaces. With
///              RunSettings::sensitivity_side twins of that side suffice.
/// Cost         four systems and four starts for each parameter; code is shared with the base (program/compiled_model.hpp)
/// Checked by   tests/unit/api/sensitivity_twins_test.cpp
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/model/instance.hpp"
#include "api/options/run_settings.hpp"
#include "api/sensitivity/targets.hpp"
#include "sensitivity/field/setup.hpp"

namespace saltus::api {

/// 2⁻¹⁰ of the parameter: the truncation is h⁴/30 of the fifth derivative, about 1e-13, and rounding grows by 1/h to as much.
inline constexpr double kTwinDistance = 0x1p-10;

struct StencilPoint {
  int offset = 0;  ///< times h
  double weight = 0.0;
  double coarse = 0.0;  ///< of a difference of second order over the same points
};

/// An instance with one value changed, and its start.
struct TwinInstance {
  Instance instance;
  system::InitialPoint initial;
  std::vector<double> parameters;  ///< by parameter of the flat model
};

/// Twins of one parameter or start value.
struct TwinSet {
  std::string undefined;  ///< why there are none
  double h = 0.0;
  std::vector<StencilPoint> stencil;
  std::map<int, TwinInstance> twins;  ///< by offset; that of a start value has 0 too
  std::vector<Index> leaves;          ///< guards that are zero at the start, and are not for all twins
};

/// Where twins are to lie: on both sides where that can be, or on that of RunSettings::sensitivity_side alone.
enum class TwinSides : std::uint8_t { any, chosen };

/// `base` has found its start, `initial`. `distance`: h/size.
[[nodiscard]] TwinSet make_twins(const Instance& base, const system::InitialPoint& initial,
                                 const SensitivityTarget& target, const RunSettings& settings,
                                 double distance = kTwinDistance, TwinSides sides = TwinSides::any);

/// For a run from `initial`. All outlive it: twins of parameters that have no part in the start (plain_parameters.hpp) are made when they are first asked
/// for.
[[nodiscard]] sensitivity::Setup make_setup(const Instance& base, const system::InitialPoint& initial,
                                            const std::vector<SensitivityTarget>& targets,
                                            const RunSettings& settings);

}  // namespace saltus::api
