// A run in one's hand: step by step, asked and changed in between.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saltus/analysis.hpp"
#include "saltus/event.hpp"
#include "saltus/matrix_pair.hpp"
#include "saltus/model.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "saltus/simulate.hpp"

namespace saltus {

struct CallbackModel;

namespace api {
struct Instance;
struct SimulationData;
}  // namespace api

/// Equations of a mode as they are written, F(t, x, ẋ, …) = 0, at a point.
struct EquationValues {
  double time = 0.0;
  std::vector<std::string> equations;  ///< texts; rows of `jacobian`
  std::vector<std::string> unknowns;   ///< "x", "der(x)": columns of `jacobian`
  std::vector<double> point;           ///< their values
  std::vector<double> residuals;       ///< left minus right side
  Matrix jacobian;                     ///< exact, but of functions whose derivatives are taken by differences
};

/// A simulation that has begun: initial values are found and the events of the start have happened. It is led to its stop, or as far as one
/// likes, and finish() gives what simulate() would have given. Not for several threads at once; its model may be shared.
///
/// A function that leads it on returns false when the run has ended by itself (its stop, terminate, an error, a limit): what was computed is
/// there, and finish() says why. Names that do not exist and times that lie behind or beyond the stop throw ContractViolation, and so does
/// leading on what has ended.
class Simulation {
 public:
  /// `tunable`: Real parameters that set_parameter may change. All inputs without a table can be set. The error holds what is wrong with the model or
  /// the options, and why there are no initial values.
  [[nodiscard]] static Result<Simulation> begin(const Model& model, const SimulationOptions& options = {},
                                                const std::vector<std::string>& tunable = {});
  /// The same of C++ functions; what they refer to must live as long. Nothing of it can be set while it runs, it is not saved
  /// (`checkpoint-unsupported`), has no derivatives at a point (`no-point-derivative`) and no dependencies (nullopt).
  [[nodiscard]] static Result<Simulation> begin(const CallbackModel& model,
                                                const SimulationOptions& options = {});
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  [[nodiscard]] double time() const;
  [[nodiscard]] double stop_time() const;
  [[nodiscard]] bool has_ended() const;

  /// One accepted step, or what is left of it where an event cuts it; its instant is settled then.
  [[nodiscard]] bool step();
  /// To exactly this time. Steps end there: between inputs that change it is where they are set.
  [[nodiscard]] bool advance_to(double time);
  /// To the first instant before `time`, or to that.
  [[nodiscard]] bool advance_to_event(double time);
  /// Events so far.
  [[nodiscard]] std::int64_t n_events() const;
  [[nodiscard]] EventList events() const;
  /// What happened at the present time, one round after the other: first as it was before, then after each round; the last one is what
  /// values() says. Empty where nothing has happened since the last step.
  struct Round {
    std::int64_t segment = 0;  ///< Event::segment of what happened in it
    std::string mode;
    std::vector<double> values;  ///< of all variables
  };
  [[nodiscard]] const std::vector<Round>& rounds() const;

  /// Inputs and tunable parameters get new values, all at once: an event at the present time, with everything that follows from it.
  [[nodiscard]] bool set(const std::vector<NamedValue>& values);
  [[nodiscard]] bool set_input(const std::string& name, double value) { return set({{name, value}}); }
  [[nodiscard]] bool set_parameter(const std::string& name, double value) { return set({{name, value}}); }

  /// Every variable, in the order of variables(), as it is now.
  [[nodiscard]] const std::vector<VariableInfo>& variables() const;
  [[nodiscard]] std::vector<double> values() const;
  [[nodiscard]] double value(std::string_view name) const;
  /// The mode, with what is slid on, as trajectory.csv names it.
  [[nodiscard]] std::string mode() const;
  /// The states of the present mode with their values and derivatives; not a number where the equations do not give one.
  struct State {
    std::string name;
    double value = 0.0;
    double derivative = 0.0;
  };
  [[nodiscard]] std::vector<State> states() const;
  /// The guards that are watched in the present mode, by their texts.
  [[nodiscard]] std::vector<NamedValue> guards() const;
  /// The derivative of a variable along the solution, of algebraic ones too: exact, but while the solution is held on surfaces (there by
  /// differences). Not a number where there is none, as of discrete variables.
  [[nodiscard]] double derivative(std::string_view name) const;

