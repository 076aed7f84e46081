// The structure of every mode: what the signature method says, and the ranks of derivative arrays at consistent values.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "api/analysis/analysis_at.hpp"
#include "api/analysis/analysis_text.hpp"
#include "api/analysis/mode_control.hpp"
#include "api/analysis/pencil.hpp"
#include "api/analysis/projectors.hpp"
#include "api/linear/mode_structure.hpp"
#include "api/linear/second_order.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/model/instance.hpp"
#include "api/model/lazy_analysis.hpp"
#include "api/model/start_point.hpp"
#include "flat/discrete_definitions.hpp"
#include "program/compiled_system.hpp"
#include "reduce/consistent/state_choice.hpp"
#include "reduce/ranks/characteristic_values.hpp"
#include "saltus/analysis.hpp"
#include "structure/causalize.hpp"
#include "structure/structural_report.hpp"

namespace saltus::api {
namespace {

using ValueByName = std::unordered_map<std::string, double>;

// Whether the equations as written contain a derivative of this unknown.
bool is_differentiated(const system::EquationSet& equations, const std::string& name) {
  const auto& slots = equations.slots();
  const auto own = std::find_if(slots.begin(), slots.end(),
                                [&](const system::SlotInfo& slot) { return slot.name == name; });
  const system::RectangularPattern& pattern = equations.pattern();
  for (std::size_t j = 0; own != slots.end() && j < slots.size(); ++j) {
    if (slots[j].variable == own->variable && slots[j].order > own->order &&
        pattern.column_starts[j + 1] > pattern.column_starts[j]) {
      return true;
    }
  }
  return false;
}

// Where none is asked for: a model's own time is that of its experiment, which analysis does not read.
constexpr double kLengthOfARun = 1.0;

class Analyzer {
 public:
  Analyzer(Instance instance, double t, const AnalysisOptions& options)
      : instance_(std::move(instance)),
        t_(t),
        asks_projectors_(options.projectors),
        asks_pencil_(options.pencil),
        asks_second_order_(options.second_order),
        asks_structure_(options.structure),
        asks_control_(options.control),
        pencil_tolerance_(options.pencil_tolerance) {
    ranks_.equilibrate = options.equilibrate;
    ranks_.method =
        options.by_pivoted_qr ? linalg::RankMethod::pivoted_qr : linalg::RankMethod::singular_values;
  }

  Result<Analysis> run() {
    Analysis analysis;
    analysis.time = t_;
    const auto point = start(analysis.warnings);
    if (!point) {
      return Unexpected(point.error());
    }
    const auto arrays = system_by_ranks();
    if (!arrays) {
      return Unexpected(arrays.error());
    }
    for (std::size_t i = 0; i < instance_.system->modes().size(); ++i) {
      system::Configuration configuration = point->configuration;
      configuration.mode = ModeId(i);
      Result<ModeAnalysis> mode = analyze_mode(**arrays, configuration, analysis.warnings);
      if (!mode) {
        return Unexpected(std::move(mode).error());
      }
      analysis.modes.push_back(*std::move(mode));
    }
    return analysis;
  }

  // The mode of a point of a solution.
  Result<Analysis> run_at(const system::Configuration& configuration,
                          std::span<const system::StateInfo> states, std::span<const double> x,
                          std::span<const double> values) {
    Analysis analysis;
    analysis.time = t_;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values_.emplace(instance_.system->variables()[i].name, values[i]);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      values_.emplace(states[i].name, x[i]);
    }
    const auto arrays = system_by_ranks();
    if (!arrays) {
      return Unexpected(arrays.error());
    }
    Result<ModeAnalysis> mode = analyze_mode(**arrays, configuration, analysis.warnings);
    if (!mode) {
      return Unexpected(std::move(mode).error());
    }
    analysis.modes.push_back(*std::move(mode));
    return analysis;
  }

 private:
  Result<std::shared_ptr<const system::HybridSystem>> system_by_ranks() {
    if (instance_.flat == nullptr) {
      return instance_.system;
    }
    program::BuildOptions by_ranks;
    for (std::size_t i = 0; i < instance_.system->modes().size(); ++i) {
      by_ranks.by_ranks.emplace_back(i);
    }
    return instance_.compiled->system(instance_.overrides, by_ranks);
  }

