#include "api/options/formulation_options.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/fill_option.hpp"
#include "api/model/number_option.hpp"
#include "api/options/option_words.hpp"

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
    {"ggl", Formulation::ggl},
    {"minimal", Formulation::minimal},
};
constexpr std::array<std::string_view, 3> kFormulationNames{"formulation", "constraint-rate",
                                                            "reaching-rate"};

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
    options.constraint_rate = parse_number(value);
    return options.constraint_rate ? Diagnostics{} : wrong_value(name, value, "a number");
  }
  if (name == "reaching-rate") {
    return set_rates(options.reaching_rates, name, value);
  }
  return std::nullopt;
}

void check_formulation_options(Diagnostics& problems, const SimulationOptions& options) {
  const Formulation formulation = options.formulation.value_or(Formulation::general);
  if (options.constraint_rate && !is_rate(*options.constraint_rate)) {
    problems.error(kWrongOptionValue, fmt::format("--constraint-rate must be a positive number, not {}",
                                                  *options.constraint_rate));
  }
  for (const double rate : options.reaching_rates) {
    if (!is_rate(rate)) {
      problems.error(kWrongOptionValue,
                     fmt::format("--reaching-rate must be a positive number, not {}", rate));
    }
  }
  if (options.constraint_rate && !has_rate(formulation)) {
    problems.warning(kOptionWithoutEffect, "--constraint-rate has no effect with this --formulation");
  }
  if (!options.reaching_rates.empty() && formulation != Formulation::reaching) {
    problems.warning(kOptionWithoutEffect, "--reaching-rate has no effect without --formulation reaching");
  }
}

void fill_formulation_options(SimulationOptions& options, const SimulationOptions& annotated) {
  fill(options.formulation, annotated.formulation);
  fill(options.constraint_rate, annotated.constraint_rate);
  if (options.reaching_rates.empty()) {
    options.reaching_rates = annotated.reaching_rates;
  }
}

structure::FormulationRequest formulation_request(const SimulationOptions& options) {
  using Row = flat::Formulation::Row;
  using Result = flat::Formulation::Result;
  structure::FormulationRequest request;
  flat::Formulation& rows = request.formulation;
  switch (options.formulation.value_or(Formulation::general)) {
    case Formulation::general: break;
    case Formulation::index_reduced: rows.result = Result::left_alone; break;
    case Formulation::baumgarte: rows = {Row::damped, Result::left_alone}; break;
    case Formulation::equivalent_control:
    case Formulation::acceleration: rows = {Row::surface, Result::left_alone}; break;
    case Formulation::post_stabilized: rows = {Row::surface, Result::stabilized}; break;
    case Formulation::post_stabilized_holonomic: rows = {Row::surface, Result::stabilized_holonomic}; break;
    case Formulation::reaching: request.rewriting = structure::FormulationRequest::Rewriting::reaching; break;
    case Formulation::ggl: request.rewriting = structure::FormulationRequest::Rewriting::ggl; break;
    case Formulation::minimal: rows.result = Result::stages_projected; break;
  }
  rows.rate = options.constraint_rate.value_or(rows.rate);
  request.reaching_rates = options.reaching_rates;
  return request;
}

}  // namespace saltus::api
