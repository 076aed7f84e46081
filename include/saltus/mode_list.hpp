/// The modes of a run.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "saltus/run_statistics.hpp"

namespace saltus {

namespace api {
class ModeSpans;
}

/// Copies are cheap and share everything. The numbers of modes with constraints, or reduced by ranks, come from an analysis of their
/// equations, which is made when some span is first read and not before: a run that nobody asks for them does not pay for it.
class ModeList {
 public:
  ModeList() = default;
  explicit ModeList(std::shared_ptr<const api::ModeSpans> spans) : spans_(std::move(spans)) {}

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// The place must exist.
  [[nodiscard]] const ModeSpan& operator[](std::size_t place) const;
  [[nodiscard]] const ModeSpan& back() const { return (*this)[size() - 1]; }
  [[nodiscard]] const ModeSpan* begin() const;
  [[nodiscard]] const ModeSpan* end() const { return begin() + size(); }

 private:
  std::shared_ptr<const api::ModeSpans> spans_;
};

}  // namespace saltus
