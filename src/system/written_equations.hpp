/// The equations of a mode as the model has them, before anything was differentiated, combined or solved, over boxes of values: what checks
/// ask (settle/check/equation_check.hpp), not what steps are made of.
///
/// WrittenEquations is immutable and shared by threads; a WrittenRunner belongs to one thread and does not allocate.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "base/interval.hpp"
#include "system/configuration.hpp"
#include "system/quantity.hpp"

namespace saltus::system {

class WrittenRunner {
 public:
  WrittenRunner() = default;
  WrittenRunner(const WrittenRunner&) = delete;
  WrittenRunner& operator=(const WrittenRunner&) = delete;
  virtual ~WrittenRunner() = default;

  /// What it remembers from call to call (base/archive.hpp).
  virtual void fields(Archive& a) { a.refuse("equations as written are not saved"); }
  /// As Evaluator::set_configuration and set_latched.
  virtual void set_configuration(const Configuration& configuration) = 0;
  virtual void set_latched(Index guard, double value) = 0;
  /// By equation: holds left minus right side for all times and values in the boxes; empty where it is defined for none.
  virtual void ranges(const Interval& t, std::span<const Interval> slots, std::span<Interval> rows) = 0;
};

class WrittenEquations {
 public:
  WrittenEquations() = default;
  WrittenEquations(const WrittenEquations&) = delete;
  WrittenEquations& operator=(const WrittenEquations&) = delete;
  virtual ~WrittenEquations() = default;

  struct Slot {
    Quantity quantity;
    double nominal = 1.0;
  };
  [[nodiscard]] virtual const std::vector<Slot>& slots() const = 0;
  [[nodiscard]] virtual std::size_t n_rows() const = 0;
  [[nodiscard]] virtual std::unique_ptr<WrittenRunner> make_runner() const = 0;
  /// Whether it had to be differentiated: it says something of states alone.
  [[nodiscard]] virtual bool is_constraint(std::size_t row) const = 0;

  /// For messages: the equation, what it contains, and which equations contain a condition over a guard.
  [[nodiscard]] virtual std::string text(std::size_t row) const = 0;
  [[nodiscard]] virtual std::string slot_name(std::size_t slot) const = 0;
  [[nodiscard]] virtual std::vector<std::size_t> slots_of(std::size_t row) const = 0;
  [[nodiscard]] virtual std::vector<std::size_t> rows_over(Index guard) const = 0;
};

}  // namespace saltus::system
