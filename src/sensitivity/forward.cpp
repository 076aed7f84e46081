#include "sensitivity/forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time_tolerance.hpp"
#include "sensitivity/diagnostic_codes.hpp"
#include "sensitivity/instant_variation.hpp"
#include "sensitivity/stretch_variation.hpp"
#include "sensitivity/surface_start.hpp"
#include "sensitivity/value_tangents.hpp"

namespace saltus::sensitivity {
namespace {

// Rates jump where they differ by more than this many tolerances of their size …
constexpr double kJumpOfRates = 100.0;
// … which are not smaller than this: solved variables are not more exact.
constexpr double kLeastJumpOfRates = 1e-10;

class ForwardObserver final : public ForwardRun {
 public:
  ForwardObserver(const system::HybridSystem& system, const hybrid::Options& options,
                  std::span<const double> guess, const Setup& setup, hybrid::RunObserver& recorder,
                  Listener& listener)
      : source_{system, options, guess, setup, std::vector<double>(setup.columns.size(), 0.0)},
        recorder_(recorder),
        listener_(listener),
        instant_(source_),
        direction_(options.stop >= options.start ? 1.0 : -1.0),
        scale_(std::max(std::abs(options.start), std::abs(options.stop))),
        s_(setup.x),
        discrete_(setup.discrete),
        sigma_(setup.columns.size(), 0.0),
        last_row_(std::nan("")) {
    for (const Column& column : setup.columns) {
      is_defined_.push_back(column.undefined.empty());
      if (!column.undefined.empty()) {
        tell_undefined(options.start, column.undefined, "'" + column.name + "'");
      }
    }
  }

  bool begin_stretch(const hybrid::Stretch& stretch) override {
    return recorder_.begin_stretch(stretch) && begin(stretch);
  }
  bool wants_segment(double t_end) override {
    (void)recorder_.wants_segment(t_end);
    return true;
  }
  bool step(const trajectory::SegmentView& segment, const hybrid::StepEnd& end) override {
    return recorder_.step(segment, end) && can_go_on_ && follow(segment, end);
  }
  bool instant(double t, std::int64_t segment, std::string_view mode,
               std::span<const double> values) override {
    if (!recorder_.instant(t, segment, mode, values) || !catch_up()) {
      return false;
    }
    const bool is_first = !std::exchange(has_rows_, true) && field_ != nullptr;
    last_segment_ = segment;
    last_mode_ = mode;
    note_values(values);
    return !is_first || last_row_ == t ||
           give_row(t, field_->facts().segment, field_->facts().mode, left_limit_);
  }
  void finish() override;
  void restart(std::span<const double> s, std::span<const double> discrete, double step_size) override;
  [[nodiscard]] std::span<const double> states() const override { return s_; }
  [[nodiscard]] std::span<const double> discrete() const override { return discrete_; }
  [[nodiscard]] const std::string& problem() const override { return problem_; }
  [[nodiscard]] bool wants_moves() const override { return true; }
  void moved(const settle::InstantMove& move) override;
  bool between_steps() override { return recorder_.between_steps(); }
  void event(const hybrid::Event& event) override {
    recorder_.event(event);
    std::vector<double> sigma = sigma_of(event);
    for (std::size_t k = 0; k < sigma.size(); ++k) {
      sigma[k] = was_defined_[k] ? sigma[k] : std::nan("");
    }
    if (open_ && open_->n_events++ == 0) {
      open_->sigma = sigma;
    }
    listener_.event_time(sigma);
  }
  void warning(Diagnostic diagnostic) override { recorder_.warning(std::move(diagnostic)); }

