#include "saltus/trajectory.hpp"

#include <algorithm>
#include <limits>

#include "api/results/trajectory_data.hpp"
#include "saltus/contract.hpp"
#include "settle/sliding/row_evaluator.hpp"

namespace saltus {
namespace api {

void TrajectoryData::set_columns(const Columns& columns) {
  columns_ = columns;
  for (const VariableInfo& info : columns.infos) {
    names.push_back(info.name);
  }
  places.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    places.emplace(names[i], i);
  }
}

void TrajectoryData::fields(Archive& a) {
  // Not saved: of the run names, places, system, options, guess, columns_; end_values; what is made when somebody asks, and mutex_: evaluator_, locked_,
  // structure_, stretch_, x_, computed_, extra_.
  a(times, values, dense, solutions, row_groups_, modes_, surfaces_, configurations_);
  std::uint64_t n_stretches = stretches_.size();
  a(n_stretches);
  for (std::uint64_t k = 0; k < n_stretches && a.ok(); ++k) {
    Stretch stretch = k < stretches_.size() ? stretches_[k] : Stretch{};
    a(stretch.first_segment, stretch.first_surface, stretch.level);
    system->structure_fields(a, stretch.structure);
    if (k == stretches_.size()) {
      stretches_.push_back(stretch);
    }
  }
  if (a.is_loading() && a.ok() && !is_sound()) {
    a.refuse("rows and steps that are kept do not fit");
  }
}

bool TrajectoryData::is_sound() const {
  bool fits = values.size() == times.size() * names.size() && configurations_.size() == stretches_.size() &&
              (solutions.empty() || (!guess.empty() && solutions.size() % guess.size() == 0));
  std::size_t row = 0;
  for (const RowGroup& group : row_groups_) {
    fits = fits && group.first_row >= row && group.first_row <= times.size() && group.mode < modes_.size();
    row = group.first_row;
  }
  fits = fits && (times.empty() || (!row_groups_.empty() && row_groups_.front().first_row == 0));
  Index segment = 0;
  std::size_t surface = 0;
  for (const Stretch& stretch : stretches_) {
    fits = fits && stretch.first_segment >= segment && stretch.first_segment <= dense.size() &&
           stretch.first_surface >= surface && stretch.first_surface <= surfaces_.size();
    segment = stretch.first_segment;
    surface = stretch.first_surface;
  }
  const auto n_guards = static_cast<Index>(system->guards().size());
  return fits && std::all_of(surfaces_.begin(), surfaces_.end(),
                             [&](Index guard) { return guard >= 0 && guard < n_guards; });
}

void TrajectoryData::append(const OutputRows& rows) {
  const std::uint32_t mode = modes_.place_of(rows.mode);
  if (row_groups_.empty() || row_groups_.back().segment != rows.segment || row_groups_.back().mode != mode) {
    row_groups_.push_back({times.size(), rows.segment, mode});
  }
  if (rows.times.size() == 1 && rows.stride == 1) {
    times.push_back(rows.times[0]);
    values.insert(values.end(), rows.values.begin(), rows.values.end());
    return;
  }
  times.insert(times.end(), rows.times.begin(), rows.times.end());
  for (std::size_t k = 0; k < rows.times.size(); ++k) {
    for (std::size_t v = 0; v < names.size(); ++v) {
      values.push_back(rows.value(k, v));
    }
  }
}

const TrajectoryData::RowGroup& TrajectoryData::group_of(std::size_t row) const {
  const auto after =
      std::upper_bound(row_groups_.begin(), row_groups_.end(), row,
                       [](std::size_t r, const RowGroup& group) { return r < group.first_row; });
  return *(after - 1);
}

std::int64_t TrajectoryData::segment_of_row(std::size_t row) const {
  return group_of(row).segment;
}

std::string_view TrajectoryData::mode_of_row(std::size_t row) const {
  return modes_.text(group_of(row).mode);
}

void TrajectoryData::begin_stretch(const hybrid::Stretch& stretch) {
  configurations_.append(*stretch.configuration);
  stretches_.push_back({dense.size(), surfaces_.size(), stretch.level, stretch.structure});
  surfaces_.insert(surfaces_.end(), stretch.surfaces.begin(), stretch.surfaces.end());
}

void TrajectoryData::append(const trajectory::SegmentView& segment, const system::Evaluator* evaluator) {
  dense.append(segment);
  if (evaluator != nullptr) {
    const auto n_segments = static_cast<std::size_t>(dense.size());
    // Segments of other stretches have none of their own.
    while (solutions.size() < n_segments * guess.size()) {
      solutions.insert(solutions.end(), guess.begin(), guess.end());
    }
    evaluator->copy_output_solutions(std::span(solutions).subspan((n_segments - 1) * guess.size()));
  }
}

std::size_t TrajectoryData::stretch_of(Index segment) const {
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), segment,
                       [](Index s, const Stretch& stretch) { return s < stretch.first_segment; });
  return static_cast<std::size_t>(after - stretches_.begin()) - 1;
}

