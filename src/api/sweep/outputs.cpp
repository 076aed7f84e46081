#include "api/sweep/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <utility>

#include "api/gradient/functional_text.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/options/variable_names.hpp"
#include "api/sweep/diagnostic_codes.hpp"
#include "base/name_list.hpp"

namespace saltus::api {
namespace {

constexpr std::string_view kAll = "all";

bool is_letter(char c) {
  return c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool is_name_character(char c) {
  return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// "energy=final(e)" has a name of its own.
struct Labelled {
  std::string label;
  std::string text;
};

Labelled read_label(const std::string& item) {
  const std::size_t at = item.find('=');
  const std::string_view label = trimmed(std::string_view(item).substr(0, at));
  const bool has_label = at != std::string::npos && at + 1 < item.size() && item[at + 1] != '=' &&
                         !label.empty() && is_letter(label.front()) &&
                         std::all_of(label.begin(), label.end(), is_name_character);
  return has_label ? Labelled{std::string(label), std::string(trimmed(std::string_view(item).substr(at + 1)))}
                   : Labelled{item, item};
}

// What is written as a name or a pattern, and not as an expression.
bool is_like_a_name(std::string_view text) {
  return unquoted(text) != text || (!text.empty() && (is_letter(text.front()) || text.front() == '*') &&
                                    std::all_of(text.begin(), text.end(), [](char c) {
                                      return is_name_character(c) || c == '.' || c == '*' || c == '[' ||
                                             c == ']' || c == ',';
                                    }));
}

bool is_parameter(const Model& model, std::string_view name) {
  return std::any_of(model.parameters().begin(), model.parameters().end(),
                     [&](const ParameterInfo& info) { return info.name == name; });
}

void report_unknown_output(const Model& model, const std::string& item, Diagnostics& problems) {
  const std::string similar = similar_variable(item, model.variables());
  problems.error(kUnknownColumn,
                 item.find('*') != std::string::npos
                     ? fmt::format("--columns: no variable of the model matches '{}'", item)
                     : fmt::format("--columns: the model has no variable '{}'", item),
                 std::nullopt,
                 !similar.empty() ? similar
                                  : "columns are variables, patterns with *, and expressions as final(x^2), "
                                    "integral(x), event_time(1)");
}

void report_taken(const std::string& label, Diagnostics& problems) {
  problems.error(kWrongSweep, fmt::format("--columns: '{}' is the name of another column", label),
                 std::nullopt, "NAME=FUNCTIONAL gives a column a name of its own");
}

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

bool is_column_of_runs(std::string_view name) {
  return name == "run" || name == "ok" ||
         std::find(std::begin(kColumnsOfRuns), std::end(kColumnsOfRuns), name) != std::end(kColumnsOfRuns);
}

Result<SweepOutputs> SweepOutputs::make(const Model& model, const std::vector<std::string>& items,
                                        const std::vector<std::string>& varied,
                                        const std::vector<SetValue>& set) {
  SweepOutputs made(model);
  Diagnostics problems;
  std::vector<std::string> texts;
  std::vector<std::size_t> functionals;
  for (const std::string& item : items.empty() ? std::vector<std::string>{std::string(kAll)} : items) {
    const std::string meant = item == kAll ? "*" : item;
    const std::vector<std::size_t> places = variables_meant(meant, model.variables());
    for (const std::size_t place : places) {
      made.add_variable(place, varied, problems);
    }
    if (!places.empty() || item == kAll) {
      made.items_.push_back(meant);
      continue;
    }
    if (contains(varied, item)) {
      continue;  // it has a column
    }
    if (is_like_a_name(item) && !is_parameter(model, item)) {
      report_unknown_output(model, item, problems);
      continue;
    }
    Labelled labelled = read_label(item);
    if (contains(made.labels_, labelled.label) && contains(texts, labelled.text)) {
      continue;  // it was named before
    }
    if (contains(varied, labelled.label) || is_column_of_runs(labelled.label)) {
      report_taken(labelled.label, problems);
      continue;
    }
    if (!made.is_free(labelled.label, problems)) {
      continue;
    }
    functionals.push_back(made.outputs_.size());
    made.outputs_.push_back({texts.size(), true});
    made.labels_.push_back(std::move(labelled.label));
    texts.push_back(std::move(labelled.text));
  }
  if (!texts.empty() && !problems.has_errors()) {
    problems.append(made.add_functionals(texts, functionals, set));
  }
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  for (const VariableInfo& variable : made.model_.variables()) {
    made.names_.push_back(variable.name);
  }
  return made;
}

// Each once, where it is named first.
void SweepOutputs::add_variable(std::size_t place, const std::vector<std::string>& varied,
                                Diagnostics& problems) {
  const bool is_there = std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& output) {
    return !output.is_functional && output.place == place;
  });
  const std::string& name = model_.variables()[place].name;
  const bool is_taken = contains(varied, name) || is_column_of_runs(name);
  const std::string label = is_taken ? fmt::format("final({})", name) : name;
  if (!is_there && is_free(label, problems)) {
    labels_.push_back(label);
    outputs_.push_back({place, false});
  }
}

bool SweepOutputs::is_free(const std::string& label, Diagnostics& problems) const {
  if (!contains(labels_, label)) {
    return true;
  }
  report_taken(label, problems);
  return false;
}

bool SweepOutputs::has_columns_for(const SimulationResult& result) const {
  const std::vector<VariableInfo>& all = result.variables;
  const auto is_known = [&](const VariableInfo& info) { return contains(names_, info.name); };
  const bool is_as_planned =
      all.size() <= names_.size() &&
      std::equal(all.begin(), all.end(), names_.begin(),
                 [](const VariableInfo& info, const std::string& name) { return info.name == name; });
  return is_as_planned || std::all_of(items_.begin(), items_.end(), [&](const std::string& item) {
           const std::vector<std::size_t> places = variables_meant(item, all);
           return std::all_of(places.begin(), places.end(),
                              [&](std::size_t place) { return is_known(all[place]); });
         });
}

Diagnostics SweepOutputs::add_functionals(const std::vector<std::string>& texts,
                                          const std::vector<std::size_t>& outputs,
                                          const std::vector<SetValue>& set) {
  Result<FunctionalTexts> read = read_functionals("--columns", texts);
  if (!read) {
    return std::move(read).error();
  }
  Result<FunctionalModel> functionals = make_functional_model(model_, *std::move(read), set);
  if (!functionals) {
    return std::move(functionals).error();
  }
  // Variables of the given model keep their names, and may have other places.
  const std::vector<VariableInfo> before = model_.variables();
  model_ = functionals->model;
  const std::vector<VariableInfo>& all = model_.variables();
  const auto place_of = [&](const std::string& name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const VariableInfo& info) { return info.name == name; });
    return static_cast<std::size_t>(found - all.begin());
  };
  for (Output& output : outputs_) {
    output.place = output.is_functional ? output.place : place_of(before[output.place].name);
  }
  for (std::size_t i = 0; i < functionals->texts.terms.size(); ++i) {
    const Term& term = functionals->texts.terms[i];
    const std::string& variable = functionals->variables[i];
    places_.push_back(variable.empty() ? 0 : place_of(variable));
    event_places_.push_back(event_variables_.size());
    if (is_at_an_event(term.kind) && !variable.empty()) {
      event_variables_.push_back(variable);
    }
    last_event_ = std::max(last_event_, term.event);
  }
  for (std::size_t f = 0; f < outputs.size(); ++f) {
    const FunctionalTexts::Functional& functional = functionals->texts.functionals[f];
    if (functional.uses.size() == 1 && functional.uses[0].span.offset == functional.span.offset &&
        functional.uses[0].span.length == functional.span.length) {
      outputs_[outputs[f]].term = functional.uses[0].term;
    }
  }
  functionals_ = *std::move(functionals);
  return {};
}

