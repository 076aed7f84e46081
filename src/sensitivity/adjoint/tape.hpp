/// What is kept of a run so that it can be followed backwards: its stretches, their steps with the dense solution, what its instants did.
///
/// Contract     an observer between the run and its recorder: everything is passed on unchanged and in its order.
/// Cost         memory: the polynomials of all steps, size() numbers in all
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hybrid/run.hpp"
#include "sensitivity/stretch_field.hpp"

namespace saltus::sensitivity {

/// A step that is final, up to its event where there was one.
struct TapeStep {
  trajectory::CompensatedTime start;
  double h = 0.0;
  double end = 0.0;
  Index degree = 0;
  bool is_implicit = false;
  std::vector<double> coefficients;

  [[nodiscard]] trajectory::SegmentView view() const {
    const Index n = static_cast<Index>(coefficients.size()) / (degree + 1);
    return {start, h, end, n, degree, coefficients};
  }
};

/// An instant, with the rows and events that followed.
struct TapeInstant {
  settle::InstantMove move;
  std::vector<hybrid::Event> events;
  std::vector<double> values_before;  ///< of all variables; empty: it has no rows
  std::vector<double> values_after;
  std::int64_t number = 0;  ///< among the instants with events, those of one time as one; 0: it has none
};

struct TapeStretch {
  std::optional<TapeInstant> instant;  ///< before it; that of the start: before the first one
  StretchFacts facts;
  double from = 0.0;
  std::vector<double> x;  ///< there
  bool has_new_ranks = false;
  bool is_at_rest = false;
  std::vector<TapeStep> steps;
  double t_end = 0.0;         ///< of the last step; else `from`
  std::vector<double> x_end;  ///< there
};

class Tape final : public hybrid::RunObserver {
 public:
  explicit Tape(hybrid::RunObserver& recorder) : recorder_(recorder) {}

  [[nodiscard]] const std::vector<TapeStretch>& stretches() const { return stretches_; }
  /// That ended the run: no stretch follows it.
  [[nodiscard]] const std::optional<TapeInstant>& last_instant() const { return instant_; }
  [[nodiscard]] std::int64_t n_instants() const { return n_instants_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// False: an instant followed another one without a stretch between, which cannot be told apart.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  /// An instant with events, by its number: values before its first move and after its last one, its time, and whether several moves made it.
  struct Numbered {
    double t = 0.0;
    std::vector<double> values_before;
    std::vector<double> values_after;
    bool is_single = true;
  };
  /// Only for those that were asked for.
  void keep_instants_to(std::int64_t last) { last_kept_ = last; }
  [[nodiscard]] const std::vector<Numbered>& numbered() const { return numbered_; }
  [[nodiscard]] double last_event_time() const { return last_event_time_; }

  bool begin_stretch(const hybrid::Stretch& stretch) override;
  bool wants_segment(double t_end) override {
    (void)recorder_.wants_segment(t_end);
    return true;
  }
  bool step(const trajectory::SegmentView& segment, const hybrid::StepEnd& end) override;
  bool instant(double t, std::int64_t segment, std::string_view mode,
               std::span<const double> values) override;
  [[nodiscard]] bool wants_moves() const override { return true; }
  void moved(const settle::InstantMove& move) override;
  bool between_steps() override { return recorder_.between_steps(); }
  void event(const hybrid::Event& event) override;
  void warning(Diagnostic diagnostic) override { recorder_.warning(std::move(diagnostic)); }

 private:
  hybrid::RunObserver& recorder_;
  std::vector<TapeStretch> stretches_;
  std::optional<TapeInstant> instant_;
  std::vector<Numbered> numbered_;
  std::int64_t n_instants_ = 0;
  std::int64_t last_kept_ = 0;
  double last_event_time_ = 0.0;  // NaN before the first
  std::size_t size_ = 0;
  bool is_whole_ = true;
};

}  // namespace saltus::sensitivity