 private:
  [[nodiscard]] bool begin(const hybrid::Stretch& stretch);
  [[nodiscard]] bool follow(const trajectory::SegmentView& segment, const hybrid::StepEnd& end);
  [[nodiscard]] bool catch_up();
  [[nodiscard]] bool go_along(bool to_end);
  [[nodiscard]] bool rows_within(double to);
  [[nodiscard]] bool rows_without_values();
  void find_tangents(double t, std::span<const double> x, std::span<const double> s,
                     std::vector<double>& tangents);
  [[nodiscard]] bool row(double t, std::span<const double> x, std::span<const double> s);
  [[nodiscard]] bool give_row(double t, std::int64_t segment, std::string_view mode,
                              std::span<const double> tangents);
  void leave_instant(const hybrid::Stretch& stretch);
  [[nodiscard]] bool jumps_without_cause(double t);
  // Those of `which`, by column; empty: all.
  void undefine(double t, const std::string& why, const std::vector<bool>& which = {});
  void undefine_failed(double t);
  [[nodiscard]] std::vector<double> sigma_of(const hybrid::Event& event) const;
  void tell_undefined(double t, const std::string& why, const std::string& names);
  [[nodiscard]] bool is_any_defined() const {
    return std::any_of(is_defined_.begin(), is_defined_.end(), [](bool is) { return is; });
  }
  [[nodiscard]] std::size_t n_columns() const { return source_.n_columns(); }
  // Of a row.
  [[nodiscard]] std::size_t n_values() const {
    return source_.system.variables().size() + source_.setup.guards.size();
  }
  void take_field(StretchFacts facts, bool is_new);
  void note_values(std::span<const double> values);
  [[nodiscard]] std::vector<double> tangents_along(std::span<const double> rates,
                                                   const std::vector<bool>& counts);
  void close_instant();
  void meet_constraints(double t, std::span<const double> x, std::span<double> s);

  FieldSource source_;
  hybrid::RunObserver& recorder_;
  Listener& listener_;
  InstantVariation instant_;
  double direction_;
  double scale_;
  std::vector<double> s_;         // [state][column]
  std::vector<double> discrete_;  // [discrete variable][column]
  std::vector<double> sigma_;     // of the last instant
  std::vector<bool> is_defined_;
  std::vector<bool> was_defined_;  // before the last instant
  std::string problem_;            // why something is not defined

