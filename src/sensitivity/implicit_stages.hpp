/// One step of Radau IIA with three stages on E·Ṡ + A·Y + B = 0 (linear_flow.hpp says what that is).
///
/// Notation   Zᵢ = Sᵢ - S₀ of the stages, hṠᵢ = Σⱼ kInverse[i][j]·Zⱼ; aᵢ the algebraic part of Yᵢ. Unknowns (Zᵢ, aᵢ), equations at the node i:
///              Eᵢ·Σⱼ kInverse[i][j]·Zⱼ/h + Aᵢˣ·(S₀ + Zᵢ) + Aᵢᶻ·aᵢ + Bᵢ = 0
///            error = (A₀ + γ̂/h·E₀)⁻¹·E₀·(Ṡ₀ - P'(0)), P the collocation polynomial  [HW96] IV.8 (8.19), (8.20)
/// Contract   step() tries; accept() keeps what the next step begins with. Steps follow each other without gaps.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "integrate/implicit/radau5_table.hpp"
#include "sensitivity/solution_path.hpp"
#include "sensitivity/square_solver.hpp"
#include "sensitivity/variation_equations.hpp"

namespace saltus::sensitivity {

class ImplicitStages {
 public:
  ImplicitStages(const FieldSource& source, StretchField& field);

  /// Where a step goes: a part of the solution, in time since a place of it; stretched: in u, time = end·u⁴.
  struct Piece {
    const SolutionPath& path;
    SolutionPath::Place origin;
    double from = 0.0;
    double width = 0.0;
    double end = 0.0;  ///< 0: not stretched

    [[nodiscard]] SolutionPath::Place place(double u) const {
      return path.after(origin, end == 0.0 ? u : end * u * u * u * u);
    }
    /// Length of the piece in time where it would go on as at u.
    [[nodiscard]] double length_at(double u) const {
      return width * (end == 0.0 ? 1.0 : 4.0 * end * u * u * u);
    }
  };
  [[nodiscard]] system::Evaluation step(const Piece& piece, std::span<const double> discrete,
                                        std::span<const double> s, std::span<double> result,
                                        std::span<double> error);
  /// The same without an estimate, where the equations have no derivative at the start of the step. In u derivatives that grow like θ^(-3/4)
  /// or less are bounded.
  [[nodiscard]] system::Evaluation open_step(const Piece& piece, std::span<const double> discrete,
                                             std::span<const double> s, std::span<double> result);
  /// S within the step that was tried last, not a stretched one, at the part `theta` of it: the collocation polynomial, with a term of degree 4 in which
  /// the estimated error stands for h·(Ṡ₀ - P'(0)), which it is where nothing is stiff.
  void interpolate(double theta, std::span<const double> s, std::span<const double> error,
                   std::span<double> out) const;
  void accept();
  /// The next step does not follow the last one.
  void restart() { has_begun_ = false; }

 private:
  void make_patterns();
  [[nodiscard]] system::Evaluation equations_at(const Piece& piece, double u,
                                                std::span<const double> discrete,
                                                std::vector<double>& entries, std::span<double> b);
  [[nodiscard]] system::Evaluation begin(const Piece& piece, std::span<const double> discrete,
                                         std::span<const double> s);
  [[nodiscard]] bool factorize(const Piece& piece);
  [[nodiscard]] bool estimate(double h, std::span<double> error);
  // out += factor·(columns first … of the Jacobian)·v, both [row][column of S]
  void multiply(std::span<const double> entries, std::size_t first, std::span<const double> v, double factor,
                std::span<double> out) const;

  StretchField& field_;
  VariationEquations equations_;
  std::size_t n_;          // states
  std::size_t n_y_;        // rows
  std::size_t n_columns_;  // of S
  bool has_begun_ = false;
  std::optional<SquareSolver> stage_solver_;
  std::vector<double> stage_values_;
  std::optional<SquareSolver> point_solver_;  // of (A + αE), or (E, Aᶻ)
  linalg::SparsePattern point_pattern_;
  std::vector<double> point_values_;
  std::array<std::vector<double>, integrate::radau5::kStages> entries_;
  std::vector<double> start_entries_;  // at the start of the step …
  std::vector<double> start_rates_;    // … with Ṡ there, [state][column]
  std::vector<double> stages_;         // (Zᵢ, aᵢ), [stage][row][column]
  std::vector<double> right_;          // of the equations at one point, [row][column]
  double h_ = 0.0;                     // of the step tried last
  std::vector<double> x_;
};

}  // namespace saltus::sensitivity
