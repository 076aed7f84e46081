// Models given by Python functions: saltus.CallbackModel and saltus.solve_ivp are made of this.
#include "saltus/callback_model.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "bindings.hpp"
#include "callable.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "run.hpp"

namespace saltus::python {
namespace {

// Where a function is asked, as Python sees it.
struct Point {
  double time;
  py::array_t<double> x;
  py::array_t<double> sides;
  py::array_t<double> discrete;
  py::array_t<double> parameters;

  explicit Point(const CallbackPoint& at)
      : time(at.time),
        x(copied(at.x)),
        sides(copied(at.sides)),
        discrete(copied(at.discrete)),
        parameters(copied(at.parameters)) {}
};

// A Python function of a model.
class Function {
 public:
  Function(py::object function, std::string name, std::shared_ptr<Raised> raised)
      : function_(std::move(function)), name_(std::move(name)), raised_(std::move(raised)) {}

  /// `call(function)` with the lock; what it raises is kept.
  template <class Call>
  auto operator()(Call call) const {
    const py::gil_scoped_acquire lock;
    try {
      try {
        return call(function_.get());
      } catch (const py::builtin_exception& error) {
        error.set_error();
        throw py::error_already_set();
      }
    } catch (const py::error_already_set& error) {
      raised_->keep(error);
    }
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  SharedObject function_;
  std::string name_;
  std::shared_ptr<Raised> raised_;
};

// function(t, y, *args), where the time of a call counts.
py::object call_plain(const py::object& function, double t, const py::array_t<double>& y,
                      const py::object& args) {
  const auto n = static_cast<std::size_t>(PyTuple_GET_SIZE(args.ptr()));
  py::tuple arguments(n + 2);
  arguments[0] = py::float_(t);
  arguments[1] = y;
  for (std::size_t i = 0; i < n; ++i) {
    arguments[i + 2] =
        py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(args.ptr(), static_cast<py::ssize_t>(i)));
  }
  PyObject* const result = PyObject_CallObject(function.ptr(), arguments.ptr());
  if (result == nullptr) {
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::object>(result);
}

class ModelReader {
 public:
  ModelReader(const py::dict& given, std::shared_ptr<Raised> raised)
      : given_(given), raised_(std::move(raised)), args_(get("args", py::tuple())) {}

  /// How often `fun` has been called.
  [[nodiscard]] std::int64_t n_calls() const { return *n_calls_; }

  CallbackModel read() {
    CallbackModel model;
    model.name = get("name", py::str("callbacks")).cast<std::string>();
    model.description = get("description", py::str()).cast<std::string>();
    model.states = variables("states");
    model.discrete = variables("discrete");
    model.parameters = variables("parameters");
    for (const py::handle guard : get("guards", py::tuple())) {
      model.guards.push_back(guard_of(guard.cast<py::dict>()));
    }
    model.rhs_takes_weights = get("rhs_takes_weights", py::bool_(false)).cast<bool>();
    model.rhs_chooses_sides = get("rhs_chooses_sides", py::bool_(false)).cast<bool>();
    if (has("fun")) {
      model.rhs = plain_rhs();
    }
    if (has("events")) {
      model.guard_values = plain_guards();
    }
    if (has("rhs")) {
      model.rhs = rhs_of(given_["rhs"]);
    }
    if (has("residual")) {
      model.residual = residual_of(given_);
    }
    read_modes(model);
    if (has("guard_values")) {
      model.guard_values = values_of("guard_values");
    }
    if (has("outputs")) {
      model.outputs = values_of("outputs");
      model.output_names = given_["output_names"].cast<std::vector<std::string>>();
    }
    return model;
  }

 private:
  [[nodiscard]] bool has(const char* key) const { return given_.contains(key) && !given_[key].is_none(); }
  [[nodiscard]] py::object get(const char* key, py::object otherwise) const {
    return has(key) ? py::reinterpret_borrow<py::object>(given_[key]) : std::move(otherwise);
  }
  [[nodiscard]] Function function(const py::handle& object, const std::string& name) const {
    return {py::reinterpret_borrow<py::object>(object), name, raised_};
  }