  std::vector<std::unique_ptr<StretchVariation>> plain_;  // by structure
  std::unique_ptr<StretchVariation> held_;                // of a stretch on surfaces
  StretchVariation* stretch_ = nullptr;
  StretchField* field_ = nullptr;  // of it
  double t_ = 0.0;                 // where the run stands
  std::vector<double> x_;
  std::vector<double> s_x_;      // x where S stands, or a row is
  double s_row_ = 0.0;           // up to where rows were asked for
  std::vector<double> between_;  // S within a step
  bool was_implicit_ = false;    // the step before
  bool can_go_on_ = true;        // no row was refused
  double step_size_ = 0.0;
  bool is_in_instant_ = false;      // between moved() and the stretch that follows
  bool has_rows_ = false;           // of the present instant
  std::vector<double> left_limit_;  // tangents before it
  std::int64_t last_segment_ = 0;
  std::string last_mode_;
  struct Before {
    system::Configuration configuration;
    std::vector<double> rates;
    std::vector<settle::InstantMove::Crossing> crossings;
    bool is_time_fixed = false;
    bool is_start = false;
  };
  Before before_;                 // the instant
  bool is_before_start_ = false;  // nothing but the instant of the start has been seen
  double last_row_;
  std::vector<double> tangents_;
  std::optional<InstantTangents> open_;  // the present instant, where the listener wants it
};

// Where events part, each has the time of its guard.
std::vector<double> ForwardObserver::sigma_of(const hybrid::Event& event) const {
  const std::optional<TogetherCrossed>& together = instant_.together();
  if (!together) {
    std::vector<double> sigma = sigma_;
    for (std::size_t k = 0; k < instant_.undefined().size(); ++k) {
      sigma[k] = instant_.undefined()[k] ? std::nan("") : sigma[k];
    }
    return sigma;
  }
  for (std::size_t g = 0; g < instant_.parting().size(); ++g) {
    const auto guard = static_cast<std::size_t>(instant_.parting()[g]);
    const auto& guards = source_.system.guards();
    if (guard < guards.size() &&
        (event.guard == guards[guard].text || event.guard == guards[guard].condition)) {
      return together->sigma[g];
    }
  }
  return std::vector<double>(n_columns(), std::nan(""));
}

void ForwardObserver::tell_undefined(double t, const std::string& why, const std::string& names) {
  Diagnostic diagnostic;
  diagnostic.code = kSensitivityUndefined.name;
  diagnostic.severity = Severity::warning;
  diagnostic.message = fmt::format("from t = {:.9g} on sensitivities to {} are undefined: {}", t, names, why);
  listener_.undefined(std::move(diagnostic));
}

void ForwardObserver::undefine(double t, const std::string& why, const std::vector<bool>& which) {
  std::string names;
  for (std::size_t k = 0; k < is_defined_.size(); ++k) {
    if (is_defined_[k] && (which.empty() || which[k])) {
      names += (names.empty() ? "'" : ", '") + source_.setup.columns[k].name + "'";
      is_defined_[k] = false;
    }
  }
  if (!names.empty()) {
    problem_ = why;
    tell_undefined(t, why, names);
  }
}

// Columns of which the field knows nothing.
void ForwardObserver::undefine_failed(double t) {
  if (!field_->failed().empty()) {
    undefine(t, "beside its value the equations have another structure", field_->failed());
  }
}

// Held on surfaces a field belongs to one stretch; else to all stretches of its structure.
void ForwardObserver::take_field(StretchFacts facts, bool is_new) {
  if (!facts.surfaces.empty()) {
    held_ = std::make_unique<StretchVariation>(source_, std::move(facts));
    stretch_ = held_.get();
  } else {
    const auto known = std::find_if(plain_.begin(), plain_.end(), [&](const auto& plain) {
      return plain->field.facts().structure == facts.structure;
    });
    // One that could not be made is tried again: there is nothing in it that could go on.
    if (known != plain_.end() && !is_new && (*known)->field.failure().empty()) {
      (*known)->take(std::move(facts));
      stretch_ = known->get();
    } else {
      if (known != plain_.end()) {
        plain_.erase(known);
      }
      stretch_ = plain_.emplace_back(std::make_unique<StretchVariation>(source_, std::move(facts))).get();
    }
  }
  field_ = &stretch_->field;
}

void ForwardObserver::meet_constraints(double t, std::span<const double> x, std::span<double> s) {
  if (!is_any_defined() || stretch_->constraints->is_empty()) {
    return;
  }
  if (!stretch_->constraints->meet(t, x, discrete_, s).ok()) {
    undefine(t, "constraints have no derivatives");
  }
  stretch_->flow->moved();
}

// At fixed time.
void ForwardObserver::find_tangents(double t, std::span<const double> x, std::span<const double> s,
                                    std::vector<double>& tangents) {
  find_value_tangents(source_, *field_, t, x, {source_.fixed_time, s, discrete_}, is_defined_, tangents);
}

bool ForwardObserver::row(double t, std::span<const double> x, std::span<const double> s) {
  find_tangents(t, x, s, tangents_);
  return give_row(t, field_->facts().segment, field_->facts().mode, tangents_);
}

bool ForwardObserver::give_row(double t, std::int64_t segment, std::string_view mode,
                               std::span<const double> tangents) {
  last_row_ = t;
  return listener_.row(t, segment, mode, tangents);
}

bool ForwardObserver::begin(const hybrid::Stretch& stretch) {
  if (!catch_up()) {
    return false;
  }
  StretchFacts facts{
      stretch.structure, *stretch.configuration, {stretch.surfaces.begin(), stretch.surfaces.end()},
      stretch.level,     stretch.segment,        std::string(stretch.mode)};
  const bool is_at_rest = stretch.surfaces.empty() && stretch.evaluator != nullptr &&
                          stretch.evaluator->projection() == system::Projection::stages;
  const bool is_first = field_ == nullptr || std::exchange(is_before_start_, false);
  take_field(std::move(facts), stretch.has_new_ranks);
  t_ = stretch.from;
  x_.assign(stretch.x.begin(), stretch.x.end());
  if (is_at_rest) {
    undefine(t_, "the solution rests where events accumulate");
  }
  if (!field_->failure().empty()) {
    undefine(t_, field_->failure());
  }
  undefine_failed(t_);
  if (step_size_ != 0.0) {
    field_->set_time_size(std::abs(step_size_));
  }
  leave_instant(stretch);
  if (s_.size() != x_.size() * n_columns()) {
    undefine(t_, "the states are others than before");
    s_.assign(x_.size() * n_columns(), 0.0);
  }
  meet_constraints(t_, x_, s_);
  close_instant();
  s_x_.resize(x_.size());
  between_.resize(s_.size());
  s_row_ = t_;
  const bool wants_row = std::exchange(has_rows_, false) || is_first;
  return !wants_row || row(t_, x_, s_);
}

// S⁺ = X⁺ - f⁺·σ.
void ForwardObserver::leave_instant(const hybrid::Stretch& stretch) {
  if (!std::exchange(is_in_instant_, false) || !is_any_defined()) {
    return;
  }
  const std::size_t n = n_columns();
  if (instant_.together()) {
    return;
  }
  if (before_.is_start && s_.size() == x_.size() * n) {
    const std::vector<double> s = s_;
    const StartLeft left = leave_surfaces(source_, *field_, before_.configuration,
                                          {stretch.from, x_, {}, s, discrete_, std::abs(step_size_)}, s_);
    undefine(stretch.from, left.problem, left.undefined);
  }
  if (!instant_.has_cause() && !before_.is_time_fixed && jumps_without_cause(stretch.from)) {
    undefine(stretch.from,
             instant_.unknown_time().empty()
                 ? "the rates change, and nothing says how the time of that depends on parameters"
                 : instant_.unknown_time());
    return;
  }
  if (!instant_.has_cause()) {
    return;
  }
  std::vector<double> rates(x_.size());
  if (s_.size() != x_.size() * n || !field_->evaluator().rhs(stretch.from, x_, rates).ok()) {
    undefine(stretch.from, "the equations after the instant have no rates");
    return;
  }
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      s_[i * n + k] -= sigma_[k] == 0.0 ? 0.0 : rates[i] * sigma_[k];
    }
  }
  std::vector<bool> returns = keep_sides(source_, *field_, before_.configuration, before_.crossings, sigma_,
                                         {stretch.from, x_, rates, s_, discrete_, std::abs(step_size_)});
  returns.flip();
  undefine(stretch.from, "beside this value the condition of the event has the other truth right after it",
           returns);
}

