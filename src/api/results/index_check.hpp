/// Characteristic values that were stated (--expect-index), compared with those of the equations where a mode, or a structure of one, is entered.
///
/// Method     Ranks of derivative arrays at the values there (reduce/ranks/characteristic_values.hpp), as `analyze` does it.
/// Contract   Nothing is compared while sliding: the equations are others then.
/// Fails when the values differ, or cannot be decided: a sentence that names the mode and both.
/// Cost       one analysis for each entry; the system of arrays is built once
/// Checked by tests/unit/api/expect_index_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/model/instance.hpp"
#include "base/archive.hpp"
#include "hybrid/run.hpp"
#include "saltus/options.hpp"

namespace saltus::api {

class IndexCheck {
 public:
  /// Both outlive this object.
  IndexCheck(const Instance& instance, const std::vector<ExpectedIndex>& expected)
      : instance_(instance), expected_(expected) {}

  /// Whether begin() wants to see the values of this stretch.
  [[nodiscard]] bool wants(const hybrid::Stretch& stretch) const;
  /// `values`: of all variables where the stretch begins. What is wrong; none: nothing.
  [[nodiscard]] std::optional<std::string> begin(const hybrid::Stretch& stretch,
                                                 std::span<const double> values);

  void fields(Archive& a) {
    // Not saved: arrays_, which is made anew.
    bool has_last = last_.has_value();
    a(has_last);
    if (has_last) {
      last_ = last_.value_or(system::StructureId{});
      instance_.system->structure_fields(a, *last_);
    }
  }

 private:
  [[nodiscard]] std::vector<double> point_of(const hybrid::Stretch& stretch, const system::LockedDae& locked,
                                             std::span<const double> values) const;

  const Instance& instance_;
  const std::vector<ExpectedIndex>& expected_;
  std::shared_ptr<const system::HybridSystem> arrays_;  // every mode by ranks
  std::optional<system::StructureId> last_;             // that was looked at
};

}  // namespace saltus::api