  // Consistent values of the initial mode, by name.
  Result<system::InitialPoint> start(Diagnostics& warnings) {
    Result<system::InitialPoint> initial =
        find_start(instance_, t_, kLengthOfARun, StartRule::least_change, warnings);
    if (!initial) {
      return initial;
    }
    for (std::size_t i = 0; i < initial->values.size(); ++i) {
      values_.emplace(instance_.system->variables()[i].name, initial->values[i]);
    }
    const auto locked = instance_.system->lock(instance_.system->structure_of(initial->configuration));
    for (std::size_t i = 0; locked && i < initial->x.size(); ++i) {
      values_.emplace((*locked)->states()[i].name, initial->x[i]);
    }
    return initial;
  }

  Result<ModeAnalysis> analyze_mode(const system::HybridSystem& arrays,
                                    const system::Configuration& configuration, Diagnostics& warnings) {
    Result<ModeAnalysis> mode = values_of_mode(arrays, configuration, warnings);
    if (mode && asks_structure_ && !mode->structure) {
      warnings.warning(kUnclearRank,
                       fmt::format("mode '{}': its structure was not looked at (functions, more than {} "
                                   "variables, or ranks that were not decided)",
                                   mode->name, kMostUnknownsForRanks));
    }
    if (!mode || !asks_pencil_) {
      return mode;
    }
    if (!mode->pencil) {
      warnings.warning(kUnclearRank,
                       fmt::format("mode '{}' has no pencil: its equations were not linearised here "
                                   "(functions, more than {} variables, or ranks that were not decided)",
                                   mode->name, kMostUnknownsForRanks));
    } else if (!mode->pencil->structure.blocks) {
      warnings.warning(kUnclearRank,
                       fmt::format("mode '{}', pencil: {}", mode->name, mode->pencil->structure.doubt),
                       std::nullopt, "--pencil-tolerance TOL decides");
    }
    return mode;
  }

  Result<ModeAnalysis> values_of_mode(const system::HybridSystem& arrays,
                                      const system::Configuration& configuration, Diagnostics& warnings) {
    const ModeId id = configuration.mode;
    ModeAnalysis mode;
    mode.name = instance_.system->modes()[id.index()].name;
    if (instance_.flat == nullptr) {
      return analyze_functions(configuration, std::move(mode), warnings);
    }
    flat::Model copy = *instance_.flat;
    flat::put_in_definitions(copy);
    const bool has_modes = !copy.modes.empty();
    const auto causalized = structure::causalize(copy, has_modes ? id : ModeId{});
    if (!causalized) {
      return Unexpected(causalized.error());
    }
    const structure::StructuralReport report = structure::structural_report(copy, *causalized);
    mode.equations = report.equations.size();
    mode.unknowns = report.variables.size();
    if (report.has_offsets) {
      mode.structural_index = report.structural_index;
    }
    const auto own = instance_.system->lock(id);
    mode.by_structure = own && (*own)->reduction() == system::Reduction::structural;
    if (asks_control_) {
      add_control(copy, *causalized, own ? own->get() : nullptr, configuration, mode, warnings);
    }
    if (mode.unknowns > kMostUnknownsForRanks) {
      from_structure(report, mode);
      mode.hidden_constraints = hidden_constraints(copy, *causalized, mode.index.value_or(0));
      return mode;
    }
    const auto locked = arrays.lock(id);
    if (!locked) {
      return Unexpected(locked.error());
    }
    ModeAnalysis by_structure = mode;
    Diagnostics problems = from_ranks(arrays, **locked, configuration, mode, warnings);
    if (problems.has_errors() && mode.by_structure) {
      // The run does not need the ranks: a derivative that only they contain may have no value here.
      warnings.warning(
          kUnclearRank,
          fmt::format("mode '{}': ranks cannot be decided at this point, the numbers are those of the "
                      "structure: {}",
                      mode.name, problems.items()[0].message));
      mode = std::move(by_structure);
      from_structure(report, mode);
      problems = {};
    }
    if (problems.has_errors()) {
      return Unexpected(std::move(problems));
    }
    if (mode.by_structure) {
      mode.hidden_constraints = hidden_constraints(copy, *causalized, mode.index.value_or(0));
    }
    return mode;
  }

