#include "support/flat_print.hpp"

#include <fmt/format.h>

#include "base/number_text.hpp"
#include "flat/contacts.hpp"
#include "flat/expression_printer.hpp"

namespace saltus::flat {
namespace {

std::string_view type_text(Type type) {
  switch (type) {
    case Type::real: return "Real";
    case Type::integer: return "Integer";
    case Type::boolean: return "Boolean";
    case Type::string: return "String";
  }
  return "";
}

class ModelPrinter {
 public:
  explicit ModelPrinter(const Model& model)
      : model_(model), expressions_(model, ExpressionPrinter::Form::exact) {}

  std::string run() {
    for (const Parameter& parameter : model_.parameters) {
      write_parameter(parameter);
    }
    for (const Variable& variable : model_.variables) {
      if (!variable.mode.valid()) {
        write_variable(variable, "  ");
      }
    }
    if (!model_.initial_equations.empty()) {
      text_ += "initial equation\n";
      write_equations(model_.initial_equations, "  ");
    }
    text_ += "equation\n";
    write_equations(model_.equations, "  ");
    write_watched(ModeId(), "  ");
    for (const Body::Message& message : model_.terminates) {
      write_terminate(message, "  ");
    }
    write_modes();
    write_annotation();
    const std::string name = quoted_name(model_.name);
    std::string helpers;
    for (const expr::Op op : expressions_.helpers()) {
      helpers += ExpressionPrinter::helper_function(op);
    }
    const std::string description = model_.description.empty() ? "" : " " + quoted_text(model_.description);
    return helpers + "model " + name + description + "\n" + text_ + "end " + name + ";\n";
  }

 private:
  void write(NodeId node, bool as_boolean, bool on_left = false) {
    n_written_ += expressions_.text_size(node);
    if (n_written_ > kMaxPrintedNodes) {
      text_ += "/* too long to print */";
      return;
    }
    expressions_.write(node, as_boolean, text_, on_left);
  }

  void write_attributes(std::vector<std::pair<std::string_view, std::optional<NodeId>>> attributes,
                        bool fixed, const std::string& unit, bool as_boolean) {
    bool first = true;
    const auto begin = [&](std::string_view name) {
      text_ += first ? "(" : ", ";
      text_ += name;
      text_ += " = ";
      first = false;
    };
    for (const auto& [name, value] : attributes) {
      if (value) {
        begin(name);
        write(*value, as_boolean);
      }
    }
    if (fixed) {
      begin("fixed");
      text_ += "true";
    }
    if (!unit.empty()) {
      begin("unit");
      text_ += quoted_text(unit);
    }
    text_ += first ? "" : ")";
  }

  void end_declaration(const std::string& description) {
    text_ += description.empty() ? ";\n" : " " + quoted_text(description) + ";\n";
  }

  void write_parameter(const Parameter& parameter) {
    text_ += fmt::format("  {}{} {} {}", parameter.is_final ? "final " : "",
                         parameter.is_constant ? "constant" : "parameter", type_text(parameter.type),
                         quoted_name(parameter.name));
    const bool boolean = parameter.type == Type::boolean;
    write_attributes({{"min", parameter.minimum}, {"max", parameter.maximum}}, false, parameter.unit,
                     boolean);
    if (parameter.type == Type::string) {
      text_ += " = " + quoted_text(parameter.text);
    } else if (parameter.value) {
      text_ += " = ";
      write(*parameter.value, boolean);
    }
    end_declaration(parameter.description);
  }

  void write_variable(const Variable& variable, std::string_view indent) {
    const bool discrete_real = variable.type == Type::real && variable.variability == Variability::discrete;
    text_ += fmt::format("{}{}{}{} {}", indent, discrete_real ? "discrete " : "",
                         variable.causality == Causality::input    ? "input "
                         : variable.causality == Causality::output ? "output "
                                                                   : "",
                         type_text(variable.type), quoted_name(variable.name));
    write_attributes({{"start", variable.start},
                      {"min", variable.minimum},
                      {"max", variable.maximum},
                      {"nominal", variable.nominal}},
                     variable.fixed, variable.unit, variable.type == Type::boolean);
    end_declaration(variable.description);
  }

  void write_equations(const std::vector<Equation>& equations, std::string_view indent) {
    for (const Equation& equation : equations) {
      const bool boolean = expressions_.is_boolean(equation.left) || expressions_.is_boolean(equation.right);
      text_ += indent;
      if (const std::optional<Contact> contact = contact_of(model_, equation)) {
        write_contact(*contact);
        continue;
      }
      write(equation.left, boolean, true);
      text_ += " = ";
      write(equation.right, boolean);
      text_ += ";\n";
    }
  }

  void write_contact(const Contact& contact) {
    text_ += "contact(";
    write(contact.gap, false);
    text_ += ", ";
    write(contact.force, false);
    text_ += ", ";
    write(contact.restitution, false);
    text_ += ");\n";
  }

  void write_assert(NodeId condition, const std::string& message, std::string_view indent) {
    text_ += fmt::format("{}assert(", indent);
    write(condition, true);
    text_ += ", " + quoted_text(message) + ");\n";
  }

  void write_terminate(const Body::Message& message, std::string_view indent) {
    const bool always = model_.graph.is_constant(message.condition, 1.0);
    text_ += indent;
    if (!always) {
      text_ += "if ";
      write(message.condition, true);
      text_ += " then ";
    }
    text_ += "terminate(" + quoted_text(message.text) + (always ? ");\n" : "); end if;\n");
  }

