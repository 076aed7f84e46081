/// What takes the place of a constraint so that its surface S is reached from wherever the start is.
///
/// Problem    u = u_eq + u_robust drives S = (D + σ)ᶜ⁻¹ F to zero [Com01] 3.2.3; DS = (GB)·u_robust
/// Method     DS = right side, of each surface i,
///              decoupled       -ηᵢ sign(Sᵢ), with the event Sᵢ = 0: u_robust = -(GB)⁻¹ diag(η) sign(S), which meets (3.20) exactly
///              raw             -Σⱼ (GB)ᵢⱼ ηⱼ sign(Sⱼ), as printed: u_robust,ⱼ = -ηⱼ sign(Sⱼ) of the model's own multiplier λⱼ
///              chattering      -ηᵢ sign(Sᵢ) of every evaluation by itself: sliding mode control as a program without events has it
///              boundary_layer  -ηᵢ sat(Sᵢ/δ), whose kinks are events
/// Notation   (GB)ᵢⱼ = Jᵢ·Wⱼ, where Wⱼ is the answer of the accelerations to a unit of λⱼ: the equations of motion (control_form.hpp) differentiated
///            with respect to what moves and to λⱼ. W are new unknowns, of those rows that λⱼ reaches alone. λⱼ that acts against its constraint
///            ((GB)ⱼⱼ < 0) is taken with the other sign.
/// Contract   the model gains variables (`reaching.response[k]`), guards and conditions, and their equations
/// Fails when `raw` does not know which multiplier belongs to which constraint (a sentence)
/// Checked by tests/mechanics/reaching_test.cpp
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flat/model.hpp"
#include "structure/formulation.hpp"

namespace saltus::structure {

class ReachingLaw {
 public:
  struct Surface {
    flat::Equation equation;  ///< the constraint
    NodeId value;             ///< S
    double rate = 1.0;        ///< η
  };

  ReachingLaw(flat::Model& model, const FormulationRequest& request) : model_(model), request_(request) {}

  /// For `raw`, before anything is rewritten: what is wrong, or none.
  [[nodiscard]] std::optional<std::string> find_couplings();
  /// The right side of DS for the surface of constraint `number`, from 0, as far as surfaces do not couple.
  [[nodiscard]] NodeId right_side(const Surface& surface);
  /// `raw`: of all of them, in the order of the constraints.
  [[nodiscard]] std::vector<NodeId> coupled_right_sides(const std::vector<Surface>& surfaces);

 private:
  // Wⱼ by leaf of what moves.
  struct Response {
    struct Item {
      NodeId leaf;
      NodeId value;
    };
    std::vector<Item> items;
  };

  NodeId relation(const Surface& surface, flat::Condition::Kind kind, NodeId guarded, const char* text);
  NodeId sign_of(const Surface& surface);
  NodeId saturated(const Surface& surface);
  Response response_to(NodeId multiplier, const std::vector<flat::Equation>& rows,
                       const std::vector<NodeId>& moved);

  flat::Model& model_;
  const FormulationRequest& request_;
  std::vector<std::vector<NodeId>> coupling_;  // GB, by constraint, by multiplier; invalid: zero
  std::size_t n_responses_ = 0;
};

}  // namespace saltus::structure
