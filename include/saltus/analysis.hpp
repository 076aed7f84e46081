// The structure of a model, mode by mode: size, index, degrees of freedom, hidden constraints.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "saltus/linear_equations.hpp"
#include "saltus/matrix_pair.hpp"
#include "saltus/model.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"

namespace saltus {

/// What stands behind the characteristic values of a mode: combinations of rows of the derivative array (F, Ḟ, …, F⁽ᵘ⁾) at a point, directions
/// of the unknowns, and the reduced equations. k is the highest order of a derivative as written. Matrices are lists of rows.
struct ModeProjectors {
  std::vector<std::string> unknowns;  ///< x: columns of `reduced`, rows of t2 and `free`
  std::vector<double> point;          ///< their values
  std::vector<std::string> rows;      ///< of the array; the first ones are the equations as written, F
  std::size_t n_equations = 0;        ///< so many
  Matrix z1;                          ///< Z₁: equations × d_k, those of highest order
  std::vector<Matrix> z_between;      ///< rows × d_i for the orders i = 1 … k - 1
  Matrix z2;                          ///< Z₂: rows × a, the algebraic ones
  Matrix z3;                          ///< Z₃: rows × redundant ones, of all levels
  Matrix t2;    ///< T₂: unknowns × (n - a), orthonormal: what algebraic equations leave free
  Matrix free;  ///< unknowns × u: what no equation determines
  /// The reduced (strangeness-free) equations, linearised at the point: Σ reduced[i]·δx⁽ⁱ⁾ = 0, i = 0 … k. Rows: d_k of order k, …, d_1 of
  /// order 1, a of order 0. With k = 1 these are -Â and Ê.
  std::vector<Matrix> reduced;
  std::optional<PairValues> local;  ///< of the equations as written, with k = 1: without derivatives of them
  bool is_unclear = false;          ///< a rank was decided by a small gap
  double smallest_gap = 0.0;     ///< of all decisions: last number that counts over the first that does not
  double largest_dropped = 0.0;  ///< what counted as zero, relative to the numbers beside it
  double condition = 1.0;        ///< largest over smallest number that counted
};

/// The equations of a mode linearised at a point, as a first-order pencil: E·δẋ = A·δx.
struct ModePencil {
  /// x: unknowns and their derivatives below those written.
  std::vector<std::string> unknowns;
  /// The equations as written, then "der(x) = der(x)" between an unknown and its derivative.
  std::vector<std::string> rows;
  Matrix e;
  Matrix a;
  PencilStructure structure;
  /// The coefficients are constant: what the pencil says, it says of the equations. Otherwise of this point alone: index and number of free values of
  /// equations with varying coefficients are those of ModeAnalysis, which may be others.
  bool is_constant = false;
};

/// A derivative of an equation, and so of the data on its right side, that a reduced system contains.
struct DataDerivative {
  std::string equation;  ///< as written
  int order = 1;
};

/// The first-order system in which every unknown has all derivatives below the highest order of the equations as unknowns of their own.
struct CompanionForm {
  int index = 0;         ///< strangeness index
  std::size_t size = 0;  ///< unknowns
  std::vector<DataDerivative> data_derivatives;
};

/// First-order equations with v = der(x) and der(v) in them, as the equations of higher order that they come from: without v.
struct MergedForm {
  std::vector<std::string> rates;  ///< "v = der(x)", what was merged
  std::size_t equations = 0;
  std::size_t unknowns = 0;
  int index = 0;
  int order = 0;  ///< the highest
  int d2 = 0;
  int d1 = 0;
  int a = 0;
  int u = 0;
  int v = 0;
  std::vector<DataDerivative> data_derivatives;
};

/// A structure of linear equations of first or second order that transformations can keep.
struct ModeStructure {
  PairKind kind = PairKind::none;
  int order = 1;
  bool is_constant = false;  ///< the coefficients are
  std::vector<std::string> unknowns;
  std::vector<std::string> equations;      ///< those of `unknowns`, in that order; with a structure
  std::vector<int> signs;                  ///< of `equations`
  std::vector<double> times;               ///< at which varying coefficients were compared
  std::optional<StructuredValues> values;  ///< of order 1
  std::string reason;                      ///< why there is no structure, or no values
};

/// Characteristic values are those of [KM06]: d differential, a algebraic, u undetermined unknowns, v redundant equations, all at
/// the point that was looked at.
struct ModeAnalysis {
  std::string name;  ///< "main" for a model without modes
  std::size_t equations = 0;
  std::size_t unknowns = 0;
  std::optional<int> index;                  ///< strangeness index of the equations as written
  std::optional<int> differentiation_index;  ///< none where unknowns are undetermined
  std::optional<int> structural_index;       ///< none where the structure does not determine the unknowns
  int d = 0;                                 ///< 2·d2 + d1: free initial values
  int d2 = 0;                                ///< differential unknowns of second-order equations
  int d1 = 0;
  int a = 0;
  int u = 0;
  int v = 0;
  int degrees_of_freedom = 0;
  bool is_linear = false;
  bool by_structure = true;                      ///< how the run reduces it: by structure, or by ranks
  std::vector<std::string> states;               ///< chosen by pivoting, as many as free initial values
  std::vector<std::string> hidden_constraints;   ///< readable equations
  std::vector<std::string> undetermined;         ///< unknowns that no equation determines
  std::vector<DataDerivative> data_derivatives;  ///< of the reduced equations; none of order 0
  /// For comparison, where derivatives of second or higher order occur, as written or merged; none where its ranks are not decided.
  std::optional<CompanionForm> companion{};
  std::optional<MergedForm> merged{};          ///< where there is something to merge
  std::optional<ModeProjectors> projectors{};  ///< if they are asked for, and ranks were decided
  std::optional<ModePencil> pencil{};          ///< the same
  std::optional<ModeStructure> structure{};    ///< if it is asked for
};

struct Analysis {
  double time = 0.0;
  std::vector<ModeAnalysis> modes;
  Diagnostics warnings;
};

struct AnalysisOptions {
  std::optional<double> at{};  ///< time; the start of the experiment if not given
  std::vector<SetValue> set{};
  WorkLimits limits{};
  /// Instead of start values: the model is run from its start to this time, and the mode in which it is then is looked at, at its point.
  std::optional<double> run_to{};
  bool projectors = false;  ///< ModeAnalysis::projectors
  bool pencil = false;      ///< ModeAnalysis::pencil
  bool structure = false;   ///< ModeAnalysis::structure
  /// Decides the ranks of pencils, whether gaps are wide or not; none: unclear ones leave the structure open.
  std::optional<double> pencil_tolerance{};
  bool second_order = true;    ///< ModeAnalysis::companion and ModeAnalysis::merged
  bool equilibrate = true;     ///< rows and columns of arrays are scaled before ranks are decided
  bool by_pivoted_qr = false;  ///< ranks by QR with pivots instead of singular values
};

/// Every mode at the start values made consistent in it, or the mode in which a run is. Fails when a model cannot be read that far, or a mode has no consistent
/// values near its start values.
[[nodiscard]] Result<Analysis> analyze(const Model& model, const AnalysisOptions& options = {});

/// For a program: a JSON object with time and an array of modes, whose members are named as in ModeAnalysis.
[[nodiscard]] std::string render_json(const Analysis& analysis);

}  // namespace saltus
