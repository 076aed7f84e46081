#include "options.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string>

#include "errors.hpp"

namespace saltus::python {

namespace py = pybind11;

namespace {

// A number of Python or numpy as the shortest text that reads back as the same.
std::string option_text(const py::handle& value) {
  if (PyBool_Check(value.ptr())) {
    return value.cast<bool>() ? "on" : "off";
  }
  if (py::isinstance<py::str>(value)) {
    return value.cast<std::string>();
  }
  if (PyLong_Check(value.ptr())) {
    return py::str(value);
  }
  if (PyNumber_Check(value.ptr()) != 0) {
    return py::repr(py::float_(py::reinterpret_borrow<py::object>(value)));
  }
  return py::str(value);  // paths
}

bool is_list(const py::handle& value) {
  return py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value) ||
         py::isinstance<py::array>(value);
}

std::vector<std::string> names_of(const py::handle& value) {
  return py::isinstance<py::str>(value) ? std::vector{value.cast<std::string>()}
                                        : value.cast<std::vector<std::string>>();
}

class OptionReader {
 public:
  OptionReader(SimulationOptions& options, const std::shared_ptr<Raised>& raised)
      : options_(options), raised_(raised) {}

  void read(const py::dict& given) {
    for (const auto& [key, value] : given) {
      if (!value.is_none()) {
        read(key.cast<std::string>(), value);
      }
    }
    raise_errors(problems_);
  }

 private:
  void read(const std::string& name, const py::handle& value) {
    if (name == "set") {
      options_.set = set_values(value);
    } else if (name == "times") {
      options_.times = value.cast<std::vector<double>>();
    } else if (name == "columns") {
      options_.columns = names_of(value);
    } else if (name == "sensitivities") {
      options_.sensitivities = names_of(value);
    } else if (name == "nonnegative") {
      options_.nonnegative = names_of(value);
    } else if (name == "keep_dense") {
      options_.keep_dense = value.cast<bool>();
    } else if (name == "keep_rows") {
      options_.keep_rows = value.cast<bool>();
    } else if (name == "input_tables") {
      read_tables(value);
    } else if (name == "input_functions") {
      read_functions(value);
    } else if (name == "modes") {
      read_modes(value);
    } else if (name == "progress") {
      read_progress(value);
    } else if (py::isinstance<py::dict>(value)) {
      for (const auto& [key, item] : value.cast<py::dict>()) {  // atol and input_rule of single variables
        put(name, key.cast<std::string>() + "=" + option_text(item));
      }
    } else if (is_list(value)) {
      for (const py::handle item : value) {
        put(name, option_text(item));
      }
    } else {
      put(name, option_text(value));
    }
  }

  void put(std::string name, const std::string& text) {
    std::replace(name.begin(), name.end(), '_', '-');
    problems_.append(set_option(options_, name, text));
  }

  void read_tables(const py::handle& tables) {
    for (const py::handle item : tables) {
      const auto [times, columns, source] =
          item.cast<std::tuple<std::vector<double>, py::dict, std::string>>();
      InputTable table{.times = times, .columns = {}, .source = source};
      for (const auto& [name, values] : columns) {
        table.columns.push_back({name.cast<std::string>(), values.cast<std::vector<double>>()});
      }
      options_.inputs.push_back(std::move(table));
    }
  }

  void read_functions(const py::handle& functions) {
    for (const py::handle item : functions) {
      const auto [name, function, breaks] =
          item.cast<std::tuple<std::string, py::object, std::vector<double>>>();
      options_.input_functions.push_back({name,
                                          [held = SharedObject(function), raised = raised_](double time) {
                                            const py::gil_scoped_acquire lock;
                                            try {
                                              return held.get()(time).cast<double>();
                                            } catch (const py::error_already_set& error) {
                                              raised->keep(error);
                                            }
                                          },
                                          breaks});
    }
  }

  void read_modes(const py::handle& modes) {
    for (const auto& [mode, given] : modes.cast<py::dict>()) {
      ModeOptions item{.mode = mode.cast<std::string>()};
      SimulationOptions own;
      for (const auto& [key, value] : given.cast<py::dict>()) {
        std::string name = key.cast<std::string>();
        std::replace(name.begin(), name.end(), '_', '-');
        if (name != "method" && name != "order" && name != "max-order" && name != "max-step") {
          throw py::value_error("a mode has the options method, order, max_order and max_step, not " + name);
        }
        problems_.append(set_option(own, name, option_text(value)));
      }
      item.method = own.method;
      item.order = own.order;
      item.max_order = own.max_order;
      item.max_step = own.max_step;
      options_.modes.push_back(std::move(item));
    }
  }

  void read_progress(const py::handle& function) {
    options_.progress =
        [held = SharedObject(py::reinterpret_borrow<py::object>(function))](const Progress& now) {
          const py::gil_scoped_acquire lock;
          try {
            held.get()(now.time, now.start, now.stop, now.accepted_steps, now.events);
          } catch (py::error_already_set& error) {
            error.discard_as_unraisable("saltus: progress");
          }
        };
  }

  SimulationOptions& options_;
  std::shared_ptr<Raised> raised_;
  Diagnostics problems_;
};

}  // namespace

GivenValue given_value(const py::handle& value) {
  if (PyBool_Check(value.ptr())) {
    return value.cast<bool>();
  }
  if (py::isinstance<py::str>(value)) {
    return value.cast<std::string>();
  }
  if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) {
    return value.cast<double>();
  }
  if (py::hasattr(value, "tolist")) {  // arrays and numbers of numpy
    return given_value(value.attr("tolist")());
  }
  if (is_list(value)) {
    GivenValue::List list;
    for (const py::handle item : value) {
      list.push_back(given_value(item));
    }
    return list;
  }
  throw py::type_error("a value is a number, a truth, a text or a list of these, not " +
                       py::repr(value).cast<std::string>());
}

std::vector<SetValue> set_values(const py::handle& names_with_values) {
  std::vector<SetValue> list;
  for (const auto& [name, value] : names_with_values.cast<py::dict>()) {
    list.push_back({name.cast<std::string>(), given_value(value)});
  }
  return list;
}

SimulationOptions make_options(const py::dict& given, const std::shared_ptr<Raised>& raised) {
  SimulationOptions options;
  OptionReader(options, raised).read(given);
  return options;
}

}  // namespace saltus::python
