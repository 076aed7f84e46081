#include "saltus/model_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "api/expression_text.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "base/number_text.hpp"
#include "flat/expression_printer.hpp"

namespace saltus {
namespace api {

/// Branches of a clause with the text of their bodies.
struct ClauseData {
  struct Branch {
    std::string condition;
    std::string body;
  };
  std::vector<Branch> branches;
  std::vector<std::string>* problems = nullptr;  ///< of the builder
};

/// An equation, an assertion or a clause, in the order in which they were given.
struct Statement {
  std::string text;
  std::shared_ptr<const ClauseData> clause = nullptr;
};

struct ModeText {
  std::string heading;  ///< "initial mode a", "sliding mode b between c, d"
  std::string name;
  std::string declarations;
  std::vector<Statement> statements;
  std::string transitions;
  std::vector<std::string>* problems = nullptr;
};

struct BuilderData {
  std::string name;
  std::string description;
  std::string before;  ///< functions and types
  std::string declarations;
  std::string initial_equations;
  std::vector<Statement> statements;
  std::list<ModeText> modes;  // a mode's text is filled while others may be added
  std::string experiment;
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<std::string> problems;
};

namespace {

std::string written(const Expression& expression, std::vector<std::string>& problems,
                    Binding least = Binding::choice) {
  std::string problem = expression_problem(expression);
  if (problem.empty()) {
    return expression_text(expression, least);
  }
  problems.push_back(std::move(problem));
  return "0";
}

std::string equation_text(const Expression& left, const Expression& right,
                          std::vector<std::string>& problems) {
  // An `if` on the left would be taken for an if-equation.
  return fmt::format("{} = {};\n", written(left, problems, Binding::disjunction), written(right, problems));
}

std::string declaration_text(std::string_view prefix, std::string_view name, const Attributes& attributes,
                             bool is_array, std::vector<std::string>& problems) {
  std::vector<std::string> list;
  const std::string_view each = is_array ? "each " : "";
  const auto add = [&](std::string_view what, const std::optional<Expression>& value) {
    if (value) {
      list.push_back(fmt::format("{}{} = {}", each, what, written(*value, problems)));
    }
  };
  add("start", attributes.start);
  if (attributes.fixed) {
    list.push_back(fmt::format("{}fixed = {}", each, *attributes.fixed));
  }
  add("nominal", attributes.nominal);
  add("min", attributes.min);
  add("max", attributes.max);
  if (!attributes.unit.empty()) {
    list.push_back(fmt::format("{}unit = {}", each, flat::quoted_text(attributes.unit)));
  }
  if (!attributes.display_unit.empty()) {
    list.push_back(fmt::format("{}displayUnit = {}", each, flat::quoted_text(attributes.display_unit)));
  }
  return fmt::format("  {}{}{}{}{};\n", prefix, name,
                     list.empty() ? "" : fmt::format("({})", fmt::join(list, ", ")),
                     attributes.value ? " = " + written(*attributes.value, problems) : "",
                     attributes.description.empty() ? "" : " " + flat::quoted_text(attributes.description));
}

std::shared_ptr<ClauseData> make_clause(const Expression& condition, const std::function<void(Body&)>& fill,
                                        std::vector<std::string>& problems) {
  auto clause = std::make_shared<ClauseData>();
  clause->problems = &problems;
  ClauseData::Branch& branch = clause->branches.emplace_back();
  branch.condition = written(condition, problems);
  Body body(branch.body, problems);
  fill(body);
  return clause;
}

void write(const std::vector<Statement>& statements, std::string& text) {
  for (const Statement& statement : statements) {
    text += statement.text.empty() ? "" : "  " + statement.text;
    if (statement.clause == nullptr) {
      continue;
    }
    for (std::size_t i = 0; i < statement.clause->branches.size(); ++i) {
      const ClauseData::Branch& branch = statement.clause->branches[i];
      text += fmt::format("  {} {} then\n{}", i == 0 ? "when" : "elsewhen", branch.condition, branch.body);
    }
    text += "  end when;\n";
  }
}

}  // namespace
}  // namespace api

Body& Body::set(const Expression& discrete, const Expression& value) {
  return equation(discrete, value);
}
Body& Body::reinit(const Expression& state, const Expression& value) {
  text_ +=
      fmt::format("    reinit({}, {});\n", api::written(state, problems_), api::written(value, problems_));
  return *this;
}
Body& Body::equation(const Expression& left, const Expression& right) {
  text_ += "    " + api::equation_text(left, right, problems_);
  return *this;
}
Body& Body::require(const Expression& condition, std::string_view message) {
  text_ +=
      fmt::format("    assert({}, {});\n", api::written(condition, problems_), flat::quoted_text(message));
  return *this;
}
Body& Body::terminate(std::string_view message) {
  text_ += fmt::format("    terminate({});\n", flat::quoted_text(message));
  return *this;
}

Clause& Clause::elsewhen(const Expression& condition, const std::function<void(Body&)>& fill) {
  api::ClauseData::Branch branch{api::written(condition, *data_->problems), {}};
  Body body(branch.body, *data_->problems);
  fill(body);
  data_->branches.push_back(std::move(branch));
  return *this;
}

Expression ModeBuilder::real(std::string_view name, const Attributes& attributes) {
  const std::string quoted = flat::quoted_name(name);
  mode_.declarations += "  " + api::declaration_text("Real ", quoted, attributes, false, *mode_.problems);
  return Expression::text(quoted);
}

void ModeBuilder::equation(const Expression& left, const Expression& right) {
  mode_.statements.push_back({"  " + api::equation_text(left, right, *mode_.problems)});
}

Clause ModeBuilder::when(const Expression& condition, const std::function<void(Body&)>& body) {
  auto clause = api::make_clause(condition, body, *mode_.problems);
  mode_.statements.push_back({"", clause});
  return Clause(std::move(clause));
}

void ModeBuilder::transition_to(std::string_view mode, const Expression& condition,
                                const std::function<void(Body&)>& fill) {
  std::string jump;
  if (fill) {
    Body body(jump, *mode_.problems);
    fill(body);
  }
  mode_.transitions += fmt::format("    transition to {} when {}{};\n", flat::quoted_name(mode),
                                   api::written(condition, *mode_.problems),
                                   jump.empty() ? "" : fmt::format(" then\n{}    end transition", jump));
}

ModelBuilder::ModelBuilder(std::string_view name, std::string_view description)
    : data_(std::make_unique<api::BuilderData>()) {
  data_->name = flat::quoted_name(name);
  data_->description = description;
}
ModelBuilder::ModelBuilder(ModelBuilder&&) noexcept = default;
ModelBuilder& ModelBuilder::operator=(ModelBuilder&&) noexcept = default;
ModelBuilder::~ModelBuilder() = default;

Expression ModelBuilder::declare(std::string_view prefix, std::string_view name,
                                 const Attributes& attributes) {
  const std::string quoted = flat::quoted_name(name);
  data_->declarations += api::declaration_text(prefix, quoted, attributes, false, data_->problems);
  return Expression::text(quoted);
}

Expression ModelBuilder::parameter(std::string_view name, const Expression& value, Attributes attributes) {
  attributes.value = value;
  return declare("parameter Real ", name, attributes);
}
Expression ModelBuilder::real(std::string_view name, const Attributes& attributes) {
  return declare("Real ", name, attributes);
}
Expression ModelBuilder::discrete_real(std::string_view name, const Attributes& attributes) {
  return declare("discrete Real ", name, attributes);
}
Expression ModelBuilder::integer(std::string_view name, const Attributes& attributes) {
  return declare("Integer ", name, attributes);
}
Expression ModelBuilder::boolean(std::string_view name, const Attributes& attributes) {
  return declare("Boolean ", name, attributes);
}
Expression ModelBuilder::input(std::string_view name, const Attributes& attributes) {
  return declare("input Real ", name, attributes);
}
Expression ModelBuilder::output(std::string_view name, const Attributes& attributes) {
  return declare("output Real ", name, attributes);
}

std::vector<Expression> ModelBuilder::reals(std::string_view name, int size, const Attributes& attributes) {
  const std::string quoted = flat::quoted_name(name);
  data_->declarations +=
      api::declaration_text("Real ", fmt::format("{}[{}]", quoted, size), attributes, true, data_->problems);
  std::vector<Expression> elements;
  for (int i = 1; i <= size; ++i) {
    elements.push_back(Expression::text(fmt::format("{}[{}]", quoted, i)));
  }
  return elements;
}

void ModelBuilder::equation(const Expression& left, const Expression& right) {
  data_->statements.push_back({api::equation_text(left, right, data_->problems)});
}

void ModelBuilder::initial_equation(const Expression& left, const Expression& right) {
  data_->initial_equations += "  " + api::equation_text(left, right, data_->problems);
}

Clause ModelBuilder::when(const Expression& condition, const std::function<void(Body&)>& body) {
  auto clause = api::make_clause(condition, body, data_->problems);
  data_->statements.push_back({"", clause});
  return Clause(std::move(clause));
}

void ModelBuilder::require(const Expression& condition, std::string_view message) {
  data_->statements.push_back({fmt::format("assert({}, {});\n", api::written(condition, data_->problems),
                                           flat::quoted_text(message))});
}

void ModelBuilder::terminate_when(const Expression& condition, std::string_view message) {
  when(condition, [message](Body& body) { body.terminate(message); });
}

namespace {

void add_mode(api::BuilderData& data, std::string heading, std::string_view name,
              const std::function<void(api::ModeText&)>& fill) {
  api::ModeText& mode = data.modes.emplace_back();
  mode.heading = std::move(heading);
  mode.name = flat::quoted_name(name);
  mode.problems = &data.problems;
  fill(mode);
}

}  // namespace

void ModelBuilder::mode(std::string_view name, const std::function<void(ModeBuilder&)>& contents) {
  add_mode(*data_, fmt::format("mode {}", flat::quoted_name(name)), name, [&](api::ModeText& mode) {
    ModeBuilder builder(mode);
    contents(builder);
  });
}

void ModelBuilder::initial_mode(std::string_view name, const std::function<void(ModeBuilder&)>& contents) {
  add_mode(*data_, fmt::format("initial mode {}", flat::quoted_name(name)), name, [&](api::ModeText& mode) {
    ModeBuilder builder(mode);
    contents(builder);
  });
}

void ModelBuilder::sliding_mode(std::string_view name, std::string_view one, std::string_view other,
                                const std::function<void(ModeBuilder&)>& contents) {
  add_mode(*data_,
           fmt::format("sliding mode {} between {}, {}", flat::quoted_name(name), flat::quoted_name(one),
                       flat::quoted_name(other)),
           name, [&](api::ModeText& mode) {
             ModeBuilder builder(mode);
             contents(builder);
           });
}

void ModelBuilder::experiment(double start, double stop, std::optional<double> tolerance,
                              std::optional<double> interval) {
  std::string& text = data_->experiment;
  text = fmt::format("StartTime = {}, StopTime = {}", number_text(start), number_text(stop));
  text += tolerance ? ", Tolerance = " + number_text(*tolerance) : "";
  text += interval ? ", Interval = " + number_text(*interval) : "";
}

void ModelBuilder::option(std::string_view name, std::string_view value) {
  std::string word(name);
  std::replace(word.begin(), word.end(), '-', '_');
  data_->options.emplace_back(std::move(word), flat::quoted_text(value));
}

void ModelBuilder::add_text(std::string_view text) {
  data_->before += fmt::format("{}\n", text);
}

std::string ModelBuilder::text() const {
  const api::BuilderData& data = *data_;
  std::string text = data.before + "model " + data.name;
  text += data.description.empty() ? "\n" : " " + flat::quoted_text(data.description) + "\n";
  text += data.declarations;
  if (!data.initial_equations.empty()) {
    text += "initial equation\n" + data.initial_equations;
  }
  if (!data.statements.empty()) {
    text += "equation\n";
    api::write(data.statements, text);
  }
  for (const api::ModeText& mode : data.modes) {
    text += fmt::format("{}\n{}", mode.heading, mode.declarations);
    if (!mode.statements.empty()) {
      text += "  equation\n";
      api::write(mode.statements, text);
    }
    text += fmt::format("{}end {};\n", mode.transitions, mode.name);
  }
  std::vector<std::string> notes;
  if (!data.experiment.empty()) {
    notes.push_back(fmt::format("experiment({})", data.experiment));
  }
  std::vector<std::string> options;
  for (const auto& [name, value] : data.options) {
    options.push_back(fmt::format("{} = {}", name, value));
  }
  if (!options.empty()) {
    notes.push_back(fmt::format("__saltus({})", fmt::join(options, ", ")));
  }
  if (!notes.empty()) {
    text += fmt::format("  annotation({});\n", fmt::join(notes, ", "));
  }
  return text + fmt::format("end {};\n", data.name);
}

Result<Model> ModelBuilder::build() const {
  Diagnostics problems;
  for (const std::string& problem : data_->problems) {
    problems.error(api::kWrongExpression, problem);
  }
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  return Model::from_text(data_->modes.empty() ? "builder.mo" : "builder.saltus", text());
}

}  // namespace saltus
