#include "api/options/formulation_options.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/fill_option.hpp"
#include "api/model/number_option.hpp"
#include "api/options/option_words.hpp"
#include "integrate/method_registry.hpp"

namespace saltus::api {
namespace {

constexpr Word<Formulation> kFormulation[] = {
    {"general", Formulation::general},
    {"index-reduced", Formulation::index_reduced},
    {"baumgarte", Formulation::baumgarte},
    {"equivalent-control", Formulation::equivalent_control},
    {"acceleration", Formulation::acceleration},
    {"post-stabilized", Formulation::post_stabilized},
    {"post-stabilized:holonomic", Formulation::post_stabilized_holonomic},
    {"reaching", Formulation::reaching},
    {"reaching:decoupled", Formulation::reaching},
    {"reaching:raw", Formulation::reaching_raw},
    {"post-stabilized:mass", Formulation::post_stabilized_mass},
    {"post-stabilized:frozen", Formulation::post_stabilized_frozen},
    {"sliding-mode", Formulation::sliding_mode},
    {"boundary-layer", Formulation::boundary_layer},
    {"ggl", Formulation::ggl},
    {"minimal", Formulation::minimal},
};
constexpr std::array<std::string_view, 4> kFormulationNames{"formulation", "constraint-rate", "reaching-rate",
                                                            "boundary-layer"};

bool is_rate(double value) {
  return value > 0.0 && std::isfinite(value);
}

Diagnostics set_rates(std::vector<double>& rates, std::string_view name, std::string_view value) {
  rates.clear();
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t comma = std::min(value.find(',', begin), value.size());
    const std::optional<double> number = parse_number(value.substr(begin, comma - begin));
    if (!number) {
      rates.clear();
      return wrong_value(name, value, "a number, or one for each constraint with commas between them");
    }
    rates.push_back(*number);
    begin = comma + 1;
  }
  return {};
}

// Constraints of `baumgarte` and of surfaces alone have a rate.
bool has_rate(Formulation formulation) {
  return formulation != Formulation::general && formulation != Formulation::index_reduced &&
         formulation != Formulation::ggl && formulation != Formulation::minimal;
}

}  // namespace

std::span<const std::string_view> formulation_option_names() {
  return kFormulationNames;
}

std::optional<Diagnostics> set_formulation_option(SimulationOptions& options, std::string_view name,
                                                  std::string_view value) {
  if (name == "formulation") {
    return set_word(options.formulation, kFormulation, name, value);
  }
  if (name == "constraint-rate") {
    std::vector<double> rates;
    Diagnostics problems = set_rates(rates, name, value);
    options.constraint_rate = rates.size() == 1 ? std::optional(rates.front()) : std::nullopt;
    options.constraint_rates = rates.size() > 1 ? std::move(rates) : std::vector<double>();
    return problems;
  }
  if (name == "boundary-layer") {
    options.boundary_layer = parse_number(value);
    return options.boundary_layer ? Diagnostics{} : wrong_value(name, value, "a number");
  }
  if (name == "reaching-rate") {
    return set_rates(options.reaching_rates, name, value);
  }
  return std::nullopt;
}

namespace {

bool is_reaching(Formulation formulation) {
  return formulation == Formulation::reaching || formulation == Formulation::reaching_raw ||
         formulation == Formulation::sliding_mode || formulation == Formulation::boundary_layer;
}

void check_rate(Diagnostics& problems, const char* name, double value) {
  if (!is_rate(value)) {
    problems.error(kWrongOptionValue, fmt::format("--{} must be a positive number, not {}", name, value));
  }
}

// Formulations that are made of stages of explicit methods.
void check_method_of_formulation(Diagnostics& problems, const SimulationOptions& options) {
  const Formulation formulation = options.formulation.value_or(Formulation::general);
  if (formulation == Formulation::sliding_mode && !options.step) {
    problems.error(kConflictingOptions,
                   "--formulation sliding-mode jumps from stage to stage, which no error control bears",
                   std::nullopt, "give a fixed size with --step");
  }
  if (formulation != Formulation::post_stabilized_frozen) {
    return;
  }
  std::vector<std::string> methods{options.method};
  for (const ModeOptions& mode : options.modes) {
    if (!mode.method.empty()) {
      methods.push_back(mode.method);
    }
  }
  for (const std::string& name : methods) {
    const integrate::Method* method = integrate::find_method(name);
    if (method == nullptr || method->kind != integrate::Method::Kind::explicit_runge_kutta) {
      problems.error(kConflictingOptions,
                     "--formulation post-stabilized:frozen is about the stages of an explicit method",
                     std::nullopt, "add --method dopri5, or another explicit one");
      return;
    }
  }
  if (!options.sensitivities.empty()) {
    problems.error(kConflictingOptions,
                   "--formulation post-stabilized:frozen has no sensitivities: its forces are those of other "
                   "times");
  }
}

}  // namespace

