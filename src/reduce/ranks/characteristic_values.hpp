/// The characteristic values of a DAE at a point: index, numbers of algebraic, differential, undetermined and redundant parts.
///
/// Problem      F(t, x, ẋ, …, x⁽ᵏ⁾) = 0, m equations, n unknowns, any shape: the least level μ of differentiation that shows
///              all constraints, and the projectors of the reduced system
/// Method       arrays of level l = 0, 1, …, each at slots that satisfy it (array_newton.hpp); ranks by rank_analysis.hpp;
///              v = growth of the number of redundant rows; μ is the first l with a + d₁ + … + d_k + v = m ([Wun08] 2.2.2,
///              3.1.2, 3.2). That the values stand still from l to l + 1 says nothing ([Wun08] Example 3.23).
/// Contract     Analysed either in the order as written (d₂, d₁, a of [Wun08] chapter 3) or as a first-order system of the states,
///              which are all derivatives below those written: what the states have to satisfy beside x itself may need more
///              differentiations ([Wun08] Example 3.33). The companion form takes every unknown as often as the one of highest order.
/// Choices      All columns of a variable share a scale, all of an order another, so that units of variables and of time do not
///              matter; Z₁, Z₂, Z₃ belong to equations as they stand, T₂ is orthonormal, Z₂ in a form that can be read.
/// Fails when   no level up to max_level satisfies the test (the values are not constant near the point), or no slots satisfy an
///              array: diagnostics that name what was found and the rows
/// Cost         dense: (levels·n)³; for systems up to some hundreds of slots
/// Checked by   tests/unit/reduce/characteristic_values_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "linalg/dense_matrix.hpp"
#include "linalg/rank_decision.hpp"
#include "reduce/ranks/array_layout.hpp"
#include "saltus/result.hpp"
#include "system/locked_dae.hpp"

namespace saltus::reduce {

enum class AnalysisForm : std::uint8_t {
  as_written,  ///< derivatives of order k stay what they are
  states,      ///< a first-order system of the states of the LockedDae
  companion,  ///< … of all derivatives of all unknowns below the highest order in the equations: for comparison
};

/// Ranks are decided with dense matrices of a few times as many rows; above, structure alone is told.
inline constexpr std::size_t kMostUnknownsForRanks = 150;

struct AnalysisOptions {
  AnalysisForm form = AnalysisForm::as_written;
  /// Beyond it a regular system would have to be of an index that no model has.
  int max_level = 10;
  linalg::RankMethod method = linalg::RankMethod::singular_values;
  bool equilibrate = true;
};

struct CharacteristicValues {
  int level = 0;                    ///< μ, the strangeness index in the form analysed
  Index n_equations = 0;            ///< m, with the chains ẋ_k = x_(k+1) in the form of states
  Index n_unknowns = 0;             ///< n
  Index algebraic = 0;              ///< a
  std::vector<Index> differential;  ///< d₁ … d_k: unknowns that solve an equation of that order
  Index undetermined = 0;           ///< u
  Index vanishing = 0;              ///< v: equations that follow from the others, or contradict them

  /// Numbers that may be chosen at the start, undetermined functions aside: Σ i·d_i.
  [[nodiscard]] Index degrees_of_freedom() const;
  [[nodiscard]] Index d() const;  ///< Σ d_i
  [[nodiscard]] Index d1() const { return differential.empty() ? 0 : differential[0]; }
  [[nodiscard]] Index d2() const { return differential.size() < 2 ? 0 : differential[1]; }
  /// Whether the values, the projectors aside, are the same.
  [[nodiscard]] bool same_values(const CharacteristicValues& other) const;
  /// "(μ, d, a, u, v)"
  [[nodiscard]] std::string text() const;

  /// ZᵀF_μ: combinations of the rows of the array of level μ.
  linalg::DenseMatrix z2;                     ///< algebraic: rows × a
  linalg::DenseMatrix z3;                     ///< redundant, all levels: rows × ṽ_μ
  std::vector<linalg::DenseMatrix> z_middle;  ///< of order i = 1 … k - 1: rows × d_i
  linalg::DenseMatrix z1;    ///< of order k, of the equations as written (and chains): m × d_k
  linalg::DenseMatrix t2;    ///< orthonormal basis of the kernel of the algebraic conditions: n × (n - a)
  linalg::DenseMatrix free;  ///< basis of the directions of x that no equation determines: n × u

  /// By equation as written: how often it is differentiated in the reduced system, and so the data on its right side (data_orders.hpp).
  std::vector<int> data_orders;

  std::vector<double> slots;  ///< of level μ: the point analysed
  std::vector<std::string>
      rows;                   ///< of the array of level μ as a person reads them, all that z2 and z3 combine
  bool is_unclear = false;    ///< a rank was decided by a small gap, at level μ or before
  double smallest_gap = 0.0;  ///< of all decisions
  double largest_dropped = 0.0;  ///< what counts as zero, of all decisions at level μ
  double condition = 1.0;        ///< largest within the ranks

  void fields(Archive& a) {
    a(level, n_equations, n_unknowns, algebraic, differential, undetermined, vanishing, z2, z3, z_middle, z1,
      t2, free, data_orders, slots, rows, is_unclear, smallest_gap, largest_dropped, condition);
  }
};

/// At the point (t, x), x by state of `dae`; what x violates is corrected by the least weighted change.
[[nodiscard]] Result<CharacteristicValues> find_characteristic_values(
    const system::LockedDae& dae, const system::Configuration& configuration, double t,
    std::span<const double> x, const AnalysisOptions& options = {});

/// What one array says at slots that satisfy it.
struct ArrayValues {
  CharacteristicValues values;  ///< numbers and projectors; no level, v or rows, and Z₂ as it comes
  Index redundant = 0;          ///< rows of the array that follow from others
};

/// `entries` of its Jacobian, all finite; `n_equations` as written.
[[nodiscard]] ArrayValues values_of_array(const system::EquationSet& array, const ArrayLayout& layout,
                                          std::span<const double> entries, Index n_equations,
                                          const AnalysisOptions& options);

}  // namespace saltus::reduce
