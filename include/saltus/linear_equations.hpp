// Linear equations of any order with varying coefficients at a point: what is hidden in them, reduced and in forms that keep a structure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/matrix_pair.hpp"
#include "saltus/result.hpp"

namespace saltus {

/// Errors of the functions below: rows of different lengths, sizes that do not fit, entries that are not finite (`wrong-matrix`).

/// What M, C and K say of M·ẍ + C·ẋ + K·x = f at once, without derivatives of the equations: ten local characteristic values.
struct TripleValues {
  int rank = 0;       ///< r of M
  int algebraic = 0;  ///< a
  int strangeness_mck =
      0;  ///< unknowns that equations of second and first order and algebraic ones have in common
  int strangeness_ck = 0;
  int strangeness_mc = 0;
  int strangeness_mk = 0;
  int first_order = 0;   ///< d1
  int second_order = 0;  ///< d2
  int undetermined = 0;  ///< u
  int vanishing = 0;     ///< v
  bool is_clear =
      false;  ///< gaps of ranks are wide, and the numbers exactly as they stand have the same values
};
/// Any shape; all three have the same.
[[nodiscard]] Result<TripleValues> triple_values(const Matrix& m, const Matrix& c, const Matrix& k);

/// Σ C_i·x⁽ⁱ⁾ = f, i = 0 … k: [i][j] is derivative j of C_i at the point. Those that are not given are zero: constant coefficients have one each.
using CoefficientList = std::vector<std::vector<Matrix>>;

/// Equations without anything hidden, in the unknowns as they stand: Σ coefficients[i]·x⁽ⁱ⁾ = combine·(f, ḟ, …, f⁽ᵘ⁾), u the index.
struct ReducedEquations {
  int index = 0;
  std::vector<int> differential;  ///< d_1 … d_k: equations of that order
  int algebraic = 0;              ///< a
  int undetermined = 0;           ///< u
  int vanishing = 0;              ///< v
  /// Rows: d_k of order k, …, d_1 of first order, a algebraic ones, v of zeros.
  std::vector<Matrix> coefficients;
  Matrix combine;
  std::vector<int> data_orders;  ///< by equation: the highest derivative of its f that is needed
  /// Of order 2: E·ẏ = A·y + trimmed_combine·(f, ḟ, …) of least size, y = (w, x) with w = Z·M·ẋ, Z the first d_2 rows of combine in f.
  Matrix trimmed_e;
  Matrix trimmed_a;
  Matrix trimmed_combine;
};
struct EquationOptions {
  /// Entries are results of calculations: what rounding errors of theirs explain counts as zero.
  bool is_rounded = false;
};
/// The error also: a rank is not clear, or the ranks add up at no depth (`unclear-rank`).
[[nodiscard]] Result<ReducedEquations> reduce_equations(const CoefficientList& coefficients,
                                                        const EquationOptions& options = {});

/// The companion form: E·ẏ = A·y + (f, 0) with y = (x, ẋ, …, x⁽ᵏ⁻¹⁾), as coefficients of order 1 (-A and E).
[[nodiscard]] Result<CoefficientList> companion_equations(const CoefficientList& coefficients);

enum class PairKind { none, symmetric, self_adjoint };

/// The structure of coefficients of order 1, (-A, E), or 2, (K, C, M): symmetric; self-adjoint is E = -Eᵀ with A = (A + Ė)ᵀ, and M = Mᵀ, C = 2Ṁ - Cᵀ,
/// K = M̈ - Ċᵀ + Kᵀ. Equations need not stand in the order of the unknowns: equation i times its sign belongs to unknown[i].
struct FoundStructure {
  PairKind kind = PairKind::none;
  std::vector<int> unknown;
  std::vector<int> sign;
  bool is_complete = true;  ///< false: the search for an order was given up
};
[[nodiscard]] Result<FoundStructure> find_structure(const CoefficientList& coefficients);

/// Ê·ẏ = Â·y + data·b + data_rate·ḃ with x = unknowns·y. Rates of those y that are differentiated are rows of unknowns⁻¹·(ẋ - unknowns_rate·y).
struct StructuredEquations {
  Matrix e;
  Matrix a;
  Matrix data;
  Matrix data_rate;
  Matrix unknowns;
  Matrix unknowns_rate;
};

/// E·ẋ = A·x + b with a structure, by congruences. Blocks are of s, d, a, s and u rows.
struct StructuredValues {
  int rank = 0;
  int algebraic = 0;
  int strangeness = 0;
  int differential = 0;
  int undetermined = 0;
  Matrix p;  ///< Pᵀ·E·P = condensed_e
  Matrix condensed_e;
  Matrix condensed_a;
  Matrix local_a;                ///< by a local congruence, which removes the first r × r block too
  bool is_semidefinite = false;  ///< E is symmetric and positive semidefinite: the index is at most 1
  std::optional<int> index;      ///< 0 or 1; none: see `reason`
  std::optional<StructuredEquations> strangeness_free;
  std::optional<StructuredEquations> extended;  ///< index 1, with s more unknowns
  std::string reason;                           ///< why a form is left out
};
/// e[j], a[j]: derivatives at the point; of e up to the second, of a up to the first are used. The errors also: the matrices do not have the
/// structure (`wrong-matrix`), or a rank is not clear (`unclear-rank`).
[[nodiscard]] Result<StructuredValues> structured_pair(const std::vector<Matrix>& e,
                                                       const std::vector<Matrix>& a, PairKind kind,
                                                       const EquationOptions& options = {});

}  // namespace saltus