void check_formulation_options(Diagnostics& problems, const SimulationOptions& options) {
  const Formulation formulation = options.formulation.value_or(Formulation::general);
  if (options.constraint_rate) {
    check_rate(problems, "constraint-rate", *options.constraint_rate);
  }
  for (const double rate : options.constraint_rates) {
    check_rate(problems, "constraint-rate", rate);
  }
  for (const double rate : options.reaching_rates) {
    check_rate(problems, "reaching-rate", rate);
  }
  if (options.boundary_layer) {
    check_rate(problems, "boundary-layer", *options.boundary_layer);
  }
  if ((options.constraint_rate || !options.constraint_rates.empty()) && !has_rate(formulation)) {
    problems.warning(kOptionWithoutEffect, "--constraint-rate has no effect with this --formulation");
  }
  if (!options.reaching_rates.empty() && !is_reaching(formulation)) {
    problems.warning(kOptionWithoutEffect, "--reaching-rate has no effect without --formulation reaching");
  }
  if (options.boundary_layer && formulation != Formulation::boundary_layer) {
    problems.warning(kOptionWithoutEffect,
                     "--boundary-layer has no effect without --formulation boundary-layer");
  }
  check_method_of_formulation(problems, options);
}

void fill_formulation_options(SimulationOptions& options, const SimulationOptions& annotated) {
  fill(options.formulation, annotated.formulation);
  if (!options.constraint_rate && options.constraint_rates.empty()) {
    options.constraint_rate = annotated.constraint_rate;
    options.constraint_rates = annotated.constraint_rates;
  }
  fill(options.boundary_layer, annotated.boundary_layer);
  if (options.reaching_rates.empty()) {
    options.reaching_rates = annotated.reaching_rates;
  }
}

structure::FormulationRequest formulation_request(const SimulationOptions& options) {
  using Row = flat::Formulation::Row;
  using Result = flat::Formulation::Result;
  using Request = structure::FormulationRequest;
  Request request;
  flat::Formulation& rows = request.formulation;
  switch (options.formulation.value_or(Formulation::general)) {
    case Formulation::general: break;
    case Formulation::index_reduced: rows.result = Result::left_alone; break;
    case Formulation::baumgarte: rows = {Row::damped, Result::left_alone}; break;
    case Formulation::equivalent_control:
    case Formulation::acceleration: rows = {Row::surface, Result::left_alone}; break;
    case Formulation::post_stabilized: rows = {Row::surface, Result::stabilized}; break;
    case Formulation::post_stabilized_holonomic: rows = {Row::surface, Result::stabilized_holonomic}; break;
    case Formulation::post_stabilized_mass: rows = {Row::surface, Result::stabilized_mass}; break;
    case Formulation::post_stabilized_frozen:
      rows = {Row::surface, Result::stabilized, flat::Formulation::Control::of_steps};
      break;
    case Formulation::reaching: request.rewriting = Request::Rewriting::reaching; break;
    case Formulation::reaching_raw:
      request.rewriting = Request::Rewriting::reaching;
      request.law = Request::Law::raw;
      break;
    case Formulation::sliding_mode:
      request.rewriting = Request::Rewriting::reaching;
      request.law = Request::Law::chattering;
      break;
    case Formulation::boundary_layer:
      request.rewriting = Request::Rewriting::reaching;
      request.law = Request::Law::boundary_layer;
      break;
    case Formulation::ggl: request.rewriting = Request::Rewriting::ggl; break;
    case Formulation::minimal: rows.result = Result::stages_projected; break;
  }
  rows.rate = options.constraint_rate.value_or(rows.rate);
  request.constraint_rates = options.constraint_rates;
  request.reaching_rates = options.reaching_rates;
  request.boundary_layer = options.boundary_layer.value_or(request.boundary_layer);
  return request;
}

}  // namespace saltus::api
