/// A trajectory of any length thinned to what a plot can show, in one pass and bounded memory.
///
/// Method     rows are put into buckets of `stride` consecutive rows; a bucket keeps its first row and the
/// smallest
///            and largest value of every variable, so that no peak is lost. When the buckets are used up,
///            pairs are merged and the stride doubles. Up to `max_buckets` rows nothing is thinned.
/// Contract   rows come in their order. Values that are not finite do not enter smallest and largest; a
/// bucket
///            without any finite value holds NaN.
/// Cost       three numbers per bucket and variable; a comparison or two per value.
/// Checked by tests/unit/record/plot_sampler_test.cpp
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "record/rows.hpp"

namespace saltus::record {

class PlotSampler {
 public:
  /// Keeps the first `n_variables` of each row.
  PlotSampler(std::size_t n_variables, std::size_t max_buckets);

  void add(const Rows& rows);

  [[nodiscard]] std::size_t n_variables() const { return n_variables_; }
  [[nodiscard]] std::size_t n_buckets() const { return times_.size(); }
  [[nodiscard]] std::int64_t n_rows() const { return n_rows_; }
  /// Rows in a full bucket; 1 if nothing was thinned.
  [[nodiscard]] std::int64_t stride() const { return stride_; }
  [[nodiscard]] double time(std::size_t bucket) const { return times_[bucket]; }
  [[nodiscard]] double first(std::size_t bucket, std::size_t v) const {
    return first_[bucket * n_variables_ + v];
  }
  [[nodiscard]] double smallest(std::size_t bucket, std::size_t v) const {
    return smallest_[bucket * n_variables_ + v];
  }
  [[nodiscard]] double largest(std::size_t bucket, std::size_t v) const {
    return largest_[bucket * n_variables_ + v];
  }
  /// Segment and mode of the first row of a bucket; modes are places in mode_names().
  [[nodiscard]] std::int64_t segment(std::size_t bucket) const { return segments_[bucket]; }
  [[nodiscard]] std::size_t mode(std::size_t bucket) const { return modes_[bucket]; }
  [[nodiscard]] const std::vector<std::string>& mode_names() const { return mode_names_; }
  /// The last row, which a plot must reach.
  [[nodiscard]] double last_time() const { return last_time_; }
  [[nodiscard]] const std::vector<double>& last() const { return last_; }

  void fields(Archive& a) {
    // Not saved: n_variables_, max_buckets_.
    a(stride_, in_bucket_, n_rows_, times_, segments_, modes_, mode_names_, last_mode_, first_, smallest_,
      largest_, last_time_, last_);
    if (a.is_loading() && a.ok() && !is_sound()) {
      a.refuse("the samples of a plot do not fit");
    }
  }

 private:
  [[nodiscard]] bool is_sound() const;
  void merge_pairs();
  [[nodiscard]] std::size_t mode_place(std::string_view name);

  std::size_t n_variables_;
  std::size_t max_buckets_;
  std::int64_t stride_ = 1;
  std::int64_t in_bucket_ = 0;  // rows in the last bucket
  std::int64_t n_rows_ = 0;
  std::vector<double> times_;
  std::vector<std::int64_t> segments_;
  std::vector<std::size_t> modes_;
  std::vector<std::string> mode_names_;
  std::size_t last_mode_ = 0;                       // of the rows added last
  std::vector<double> first_, smallest_, largest_;  // [bucket][variable]
  double last_time_ = 0.0;
  std::vector<double> last_;
};

}  // namespace saltus::record
