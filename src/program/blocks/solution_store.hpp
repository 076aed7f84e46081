/// What implicit blocks of a mode gave at the points that were asked for last.
///
/// Problem      rates, guards, divisors and outputs of one point need the same blocks. Guards of one step are looked at one after the
///              other, at the same points of it, with the same noise and the same differences around them; so are the guards of
///              one instant in each configuration that a decision tries. The end of a step is met by all of them.
/// Method       solutions are kept with time, states and what is held; a block at a point that is met again, to the last bit, is not
///              solved
/// Contract     One store belongs to one evaluator, whose sequences all come from the blocks of its mode. Nothing allocates after
///              construction. Failures are not kept.
/// Choices      What is held enters by a hash of 64 bits that is carried along: decisions go through the same few configurations
///              again and again. As many points as the isolation of one root needs, fewer where they would need much memory.
/// Cost         a question: one comparison of time per point kept, and of the states where it agrees
/// Checked by   tests/unit/program/solution_store_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::program {

class SolutionStore {
 public:
  SolutionStore(std::size_t n_states, std::span<const structure::Block> blocks);

  /// Held input i changes.
  void change_held(std::size_t i, double before, double after);

  /// The place of a point, or kNone.
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  [[nodiscard]] std::size_t find(double t, const double* x) const;
  /// … which takes that of the oldest point if it is new.
  [[nodiscard]] std::size_t find_or_add(double t, const double* x);

  /// The unknowns of an implicit block at a point; empty: not known.
  [[nodiscard]] std::span<const double> known(std::size_t point, std::size_t block) const {
    return is_known_[point * n_implicit_ + places_[block].number] != 0 ? unknowns(point, block)
                                                                       : std::span<const double>();
  }
  void keep(std::size_t point, std::size_t block, std::span<const double> solution);

  /// Points that were added since the last keep_points() are forgotten by drop_points(): a step that is dropped takes its solutions
  /// with it.
  void keep_points() { n_kept_added_ = n_added_; }
  void drop_points();

  void fields(Archive& a) {
    // Not saved: n_states_, places_, row_size_, n_implicit_, n_points_.
    a(n_kept_, next_, n_added_, n_kept_added_, key_, times_, keys_, rows_, is_known_);
  }

 private:
  // A root needs nine points of an interpolant, about ten of a bracket, and the ends of the step with their neighbours.
  static constexpr std::size_t kMostStored = 32;
  static constexpr std::size_t kLeastPoints = 2;
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 18U;

  struct Place {
    std::size_t first = 0;  ///< in a row
    std::size_t count = 0;
    std::size_t number = 0;  ///< of implicit blocks before it
  };
  [[nodiscard]] std::span<const double> unknowns(std::size_t point, std::size_t block) const {
    return std::span<const double>(rows_).subspan(point * row_size_ + places_[block].first,
                                                  places_[block].count);
  }

  std::size_t n_states_;
  std::vector<Place> places_;  // by block
  std::size_t row_size_;
  std::size_t n_implicit_ = 0;
  std::size_t n_points_;  // places for them
  std::size_t n_kept_ = 0;
  std::size_t next_ = 0;            // the place that is written next
  std::uint64_t n_added_ = 0;       // points, ever …
  std::uint64_t n_kept_added_ = 0;  // … and up to the last keep_points()
  std::uint64_t key_ = 0;
  std::array<double, kMostStored> times_{};
  std::array<std::uint64_t, kMostStored> keys_{};
  std::vector<double> rows_;            // states, then unknowns, of each point
  std::vector<std::uint8_t> is_known_;  // [point][implicit block]
};

}  // namespace saltus::program