  void write_body(const Body& body, const std::string& indent) {
    for (const Body::Assignment& assignment : body.assignments) {
      const Variable& variable = model_[assignment.variable];
      text_ += indent + quoted_name(variable.name) + " = ";
      write(assignment.value, variable.type == Type::boolean);
      text_ += ";\n";
    }
    for (const Body::Assignment& reinit : body.reinits) {
      text_ += indent + "reinit(" + quoted_name(model_[reinit.variable].name) + ", ";
      write(reinit.value, false);
      text_ += ");\n";
    }
    write_equations(body.jump_equations, indent);
    for (const Body::Message& message : body.asserts) {
      write_assert(message.condition, message.text, indent);
    }
    for (const Body::Message& message : body.terminates) {
      write_terminate(message, indent);
    }
  }

  /// Clauses and assertions of one mode, or of the whole model.
  void write_watched(ModeId mode, const std::string& indent) {
    for (const WhenClause& clause : model_.when_clauses) {
      if (clause.mode != mode) {
        continue;
      }
      for (std::size_t k = 0; k < clause.branches.size(); ++k) {
        const WhenBranch& branch = clause.branches[k];
        text_ += indent + (k == 0 ? "when " : "elsewhen ");
        text_ += branch.vector_elements.empty() ? "" : "{";
        for (std::size_t i = 0; i < branch.vector_elements.size(); ++i) {
          text_ += i == 0 ? "" : ", ";
          write(branch.vector_elements[i], true);
        }
        text_ += branch.vector_elements.empty() ? "" : "}";
        if (branch.vector_elements.empty()) {
          write(branch.condition, true);
        }
        text_ += " then\n";
        write_body(branch.body, indent + "  ");
      }
      text_ += indent + "end when;\n";
    }
    for (const Assertion& assertion : model_.assertions) {
      if (assertion.mode == mode) {
        write_assert(assertion.condition, assertion.message, indent);
      }
    }
  }

  void write_mode_choice(NodeId node) {
    const expr::Node& choice = model_.graph[node];
    if (choice.op != expr::Op::select) {
      text_ += quoted_name(model_.modes[static_cast<std::size_t>(choice.value)].name);
      return;
    }
    text_ += "(if ";
    write(NodeId(choice.first), true);
    text_ += " then ";
    write_mode_choice(NodeId(choice.second));
    text_ += " else ";
    write_mode_choice(NodeId(choice.third));
    text_ += ")";
  }

  void write_modes() {
    if (model_.modes.empty()) {
      return;
    }
    const bool chosen = !model_.graph.is_constant(model_.initial_mode);
    if (chosen) {
      text_ += "initial mode = ";
      write_mode_choice(model_.initial_mode);
      text_ += ";\n";
    }
    for (std::size_t m = 0; m < model_.modes.size(); ++m) {
      const Mode& mode = model_.modes[m];
      const bool first = !chosen && model_.graph.is_constant(model_.initial_mode, static_cast<double>(m));
      const std::string name = quoted_name(mode.name);
      text_ +=
          (first ? "initial " : "") + std::string(mode.sliding_between ? "sliding mode " : "mode ") + name;
      if (mode.sliding_between) {
        text_ += " between " + quoted_name(model_.modes[mode.sliding_between->first.index()].name) + ", " +
                 quoted_name(model_.modes[mode.sliding_between->second.index()].name);
      }
      text_ += "\n";
      for (const VariableId variable : mode.variables) {
        write_variable(model_[variable], "    ");
      }
      text_ += "  equation\n";
      write_equations(mode.equations, "    ");
      write_watched(ModeId(m), "    ");
      for (const Transition& transition : mode.transitions) {
        write_transition(transition);
      }
      if (const std::string options = options_of(ModeId(m)); !options.empty()) {
        text_ += "  annotation(" + options + ");\n";
      }
      text_ += "end " + name + ";\n";
    }
  }

  void write_transition(const Transition& transition) {
    text_ += "  transition to " + quoted_name(model_.modes[transition.to.index()].name) + " when ";
    write(transition.condition, true);
    const Body& body = transition.body;
    const bool empty = body.assignments.empty() && body.reinits.empty() && body.jump_equations.empty() &&
                       body.asserts.empty() && body.terminates.empty();
    if (empty) {
      text_ += ";\n";
      return;
    }
    text_ += " then\n";
    write_body(body, "    ");
    text_ += "  end transition;\n";
  }

  // __saltus(…) of a mode, or of the whole model; empty if there is none.
  [[nodiscard]] std::string options_of(ModeId mode) const {
    std::string options;
    for (const Experiment::Option& option : model_.experiment.options) {
      if (option.mode == mode) {
        options += fmt::format("{}{} = {}", options.empty() ? "" : ", ", quoted_name(option.name),
                               quoted_text(option.value));
      }
    }
    return options.empty() ? options : "__saltus(" + options + ")";
  }

  void write_annotation() {
    const Experiment& experiment = model_.experiment;
    std::string items;
    const auto add = [&](std::string_view name, const std::optional<double>& value) {
      if (value) {
        items += fmt::format("{}{} = {}", items.empty() ? "" : ", ", name, number_text(*value));
      }
    };
    add("StartTime", experiment.start);
    add("StopTime", experiment.stop);
    add("Tolerance", experiment.tolerance);
    add("Interval", experiment.interval);
    const std::string options = options_of(ModeId());
    if (items.empty() && options.empty()) {
      return;
    }
    text_ += "  annotation(";
    text_ += items.empty() ? "" : "experiment(" + items + ")";
    text_ += items.empty() || options.empty() ? "" : ", ";
    text_ += options;
    text_ += ");\n";
  }

  const Model& model_;
  ExpressionPrinter expressions_;
  std::string text_;
  double n_written_ = 0.0;
};

}  // namespace

std::string print(const Model& model) {
  return ModelPrinter(model).run();
}

}  // namespace saltus::flat