std::optional<std::size_t> SweepOutputs::place_in(const SimulationResult& result, const std::string& name,
                                                  std::size_t guess) {
  const std::vector<VariableInfo>& all = result.variables;
  if (guess < all.size() && all[guess].name == name) {
    return guess;
  }
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const VariableInfo& info) { return info.name == name; });
  return found == all.end() ? std::nullopt
                            : std::optional<std::size_t>(static_cast<std::size_t>(found - all.begin()));
}

double SweepOutputs::final_value(const SimulationResult& result, const std::string& name, std::size_t guess) {
  const std::optional<std::size_t> place = place_in(result, name, guess);
  return place ? result.final_values[*place] : std::nan("");
}

std::vector<double> SweepOutputs::terms(const SimulationResult& result,
                                        const std::vector<Instant>& instants) const {
  std::vector<double> found;
  for (std::size_t i = 0; i < functionals_->texts.terms.size(); ++i) {
    const Term& term = functionals_->texts.terms[i];
    const auto k = static_cast<std::size_t>(term.event);
    if (!is_at_an_event(term.kind)) {
      found.push_back(final_value(result, functionals_->variables[i], places_[i]));
    } else if (k > instants.size()) {
      found.push_back(std::nan(""));
    } else {
      const Instant& instant = instants[k - 1];
      found.push_back(term.kind == Term::Kind::event_time ? instant.time
                      : term.kind == Term::Kind::at_event ? instant.after[event_places_[i]]
                                                          : instant.before[event_places_[i]]);
    }
  }
  return found;
}

