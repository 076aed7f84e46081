#include "api/results/constraint_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus::api {

ConstraintMonitor::ConstraintMonitor(const system::HybridSystem& system, std::size_t n_parameters,
                                     std::vector<std::pair<std::size_t, std::string>> invariants)
    : system_(system), n_parameters_(n_parameters) {
  for (auto& [column, name] : invariants) {
    invariants_.push_back({.column = column, .name = std::move(name)});
  }
}

void ConstraintMonitor::begin_stretch(const hybrid::Stretch& stretch) {
  if (!has_stretch_ || stretch.structure != structure_) {
    enter(stretch.structure);
  }
  if (constraints_ == nullptr) {
    return;
  }
  configuration_ = *stretch.configuration;
  is_watched_ = std::all_of(stretch.surfaces.begin(), stretch.surfaces.end(),
                            [this](Index guard) { return constraints_->rows_over(guard).empty(); });
  take_configuration();
}

void ConstraintMonitor::enter(const system::StructureId& structure) {
  has_stretch_ = true;
  structure_ = structure;
  tangents_ = nullptr;
  runner_ = nullptr;
  constraints_ = nullptr;
  const auto locked = system_.lock(structure);
  if (!locked || (*locked)->reduction() == system::Reduction::ranks || (*locked)->constraints() == nullptr ||
      (*locked)->constraints()->n_rows() == 0) {
    return;
  }
  constraints_ = (*locked)->constraints();
  has_constraints_ = true;
  runner_ = constraints_->make_runner();
  tangents_ = runner_->tangents({1, std::vector<double>(n_parameters_, 0.0)});
  const std::vector<system::RowInfo>& rows = constraints_->rows();
  residual_.assign(rows.size(), 0.0);
  below_.assign(rows.size(), 1);
  for (std::size_t i = rows.size() - 1; i-- > 0;) {
    below_[i] = rows[i + 1].equation == rows[i].equation ? below_[i + 1] + 1 : 1;
  }
}

void ConstraintMonitor::take_configuration() {
  runner_->set_configuration(configuration_);
  still_.assign(configuration_.discrete.size(), 0.0);
}

void ConstraintMonitor::step(const hybrid::StepEnd& end) {
  if (runner_ == nullptr || !is_watched_ || !runner_->residual(end.t, end.x, residual_).ok()) {
    return;
  }
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    double& largest = below_[i] == 1 ? velocity_ : position_;
    largest = std::max(largest, std::abs(residual_[i]));
  }
  if (tangents_ != nullptr && end.xdot.size() == end.x.size()) {
    look_at_rates(end);
  }
}

void ConstraintMonitor::look_at_rates(const hybrid::StepEnd& end) {
  constexpr double kTimeMoves[] = {1.0};
  if (!tangents_->rows(end.t, end.x, {kTimeMoves, end.xdot, still_}, residual_).ok()) {
    return;
  }
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    if (below_[i] == 1) {
      acceleration_ = std::max(acceleration_, std::abs(residual_[i]));
    }
  }
}

void ConstraintMonitor::rows(const OutputRows& rows) {
  for (Invariant& invariant : invariants_) {
    for (std::size_t row = 0; row < rows.times.size(); ++row) {
      const double value = rows.value(row, invariant.column);
      if (!invariant.has_start) {
        invariant.start = value;
        invariant.has_start = true;
      }
      invariant.change = std::fmax(invariant.change, std::abs(value - invariant.start));
    }
  }
}

std::optional<Monitors> ConstraintMonitor::found() const {
  if (!has_constraints_ && invariants_.empty()) {
    return std::nullopt;
  }
  Monitors monitors;
  monitors.position = position_;
  monitors.velocity = velocity_;
  monitors.acceleration = acceleration_;
  for (const Invariant& invariant : invariants_) {
    monitors.invariants.push_back({invariant.name, invariant.change});
  }
  return monitors;
}

void ConstraintMonitor::fields(Archive& a) {
  // Not saved: system_, n_parameters_; of the structure constraints_, runner_, tangents_, below_, residual_; of the configuration still_.
  system_.structure_fields(a, structure_);
  a(has_stretch_, configuration_, is_watched_);
  if (a.is_loading() && a.ok() && has_stretch_) {
    enter(structure_);
    if (constraints_ != nullptr) {
      take_configuration();
    }
  }
  a(has_constraints_, position_, velocity_, acceleration_);
  for (Invariant& invariant : invariants_) {
    a(invariant.start, invariant.has_start, invariant.change);
  }
}

}  // namespace saltus::api
