#include "sensitivity/adjoint/instant_columns.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace saltus::sensitivity {

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

// The instant up to its events.
void feed(const TapeInstant& instant, ForwardRun& forward) {
  forward.moved(instant.move);
  if (!instant.values_before.empty()) {
    (void)forward.instant(instant.move.t, 0, {}, instant.values_before);
  }
  for (const hybrid::Event& event : instant.events) {
    forward.event(event);
  }
}

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

InstantColumns::InstantColumns(AdjointSources& sources) : sources_(sources), ear_(std::make_unique<Ear>()) {}

InstantColumns::~InstantColumns() = default;

std::unique_ptr<ForwardRun> InstantColumns::forward_of(const Setup& setup) {
  const FieldSource& source = sources_.rest();
  return observe_forward(source.system, source.options, source.guess, setup, silence_, *ear_);
}

void InstantColumns::hear(const InstantWeights& weights, bool keeps_rows) {
  problem_.clear();
  ear_->wants = !weights.empty() || weights.is_counted;
  ear_->keeps_rows = keeps_rows;
  ear_->heard.reset();
  ear_->last_row.clear();
}

// Unit changes at the end of the stretch before.
void InstantColumns::prepare(const TapeStretch& before, const TapeInstant& instant, double step_size) {
  const settle::InstantMove& move = instant.move;
  if (forward_ == nullptr || before.has_new_ranks) {
    forward_ = forward_of(sources_.all().setup);
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
  (void)forward_->begin_stretch(stretch_of(before, move.t, move.x));
}

// What functionals ask for at the instant itself.
bool InstantColumns::gather(const InstantWeights& weights, std::vector<double>& totals) {
  if (weights.is_counted && ear_->heard) {
    const std::vector<bool>& parts = ear_->heard->parts;
    if (std::find(parts.begin(), parts.end(), true) != parts.end()) {
      problem_ =
          "events meet that come one after the other beside it, and instants are counted otherwise then";
      return false;
    }
  }
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

bool InstantColumns::take(const TapeStretch& before, std::span<const double> totals, AdjointSums& sums) {
  const std::size_t n = before.x.size();
  const std::size_t first_given = sources_.first_given();
  const std::span<const double> states = totals.first(n);
  const std::span<const double> discrete = totals.subspan(sources_.first_discrete(), sources_.n_discrete());
  const auto is_finite = [](double value) { return std::isfinite(value); };
  const std::vector<Column>& given = sources_.given().columns;
  bool are_finite = std::all_of(states.begin(), states.end(), is_finite) &&
                    std::all_of(discrete.begin(), discrete.end(), is_finite);
  for (std::size_t k = 0; k < given.size(); ++k) {
    are_finite = are_finite && (!given[k].undefined.empty() || std::isfinite(totals[first_given + k]));
  }
  if (!are_finite) {
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

bool InstantColumns::pass(const TapeStretch& before, const TapeInstant& instant, const TapeStretch& after,
                          const InstantWeights& weights, double step_size, AdjointSums& sums) {
  hear(weights, false);
  prepare(before, instant, step_size);
  std::vector<double> totals(sources_.all().n_columns(), 0.0);
  return go_through(instant, after, weights, *forward_, sums, totals) && take(before, totals, sums);
}

bool InstantColumns::pass_start(const TapeInstant& instant, const TapeStretch& after,
                                const InstantWeights& weights, AdjointSums& sums) {
  hear(weights, false);
  const std::unique_ptr<ForwardRun> forward = forward_of(sources_.given());
  std::vector<double> totals(sums.gradient.size(), 0.0);
  if (!go_through(instant, after, weights, *forward, sums, totals)) {
    return false;
  }
  std::transform(totals.begin(), totals.end(), sums.gradient.begin(), sums.gradient.begin(), std::plus<>());
  std::fill(sums.x.begin(), sums.x.end(), 0.0);
  std::fill(sums.discrete.begin(), sums.discrete.end(), 0.0);
  return true;
}

// What `sums` and weights are of the columns of `forward`.
bool InstantColumns::go_through(const TapeInstant& instant, const TapeStretch& after,
                                const InstantWeights& weights, ForwardRun& forward, const AdjointSums& sums,
                                std::vector<double>& totals) {
  feed(instant, forward);
  (void)forward.begin_stretch(stretch_of(after, after.from, after.x));
  problem_ = forward.problem();
  if (!problem_.empty()) {
    return false;
  }
  problem_ = "an instant has no derivative";
  const bool is_known = add(sums.x, forward.states(), totals) &&
                        add(sums.discrete, forward.discrete(), totals) && gather(weights, totals);
  problem_ = is_known ? "" : problem_;
  return is_known;
}

bool InstantColumns::pass_last(const TapeStretch& before, const TapeInstant& instant,
                               std::span<const double> values, const InstantWeights& weights,
                               double step_size, AdjointSums& sums) {
  hear(weights, true);
  prepare(before, instant, step_size);
  feed(instant, *forward_);
  forward_->finish();
  if (!forward_->problem().empty()) {
    problem_ = forward_->problem();
    return false;
  }
  std::vector<double> totals(sources_.all().n_columns(), 0.0);
  problem_ = "the last instant has no derivative";
  if (!add(values, ear_->last_row, totals) || !gather(weights, totals)) {
    return false;
  }
  problem_.clear();
  return take(before, totals, sums);
}

}  // namespace saltus::sensitivity
