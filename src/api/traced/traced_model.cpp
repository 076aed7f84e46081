#include "saltus/traced_model.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/model_data.hpp"
#include "api/traced/traced_equations.hpp"
#include "api/traced/traced_program.hpp"

namespace saltus {

struct TracedModel::Data {
  TracedFunction function;
  std::optional<std::size_t> n_residuals;
  bool is_opaque = false;
  std::shared_ptr<api::TracedProgram> program;  // of the last build
  std::string built_text;                       // that it was made for
};

namespace api {
namespace {

DiagnosticCode code_of(trace::Failure::Kind kind) {
  switch (kind) {
    case trace::Failure::Kind::too_long: return kTraceTooLong;
    case trace::Failure::Kind::changed: return kTraceNotDetermined;
    default: return kTracedFunctionFailed;
  }
}

Unexpected<Diagnostics> no_model(DiagnosticCode code, std::string message, std::string hint = {}) {
  Diagnostics problems;
  problems.error(code, std::move(message), std::nullopt, std::move(hint));
  return Unexpected(std::move(problems));
}

// Continuous variables that no equation of the declarations gives.
std::size_t n_open_unknowns(const flat::Model& model) {
  std::size_t n_unknowns = 0;
  for (const flat::Variable& variable : model.variables) {
    const bool is_unknown = variable.variability == flat::Variability::continuous && !variable.mode.valid() &&
                            variable.causality != flat::Causality::input;
    n_unknowns += is_unknown ? 1 : 0;
  }
  std::size_t n_given = 0;
  for (const flat::Equation& equation : model.equations) {
    const expr::Node& left = model.graph[equation.left];
    const bool is_discrete = left.op == expr::Op::variable &&
                             model.variables[left.first].variability == flat::Variability::discrete;
    const bool is_input =
        left.op == expr::Op::variable && model.variables[left.first].causality == flat::Causality::input;
    n_given += is_discrete || is_input ? 0 : 1;
  }
  return n_unknowns > n_given ? n_unknowns - n_given : 0;
}

// The text with the names of the residuals behind it, for messages to point at.
std::shared_ptr<const TracedText> text_with_residuals(std::string name, std::string text, std::size_t n) {
  auto result = std::make_shared<TracedText>();
  result->name = std::move(name);
  text += "// residuals of the traced function:";
  for (std::size_t i = 0; i < n; ++i) {
    const std::string word = fmt::format("r[{}]", i);
    text += i % 10 == 0 ? "\n//   " : ", ";
    result->residual.push_back(
        {static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(word.size())});
    text += word;
  }
  result->text = text + "\n";
  return result;
}

std::optional<Unexpected<Diagnostics>> explored(TracedProgram& program, bool is_opaque) {
  trace::Exploration& exploration = program.exploration();
  const std::optional<trace::Failure> problem = exploration.begin();
  if (exploration.has_read_values() && !is_opaque) {
    return no_model(kTraceReadsValues,
                    "the traced function asks a Real for its value(): what it makes of that is not seen",
                    "compute with Reals; or, if no equation depends on it, declare the model opaque()");
  }
  if (problem) {
    return no_model(code_of(problem->kind), fmt::format("the traced function: {}", problem->message),
                    problem->kind == trace::Failure::Kind::too_long
                        ? "a loop whose end depends on Reals must end after a bounded number of turns"
                        : "");
  }
  return std::nullopt;
}

}  // namespace
}  // namespace api

TracedModel::TracedModel(std::string_view name, std::string_view description)
    : ModelBuilder(name, description), data_(std::make_unique<Data>()) {}
TracedModel::TracedModel(TracedModel&&) noexcept = default;
TracedModel& TracedModel::operator=(TracedModel&&) noexcept = default;
TracedModel::~TracedModel() = default;

Expression TracedModel::state(std::string_view name, Attributes attributes) {
  attributes.fixed = attributes.fixed.value_or(true);
  return real(name, attributes);
}

Expression TracedModel::algebraic(std::string_view name, const Attributes& attributes) {
  return real(name, attributes);
}

void TracedModel::residual(TracedFunction function) {
  data_->function = std::move(function);
  data_->n_residuals.reset();
  data_->program.reset();
}

void TracedModel::residual(std::size_t n, TracedFunction function) {
  residual(std::move(function));
  data_->n_residuals = n;
}

void TracedModel::opaque() {
  data_->is_opaque = true;
}

Result<Model> TracedModel::build() const {
  if (!data_->function) {
    return api::no_model(api::kWrongTracedModel, "the model has no residual function");
  }
  const Result<Model> declarations = ModelBuilder::build();
  if (!declarations) {
    return declarations;
  }
  const flat::Model& flat = *declarations->data().flat;
  const std::size_t n = data_->n_residuals.value_or(api::n_open_unknowns(flat));
  if (n == 0) {
    return api::no_model(api::kWrongTracedModel,
                         "there is nothing for the residual function to determine: the model has no variable "
                         "without an equation");
  }
  std::string text = ModelBuilder::text();
  if (data_->program == nullptr || data_->built_text != text) {
    auto program = std::make_shared<api::TracedProgram>(flat, data_->function, n);
    if (auto problem = api::explored(*program, data_->is_opaque)) {
      return *std::move(problem);
    }
    data_->program = std::move(program);
    data_->built_text = text;
  }
  trace::Residuals residuals;
  {
    const std::scoped_lock lock(data_->program->mutex());
    residuals = data_->program->exploration().residuals();
  }
  const std::string name = flat.modes.empty() ? "traced.mo" : "traced.saltus";
  const auto source = api::text_with_residuals(name, std::move(text), n);
  const auto equations =
      std::make_shared<const api::TracedEquations>(data_->program, source, std::move(residuals));
  return api::read_model(source->name, source->text, {}, std::nullopt, equations);
}

TraceStatistics TracedModel::statistics() const {
  TraceStatistics statistics;
  if (data_->program != nullptr) {
    const std::scoped_lock lock(data_->program->mutex());
    const trace::Exploration& exploration = data_->program->exploration();
    statistics = {.n_runs = exploration.n_runs(),
                  .n_paths = exploration.tree().leaves().size(),
                  .n_comparisons = exploration.n_decisions(),
                  .is_complete = exploration.tree().is_complete(),
                  .n_extensions = data_->program->n_extensions};
  }
  return statistics;
}

}  // namespace saltus
