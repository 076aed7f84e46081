// How a model is simulated.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saltus/diagnostic.hpp"
#include "saltus/input_table.hpp"
#include "saltus/set_value.hpp"
#include "saltus/trajectory.hpp"

namespace saltus {

class Model;

/// Relative tolerances below ten times the rounding of doubles cannot be met by any step: they are refused.
inline constexpr double kSmallestRtol = 10.0 * std::numeric_limits<double>::epsilon();
/// Absolute tolerances below it are refused: nothing is measured in such units, and the squares of the norm would leave the range
/// of numbers.
inline constexpr double kSmallestAtol = 1e-100;

struct NamedValue {
  std::string name;
  double value = 0.0;
};

/// Motion on a surface towards which both sides push.
enum class Sliding {
  on,          ///< Filippov's solution
  off,         ///< every switch is taken; chattering is watched for
  hysteresis,  ///< as `on`, and two modes with a band between them slide on its middle
};

/// How the motion on a surface is built.
enum class SlidingRule {
  automatic,  ///< blend where that is Filippov's solution, else convex
  blend,      ///< the values of the condition are blended within the equations
  convex,     ///< convex combination of the two sides' derivatives
};

/// Which derivative sensitivities are where those for larger and for smaller values of a parameter differ: where events happen together and their
/// order depends on the parameter, or a run begins on a surface.
enum class SensitivitySide {
  both,  ///< none: undefined
  plus,  ///< for larger values
  minus  ///< for smaller values
};

/// Events that accumulate at one time, as those of a bouncing ball.
enum class Zeno {
  stop,  ///< the run ends with the reason `zeno`
  rest,  ///< the guard is held at zero until the force that holds it changes its sign; where nothing holds it, as `stop`
  go_on,  ///< nothing is done ("continue" in texts)
};

/// What `e` of contact(gap, force, e) gives back.
enum class Restitution {
  newton,   ///< the part e of the velocity of approach
  poisson,  ///< the part e of the impulse of compression: with friction too, energy never grows
};

/// Switches that follow each other ever closer without a limit time.
enum class Chattering {
  report,  ///< a warning, once for each condition
  stop,    ///< … and the run ends with the reason `chattering`
  off,     ///< nothing is said
};

/// A point at which the equations do not determine what goes on: through it several solutions pass, or none.
enum class Singular {
  stop,  ///< the run ends with the reason `singular_point`
  pass,  ///< a warning, and the solution goes on as the steps happen to lead it
};

/// How start values that do not satisfy the equations give way; fixed ones never do.
enum class StartRule {
  least_change,  ///< by tiers: starts of differential variables are kept before others, these before what has no start
  minimum_norm,  ///< all variables alike: Σ ((x - start)/nominal)² is least, 0 where no start is given
};

/// How equations that constrain states are used in steps (docs/math/formulations.md).
enum class Formulation {
  general,        ///< differentiated; results are moved onto all constraints by the least change
  index_reduced,  ///< differentiated; results drift
  baumgarte,      ///< damped: (d/dt + σ)ᶜ F = 0 for an equation F differentiated c times; results drift
  equivalent_control,  ///< the surface S = (d/dt + σ)ᶜ⁻¹ F is kept; results drift
  acceleration,  ///< the same by a correction of the accelerations: one system, two names in the literature
  post_stabilized,            ///< … and results are moved by two passes, positions before velocities
  post_stabilized_holonomic,  ///< … in which positions are moved by constraints of positions alone
  reaching,  ///< start values are taken as they are given, and surfaces are reached at the rate η each
  ggl,  ///< velocities and positions are constrained, with a multiplier for each (Gear, Gupta, Leimkuhler)
  minimal,  ///< stages too are moved onto the constraints: a step in coordinates of their null space
  post_stabilized_mass,  ///< as post_stabilized_holonomic, by changes of least kinetic energy
  /// As post_stabilized, with forces of constraints of the beginning of the step: wrong on purpose ([Com01] 3.5.3).
  post_stabilized_frozen,
  reaching_raw,    ///< as reaching, by forces η of each constraint by itself, which couple the surfaces
  sliding_mode,    ///< as reaching, with signs that every stage takes anew, without events: for comparison
  boundary_layer,  ///< as reaching, with -η sat(S/width) instead of -η sign(S): for comparison
};

/// How the size of steps follows from their errors.
enum class StepControl {
  standard,  ///< the control of the method, in the norm of SimulationOptions::tolerance
  compere,  ///< h ← min(h_max, 0.8·h·(τ/δ)^exponent) with δ = ‖e‖_∞, τ = rtol·max(‖x‖_∞, 1) ([Com01] 5.7, 5.8); explicit methods
};

/// Which points are compared with the model as it is written, besides the start and every instant.
enum class Verify {
  some,  ///< some ends of steps
  full,  ///< every end of a step
};

/// How roots of guards are found on a step.
struct Detection {
  enum class Rule {
    bound,    ///< certified by bounds: no excursion beyond the tolerance is missed
    ends,     ///< signs at the ends of a step
    stages,   ///< signs at the points of the stages
    samples,  ///< signs at 1 + 6·n_samples points of the step
  };
  Rule rule = Rule::bound;
  int n_samples = 0;  ///< for `samples`, at least 2
};

/// Events without a reset happen together if they follow the first within `time` and their guards are within `amplitude`
/// of zero then.
struct Concurrency {
  double time = 0.0;
  double amplitude = 0.0;
};

/// What holds in one mode instead of what holds in the others. A mode that is given a method takes nothing of `order` and
/// `max_order` of the run.
struct ModeOptions {
  std::string mode{};    ///< its name
  std::string method{};  ///< as SimulationOptions::method
  std::optional<std::int64_t> order{};
  std::optional<std::int64_t> max_order{};
  std::optional<double> max_step{};
};

/// Characteristic values as in ModeAnalysis, which the run verifies where a mode is entered.
struct ExpectedIndex {
  std::string mode{};  ///< empty: every mode of which nothing else is said
  std::int64_t index = 0;
  std::int64_t d = 0;
  std::int64_t a = 0;
  std::int64_t u = 0;
  std::int64_t v = 0;
};

/// What a run tells about itself while it goes on.
struct Progress {
  double start = 0.0;
  double stop = 0.0;
  double time = 0.0;  ///< reached so far
  std::int64_t accepted_steps = 0;
  std::int64_t events = 0;
};

/// For designated initialisers: simulate(model, {.stop = 10.0, .tolerance = 1e-8}). What is not given comes
/// from annotation(__saltus(…)) of the model, then annotation(experiment(…)), then the default named here.
struct SimulationOptions {
  std::optional<double> start{};  ///< 0
  std::optional<double>
      stop{};  ///< 1 (start + 1 if only the start is given); before `start`: backwards in time
  std::optional<double> interval{};  ///< output at start + k·interval and at stop; |stop - start| / 500