  [[nodiscard]] std::vector<CallbackVariable> variables(const char* key) const {
    std::vector<CallbackVariable> list;
    for (const py::handle item : get(key, py::tuple())) {
      const auto from = item.cast<py::dict>();
      CallbackVariable to;
      to.name = from["name"].cast<std::string>();
      to.start = from["start"].cast<double>();
      to.nominal = from["nominal"].cast<double>();
      to.unit = from["unit"].cast<std::string>();
      to.description = from["description"].cast<std::string>();
      to.is_fixed = from["is_fixed"].cast<bool>();
      const auto role = from["role"].cast<std::string>();
      to.role = role == "differential" ? CallbackVariable::Role::differential
                : role == "algebraic"  ? CallbackVariable::Role::algebraic
                                       : CallbackVariable::Role::found;
      list.push_back(std::move(to));
    }
    return list;
  }

  [[nodiscard]] CallbackReset reset_of(const py::handle& object, const std::string& name) const {
    if (object.is_none()) {
      return {};
    }
    return [asked = function(object, name)](const CallbackPoint& at, std::span<double> x,
                                            std::span<double> discrete) {
      asked([&](const py::object& call) {
        const py::array_t<double> new_x = copied(x);
        const py::array_t<double> new_discrete = copied(discrete);
        call(Point(at), new_x, new_discrete);
        read_numbers(new_x, x, asked.name());
        read_numbers(new_discrete, discrete, asked.name());
      });
    };
  }

  [[nodiscard]] CallbackGuard guard_of(const py::dict& from) const {
    CallbackGuard to;
    to.name = from["name"].cast<std::string>();
    to.in_equations = from["in_equations"].cast<bool>();
    to.can_slide = from["can_slide"].cast<bool>();
    to.reset_side = from["reset_side"].cast<double>();
    to.type =
        from["is_unilateral"].cast<bool>() ? CallbackGuard::Type::unilateral : CallbackGuard::Type::bilateral;
    if (!from["affine"].is_none()) {
      const auto [coefficients, time_coefficient, constant] =
          from["affine"].cast<std::tuple<std::vector<double>, double, double>>();
      to.affine = CallbackGuard::Affine{coefficients, time_coefficient, constant};
    }
    to.reset = reset_of(from["reset"], "the reset of guard '" + to.name + "'");
    if (from["is_event"].cast<bool>()) {  // it is logged and changes nothing
      to.reset = [](const CallbackPoint&, std::span<double>, std::span<double>) {};
    }
    return to;
  }

  // fun(t, y, *args) of solve_ivp.
  [[nodiscard]] CallbackRhs plain_rhs() const {
    const bool is_column = get("vectorized", py::bool_(false)).cast<bool>();
    return [asked = function(given_["fun"], "fun"), args = SharedObject(args_), calls = n_calls_, is_column](
               const CallbackPoint& at, std::span<double> xdot) {
      asked([&](const py::object& call) {
        py::array_t<double> y = copied(at.x);
        if (is_column) {
          y = y.reshape({y.size(), py::ssize_t{1}});
        }
        ++*calls;
        read_numbers(call_plain(call, at.time, y, args.get()), xdot, asked.name());
      });
    };
  }

  // event(t, y, *args), one for each guard.
  [[nodiscard]] std::function<void(const CallbackPoint&, std::span<double>)> plain_guards() const {
    std::vector<Function> functions;
    for (const py::handle event : given_["events"]) {
      functions.push_back(function(event, "event " + std::to_string(functions.size())));
    }
    return [functions, args = SharedObject(args_)](const CallbackPoint& at, std::span<double> values) {
      for (std::size_t i = 0; i < functions.size(); ++i) {
        functions[i]([&](const py::object& call) {
          read_numbers(call_plain(call, at.time, copied(at.x), args.get()), values.subspan(i, 1),
                       functions[i].name());
        });
      }
    };
  }

  [[nodiscard]] CallbackRhs rhs_of(const py::handle& object) const {
    return [asked = function(object, "rhs")](const CallbackPoint& at, std::span<double> xdot) {
      asked([&](const py::object& call) { read_numbers(call(Point(at)), xdot, asked.name()); });
    };
  }

  [[nodiscard]] std::function<void(const CallbackPoint&, std::span<double>)> values_of(
      const char* key) const {
    return [asked = function(given_[key], key)](const CallbackPoint& at, std::span<double> values) {
      asked([&](const py::object& call) { read_numbers(call(Point(at)), values, asked.name()); });
    };
  }

