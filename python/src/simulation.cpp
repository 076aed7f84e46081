// A run in one's hand.
#include "saltus/simulation.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <mutex>

#include "bindings.hpp"
#include "descriptions.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "run.hpp"

namespace saltus::python {
namespace {

// A Simulation is not for several threads at once; Python's threads may try.
class Led {
 public:
  Led(Simulation simulation, std::shared_ptr<Raised> raised)
      : simulation_(std::move(simulation)), raised_(std::move(raised)) {}

  /// With the lock of the interpreter held.
  template <class Ask>
  auto ask(Ask question) const {
    const std::unique_lock guard = at_once();
    return question(simulation_);
  }
  /// Without it.
  template <class Work>
  auto lead(Work work) {
    const std::unique_lock guard = at_once();
    return without_lock([&](const std::atomic<bool>* /*stop*/) { return work(simulation_); });
  }

 private:
  [[nodiscard]] std::unique_lock<std::mutex> at_once() const {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) {
      throw std::runtime_error("this simulation is at work in another thread");
    }
    return lock;
  }

  Simulation simulation_;
  std::shared_ptr<Raised> raised_;
  mutable std::mutex mutex_;
};

std::unique_ptr<Led> begin(const Model& model, const py::dict& given,
                           const std::vector<std::string>& tunable) {
  const auto raised = std::make_shared<Raised>();
  SimulationOptions options = make_options(given, raised);
  Result<Simulation> begun = without_lock([&](const std::atomic<bool>* stop) {
    options.stop_requested = stop;
    return Simulation::begin(model, options, tunable);
  });
  if (!begun) {
    raised->rethrow();
    raise(begun.error());
  }
  return std::make_unique<Led>(*std::move(begun), raised);
}

std::vector<NamedValue> named_values(const py::dict& values) {
  std::vector<NamedValue> list;
  for (const auto& [name, value] : values) {
    list.push_back({name.cast<std::string>(), value.cast<double>()});
  }
  return list;
}

py::list rounds(const Simulation& simulation) {
  py::list list;
  for (const Simulation::Round& round : simulation.rounds()) {
    list.append(py::make_tuple(round.segment, round.mode, round.values));
  }
  return list;
}

py::list states(const Simulation& simulation) {
  py::list list;
  for (const Simulation::State& state : simulation.states()) {
    list.append(py::make_tuple(state.name, state.value, state.derivative));
  }
  return list;
}

py::dict guards(const Simulation& simulation) {
  py::dict result;
  for (const NamedValue& guard : simulation.guards()) {
    result[py::str(guard.name)] = guard.value;
  }
  return result;
}

// Makes a property of a question.
template <class Answer>
auto question(Answer (Simulation::*member)() const) {
  return [member](const Led& led) { return led.ask([&](const Simulation& s) { return (s.*member)(); }); };
}

}  // namespace

void bind_simulation(py::module_& module) {
  using Names = std::vector<std::string>;
  py::class_<Led>(module, "Simulation")
      .def_property_readonly("time", question(&Simulation::time))
      .def_property_readonly("stop_time", question(&Simulation::stop_time))
      .def_property_readonly("has_ended", question(&Simulation::has_ended))
      .def_property_readonly("n_events", question(&Simulation::n_events))
      .def_property_readonly("mode", question(&Simulation::mode))
      .def_property_readonly("values", question(&Simulation::values))
      .def_property_readonly("last_step", question(&Simulation::last_step))
      .def_property_readonly("last_order", question(&Simulation::last_order))
      .def_property_readonly("next_step", question(&Simulation::next_step))
      .def_property_readonly("next_event_time", question(&Simulation::next_event_time))
      .def_property_readonly(
          "events",
          [](const Led& led) { return led.ask([](const Simulation& s) { return to_python(s.events()); }); })
      .def_property_readonly(
          "variables",
          [](const Led& led) {
            return led.ask([](const Simulation& s) { return descriptions(s.variables()); });
          })
      .def_property_readonly(
          "rounds", [](const Led& led) { return led.ask([](const Simulation& s) { return rounds(s); }); })
      .def_property_readonly(
          "states", [](const Led& led) { return led.ask([](const Simulation& s) { return states(s); }); })
      .def_property_readonly(
          "guards", [](const Led& led) { return led.ask([](const Simulation& s) { return guards(s); }); })
      .def("value",
           [](const Led& led, const std::string& name) {
             return led.ask([&](const Simulation& s) { return s.value(name); });
           })
      .def("derivative",
           [](const Led& led, const std::string& name) {
             return led.ask([&](const Simulation& s) { return s.derivative(name); });
           })
      .def("partial_derivatives",
           [](const Led& led, const Names& unknowns, const Names& knowns) {
             return led.ask([&](const Simulation& s) {
               return value_or_raise(s.partial_derivatives(unknowns, knowns));
             });
           })
      .def("directional_derivative",
           [](const Led& led, const Names& unknowns, const Names& knowns, const std::vector<double>& seeds) {
             return led.ask([&](const Simulation& s) {
               return value_or_raise(s.directional_derivative(unknowns, knowns, seeds));
             });
           })
      .def("adjoint_derivative",
           [](const Led& led, const Names& unknowns, const std::vector<double>& seeds, const Names& knowns) {
             return led.ask([&](const Simulation& s) {
               return value_or_raise(s.adjoint_derivative(unknowns, seeds, knowns));
             });
           })
      .def("dependencies",
           [](const Led& led, const std::string& name) {
             return led.ask([&](const Simulation& s) { return s.dependencies(name); });
           })
      .def("step", [](Led& led) { return led.lead([](Simulation& s) { return s.step(); }); })
      .def("advance_to",
           [](Led& led, double time) { return led.lead([&](Simulation& s) { return s.advance_to(time); }); })
      .def("advance_to_event",
           [](Led& led, double time) {
             return led.lead([&](Simulation& s) { return s.advance_to_event(time); });
           })
      .def("set",
           [](Led& led, const py::dict& values) {
             const std::vector<NamedValue> list = named_values(values);
             return led.lead([&](Simulation& s) { return s.set(list); });
           })
      .def("save",
           [](Led& led, const std::string& file) {
             raise_errors(led.lead([&](Simulation& s) { return s.save(file); }));
           })
      .def("reset", [](Led& led) { raise_errors(led.lead([](Simulation& s) { return s.reset(); })); })
      .def("finish", [](Led& led) {
        return std::make_unique<Run>(Run{led.lead([](Simulation& s) { return s.finish(); })});
      });
  module.def("begin", &begin);
}

}  // namespace saltus::python
