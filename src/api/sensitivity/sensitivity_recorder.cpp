#include "api/sensitivity/sensitivity_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "api/results/guarded_call.hpp"

namespace saltus {

std::ptrdiff_t Sensitivities::parameter(std::string_view key) const {
  const auto found = std::find(parameters.begin(), parameters.end(), key);
  return found == parameters.end() ? -1 : found - parameters.begin();
}

namespace api {
namespace {

// A column whose sensitivities are written, with its place in a row of tangents: a Real variable (what is not a Real moves with nothing) or
// a guard.
struct WrittenColumn {
  std::size_t column = 0;
  std::size_t place = 0;
};

std::vector<WrittenColumn> written_columns(const Columns& columns) {
  const std::size_t first_guard = columns.n_variables + columns.derivatives.size();
  std::vector<WrittenColumn> written;
  for (std::size_t c = 0; c < columns.order.size(); ++c) {
    const std::size_t place = columns.order[c];
    if (place < columns.n_variables && columns.infos[c].type == ValueType::real) {
      written.push_back({c, place});
    } else if (place >= first_guard) {
      written.push_back({c, place - columns.derivatives.size()});
    }
  }
  return written;
}

std::vector<std::size_t> places_of(const std::vector<WrittenColumn>& written) {
  std::vector<std::size_t> places;
  for (const WrittenColumn& column : written) {
    places.push_back(column.place);
  }
  return places;
}

}  // namespace

Sensitivities empty_sensitivities(const std::vector<SensitivityTarget>& targets, const Columns& columns) {
  Sensitivities empty;
  for (const SensitivityTarget& target : targets) {
    empty.parameters.push_back(target.name);
    empty.parameter_values.push_back(target.value);
  }
  for (const WrittenColumn& column : written_columns(columns)) {
    empty.columns.push_back(columns.infos[column.column].name);
  }
  return empty;
}

SensitivityRecorder::SensitivityRecorder(const RunSettings& settings, const Columns& columns,
                                         const SimulationOptions& hooks,
                                         const std::vector<SensitivityTarget>& targets, RunRecorder& recorder,
                                         SimulationResult& result)
    : settings_(settings),
      hooks_(hooks),
      targets_(targets),
      recorder_(recorder),
      result_(result),
      kept_(*result.sensitivities),
      grid_(settings.grid()),
      columns_(places_of(written_columns(columns))),
      chosen_(columns_.size() * targets.size()),
      largest_(result.variables.size() * targets.size(), 0.0),
      is_undefined_(targets.size(), 0) {
  recorder.expect_event_sensitivities(targets.size());
  recorder.keep_scales();
}

double SensitivityRecorder::next_row(double t) {
  const double direction = settings_.stop < settings_.start ? -1.0 : 1.0;
  while (next_ < grid_.size() && !(direction * (grid_.time(next_) - t) > 0.0)) {
    ++next_;
  }
  return next_ < grid_.size() ? grid_.time(next_) : direction * std::numeric_limits<double>::infinity();
}

bool SensitivityRecorder::row(double t, std::int64_t segment, std::string_view mode,
                              std::span<const double> tangents) {
  const std::size_t n = targets_.size();
  last_time_ = t;
  const auto variables = tangents.first(result_.variables.size() * n);
  last_.assign(variables.begin(), variables.end());
  for (std::size_t v = 0; v < result_.variables.size(); ++v) {
    for (std::size_t p = 0; p < n; ++p) {
      const double value = tangents[v * n + p];
      largest_[v * n + p] = std::fmax(largest_[v * n + p], std::abs(value));
      is_undefined_[p] = static_cast<char>(is_undefined_[p] != 0 || std::isnan(value));
    }
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::copy_n(tangents.begin() + static_cast<std::ptrdiff_t>(columns_[c] * n), n,
                chosen_.begin() + static_cast<std::ptrdiff_t>(c * n));
  }
  const SensitivityRow row{t, segment, mode, chosen_};
  if (hooks_.keep_rows) {
    keep(row);
  }
  if (hooks_.sink != nullptr &&
      !guarded_call("OutputSink::sensitivities", [&] { return hooks_.sink->sensitivities(row); })) {
    recorder_.refuse_output();
    return false;
  }
  return true;
}

void SensitivityRecorder::keep(const SensitivityRow& row) {
  kept_.times.push_back(row.time);
  kept_.segments.push_back(row.segment);
  auto place = std::find(kept_.mode_names.begin(), kept_.mode_names.end(), row.mode);
  if (place == kept_.mode_names.end()) {
    place = kept_.mode_names.insert(place, std::string(row.mode));
  }
  kept_.modes.push_back(static_cast<std::uint32_t>(place - kept_.mode_names.begin()));
  kept_.values.insert(kept_.values.end(), row.values.begin(), row.values.end());
}

void SensitivityRecorder::event_time(std::span<const double> sigma) {
  recorder_.set_event_sensitivities(sigma);
}

void SensitivityRecorder::undefined(Diagnostic diagnostic) {
  recorder_.warning(std::move(diagnostic));
}

void SensitivityRecorder::final_values(std::span<const double> tangents) {
  const auto variables = tangents.first(result_.variables.size() * targets_.size());
  at_stop_.assign(variables.begin(), variables.end());
}

void SensitivityRecorder::conclude() {
  kept_.event_times = recorder_.event_sensitivities();
  if (!result_.final_values.empty()) {
    kept_.final_values.assign(result_.variables.size() * targets_.size(), std::nan(""));
    if (!last_.empty() && last_time_ == result_.end) {
      kept_.final_values = at_stop_.empty() ? last_ : at_stop_;
    }
  }
  rank_parameters();
}

void SensitivityRecorder::rank_parameters() {
  const std::size_t n = targets_.size();
  kept_.scales = recorder_.scales();
  for (std::size_t v = 0; v < kept_.scales.size(); ++v) {
    kept_.scales[v] = std::max(kept_.scales[v], kLeastScale * result_.variables[v].nominal);
  }
  for (std::size_t p = 0; p < n; ++p) {
    double measure = 0.0;
    for (std::size_t v = 0; v < result_.variables.size(); ++v) {
      if (result_.variables[v].type == ValueType::real) {
        measure = std::fmax(measure, targets_[p].size * largest_[v * n + p] / kept_.scales[v]);
      }
    }
    kept_.most_influential.push_back({targets_[p].name, measure});
    if (measure <= kZeroInfluence && is_undefined_[p] == 0 && !last_.empty()) {
      kept_.zero_sensitivities.push_back(targets_[p].name);
    }
  }
  std::stable_sort(kept_.most_influential.begin(), kept_.most_influential.end(),
                   [](const Sensitivities::Influence& a, const Sensitivities::Influence& b) {
                     return a.measure > b.measure;
                   });
}

}  // namespace api
}  // namespace saltus
