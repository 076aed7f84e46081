#include "tolerance/amplification.hpp"

#include <algorithm>
#include <cmath>

#include "tolerance/perturbed_model.hpp"

namespace saltus::bench {
namespace {

constexpr double kMove = 1e-5;
constexpr double kTwinTolerance = 1e-9;
/// A sample lies a little after the beginning of its part of the run.
constexpr double kAfterBegin = 1e-3;

std::size_t row_at(const Trajectory& trajectory, double t) {
  const auto times = trajectory.times();
  const auto found = std::lower_bound(times.begin(), times.end(), t);
  return found == times.end() ? times.size() - 1 : static_cast<std::size_t>(found - times.begin());
}

/// How far a state of the moved run is from its twin just after the move: constraints may move others further than the one
/// that was asked to. 0 if the move left no row.
double moved_by(const SimulationResult& moved, const ErrorEstimate& difference, double time,
                const std::vector<std::string>& states) {
  double distance = 0.0;
  for (std::size_t k = 0; k < moved.trajectory.n_rows(); ++k) {
    if (moved.trajectory.times()[k] != time) {
      continue;
    }
    distance = 0.0;  // the last row of the instant counts
    for (const std::string& state : states) {
      const auto i = static_cast<std::size_t>(moved.trajectory.index(state));
      const double weight = moved.variables[i].nominal + std::abs(moved.trajectory.row(k)[i]);
      const double error = difference.row(k)[i] / weight;
      distance = std::isnan(error) ? distance : std::max(distance, error);
    }
  }
  return distance;
}

}  // namespace

std::vector<double> weighted_rows(const SimulationResult& run, const ErrorEstimate& difference) {
  std::vector<double> rows(run.trajectory.n_rows(), 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (std::size_t i = 0; i < run.variables.size(); ++i) {
      const double error = difference.row(k)[i];
      if (!run.variables[i].is_discrete && !std::isnan(error)) {
        rows[k] = std::max(rows[k], error / (run.variables[i].nominal + std::abs(run.trajectory.row(k)[i])));
      }
    }
  }
  return rows;
}

Amplification::Amplification(const std::string& file, const std::string& text,
                             const SimulationResult& reference, const SimulationOptions& options,
                             int n_samples, int n_directions)
    : times_(reference.trajectory.times().begin(), reference.trajectory.times().end()) {
  const double length = reference.end - reference.start;
  for (int i = 0; i < n_samples; ++i) {
    samples_.push_back(reference.start + length * (i + kAfterBegin) / n_samples);
    growth_.emplace_back(times_.size(), 0.0);
    for (std::size_t row = 0; row < times_.size(); ++row) {
      const bool is_own =
          times_[row] >= samples_.back() && times_[row] < samples_.back() + length / n_samples;
      growth_.back()[row] = is_own ? 1.0 : 0.0;
    }
  }
  const auto model = Model::from_text(file, text);
  states_ = differentiated_variables(model.value(), text);
  root_of_n_ = std::sqrt(std::max<double>(1.0, static_cast<double>(states_.size())));
  // Some of many, from all over the list.
  const std::size_t stride =
      std::max<std::size_t>(1, states_.size() / static_cast<std::size_t>(n_directions));
  int n_used = 0;
  for (std::size_t i = 0; i < states_.size() && n_used < n_directions; i += stride) {
    const std::string changed = perturbed_text(text, states_[i]);
    auto perturbed = Model::from_text(file, changed);
    if (changed.empty() || !perturbed.has_value()) {
      continue;
    }
    ++n_used;
    for (std::size_t sample = 0; sample < samples_.size(); ++sample) {
      add_column(*perturbed, states_[i], sample, reference, options);
    }
  }
}

void Amplification::add_column(const Model& model, const std::string& variable, std::size_t sample,
                               const SimulationResult& reference, const SimulationOptions& options) {
  const auto place = static_cast<std::size_t>(reference.trajectory.index(variable));
  const double value = reference.trajectory.row(row_at(reference.trajectory, samples_[sample]))[place];
  const double weight = reference.variables[place].nominal + std::abs(value);
  if (!std::isfinite(weight)) {
    return;
  }
  SimulationOptions twin = options;
  twin.tolerance = kTwinTolerance;
  twin.set = {{kPerturbationTime, samples_[sample]}, {kPerturbation, 0.0}};
  const auto base = simulate(model, twin);
  twin.set[1].value = kMove * weight;
  const auto moved = simulate(model, twin);
  if (!base.has_value() || !moved.has_value() || !base->ok() || !moved->ok()) {
    return;
  }
  const ErrorEstimate difference = differences(*moved, *base);
  const double move = moved_by(*moved, difference, samples_[sample], states_);
  // Less than this is the error of the runs themselves.
  if (difference.events_differ || move < 0.1 * kMove) {
    return;
  }
  ++n_columns_;
  const std::vector<double> rows = weighted_rows(*moved, difference);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double t = moved->trajectory.times()[k];
    if (t > samples_[sample]) {
      double& entry = growth_[sample][row_at(reference.trajectory, t)];
      entry = std::max(entry, rows[k] / move);
    }
  }
}

double Amplification::largest() const {
  double largest = 1.0;
  for (const std::vector<double>& growth : growth_) {
    largest = std::max(largest, *std::max_element(growth.begin(), growth.end()));
  }
  return root_of_n_ * largest;
}

double Amplification::k(const std::vector<double>& step_ends) const {
  double largest = 1.0;
  for (std::size_t row = 0; row < times_.size(); ++row) {
    double sum = 0.0;
    std::size_t step = 0;
    for (std::size_t sample = 0; sample < samples_.size(); ++sample) {
      const double until =
          std::min(times_[row], sample + 1 < samples_.size() ? samples_[sample + 1] : times_.back());
      double count = 0.0;
      while (step < step_ends.size() && step_ends[step] <= until) {
        ++step;
        count += 1.0;
      }
      sum += count * growth_[sample][row];
    }
    largest = std::max(largest, sum);
  }
  return root_of_n_ * largest;
}

}  // namespace saltus::bench