  /// Rows at the start and at the end of every accepted step instead; not together with `interval`. false.
  std::optional<bool> rows_at_steps{};
  /// Rows at these times instead, and at start and stop; in the order of the run and between them. Not together with `interval` and
  /// `rows_at_steps`. Empty: none.
  std::vector<double> times{};

  /// A step is accepted when its estimated error e satisfies ‖e‖ ≤ 1 in the norm
  ///     ‖e‖ = √( 1/n · Σᵢ (eᵢ / (atolᵢ + rtol·max(|xᵢ before|, |xᵢ after|)))² )   over the n states.
  /// `tolerance` stands for both: rtol = tolerance and atolᵢ = tolerance · nominal of state i. 1e-6.
  /// What is below kSmallestRtol is refused.
  std::optional<double> tolerance{};
  /// The rtol of that inequality, ≥ kSmallestRtol. 0 stands for an absolute tolerance alone, as far as doubles carry: kSmallestRtol.
  std::optional<double> rtol{};
  /// atolᵢ of all states, ≥ kSmallestAtol, in their own units (nominal values do not enter).
  std::optional<double> atol{};
  /// atolᵢ of single states, by the variable's name; "der(x)" for the velocity of a second-order variable.
  std::vector<NamedValue> atol_of{};

  /// Variables (or arrays) that must not become negative. A step that makes one smaller than -atol, of a state or as it would be
  /// for one, is repeated with a smaller size; where that does not help the run fails with the reason bound_left. Nothing is
  /// changed: values between -atol and 0 are kept and told.
  std::vector<std::string> nonnegative{};