  void add_control(flat::Model& model, const structure::Causalized& causalized,
                   const system::LockedDae* locked, const system::Configuration& configuration,
                   ModeAnalysis& mode, Diagnostics& warnings) const {
    std::variant<ModeControl, std::string> found = "the index is not found from the structure";
    if (locked != nullptr && mode.by_structure) {
      std::vector<double> x;
      for (const system::StateInfo& state : locked->states()) {
        const auto known = values_.find(state.name);
        x.push_back(known != values_.end() && std::isfinite(known->second) ? known->second : 0.0);
      }
      found = describe_control(model, causalized, *locked, configuration, t_, x);
    }
    if (ModeControl* control = std::get_if<ModeControl>(&found)) {
      mode.control = std::move(*control);
    } else {
      warnings.warning(kNoControlForm, fmt::format("mode '{}' has no control form: {}", mode.name,
                                                   std::get<std::string>(found)));
    }
  }

  // A mode of C++ functions: a right-hand side has nothing to decide.
  Result<ModeAnalysis> analyze_functions(const system::Configuration& configuration, ModeAnalysis mode,
                                         Diagnostics& warnings) {
    const auto locked = instance_.system->lock(configuration.mode);
    if (!locked) {
      return Unexpected(locked.error());
    }
    mode.unknowns = (*locked)->states().size();
    mode.by_structure = (*locked)->reduction() != system::Reduction::ranks;
    if (mode.by_structure) {
      mode.equations = mode.unknowns;
      mode.index = 0;
      mode.differentiation_index = 0;
      mode.data_derivatives.emplace();
      mode.d1 = mode.d = mode.degrees_of_freedom = static_cast<int>(mode.unknowns);
      for (const system::StateInfo& state : (*locked)->states()) {
        mode.states.push_back(state.name);
      }
      return mode;
    }
    Diagnostics problems = from_ranks(*instance_.system, **locked, configuration, mode, warnings);
    if (problems.has_errors()) {
      return Unexpected(std::move(problems));
    }
    if (const auto written = (*locked)->derivative_array(0)) {
      mode.equations = static_cast<std::size_t>((*written)->n_rows());
    }
    return mode;
  }

  // What is known without numbers; the strangeness index is then that of the structure.
  static void from_structure(const structure::StructuralReport& report, ModeAnalysis& mode) {
    mode.degrees_of_freedom = report.degrees_of_freedom;
    mode.d = report.degrees_of_freedom;
    mode.d1 = mode.d;
    mode.a = static_cast<int>(mode.unknowns) - mode.d;
    if (report.has_offsets) {
      mode.differentiation_index = report.structural_index;
      mode.index = std::max(0, report.structural_index - 1);
    }
    mode.states = report.states;
  }

  std::vector<double> point_of(const system::HybridSystem& arrays, const system::LockedDae& locked,
                               ModeId id) const {
    std::vector<double> x = arrays.entry_states(id);
    x.resize(locked.states().size(), std::nan(""));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto known = values_.find(locked.states()[i].name);
      if (known != values_.end() && std::isfinite(known->second)) {
        x[i] = known->second;
      }
      x[i] = std::isfinite(x[i]) ? x[i] : 0.0;
    }
    return x;
  }

