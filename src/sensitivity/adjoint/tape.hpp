/// What is kept of a run so that it can be followed backwards: its stretches, their steps with the dense solution, what its instants did.
///
/// Contract     an observer between the run and its recorder: everything is passed on unchanged and in its order.
/// Choices      two levels: where a piece of the tape has become longer than asked for, the run is saved and what was kept is dropped. On the way back
///              earlier pieces are recorded again, each from where the run was saved: memory is that of one piece and of the saved states,
///              and all pieces together cost one more run. More levels would save memory that the states of saved runs hardly take.
/// Cost         memory: the polynomials of the steps of a piece
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hybrid/run.hpp"
#include "sensitivity/field/stretch_field.hpp"

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
  double last_step = 0.0;     ///< signed; 0: there was none
  double t_end = 0.0;         ///< of the last step; else `from`
  std::vector<double> x_end;  ///< there
};

/// Where one piece ends and the next one begins, between two steps.
struct TapeCut {
  std::int64_t n_told = 0;  ///< steps, instants and stretches of the run up to there
  TapeStretch stretch;      ///< that goes on, without its steps and the instant before it
  std::int64_t n_instants = 0;
  double last_event_time = 0.0;
};

class Tape final : public hybrid::RunObserver {
 public:
  explicit Tape(hybrid::RunObserver& recorder) : recorder_(recorder) {}

  /// Pieces of about this many numbers. `save` is called where one ends; false: the run cannot be saved, and the piece goes on to the end.
  void cut_at(std::size_t most_numbers, std::function<bool(TapeCut)> save) {
    most_numbers_ = most_numbers;
    save_ = std::move(save);
  }
  /// A piece that is recorded again: it begins at a cut and ends at another, where the run is ended.
  void begin_at(const TapeCut& cut);
  void end_at(std::int64_t n_told) { n_told_at_end_ = n_told; }
  [[nodiscard]] bool is_at_end() const { return n_told_ == n_told_at_end_; }

  [[nodiscard]] const std::vector<TapeStretch>& stretches() const { return stretches_; }
  /// That ended the run: no stretch follows it.
  [[nodiscard]] const std::optional<TapeInstant>& last_instant() const { return instant_; }
  [[nodiscard]] std::int64_t n_instants() const { return n_instants_; }
  /// Of all pieces up to here.
  [[nodiscard]] std::size_t most_states() const { return most_states_; }
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
  bool between_steps() override;
  void event(const hybrid::Event& event) override;
  void warning(Diagnostic diagnostic) override { recorder_.warning(std::move(diagnostic)); }

 private:
  [[nodiscard]] TapeCut cut() const;

  hybrid::RunObserver& recorder_;
  std::size_t most_numbers_ = 0;
  std::function<bool(TapeCut)> save_;  // none: it is one piece
  std::int64_t n_told_ = 0;
  std::int64_t n_told_at_end_ = -1;  // none
  std::vector<TapeStretch> stretches_;
  std::optional<TapeInstant> instant_;
  std::vector<Numbered> numbered_;
  std::int64_t n_instants_ = 0;
  std::int64_t last_kept_ = 0;
  double last_event_time_ = 0.0;  // NaN before the first
  std::size_t size_ = 0;          // numbers in the present piece
  std::size_t most_states_ = 0;
  bool is_whole_ = true;
};

}  // namespace saltus::sensitivity
