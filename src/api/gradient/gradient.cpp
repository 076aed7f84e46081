#include "saltus/gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/gradient/diagnostic_codes.hpp"
#include "api/gradient/evaluate.hpp"
#include "api/gradient/functional_text.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/model/model_data.hpp"
#include "api/results/work_guard.hpp"
#include "api/traced/repeated_run.hpp"
#include "base/name_list.hpp"
#include "saltus/contract.hpp"

namespace saltus {

Diagnostics set_gradient_option(GradientOptions& options, std::string_view name, std::string_view value) {
  if (name == "with") {
    for (std::string& item : split_names(value)) {
      if (item.empty()) {
        Diagnostics problems;
        problems.error(api::kWrongOptionValue,
                       fmt::format("--with takes names with commas between, not '{}'", value));
        return problems;
      }
      options.with.push_back(std::move(item));
    }
    return {};
  }
  if (name == "by") {
    options.by = value;
    return {};
  }
  return set_option(options.simulation, name, value);
}

double GradientResult::derivative(std::string_view name) const {
  const auto found = std::find_if(gradient.begin(), gradient.end(),
                                  [&](const Derivative& item) { return item.name == name; });
  SALTUS_EXPECT(found != gradient.end(), "no derivative with respect to '" + std::string(name) + "'");
  return found->derivative;
}

namespace {

Diagnostics check(const GradientOptions& options) {
  Diagnostics problems;
  if (options.with.empty()) {
    problems.error(api::kWrongOptionValue, "--with must name what the gradient is with respect to",
                   std::nullopt, "names of parameters and variables (their start values), all or starts");
  }
  if (!options.by.empty() && options.by != "auto" && options.by != "forward" && options.by != "adjoint") {
    problems.error(api::kWrongOptionValue,
                   fmt::format("--by takes one of auto, forward, adjoint, not '{}'", options.by));
  }
  return problems;
}

GradientResult result_of(const Model& model, const std::string& functional,
                         const api::FunctionalModel& functionals, api::EvaluatedFunctionals found) {
  GradientResult result;
  result.model = model.name();
  result.functional = functional;
  result.by = found.by == api::GradientBy::adjoint ? "adjoint" : "forward";
  result.tape_pieces = found.n_pieces;
  result.status = found.run.status;
  result.reason = found.run.reason;
  result.start = found.run.start;
  result.end = found.run.end;
  result.statistics = std::move(found.run.statistics);
  result.diagnostics = std::move(found.run.diagnostics);
  result.problem = std::move(found.problem);
  const std::size_t n = found.names.size();
  if (result.ok()) {
    result.value = found.values.front();
  }
  for (std::size_t k = 0; k < n; ++k) {
    result.gradient.push_back({found.names[k], found.at[k]});
    if (result.ok()) {
      result.gradient.back().derivative = found.gradients[k];
    }
  }
  for (std::size_t i = 0; i < found.terms.size() && result.ok(); ++i) {
    GradientResult::Term& term = result.terms.emplace_back();
    term.text = functionals.texts.terms[i].text;
    term.value = found.terms[i];
    if (found.by == api::GradientBy::forward) {
      const auto first = found.term_gradients.begin() + static_cast<std::ptrdiff_t>(i * n);
      term.derivatives.assign(first, first + static_cast<std::ptrdiff_t>(n));
    }
  }
  return result;
}

Result<GradientResult> gradient_once(const Model& model, const std::string& functional,
                                     const GradientOptions& options) {
  Result<api::FunctionalTexts> texts = api::read_functionals("--of", {functional});
  if (!texts) {
    return Unexpected(std::move(texts).error());
  }
  const WorkLimits limits{options.simulation.stop_requested, options.simulation.max_time,
                          options.simulation.began.value_or(std::chrono::steady_clock::now())};
  const Result<api::FunctionalModel> functionals = api::under_limits(
      limits, "while the functional was read",
      [&] { return api::make_functional_model(model, *std::move(texts), options.simulation.set); },
      [](const api::EarlyEnd& end) -> Result<api::FunctionalModel> { return Unexpected(end.diagnostics()); });
  if (!functionals) {
    return Unexpected(functionals.error());
  }
  const bool is_chosen = options.by.empty() || options.by == "auto";
  api::GradientWay way;
  way.way = is_chosen                 ? api::GradientBy::chosen
            : options.by == "adjoint" ? api::GradientBy::adjoint
                                      : api::GradientBy::forward;
  if (options.tape_numbers > 0) {
    way.most_numbers = options.tape_numbers;
  }
  Result<api::EvaluatedFunctionals> found =
      api::evaluate(*functionals, options.simulation, options.with, "--with", way);
  if (found && is_chosen && !found->without_adjoint.empty()) {
    found = api::evaluate(*functionals, options.simulation, options.with, "--with");
  }
  if (!found) {
    return Unexpected(std::move(found).error());
  }
  if (!found->without_adjoint.empty()) {
    found->run.diagnostics.warning(
        api::kGradientUndefined, fmt::format("by adjoint there is no gradient: {}", found->without_adjoint),
        std::nullopt, "--by forward asks for less: derivatives in the directions of the names alone");
  }
  return result_of(model, functional, *functionals, *std::move(found));
}

}  // namespace

Result<GradientResult> gradient(const Model& model, const std::string& functional,
                                const GradientOptions& options) {
  if (Diagnostics problems = check(options); problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  Model newest = model;
  return api::with_newest(newest,
                          [&](const Model& present) { return gradient_once(present, functional, options); });
}

}  // namespace saltus
