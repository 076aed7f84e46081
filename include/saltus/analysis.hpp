// The structure of a model, mode by mode: size, index, degrees of freedom, hidden constraints.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "saltus/model.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"

namespace saltus {

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
  bool by_structure = true;                     ///< how the run reduces it: by structure, or by ranks
  std::vector<std::string> states;              ///< chosen by pivoting, as many as free initial values
  std::vector<std::string> hidden_constraints;  ///< readable equations
  std::vector<std::string> undetermined;        ///< unknowns that no equation determines
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
};

/// Every mode at the start values made consistent in it. Fails when a model cannot be read that far, or a mode has no consistent
/// values near its start values.
[[nodiscard]] Result<Analysis> analyze(const Model& model, const AnalysisOptions& options = {});

/// For a program: a JSON object with time and an array of modes, whose members are named as in ModeAnalysis.
[[nodiscard]] std::string render_json(const Analysis& analysis);

}  // namespace saltus