  /// Columns of the rows and of the Trajectory, in this order, each once: names of variables or arrays, patterns with `*` ("a.*"),
  /// "der(NAME)" of continuous variables, of higher order of what the equations know it of, "guards" (the values of all guards), "all" (all
  /// variables). Empty: all variables. A name in quotes ("'guards'") is always that of a variable.
  std::vector<std::string> columns{};

  /// Parameters and start values for SimulationResult::sensitivities: names of Real parameters that may be set, of variables (then their start
  /// value is meant; "start(x)" says the same), of whole arrays of either, "all" (all such parameters) and "starts" (start values of all
  /// states). Not together with `checkpoint`, `resume` and `error_estimate`. Empty: none.
  std::vector<std::string> sensitivities{};
  /// Runs with other values of each of these, at a hundredth of the tolerances, verify the final sensitivities: Sensitivities::check. false.
  std::optional<bool> sensitivity_check{};
  std::optional<SensitivitySide> sensitivity_side{};  ///< both

  std::string method{};  ///< "auto" (chooses, and the result says which and why), "dopri5", … : see methods()

  /// Order of the method: with "auto" chooses a method of that order, with another method it must have that order; "bdf"
  /// then keeps it.
  std::optional<std::int64_t> order{};
  std::optional<std::int64_t> max_order{};    ///< of a method of variable order ("bdf"), 1 to 6; 5
  std::optional<double> step{};               ///< fixed step size |h| = step; no error control
  std::optional<double> initial_step{};       ///< |h| of the first attempt; chosen from the equations
  std::optional<double> max_step{};           ///< |h| ≤ max_step; none
  std::optional<StepControl> step_control{};  ///< standard
  std::optional<double> step_exponent{};      ///< of `compere`, > 0; 1/6
  std::optional<double> restart_step{};       ///< after an event |h| ≤ restart_step at first; none
  /// Modes with a method, or limits of it, of their own. A method, or a max_step, that is given here for the whole run replaces
  /// what the model says about those of its modes.
  std::vector<ModeOptions> modes{};

  std::optional<std::int64_t>
      max_steps{};  ///< attempted steps ≤ max_steps, else `stopped` with step_limit; 1e8
  std::optional<double>
      max_time{};  ///< wall seconds ≤ max_time (see `began`), else `stopped` with time_limit; none

  std::optional<Sliding> sliding{};           ///< on
  std::optional<SlidingRule> sliding_rule{};  ///< automatic
  std::optional<Detection> detection{};       ///< bound
  std::optional<Concurrency> concurrency{};   ///< none: only events at one instant happen together
  /// The state after location lies beyond its surface by this amount of the guard ([Com01] 5.4, 5.5), for comparison
  /// with that source. None: on the surface.
  std::optional<double> shifted_location{};
  /// Guards take part in the error test: a step is accepted when its estimated error changes every guard g by no more than
  /// atol + rtol·|g|, with the tolerances of a state of nominal value 1. false.
  std::optional<bool> guard_error{};
  std::optional<Zeno> zeno{};                ///< rest
  std::optional<Restitution> restitution{};  ///< newton
  std::optional<Chattering> chattering{};    ///< report
  /// Three switches of one condition, each within this time of the one before, are chattering, > 0; 1e-7 of the run's length.
  std::optional<double> chattering_time{};
  std::optional<double> dwell{};             ///< least time between two switches of one guard, ≥ 0; 0
  std::optional<std::int64_t> max_events{};  ///< events ≤ max_events, else `stopped` with event_limit; 1e6
  std::optional<std::int64_t> max_rounds{};  ///< rounds at one instant, else `stopped` with round_limit; 1000
  /// Transitions in a row that hold on entry, else `stopped` with immediate_limit; 100.
  std::optional<std::int64_t> max_immediate{};
  /// Events of clauses and transitions are located to this time, > 0, just beyond their surface, and join an instant that is closer;
  /// to the last bit, as are always those of guards that the equations read or on which modes may slide.
  std::optional<double> event_tolerance{};
  std::optional<Singular> singular{};        ///< stop
  std::optional<Verify> verify{};            ///< some
  std::optional<StartRule> start_rule{};     ///< least_change
  std::optional<Formulation> formulation{};  ///< general
  std::optional<double> constraint_rate{};   ///< σ of formulations, > 0 per unit of time; 10
  /// One for each constraint, in the order of the equations, instead. Empty: all alike.
  std::vector<double> constraint_rates{};
  /// η of `reaching`, > 0: one for all surfaces, or one for each in the order of the equations; 1.
  std::vector<double> reaching_rates{};
  std::optional<double> boundary_layer{};  ///< width of that formulation, > 0; 1e-3
  /// Names of variables that should stay what they are (energy): SimulationResult::monitors says how much they changed.
  std::vector<std::string> invariants{};
  /// Verified at the start and wherever a mode, or another structure of one, is entered; a difference ends the run (index_mismatch).
  std::vector<ExpectedIndex> expect_index{};
  /// The event, counted from 1, whose decision SimulationResult::explanation puts into words; none.
  std::optional<std::int64_t> explain_event{};