  [[nodiscard]] CallbackResidual residual_of(const py::dict& from) const {
    CallbackResidual to;
    to.values = [asked = function(from["residual"], "residual")](
                    const CallbackPoint& at, std::span<const double> xdot, std::span<double> values) {
      asked(
          [&](const py::object& call) { read_numbers(call(Point(at), copied(xdot)), values, asked.name()); });
    };
    to.n_equations = from["n_equations"].cast<std::size_t>();
    to.names = from["equation_names"].cast<std::vector<std::string>>();
    to.is_linear = from["is_linear"].cast<bool>();
    if (!from["jacobian"].is_none()) {
      to.jacobian = [asked = function(from["jacobian"], "jacobian")](
                        const CallbackPoint& at, std::span<const double> xdot, const CallbackJacobian& into) {
        asked([&](const py::object& call) {
          const py::object returned = call(Point(at), copied(xdot));
          if (!py::isinstance<py::tuple>(returned) || py::len(returned) < 2 || py::len(returned) > 3) {
            throw py::value_error("jacobian returns (dF/dx, dF/dxdot) or (dF/dx, dF/dxdot, dF/dt)");
          }
          const auto parts = returned.cast<py::tuple>();
          read_numbers(parts[0], into.x, asked.name());
          read_numbers(parts[1], into.xdot, asked.name());
          if (parts.size() == 3) {
            read_numbers(parts[2], into.time, asked.name());
          }
        });
      };
    }
    return to;
  }

  void read_modes(CallbackModel& model) const {
    for (const py::handle item : get("modes", py::tuple())) {
      const auto from = item.cast<py::dict>();
      CallbackMode& mode = model.modes.emplace_back();
      mode.name = from["name"].cast<std::string>();
      if (!from["rhs"].is_none()) {
        mode.rhs = rhs_of(from["rhs"]);
      } else {
        mode.residual = residual_of(from);
      }
    }
    for (const py::handle item : get("transitions", py::tuple())) {
      const auto from = item.cast<py::dict>();
      CallbackTransition& to = model.transitions.emplace_back();
      to.from = from["from"].cast<std::string>();
      to.to = from["to"].cast<std::string>();
      to.guard = from["guard"].cast<std::string>();
      to.side = from["side"].cast<double>();
      to.jump = reset_of(from["jump"], "the jump from '" + to.from + "' to '" + to.to + "'");
    }
    model.initial_mode = get("initial_mode", py::str()).cast<std::string>();
  }

  const py::dict& given_;
  std::shared_ptr<Raised> raised_;
  py::object args_;
  std::shared_ptr<std::int64_t> n_calls_ = std::make_shared<std::int64_t>(0);
};

// Ends the run at the first event of some guards, after its row.
class TerminalEvents final : public OutputSink {
 public:
  explicit TerminalEvents(std::set<std::string> guards) : guards_(std::move(guards)) {}

  [[nodiscard]] bool begin(std::span<const VariableInfo> /*columns*/) override { return true; }
  [[nodiscard]] bool rows(const OutputRows& /*rows*/) override { return !has_happened_; }
  void event(const Event& event) override {
    if (guards_.contains(std::string(event.guard))) {
      has_happened_ = true;
    }
  }
  [[nodiscard]] bool has_happened() const { return has_happened_; }

 private:
  std::set<std::string> guards_;
  bool has_happened_ = false;
};

// Functions of Python take most of the time: the lock is kept, and what they raise is raised again.
// The run, whether a terminal event has ended it, and the number of calls of `fun`.
std::tuple<std::unique_ptr<Run>, bool, std::int64_t> simulate_callbacks(
    const py::dict& given, const py::dict& given_options, const std::set<std::string>& terminal) {
  const auto raised = std::make_shared<Raised>();
  ModelReader reader(given, raised);
  const CallbackModel model = reader.read();
  SimulationOptions options = make_options(given_options, raised);
  TerminalEvents sink(terminal);
  if (!terminal.empty()) {
    options.sink = &sink;
  }
  const InterruptWatch watch;
  options.stop_requested = InterruptWatch::flag();
  Result<SimulationResult> result = simulate(model, options);
  if (!result || result->reason == Reason::function_failed) {
    raised->rethrow();
  }
  InterruptWatch::check();
  return {std::make_unique<Run>(Run{value_or_raise(std::move(result))}), sink.has_happened(),
          reader.n_calls()};
}

}  // namespace

void bind_callbacks(py::module_& module) {
  py::class_<Point>(module, "Point", "Where a function of a CallbackModel is asked.")
      .def_readonly("time", &Point::time)
      .def_readonly("x", &Point::x, "The states.")
      .def_readonly("sides", &Point::sides,
                    "By guard: +1 where it is positive, -1 where it is negative; constant between events.")
      .def_readonly("discrete", &Point::discrete, "Numbers that only resets and jumps change.")
      .def_readonly("parameters", &Point::parameters);
  module.def("simulate_callbacks", &simulate_callbacks);
}

}  // namespace saltus::python
