/// What a saltus::ModeList shares between its copies: spans, and what is still to be counted in them.
#pragma once

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "api/model/instance.hpp"
#include "base/archive.hpp"
#include "saltus/run_statistics.hpp"

namespace saltus::api {

class ModeSpans {
 public:
  /// A span whose numbers are those of an analysis of its mode, once that is made; without one they stay as they are.
  struct Open {
    std::size_t span = 0;
    std::size_t mode = 0;
    double t = 0.0;
    std::int64_t d = 0;  ///< what was counted for the mode itself, surfaces aside
    std::int64_t a = 0;

    void fields(Archive& archive) { archive(span, mode, t, d, a); }
  };

  /// `instance`: where some are open, that of the run.
  ModeSpans(std::vector<ModeSpan> spans, std::vector<Open> open, std::optional<Instance> instance)
      : spans_(std::move(spans)), open_(std::move(open)), instance_(std::move(instance)) {}

  [[nodiscard]] std::size_t size() const { return spans_.size(); }
  [[nodiscard]] const std::vector<ModeSpan>& get() const;

 private:
  void count() const;

  mutable std::once_flag once_;
  mutable std::vector<ModeSpan> spans_;
  std::vector<Open> open_;
  mutable std::optional<Instance> instance_;  // until they are counted
};

}  // namespace saltus::api
