#include <set>

#include "support/oracle/instants/expression_reader.hpp"

namespace saltus::test::instants {
namespace {

class ModelReader {
 public:
  explicit ModelReader(const std::string& text) : in_(model_, tokens_of(text)) {}

  DiscreteModel read() {
    in_.expect("model");
    const std::string name = in_.name();
    while (!in_.at("equation") && !in_.at("initial") && !in_.at("end")) {
      if (in_.at("annotation")) {
        read_annotation();
      } else {
        read_declaration();
      }
    }
    while (!in_.take("end")) {
      if (in_.take("initial")) {
        in_.expect("equation");
        is_initial_section_ = true;
      } else if (in_.take("equation")) {
        is_initial_section_ = false;
      } else if (in_.at("annotation")) {
        read_annotation();
      } else {
        read_statement();
      }
    }
    complete();
    return std::move(model_);
  }

 private:
  std::size_t zero() { return model_.number(0); }

  void read_annotation() {
    in_.skip();
    int depth = 0;
    do {
      if (in_.take("StopTime")) {
        in_.expect("=");
        model_.stop = in_.constant_value(in_.expression());
        continue;
      }
      depth += in_.at("(") ? 1 : in_.at(")") ? -1 : 0;
      in_.skip();
    } while (depth > 0);
    in_.expect(";");
  }

  void read_declaration() {
    const bool is_parameter = in_.take("parameter") || in_.take("constant");
    const bool is_discrete = in_.take("discrete") && !is_parameter;
    const std::string type = in_.name();
    if (type != "Real" && type != "Integer" && type != "Boolean") {
      throw Unsupported("type " + type);
    }
    do {
      const std::string name = in_.name();
      Real start = 0;
      bool is_fixed = is_parameter;
      if (in_.take("(")) {
        while (!in_.take(")")) {
          const std::string attribute = in_.name();
          in_.expect("=");
          const std::size_t value = in_.expression();
          if (attribute == "start") {
            start = in_.constant_value(value);
          } else if (attribute == "fixed") {
            is_fixed = in_.constant_value(value) != 0;
          }
          static_cast<void>(in_.take(","));
        }
      }
      const bool is_bound = in_.take("=");
      const std::size_t binding = is_bound ? in_.expression() : zero();
      if (is_parameter && is_fixed) {
        in_.set_parameter(name, is_bound ? in_.constant_value(binding) : start);
        continue;
      }
      const std::size_t place = in_.variable(name);
      declared_.insert(place);
      Variable& variable = model_.variables[place];
      variable.type = type == "Real" ? Type::real : type == "Integer" ? Type::integer : Type::boolean;
      variable.start = start;
      variable.is_fixed = is_fixed;
      if (is_discrete || variable.type != Type::real) {
        variable.role = Role::discrete;
      }
      const std::size_t left = model_.node({.op = Op::variable, .which = place});
      if (is_parameter) {
        free_parameters_.push_back(place);
      }
      if (is_bound) {
        (is_parameter ? model_.initial_equations : model_.equations).push_back({left, binding});
      }
    } while (in_.take(","));
    in_.expect(";");
  }

  void read_statement() {
    if (in_.at("when")) {
      read_clause();
    } else if (in_.at("assert")) {
      in_.skip();
      in_.expect("(");
      model_.assertions.push_back(in_.expression());
      in_.expect(",");
      in_.expect(")");
      in_.expect(";");
    } else {
      auto& list = is_initial_section_ ? model_.initial_equations : model_.equations;
      for (const Equation& equation : read_equations()) {
        list.push_back(equation);
      }
    }
  }

  Equation read_equation() {
    const std::size_t left = in_.expression();
    in_.expect("=");
    const std::size_t right = in_.expression();
    in_.expect(";");
    return {left, right};
  }