  Diagnostics from_ranks(const system::HybridSystem& arrays, const system::LockedDae& locked,
                         const system::Configuration& configuration, ModeAnalysis& mode,
                         Diagnostics& warnings) {
    const std::vector<double> x = point_of(arrays, locked, configuration.mode);
    const auto values = reduce::find_characteristic_values(locked, configuration, t_, x, ranks_);
    if (!values) {
      return values.error();
    }
    const auto array = locked.derivative_array(0);
    if (!array) {
      return array.error();
    }
    mode.is_linear = (*array)->is_linear();
    mode.index = values->level;
    mode.d1 = static_cast<int>(values->d1());
    mode.d2 = static_cast<int>(values->d2());
    mode.degrees_of_freedom = static_cast<int>(values->degrees_of_freedom());
    mode.d = mode.degrees_of_freedom;
    mode.a = static_cast<int>(values->algebraic);
    mode.u = static_cast<int>(values->undetermined);
    mode.v = static_cast<int>(values->vanishing);
    if (mode.u == 0) {
      mode.differentiation_index = mode.a > 0 ? values->level + 1 : values->level;
    }
    mode.data_derivatives = data_derivatives(**array, *values);
    if (!mode.by_structure) {
      mode.hidden_constraints = combinations(*values);
    }
    if (asks_second_order_) {
      describe_second_order(locked, configuration, t_, *values, ranks_, mode);
    }
    if (values->is_unclear) {
      warnings.warning(kUnclearRank,
                       fmt::format("mode '{}': a rank was decided by a gap of {:.1e} only, so the numbers "
                                   "below may be wrong",
                                   mode.name, values->smallest_gap));
    }
    if (asks_projectors_) {
      Result<ModeProjectors> projectors = describe_projectors(locked, configuration, t_, *values);
      if (!projectors) {
        return std::move(projectors).error();
      }
      mode.projectors = *std::move(projectors);
    }
    if (asks_structure_) {
      Result<ModeStructure> structure = describe_structure(locked, configuration, t_);
      if (!structure) {
        return std::move(structure).error();
      }
      mode.structure = *std::move(structure);
    }
    if (asks_pencil_) {
      Result<ModePencil> pencil = describe_pencil(locked, configuration, t_, *values, pencil_tolerance_);
      if (!pencil) {
        return std::move(pencil).error();
      }
      mode.pencil = *std::move(pencil);
    }
    return choose(locked, **array, configuration, x, mode);
  }

  // States and undetermined unknowns, from the form in which the states are all derivatives below those written.
  Diagnostics choose(const system::LockedDae& locked, const system::EquationSet& equations,
                     const system::Configuration& configuration, const std::vector<double>& x,
                     ModeAnalysis& mode) {
    reduce::AnalysisOptions of_states = ranks_;
    of_states.form = reduce::AnalysisForm::states;
    const auto values = reduce::find_characteristic_values(locked, configuration, t_, x, of_states);
    if (!values) {
      return values.error();
    }
    const auto& states = locked.states();
    for (const Index i : reduce::moved_unknowns(values->free)) {
      mode.undetermined.push_back(states[static_cast<std::size_t>(i)].name);
    }
    // Unknowns that are differentiated come first: a force could serve as a state too, but nobody would call it one.
    std::vector<char> is_preferred;
    for (const system::StateInfo& state : states) {
      is_preferred.push_back(is_differentiated(equations, state.name) ? 1 : 0);
    }
    for (const Index i : reduce::choose_states(values->t2, is_preferred)) {
      const std::string& name = states[static_cast<std::size_t>(i)].name;
      if (std::find(mode.undetermined.begin(), mode.undetermined.end(), name) == mode.undetermined.end()) {
        mode.states.push_back(name);
      }
    }
    return {};
  }

  Instance instance_;  // its system may be built anew
  double t_;
  bool asks_projectors_;
  bool asks_pencil_;
  bool asks_second_order_;
  bool asks_structure_;
  bool asks_control_;
  std::optional<double> pencil_tolerance_;
  reduce::AnalysisOptions ranks_;
  ValueByName values_;
};

}  // namespace

Result<Analysis> analyze_instance(Instance instance, double t, const AnalysisOptions& options) {
  return Analyzer(std::move(instance), t, options).run();
}

Result<Analysis> analyze_at(const Instance& instance, const settle::Position& at,
                            std::span<const double> values, const AnalysisOptions& options) {
  return Analyzer(instance, at.time(), options)
      .run_at(at.configuration(), at.mode().locked->states(), at.x(), values);
}

const Analysis* LazyAnalysis::get(const Instance& instance, double t) {
  std::call_once(once_, [&] {
    // Messages name what is as written.
    AnalysisOptions as_written;
    as_written.second_order = false;
    if (Result<Analysis> found = analyze_instance(instance, t, as_written)) {
      analysis_ = *std::move(found);
    }
  });
  return analysis_ ? &*analysis_ : nullptr;
}

}  // namespace saltus::api
