#include "saltus/trajectory.hpp"

#include <algorithm>
#include <limits>

#include "api/trajectory_data.hpp"
#include "saltus/contract.hpp"

namespace saltus {
namespace api {

void TrajectoryData::set_names(std::vector<std::string> list) {
  names = std::move(list);
  places.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    places.emplace(names[i], i);
  }
}

void TrajectoryData::append(const OutputRows& rows) {
  times.insert(times.end(), rows.times.begin(), rows.times.end());
  for (std::size_t k = 0; k < rows.times.size(); ++k) {
    for (std::size_t v = 0; v < names.size(); ++v) {
      values.push_back(rows.value(k, v));
    }
  }
}

void TrajectoryData::append(const trajectory::SegmentView& segment, const system::Evaluator& evaluator) {
  dense.append(segment);
  if (locked->iterates_for_outputs()) {
    const std::size_t n_before = solutions.size();
    solutions.insert(solutions.end(), guess.begin(), guess.end());
    evaluator.copy_output_solutions(std::span(solutions).subspan(n_before));
  }
}

void TrajectoryData::evaluate(double t, std::span<double> out) const {
  SALTUS_EXPECT(out.size() == names.size(), "one value for each variable");
  SALTUS_EXPECT(!dense.empty() && dense.contains(t), "the time must lie within the computed trajectory");
  const std::scoped_lock lock(mutex_);
  if (evaluator_ == nullptr) {
    evaluator_ = locked->make_evaluator(guess);
    x_.resize(locked->states().size());
  }
  dense.evaluate(t, x_);
  if (!solutions.empty()) {
    // What was asked before must not matter: the iteration begins at the solution of the run nearby.
    const auto segment = static_cast<std::size_t>(dense.find(t));
    evaluator_->set_output_solutions(std::span(solutions).subspan(segment * guess.size(), guess.size()));
  }
  if (!evaluator_->outputs(t, x_, out).ok()) {
    std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
  }
}

}  // namespace api

namespace {

std::size_t place_of(const Trajectory& trajectory, std::string_view name) {
  const std::ptrdiff_t place = trajectory.index(name);
  SALTUS_EXPECT(place >= 0, "no variable '" + std::string(name) + "' in the trajectory");
  return static_cast<std::size_t>(place);
}

}  // namespace

std::span<const std::string> Trajectory::names() const {
  return data_ ? std::span<const std::string>(data_->names) : std::span<const std::string>();
}

std::ptrdiff_t Trajectory::index(std::string_view name) const {
  if (!data_) {
    return -1;
  }
  const auto found = data_->places.find(name);
  return found == data_->places.end() ? -1 : static_cast<std::ptrdiff_t>(found->second);
}

std::size_t Trajectory::n_rows() const {
  return data_ ? data_->times.size() : 0;
}

std::span<const double> Trajectory::times() const {
  return data_ ? std::span<const double>(data_->times) : std::span<const double>();
}

std::span<const double> Trajectory::row(std::size_t row) const {
  SALTUS_EXPECT(row < n_rows(), "the row must exist");
  const std::size_t n = data_->names.size();
  return std::span(data_->values).subspan(row * n, n);
}

std::vector<double> Trajectory::column(std::string_view name) const {
  const std::size_t place = place_of(*this, name);
  std::vector<double> column(n_rows());
  for (std::size_t k = 0; k < column.size(); ++k) {
    column[k] = row(k)[place];
  }
  return column;
}

bool Trajectory::is_dense() const {
  return data_ && !data_->dense.empty();
}

double Trajectory::start_time() const {
  SALTUS_EXPECT(is_dense(), "the trajectory holds no dense solution");
  return data_->dense.start_time();
}

double Trajectory::end_time() const {
  SALTUS_EXPECT(is_dense(), "the trajectory holds no dense solution");
  return data_->dense.end_time();
}

void Trajectory::at(double t, std::span<double> values) const {
  SALTUS_EXPECT(is_dense(), "the trajectory holds no dense solution");
  data_->evaluate(t, values);
}

std::vector<double> Trajectory::at(double t) const {
  std::vector<double> values(names().size());
  at(t, values);
  return values;
}

double Trajectory::at(double t, std::string_view name) const {
  const std::size_t place = place_of(*this, name);
  return at(t)[place];
}

}  // namespace saltus