  /// How unknowns move at the present point when knowns do and everything else rests: J·seeds, J = ∂unknowns/∂knowns, exact. Knowns are states
  /// of the present mode as states() names them, inputs without a table, tunable parameters, and "time"; unknowns are variables and der(…) of
  /// states. States count as independent, also where constraints relate them. The error (`no-point-derivative`): the solution is held on a
  /// surface, the mode is reduced by ranks, or a derivative does not exist. Other names, numbers of seeds and seeds that are not finite throw.
  [[nodiscard]] Result<std::vector<double>> directional_derivative(const std::vector<std::string>& unknowns,
                                                                   const std::vector<std::string>& knowns,
                                                                   const std::vector<double>& seeds) const;
  /// The transposed, seeds·J: how a function of the unknowns with these derivatives moves with each known. It takes as many directions as there
  /// are knowns.
  [[nodiscard]] Result<std::vector<double>> adjoint_derivative(const std::vector<std::string>& unknowns,
                                                               const std::vector<double>& seeds,
                                                               const std::vector<std::string>& knowns) const;
  /// J itself, row by row.
  [[nodiscard]] Result<Matrix> partial_derivatives(const std::vector<std::string>& unknowns,
                                                   const std::vector<std::string>& knowns) const;
  /// The knowns, and discrete variables, that a variable or der(…) of a state depends on by the equations of the present mode, whatever the
  /// numbers are; nullopt: it is not known, as the mode is reduced by ranks or given by functions. Other names throw.
  [[nodiscard]] std::optional<std::vector<std::string>> dependencies(std::string_view unknown) const;
  /// The equations of the present mode with the sides that hold now, at the present point or, where values of unknowns, der(…) or "time" are given,
  /// beside it: nothing of the simulation changes. The error: an equation or a derivative has no value there (`no-point-derivative`), or there are too
  /// many for a matrix. Other names, and values that are not finite, throw.
  [[nodiscard]] Result<EquationValues> equations(const std::vector<NamedValue>& elsewhere = {}) const;
  /// The present mode at the present point, as analyze() does it; of the options those about ranks and projectors count. Where the solution
  /// slides these are the equations of the mode after which the motion is named, with the weights that hold.
  [[nodiscard]] Result<Analysis> analyze(const AnalysisOptions& options = {}) const;
  /// Size and order of the last step, as the method took it (an event may have cut it short); zeros before the first. The size that the next
  /// step will try.
  [[nodiscard]] double last_step() const;
  [[nodiscard]] int last_order() const;
  [[nodiscard]] double next_step() const;
  /// The next time at which something is due that depends on time alone (sample, time > 3, knots of inputs); nullopt: nothing is known to be.
  [[nodiscard]] std::optional<double> next_event_time() const;

  /// Writes a checkpoint, from which begin() with SimulationOptions::resume goes on in this or another process: a simulation led on in the same
  /// way then gives the same numbers. What kept it from that; empty: nothing. The simulation must not have ended.
  [[nodiscard]] Diagnostics save(const std::string& file);

  /// From the start again, with the values that it began with. What kept it from that; empty: nothing. Whatever was led on or finished
  /// before is forgotten.
  [[nodiscard]] Diagnostics reset();

  /// Ends the simulation where it is: rows, events, statistics and values up to here. Nothing but reset() may be called afterwards.
  [[nodiscard]] SimulationResult finish();

 private:
  explicit Simulation(std::unique_ptr<api::SimulationData> data);
  [[nodiscard]] static Result<Simulation> begin(std::unique_ptr<api::SimulationData> data,
                                                const api::Instance& instance, Diagnostics warnings);
  std::unique_ptr<api::SimulationData> data_;
};

/// Before a simulation begins: values are set, and what follows from them is asked for, as often as one likes; exit() begins.
class Initialization {
 public:
  /// As Simulation::begin. Nothing is solved yet.
  Initialization(Model model, SimulationOptions options = {}, std::vector<std::string> tunable = {});

  /// Parameters, start values and inputs; the last value of a name counts.
  void set(const std::vector<SetValue>& values);
  /// Every variable after the events of the start, in the order of variables() of the simulation. The error: why there are no values.
  [[nodiscard]] Result<std::vector<double>> values();
  /// … and one of them; the name must exist.
  [[nodiscard]] Result<double> value(std::string_view name);
  [[nodiscard]] Result<Simulation> exit();

 private:
  [[nodiscard]] const Result<Simulation>& solved();

  Model model_;
  SimulationOptions options_;
  std::vector<std::string> tunable_;
  std::optional<Result<Simulation>> begun_;  // with the present values
};

}  // namespace saltus