// Whether rates are others than before the instant.
bool ForwardObserver::jumps_without_cause(double t) {
  std::vector<double> rates(x_.size());
  if (rates.size() != before_.rates.size() || !field_->evaluator().rhs(t, x_, rates).ok()) {
    return true;
  }
  const double rtol = std::max(field_->tolerances().rtol, kLeastJumpOfRates);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double size = std::max({std::abs(rates[i]), std::abs(before_.rates[i]), field_->nominal()[i]});
    if (!(std::abs(rates[i] - before_.rates[i]) <= kJumpOfRates * rtol * size)) {
      return true;
    }
  }
  return false;
}

bool ForwardObserver::follow(const trajectory::SegmentView& segment, const hybrid::StepEnd& end) {
  // Another method than the one whose steps S follows.
  if (was_implicit_ != end.is_implicit && !catch_up()) {
    return false;
  }
  was_implicit_ = end.is_implicit;
  t_ = end.t;
  x_.assign(end.x.begin(), end.x.end());
  step_size_ = segment.step();
  field_->set_time_size(std::abs(step_size_));
  if (is_any_defined()) {
    stretch_->flow->follow(segment, end.is_implicit);
  }
  const bool may_stay_behind = end.is_multistep && !listener_.wants_rows_at_steps();
  return go_along(!may_stay_behind);
}

