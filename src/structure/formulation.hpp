/// A model in another formulation: what its constraints become before it is compiled (docs/math/formulations.md).
///
/// Problem    the same mechanism by equivalent control, by reaching from inconsistent starts, stabilised as Gear, Gupta and Leimkuhler do, …
/// Method     Most formulations differ in what a differentiated equation is combined with and in what is done after steps: flat::Formulation
///            says so to index reduction and projection. Two are other equations:
///            reaching [Com01] 3.2.3, with D = d/dt and S = (D + σ)ᶜ⁻¹ F for an equation F that must be differentiated c times
///              D S = -η sign(S)
///            takes the place of F: S reaches zero after |S(0)|/η (3.20), an event, and slides there, which is equivalent control. Nothing
///            is constrained, so start values are taken as they are given. Other laws of the same kind: reaching_law.hpp.
///            ggl [GGL85], for F(t, q) = 0 with c = 2 and q' = v
///              q' = v + (∂F/∂q)ᵀ μ,   0 = ∂F/∂t + ∂F/∂q v,
///            a system of index 2 whose positions and velocities are both constrained.
/// Contract   the model is not changed; the copy has the same variables, parameters, guards and conditions, and new ones behind them.
///            An equation that is differentiated in some modes only, or more often, is rewritten in each.
/// Fails when a constraint contains a variable that the model does not differentiate (reaching: it has no start value to reach from), an
///            equation q' = v is missing (ggl), a constraint is differentiated three times or more or is a combination of equations
///            (post-stabilisation, rewriting), ranks decide, it is not known what constraints act by (control_form.hpp; raw reaching, the
///            metric of the mass matrix, frozen forces): formulation-not-supported
/// Checked by tests/mechanics/formulations_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "flat/formulation.hpp"
#include "flat/model.hpp"
#include "saltus/result.hpp"

namespace saltus::structure {

struct FormulationRequest {
  enum class Rewriting : std::uint8_t { none, reaching, ggl };
  /// Of `reaching`, what takes the place of -η sign(S).
  enum class Law : std::uint8_t {
    decoupled,       ///< that
    raw,             ///< -Σ (GB)ᵢⱼ ηⱼ sign(Sⱼ): the law as printed, in which surfaces are coupled
    chattering,      ///< the same as `decoupled`, with the sign of every evaluation and without an event
    boundary_layer,  ///< -η sat(S / width)
  };

  flat::Formulation formulation = {};
  Rewriting rewriting = Rewriting::none;
  Law law = Law::decoupled;
  std::vector<double> constraint_rates = {};  ///< σ by constraint; empty: formulation.rate for all
  std::vector<double> reaching_rates = {};    ///< η: one for all, or by constraint; empty: 1
  double boundary_layer = 1e-3;               ///< width
  bool is_of_method = false;                  ///< a method needs it: nobody is told where it has no effect

  [[nodiscard]] bool is_general() const {
    return formulation.row == flat::Formulation::Row::differentiated &&
           formulation.result == flat::Formulation::Result::projected && rewriting == Rewriting::none;
  }
  friend bool operator==(const FormulationRequest&, const FormulationRequest&) = default;
};

/// `warnings`: there is nothing to formulate.
[[nodiscard]] Result<std::shared_ptr<const flat::Model>> reformulate(const flat::Model& model,
                                                                     const FormulationRequest& request,
                                                                     Diagnostics& warnings);

}  // namespace saltus::structure
