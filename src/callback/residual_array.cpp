#include "callback/residual_array.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "callback/residual_derivatives.hpp"
#include "system/diagnostic_codes.hpp"

namespace saltus::callback {
namespace {

using system::Evaluation;

class ResidualArray final : public system::EquationSet {
 public:
  ResidualArray(std::shared_ptr<const CallbackModel> model, std::size_t mode, int depth)
      : model_(std::move(model)), mode_(mode), depth_(depth) {
    describe_slots();
    describe_rows();
    make_pattern();
  }

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return rows_; }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return equations().is_linear; }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override {
    return std::make_unique<Runner>(*this);
  }

 private:
  class Runner final : public system::EquationRunner {
   public:
    explicit Runner(const ResidualArray& set)
        : derivatives_(set.model_, set.mode_, set.depth_),
          pattern_(set.pattern_),
          dense_(set.rows_.size() * set.slots_.size()) {}

    void set_configuration(const system::Configuration& configuration) override {
      derivatives_.weights().set_configuration(configuration);
    }
    void set_latched(Index guard, double value) override { derivatives_.weights().set_latched(guard, value); }
    Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
      return derivatives_.values(t, slots, values);
    }
    Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
      const Evaluation evaluation = derivatives_.jacobian(t, slots, dense_);
      for (std::size_t j = 0; evaluation.ok() && j < slots.size(); ++j) {
        for (Index e = pattern_.column_starts[j]; e < pattern_.column_starts[j + 1]; ++e) {
          const auto row = static_cast<std::size_t>(pattern_.rows[static_cast<std::size_t>(e)]);
          entries[static_cast<std::size_t>(e)] = dense_[row * slots.size() + j];
        }
      }
      return evaluation;
    }

   private:
    ResidualDerivatives derivatives_;
    const system::RectangularPattern& pattern_;
    std::vector<double> dense_;
  };

  [[nodiscard]] const CallbackResidual& equations() const { return model_->modes[mode_].residual; }

  void describe_slots() {
    std::vector<std::string> names = model_->states;
    for (int order = 0; order <= depth_ + 1; ++order) {
      for (std::size_t j = 0; j < names.size(); ++j) {
        slots_.push_back({names[j], static_cast<Index>(j), order, model_->nominal(j)});
        names[j] = "der(" + names[j] + ")";
      }
    }
  }

  void describe_rows() {
    for (int order = 0; order <= depth_; ++order) {
      for (std::size_t i = 0; i < equations().names.size(); ++i) {
        const std::string times = order == 0   ? ""
                                  : order == 1 ? ", differentiated"
                                               : fmt::format(", differentiated {} times", order);
        rows_.push_back(
            {.text = equations().names[i] + times, .equation = static_cast<Index>(i), .order = order});
      }
    }
  }

  void make_pattern() {
    const std::size_t m = equations().n_equations();
    pattern_.n_rows = static_cast<Index>(rows_.size());
    pattern_.n_columns = static_cast<Index>(slots_.size());
    for (const system::SlotInfo& slot : slots_) {
      pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
      const bool is_differential = model_->is_differential[static_cast<std::size_t>(slot.variable)] != 0;
      // F⁽ᵏ⁾ contains x⁽ʲ⁾ for j ≤ k, and for j = k + 1 where F contains ẋ.
      const int first = std::max(0, slot.order - (is_differential ? 1 : 0));
      for (std::size_t row = static_cast<std::size_t>(first) * m; row < rows_.size(); ++row) {
        pattern_.rows.push_back(static_cast<Index>(row));
      }
    }
    pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
  }

  std::shared_ptr<const CallbackModel> model_;
  std::size_t mode_;
  int depth_;
  std::vector<system::SlotInfo> slots_;
  std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
};

}  // namespace

Result<std::shared_ptr<const system::EquationSet>> make_residual_array(
    std::shared_ptr<const CallbackModel> model, std::size_t mode, int depth) {
  const CallbackMode& own = model->modes[mode];
  const CallbackResidual& equations = own.residual;
  const int highest = equations.array ? equations.array_order : equations.differenced_order;
  if (depth > highest) {
    Diagnostics problems;
    const std::string needed = fmt::format(
        "the index of mode '{}' needs total derivatives of its residual of order {}", own.name, depth);
    if (equations.array) {
      problems.error(system::kNoDerivativeArray,
                     fmt::format("{}, and its derivative array is given up to order {}", needed, highest),
                     std::nullopt, "give it to one order more than its strangeness index");
    } else {
      problems.error(
          system::kNoDerivativeArray,
          equations.error_beyond > 0.0
              ? fmt::format(
                    "{}, which differences give to {:.1g} of their size only: ranks cannot be decided",
                    needed, equations.error_beyond)
              : fmt::format("{}, which differences do not give", needed),
          std::nullopt,
          equations.jacobian ? "give a derivative array"
                             : "give a function for the Jacobian, or a derivative array");
    }
    return Unexpected(std::move(problems));
  }
  return std::shared_ptr<const system::EquationSet>(
      std::make_shared<const ResidualArray>(std::move(model), mode, depth));
}

}  // namespace saltus::callback