// S may be a few steps behind the run; where it has to stand at its time, this is called.
bool ForwardObserver::catch_up() {
  const bool is_there = stretch_ == nullptr || is_in_instant_ || !is_any_defined();
  can_go_on_ = can_go_on_ && (is_there || go_along(true));
  return can_go_on_;
}

bool ForwardObserver::go_along(bool to_end) {
  while (is_any_defined() && stretch_->flow->can_step(to_end)) {
    LinearFlow& flow = *stretch_->flow;
    if (!flow.step(to_end, listener_.next_row(s_row_), discrete_, s_).ok()) {
      undefine(flow.time(), "the equations have no derivatives on the step that begins there");
      break;
    }
    undefine_failed(flow.time());
    if (!is_any_defined()) {
      break;
    }
    const double to = flow.end_time();
    if (!rows_within(to)) {
      return false;
    }
    flow.accept(s_, s_x_);
    if (flow.is_at_end()) {
      std::copy(x_.begin(), x_.end(), s_x_.begin());  // to the last bit
    }
    meet_constraints(to, s_x_, s_);
    const bool is_due =
        same_instant(listener_.next_row(s_row_), to, scale_) || listener_.wants_rows_at_steps();
    s_row_ = to;
    if (is_due && !row(to, s_x_, s_)) {
      return false;
    }
  }
  return is_any_defined() || rows_without_values();
}

// Rows of the step before its end, where S is interpolated.
bool ForwardObserver::rows_within(double to) {
  for (;;) {
    const double next = listener_.next_row(s_row_);
    if (!(direction_ * next < direction_ * to) || same_instant(next, to, scale_)) {
      return true;
    }
    s_row_ = next;
    if (same_instant(next, last_row_, scale_)) {
      continue;
    }
    stretch_->flow->interpolate(next, s_, s_x_, between_);
    meet_constraints(next, s_x_, between_);
    if (!row(next, s_x_, between_)) {
      return false;
    }
  }
}

// Where nothing is defined there are rows all the same.
bool ForwardObserver::rows_without_values() {
  double next = listener_.next_row(s_row_);
  while (direction_ * next < direction_ * t_ && !same_instant(next, t_, scale_)) {
    s_row_ = next;
    if (!same_instant(next, last_row_, scale_) && !row(next, x_, s_)) {
      return false;
    }
    next = listener_.next_row(s_row_);
  }
  s_row_ = t_;
  const bool is_due = same_instant(next, t_, scale_) || listener_.wants_rows_at_steps();
  return !is_due || row(t_, x_, s_);
}

void ForwardObserver::moved(const settle::InstantMove& move) {
  (void)catch_up();
  was_defined_ = is_defined_;
  is_in_instant_ = true;
  has_rows_ = false;
  std::fill(sigma_.begin(), sigma_.end(), 0.0);
  if (field_ == nullptr) {
    // The start: what is done there is done to the initial values.
    take_field({move.structure, move.configuration, {}, 0.0, 0, {}}, false);
    t_ = move.t;
    is_before_start_ = true;
    if (!field_->failure().empty()) {
      undefine(t_, field_->failure());
    }
    undefine_failed(t_);
  }
  x_.assign(move.x.begin(), move.x.end());
  find_tangents(t_, x_, s_, left_limit_);
  open_.reset();
  if (listener_.wants_instants()) {
    open_.emplace();
    open_->t = move.t;
    open_->before = left_limit_;
  }
  if (!is_any_defined()) {
    return;
  }
  if (s_.size() != x_.size() * n_columns()) {
    undefine(t_, "the states are others than those of the step before");
    return;
  }
  std::vector<double> rates(x_.size());
  if (!field_->evaluator().rhs(move.t, x_, rates).ok()) {
    std::fill(rates.begin(), rates.end(), std::nan(""));
  }
  const InstantPoint point{move.t, x_, rates, s_, discrete_, step_size_ == 0.0 ? 1.0 : std::abs(step_size_)};
  const bool is_passed = !move.is_at_rest && instant_.pass(*field_, point, move);
  sigma_ = move.is_at_rest ? std::vector<double>(n_columns(), std::nan("")) : instant_.sigma();
  if (open_) {
    open_->before_along = tangents_along(rates, was_defined_);
  }
  if (!is_passed) {
    undefine(move.t, move.is_at_rest ? "the solution leaves rest" : instant_.problem());
    return;
  }
  if (!instant_.undefined().empty()) {
    undefine(move.t, instant_.why_undefined(), instant_.undefined());
  }
  before_ = {move.configuration, std::move(rates), move.crossings, move.is_start || move.is_outside,
             move.is_start};
  s_ = instant_.x();
  discrete_ = instant_.discrete();
}