  /// A second run at a hundredth of the tolerances (with a fixed step: half of it) estimates the error of every row and variable:
  /// SimulationResult::error_estimate. It needs the rows of both runs in memory. false.
  std::optional<bool> error_estimate{};

  /// Parameters and start values by name, whole arrays too; a start value keeps its `fixed`.
  std::vector<SetValue> set{};

  /// What drives the inputs of the model. An input without a column keeps its start value, with a warning.
  std::vector<InputTable> inputs{};
  std::optional<InputRule> input_rule{};  ///< of inputs of continuous variables; linear. Others are held
  std::vector<std::pair<std::string, InputRule>> input_rule_of{};  ///< of single inputs
  /// Functions of time that drive inputs besides.
  std::vector<InputFunction> input_functions{};

  /// The result's Trajectory can be evaluated at any time. Memory: about 7 numbers per state and step.
  bool keep_dense = true;
  /// The result's Trajectory holds the rows of the output grid. Memory: 8 bytes · (variables + 1) for each row, so 1e6
  /// rows of 100 variables are 0.8 GB; for long outputs set it to false and take the rows by a `sink`, which needs none.
  bool keep_rows = true;
  OutputSink* sink = nullptr;  ///< gets rows and events while they are computed; outlives the run

  /// A file from which the run can go on when its process has ended, in whatever moment: written when the run has begun, then every
  /// `checkpoint_interval` wall seconds, and when it is ended from outside or by a limit. Empty: none. docs/checkpoints.md
  std::string checkpoint{};
  std::optional<double> checkpoint_interval{};  ///< ≥ 0; 60
  /// Such a file: the run goes on from there. Model, build and all options but limits are those of the run that wrote it, and the result is
  /// the one that it would have had. A sink must know resume().
  std::string resume{};

  /// Looked at by all that takes long, the start and single steps too; true: `stopped`, interrupted.
  const std::atomic<bool>* stop_requested = nullptr;
  /// Since when max_time counts, for instance since the model began to be read; the call of simulate().
  std::optional<std::chrono::steady_clock::time_point> began{};
  std::function<void(const Progress&)> progress{};  ///< called a few times per second
  /// Gets every warning of the run when it arises; the result has them all. What this, `progress` or a sink throws ends the run
  /// (function_failed).
  std::function<void(const Diagnostic&)> log{};
};

/// Sets one option by its long name on the command line, without dashes ("max-step", "set"), from text.
/// Returns what is wrong with the name or the value; options that saltus will have but does not have yet are
/// named as such.
[[nodiscard]] Diagnostics set_option(SimulationOptions& options, std::string_view name,
                                     std::string_view value);

/// All that is wrong with the options by themselves, and, with a model, in combination with it.
[[nodiscard]] Diagnostics validate(const SimulationOptions& options);
[[nodiscard]] Diagnostics validate(const Model& model, const SimulationOptions& options);

/// Names that `method` takes.
[[nodiscard]] std::vector<std::string> methods();

/// Names of long options that are planned but not there yet.
[[nodiscard]] const std::vector<std::string>& planned_options();

}  // namespace saltus
