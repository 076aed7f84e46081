/// A recorder that records nothing, for runs of which only the end counts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hybrid/run.hpp"

namespace saltus::sensitivity {

class SilentObserver final : public hybrid::RunObserver {
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

}  // namespace saltus::sensitivity