void ForwardObserver::note_values(std::span<const double> values) {
  if (open_) {
    (open_->values_before.empty() ? open_->values_before : open_->values_after)
        .assign(values.begin(), values.end());
  }
}

// At t*(p), from S at fixed time: X = S + f·σ.
std::vector<double> ForwardObserver::tangents_along(std::span<const double> rates,
                                                    const std::vector<bool>& counts) {
  const std::size_t n = n_columns();
  std::vector<double> sigma = sigma_;
  std::vector<double> along = s_;
  std::vector<bool> is_known(n);
  for (std::size_t k = 0; k < n; ++k) {
    const bool parts = !instant_.undefined().empty() && instant_.undefined()[k];
    is_known[k] = counts[k] && std::isfinite(sigma[k]) && !instant_.together() && !parts;
    sigma[k] = is_known[k] ? sigma[k] : 0.0;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      along[i * n + k] += sigma[k] == 0.0 ? 0.0 : rates[i] * sigma[k];
    }
  }
  std::vector<double> tangents;
  find_value_tangents(source_, *field_, t_, x_, {sigma, along, discrete_}, is_known, tangents);
  return tangents;
}

// The stretch after it has begun.
void ForwardObserver::close_instant() {
  if (!open_ || open_->n_events == 0) {
    open_.reset();
    return;
  }
  std::vector<double> rates(x_.size());
  if (is_any_defined() && field_->evaluator().rhs(t_, x_, rates).ok()) {
    open_->after_along = tangents_along(rates, is_defined_);
  }
  listener_.instant(*open_);
  open_.reset();
}

void ForwardObserver::restart(std::span<const double> s, std::span<const double> discrete, double step_size) {
  s_.assign(s.begin(), s.end());
  discrete_.assign(discrete.begin(), discrete.end());
  step_size_ = step_size;
  std::fill(is_defined_.begin(), is_defined_.end(), true);
  problem_.clear();
  is_in_instant_ = false;
  has_rows_ = false;
  open_.reset();
}

void ForwardObserver::finish() {
  (void)catch_up();
  if (!is_in_instant_ || !has_rows_) {
    return;
  }
  const std::size_t n = n_columns();
  tangents_.assign(n_values() * n, std::nan(""));
  const std::size_t n_variables = source_.system.variables().size();
  for (std::size_t e = 0; e < n_variables * n && instant_.values().size() == n_variables * n; ++e) {
    tangents_[e] = is_defined_[e % n] ? instant_.values()[e] : std::nan("");
  }
  (void)give_row(t_, last_segment_, last_mode_, tangents_);
  if (open_ && open_->n_events > 0) {
    open_->after_along = tangents_;
    listener_.instant(*open_);
  }
}

}  // namespace

std::unique_ptr<ForwardRun> observe_forward(const system::HybridSystem& system,
                                            const hybrid::Options& options, std::span<const double> guess,
                                            const Setup& setup, hybrid::RunObserver& recorder,
                                            Listener& listener) {
  return std::make_unique<ForwardObserver>(system, options, guess, setup, recorder, listener);
}

}  // namespace saltus::sensitivity