void SweepOutputs::values(const SimulationResult& result, const std::vector<Instant>& instants,
                          std::span<double> out) const {
  const std::vector<double> terms_found = functionals_ ? terms(result, instants) : std::vector<double>();
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const Output& output = outputs_[k];
    if (!output.is_functional) {
      out[k] = final_value(result, names_[output.place], output.place);
    } else if (output.term) {
      out[k] = terms_found[*output.term];
    } else {
      const auto& uses = functionals_->texts.functionals[output.place].uses;
      const bool has_terms = std::all_of(uses.begin(), uses.end(), [&](const FunctionalTexts::Use& use) {
        return std::isfinite(terms_found[use.term]);
      });
      out[k] = has_terms ? functionals_->outer.value(output.place, terms_found) : std::nan("");
    }
  }
  sensitivities(result, terms_found, out.subspan(outputs_.size()));
}

bool InstantRows::begin(std::span<const VariableInfo> columns) {
  std::size_t n_files = columns.size();
  for (const std::string& name : outputs_.event_variables()) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const VariableInfo& info) { return info.name == name; });
    places_.push_back(static_cast<std::size_t>(found - columns.begin()));
    n_files = std::min(n_files, places_.back());
  }
  last_.assign(places_.size(), std::nan(""));
  return files_ == nullptr || files_->begin(columns.first(n_files));
}

bool InstantRows::rows(const OutputRows& rows) {
  const std::size_t n = rows.times.size();
  for (std::size_t row = 0; row < n; ++row) {
    const bool is_at_instant = instant_ && rows.times[row] == *instant_;
    if (!is_at_instant && row + 1 < n) {
      continue;  // only the last one is remembered
    }
    for (std::size_t k = 0; k < places_.size(); ++k) {
      last_[k] = rows.value(row, places_[k]);
    }
    last_time_ = rows.times[row];
    if (is_at_instant && n_instants_ == static_cast<std::int64_t>(instants_.size())) {
      instants_.back().after = last_;
    }
  }
  return files_ == nullptr || files_->rows(rows);
}

void InstantRows::event(const Event& event) {
  if (!instant_ || *instant_ != event.time) {
    instant_ = event.time;
    ++n_instants_;
    if (n_instants_ <= outputs_.last_event()) {
      const std::vector<double> none(places_.size(), std::nan(""));
      instants_.push_back({event.time, last_time_ == event.time ? last_ : none, none});
    }
  }
  if (files_ != nullptr) {
    files_->event(event);
  }
}

}  // namespace saltus::api