// nullptr where the stretch cannot be evaluated again.
system::Evaluator* TrajectoryData::evaluator_of(std::size_t stretch) const {
  if (evaluator_ != nullptr && stretch == stretch_) {
    return evaluator_.get();
  }
  const system::Configuration configuration = configurations_.at(stretch);
  const std::size_t begin = stretches_[stretch].first_surface;
  const std::size_t end =
      stretch + 1 < stretches_.size() ? stretches_[stretch + 1].first_surface : surfaces_.size();
  stretch_ = stretch;
  if (end > begin) {
    evaluator_ = hybrid::make_stretch_evaluator(*system, options, configuration,
                                                std::span(surfaces_).subspan(begin, end - begin),
                                                stretches_[stretch].level, guess);
    locked_ = nullptr;
    return evaluator_.get();
  }
  const system::StructureId& structure = stretches_[stretch].structure;
  // What is reduced by ranks may have other characteristic values in every stretch.
  if (locked_ == nullptr || !(structure_ == structure) || locked_->reduction() == system::Reduction::ranks) {
    Result<std::shared_ptr<const system::LockedDae>> locked = system->lock(structure);
    if (!locked) {
      evaluator_ = nullptr;
      return nullptr;
    }
    locked_ = *std::move(locked);
    structure_ = structure;
    evaluator_ = settle::make_row_evaluator(*system, *locked_, guess);
  }
  evaluator_->set_configuration(configuration);
  const Index first = stretches_[stretch].first_segment;
  if (locked_->reduction() == system::Reduction::ranks && first < dense.size()) {
    // They are found well within it, not at its end, where others may begin.
    const trajectory::SegmentView& segment = dense.segment(first);
    std::vector<double> x(static_cast<std::size_t>(segment.n_states()));
    segment.evaluate(0.5, x);
    (void)evaluator_->project(segment.start_time() + 0.5 * segment.step(), x);
  }
  return evaluator_.get();
}

bool TrajectoryData::evaluate_columns(system::Evaluator& evaluator, double t, std::span<double> out) const {
  if (columns_.is_plain()) {
    return evaluator.outputs(t, x_, out).ok();
  }
  computed_.resize(columns_.n_computed());
  const std::span<double> variables = std::span(computed_).first(columns_.n_variables);
  if (!evaluator.outputs(t, x_, variables).ok()) {
    return false;
  }
  if (columns_.n_extra() > 0) {
    const auto locked = system->lock(stretches_[stretch_].structure);
    SALTUS_ASSERT(locked.has_value());  // there is an evaluator of it
    extra_.emplace(columns_).bind(**locked);
    extra_->evaluate(evaluator, t, x_, std::span(computed_).subspan(columns_.n_variables));
  }
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c] = computed_[columns_.order[c]];
  }
  return true;
}

void TrajectoryData::evaluate(double t, trajectory::Side side, std::span<double> out) const {
  SALTUS_EXPECT(out.size() == names.size(), "one value for each column");
  SALTUS_EXPECT(!dense.empty() && dense.contains(t), "the time must lie within the computed trajectory");
  if (side == trajectory::Side::right && t == dense.end_time() && !end_values.empty()) {
    std::copy(end_values.begin(), end_values.end(), out.begin());
    return;
  }
  const std::scoped_lock lock(mutex_);
  const Index segment = dense.find(t, side);
  x_.resize(static_cast<std::size_t>(dense.segment(segment).n_states()));
  dense.evaluate(t, x_, side);
  system::Evaluator* evaluator = evaluator_of(stretch_of(segment));
  if (evaluator != nullptr && !solutions.empty() &&
      static_cast<std::size_t>(segment + 1) * guess.size() <= solutions.size()) {
    // What was asked before must not matter: the iteration begins at the solution of the run nearby.
    evaluator->set_output_solutions(
        std::span(solutions).subspan(static_cast<std::size_t>(segment) * guess.size(), guess.size()));
  }
  // Between steps the interpolant is off constraints by its own error.
  const bool has_state = evaluator != nullptr && (evaluator->projection() != system::Projection::results ||
                                                  evaluator->project(t, x_).ok());
  if (!has_state || !evaluate_columns(*evaluator, t, out)) {
    std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
  }
}

}  // namespace api

namespace {

std::size_t place_of(const Trajectory& trajectory, std::string_view name) {
  const std::ptrdiff_t place = trajectory.index(name);
  SALTUS_EXPECT(place >= 0, "no column '" + std::string(name) + "' in the trajectory");
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

std::span<const double> Trajectory::values() const {
  return data_ ? std::span<const double>(data_->values) : std::span<const double>();
}

std::int64_t Trajectory::segment(std::size_t row) const {
  SALTUS_EXPECT(row < n_rows(), "the row must exist");
  return data_->segment_of_row(row);
}

std::string_view Trajectory::mode(std::size_t row) const {
  SALTUS_EXPECT(row < n_rows(), "the row must exist");
  return data_->mode_of_row(row);
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

std::vector<double> Trajectory::step_ends() const {
  SALTUS_EXPECT(is_dense(), "the trajectory holds no dense solution");
  std::vector<double> ends;
  for (Index i = 0; i < data_->dense.size(); ++i) {
    const trajectory::SegmentView segment = data_->dense.segment(i);
    if (segment.step() != 0.0) {
      ends.push_back(segment.end_time());
    }
  }
  return ends;
}

void Trajectory::at(double t, std::span<double> values) const {
  SALTUS_EXPECT(is_dense(), "the trajectory holds no dense solution");
  data_->evaluate(t, trajectory::Side::right, values);
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

void Trajectory::before(double t, std::span<double> values) const {
  SALTUS_EXPECT(is_dense(), "the trajectory holds no dense solution");
  data_->evaluate(t, trajectory::Side::left, values);
}

std::vector<double> Trajectory::before(double t) const {
  std::vector<double> values(names().size());
  before(t, values);
  return values;
}

double Trajectory::before(double t, std::string_view name) const {
  const std::size_t place = place_of(*this, name);
  return before(t)[place];
}

}  // namespace saltus
