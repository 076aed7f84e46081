// E·ẋ = A·x + B·u, y = C·x with constant coefficients: what inputs reach, what outputs see, feedback, and conditions of linear-quadratic control.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "saltus/matrix_pair.hpp"
#include "saltus/result.hpp"

namespace saltus {

/// E and A are square; a matrix without rows or columns is an empty list.
struct DescriptorSystem {
  Matrix e;
  Matrix a;
  Matrix b;
  Matrix c;
};

struct DescriptorReach {
  bool finite = false;    ///< rank (λE - A, B) = n for all λ: R-controllable; of outputs: R-observable
  bool complete = false;  ///< and rank (E, B) = n
  std::vector<std::complex<double>> missed;  ///< λ at which the rank falls
  bool everywhere = false;                   ///< it is less than n for all λ
};

struct DescriptorValues {
  bool is_regular = false;  ///< det(λE - A) is not zero for all λ
  DescriptorReach inputs;
  DescriptorReach outputs;
  /// F with which u = F·x + w, or u = F·y + w, makes the equations regular with index at most 1; none: there is no such F.
  std::optional<Matrix> state_feedback;
  std::optional<Matrix> output_feedback;
};
/// Errors: sizes that do not fit (`wrong-matrix`), a rank that is not clear (`unclear-rank`).
[[nodiscard]] Result<DescriptorValues> descriptor_values(const DescriptorSystem& system);

/// Minimise ½·x(t_f)ᵀM·x(t_f) + ½·∫ (xᵀQx + 2xᵀSu + uᵀRu) over modes that follow each other at zeros of switching functions g(t, x).
struct QuadraticCost {
  Matrix q;
  Matrix s;
  Matrix r;
};
/// λ are the multipliers of the equations, by equation.
struct ControlledPoint {
  std::vector<double> x;
  std::vector<double> u;
  std::vector<double> lambda;
};
struct QuadraticResiduals {
  std::vector<double> state;    ///< E·ẋ - A·x - B·u
  std::vector<double> adjoint;  ///< Eᵀλ' + Aᵀλ + Q·x + S·u
  std::vector<double> control;  ///< Bᵀλ + Sᵀx + R·u
};
/// What is left of the necessary conditions within a mode. Errors: sizes that do not fit (`wrong-matrix`).
[[nodiscard]] Result<QuadraticResiduals> quadratic_residuals(const DescriptorSystem& system,
                                                             const QuadraticCost& cost,
                                                             const ControlledPoint& point,
                                                             const std::vector<double>& x_rate,
                                                             const std::vector<double>& lambda_rate);
/// Eᵀλ(t_f) - M·x(t_f).
[[nodiscard]] Result<std::vector<double>> quadratic_end_residual(const DescriptorSystem& system,
                                                                 const Matrix& m, const ControlledPoint& end);

/// A side of a switch: its mode, and the limits there.
struct ControlledSide {
  DescriptorSystem system;
  QuadraticCost cost;
  ControlledPoint point;
};
struct SwitchResiduals {
  std::vector<double> state;    ///< x⁺ - x⁻
  std::vector<double> adjoint;  ///< (E⁺)ᵀλ⁺ - (E⁻)ᵀλ⁻ + ½·g_xᵀη
  double hamiltonian = 0.0;  ///< H⁺ - H⁻ - g_tᵀη, H = xᵀQx + 2xᵀSu + uᵀRu + 2λᵀ(A·x + B·u)
};
/// At a switch where g = 0: `g_x` has a row and `g_t` and `eta` a number for each switching function.
[[nodiscard]] Result<SwitchResiduals> quadratic_switch_residuals(const ControlledSide& before,
                                                                 const ControlledSide& after,
                                                                 const Matrix& g_x,
                                                                 const std::vector<double>& g_t,
                                                                 const std::vector<double>& eta);

}  // namespace saltus