  /// One equation, or those of an if-equation: of the same left sides an equation with a choice on the right, else a choice of
  /// residuals.
  std::vector<Equation> read_equations() {
    if (!in_.take("if") && !in_.take("elseif")) {
      return {read_equation()};
    }
    const std::size_t condition = in_.expression();
    in_.expect("then");
    std::vector<Equation> then;
    while (!in_.at("else") && !in_.at("elseif")) {
      for (const Equation& equation : read_equations()) {
        then.push_back(equation);
      }
    }
    std::vector<Equation> otherwise;
    if (in_.at("elseif")) {
      otherwise = read_equations();
    } else {
      in_.expect("else");
      while (!in_.at("end")) {
        for (const Equation& equation : read_equations()) {
          otherwise.push_back(equation);
        }
      }
      in_.expect("end");
      in_.expect("if");
      in_.expect(";");
    }
    if (then.size() != otherwise.size()) {
      throw Unsupported("branches with different numbers of equations");
    }
    std::vector<Equation> both;
    for (std::size_t i = 0; i < then.size(); ++i) {
      const auto choice = [&](std::size_t a, std::size_t b) {
        return model_.node({.op = Op::select, .a = condition, .b = a, .c = b});
      };
      const auto residual = [&](const Equation& equation) {
        return model_.binary(Op::subtract, equation.left, equation.right);
      };
      both.push_back(then[i].left == otherwise[i].left
                         ? Equation{then[i].left, choice(then[i].right, otherwise[i].right)}
                         : Equation{zero(), choice(residual(then[i]), residual(otherwise[i]))});
    }
    return both;
  }

  void read_clause() {
    Clause clause;
    in_.expect("when");
    do {
      Branch branch;
      if (in_.take("{")) {
        do {
          branch.conditions.push_back(in_.expression());
        } while (in_.take(","));
        in_.expect("}");
      } else {
        branch.conditions.push_back(in_.expression());
      }
      for (const std::size_t condition : branch.conditions) {
        branch.is_initial = branch.is_initial || model_.nodes[condition].op == Op::initial;
      }
      in_.expect("then");
      in_.is_in_body = true;
      while (!in_.at("elsewhen") && !in_.at("end")) {
        read_body_line(branch);
      }
      in_.is_in_body = false;
      clause.branches.push_back(branch);
    } while (in_.take("elsewhen"));
    in_.expect("end");
    in_.expect("when");
    in_.expect(";");
    model_.clauses.push_back(clause);
  }

  void read_body_line(Branch& branch) {
    if (in_.take("reinit")) {
      in_.expect("(");
      const std::size_t target = in_.variable(in_.name());
      in_.expect(",");
      branch.reinits.push_back({target, in_.expression()});
      in_.expect(")");
    } else {
      const std::size_t target = in_.variable(in_.name());
      model_.variables[target].role = Role::discrete;
      in_.expect("=");
      branch.assignments.push_back({target, in_.expression()});
    }
    in_.expect(";");
  }

  void complete() {
    for (const std::size_t place : free_parameters_) {
      // An unknown of the start that rests afterwards.
      const std::string name = model_.variables[place].name;
      const std::size_t rate = in_.variable("der(" + name + ")");
      model_.variables[place].role = Role::state;
      model_.variables[place].partner = rate;
      model_.variables[rate].role = Role::rate;
      model_.variables[rate].partner = place;
      model_.equations.push_back({model_.node({.op = Op::variable, .which = rate}), zero()});
    }
    for (std::size_t i = 0; i < model_.variables.size(); ++i) {
      const Variable& variable = model_.variables[i];
      if (!declared_.contains(i) && variable.role != Role::rate) {
        throw Unsupported("no declaration of " + variable.name);
      }
    }
    for (const Clause& clause : model_.clauses) {
      for (const Branch& branch : clause.branches) {
        for (const Assignment& reinit : branch.reinits) {
          if (model_.variables[reinit.variable].role != Role::state) {
            throw Unsupported("reinit of " + model_.variables[reinit.variable].name + ", which is no state");
          }
        }
      }
    }
    for (Node& node : model_.nodes) {
      const bool can_be_held = node.op == Op::greater || node.op == Op::greater_equal || node.op == Op::floor;
      node.is_held = can_be_held && !node.is_literal &&
                     (model_.moves(node.a) || (node.op != Op::floor && model_.moves(node.b)));
    }
  }

  DiscreteModel model_;
  ExpressionReader in_;
  bool is_initial_section_ = false;
  std::set<std::size_t> declared_;
  std::vector<std::size_t> free_parameters_;
};

}  // namespace

DiscreteModel read_model(const std::string& text) {
  return ModelReader(text).read();
}

}  // namespace saltus::test::instants
