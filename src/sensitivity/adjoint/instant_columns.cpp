#include "sensitivity/adjoint/instant_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saltus::sensitivity {

// A recorder that records nothing.
class InstantColumns::Silence final : public hybrid::RunObserver {
 public:
  bool begin_stretch(const hybrid::Stretch& /*stretch*/) override { return true; }
  bool step(const trajectory::SegmentView& /*segment*/, const hybrid::StepEnd& /*end*/) override {
    return true;
  }
  bool instant(double /*t*/, std::int64_t /*segment*/, std::string_view /*mode*/,
               std::span<const double> /*values*/) override {
    return true;
  }
  void event(const hybrid::Event& /*event*/) override {}
  void warning(Diagnostic /*diagnostic*/) override {}
};

// Hears of the instant, and of the last row.
class InstantColumns::Ear final : public Listener {
 public:
  [[nodiscard]] double next_row(double /*t*/) override { return std::numeric_limits<double>::infinity(); }
  bool row(double /*t*/, std::int64_t /*segment*/, std::string_view /*mode*/,
           std::span<const double> tangents) override {
    if (keeps_rows) {
      last_row.assign(tangents.begin(), tangents.end());
    }
    return true;
  }
  void event_time(std::span<const double> /*sigma*/) override {}
  [[nodiscard]] bool wants_instants() const override { return wants; }
  void instant(const InstantTangents& instant) override { heard = instant; }
  void undefined(Diagnostic /*diagnostic*/) override {}

  bool wants = false;
  bool keeps_rows = false;
  std::optional<InstantTangents> heard;
  std::vector<double> last_row;
};

namespace {

// totals += weightsᵀ·tangents; false: something that counts has none.
bool add(std::span<const double> weights, std::span<const double> tangents, std::vector<double>& totals) {
  const std::size_t n = totals.size();
  for (std::size_t v = 0; v < weights.size(); ++v) {
    if (weights[v] == 0.0) {
      continue;
    }
    if (tangents.size() < (v + 1) * n) {
      return false;
    }
    for (std::size_t c = 0; c < n; ++c) {
      totals[c] += weights[v] * tangents[v * n + c];
    }
  }
  return true;
}

hybrid::Stretch stretch_of(const TapeStretch& kept, double from, std::span<const double> x) {
  hybrid::Stretch stretch;
  stretch.segment = kept.facts.segment;
  stretch.from = from;
  stretch.x = x;
  stretch.mode = kept.facts.mode;
  stretch.configuration = &kept.facts.configuration;
  stretch.surfaces = kept.facts.surfaces;
  stretch.level = kept.facts.level;
  stretch.structure = kept.facts.structure;
  stretch.has_new_ranks = kept.has_new_ranks;
  return stretch;
}

}  // namespace

InstantColumns::InstantColumns(AdjointSources& sources)
    : sources_(sources), silence_(std::make_unique<Silence>()), ear_(std::make_unique<Ear>()) {}

InstantColumns::~InstantColumns() = default;

void InstantColumns::make_forward() {
  const FieldSource& source = sources_.all();
  forward_ = observe_forward(source.system, source.options, source.guess, source.setup, *silence_, *ear_);
}

// Up to its events.
void InstantColumns::feed(const TapeStretch* before, const TapeInstant& instant, double step_size) {
  const settle::InstantMove& move = instant.move;
  if (forward_ == nullptr || before == nullptr || before->has_new_ranks) {
    make_forward();
  }
  std::vector<double> sizes;
  const auto locked = sources_.all().system.lock(move.structure);
  for (std::size_t i = 0; i < move.x.size(); ++i) {
    sizes.push_back(std::max(std::abs(move.x[i]), locked ? (*locked)->states()[i].nominal : 1.0));
  }
  std::vector<double> discrete_sizes;
  for (const double d : move.configuration.discrete) {
    discrete_sizes.push_back(std::max(std::abs(d), 1.0));
  }
  sources_.set_sizes(sizes, discrete_sizes);
  forward_->restart(sources_.unit_states(move.x.size()), sources_.unit_discrete(), step_size);
  if (before != nullptr) {
    (void)forward_->begin_stretch(stretch_of(*before, move.t, move.x));
  }
  forward_->moved(move);
  if (!instant.values_before.empty()) {
    (void)forward_->instant(move.t, 0, {}, instant.values_before);
  }
  for (const hybrid::Event& event : instant.events) {
    forward_->event(event);
  }
}

// What functionals ask for at the instant itself.
bool InstantColumns::gather(const InstantWeights& weights, std::vector<double>& totals) const {
  if (weights.empty()) {
    return true;
  }
  if (!ear_->heard) {
    return false;
  }
  const InstantTangents& heard = *ear_->heard;
  const double time[] = {weights.time};
  return add(weights.before, heard.before_along, totals) && add(weights.after, heard.after_along, totals) &&
         add(time, heard.sigma, totals);
}

bool InstantColumns::take(const TapeStretch* before, std::span<const double> totals, AdjointSums& sums) {
  const std::size_t n = before == nullptr ? sums.x.size() : before->x.size();
  const std::size_t first_given = sources_.first_given();
  const std::span<const double> states = totals.first(n);
  const std::span<const double> discrete = totals.subspan(sources_.first_discrete(), sources_.n_discrete());
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(states.begin(), states.end(), is_finite) ||
      !std::all_of(discrete.begin(), discrete.end(), is_finite)) {
    problem_ = forward_->problem().empty() ? "an instant has no derivative" : forward_->problem();
    return false;
  }
  sums.x.assign(states.begin(), states.end());
  sums.discrete.assign(discrete.begin(), discrete.end());
  for (std::size_t k = 0; k < sums.gradient.size(); ++k) {
    sums.gradient[k] += totals[first_given + k];
  }
  return true;
}

bool InstantColumns::pass(const TapeStretch* before, const TapeInstant& instant, const TapeStretch& after,
                          const InstantWeights& weights, double step_size, AdjointSums& sums) {
  problem_.clear();
  ear_->wants = !weights.empty();
  ear_->keeps_rows = false;
  ear_->heard.reset();
  feed(before, instant, step_size);
  (void)forward_->begin_stretch(stretch_of(after, after.from, after.x));
  if (!forward_->problem().empty()) {
    problem_ = forward_->problem();
    return false;
  }
  std::vector<double> totals(sources_.all().n_columns(), 0.0);
  if (!add(sums.x, forward_->states(), totals) || !add(sums.discrete, forward_->discrete(), totals) ||
      !gather(weights, totals)) {
    problem_ = "an instant has no derivative";
    return false;
  }
  if (before == nullptr) {
    sums.x.resize(instant.move.x.size());
  }
  return take(before, totals, sums);
}

bool InstantColumns::pass_last(const TapeStretch& before, const TapeInstant& instant,
                               std::span<const double> values, const InstantWeights& weights,
                               double step_size, AdjointSums& sums) {
  problem_.clear();
  ear_->wants = !weights.empty();
  ear_->keeps_rows = true;
  ear_->heard.reset();
  ear_->last_row.clear();
  feed(&before, instant, step_size);
  forward_->finish();
  if (!forward_->problem().empty()) {
    problem_ = forward_->problem();
    return false;
  }
  std::vector<double> totals(sources_.all().n_columns(), 0.0);
  if (!add(values, ear_->last_row, totals) || !gather(weights, totals)) {
    problem_ = "the last instant has no derivative";
    return false;
  }
  return take(&before, totals, sums);
}

}  // namespace saltus::sensitivity
