#include "slide/field/mapped_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/archive.hpp"
#include "saltus/contract.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

const double kDifference = std::cbrt(std::numeric_limits<double>::epsilon());

// y - R(t, x): values from the outputs of the mode, derivatives by differences of them.
class GivenStates final : public system::EquationSet {
 public:
  GivenStates(system::Evaluator& inner, const StateMap& map) : inner_(inner), map_(map) {
    const auto n_given = static_cast<Index>(map.given.size());
    pattern_.n_rows = n_given;
    pattern_.n_columns = map.n_outside;
    pattern_.column_starts.push_back(0);
    for (Index state = 0; state < map.n_outside; ++state) {
      const bool is_own = std::find(map.places.begin(), map.places.end(), state) != map.places.end();
      for (Index row = 0; row < n_given; ++row) {
        if (is_own || map.given[static_cast<std::size_t>(row)].state == state) {
          pattern_.rows.push_back(row);
        }
      }
      pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
      slots_.push_back({});
    }
    for (const StateMap::Given& given : map.given) {
      rows_.push_back({given.name + " as its mode gives it", -1, 0});
    }
  }

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return rows_; }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return false; }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override;

 private:
  friend class GivenRunner;
  system::Evaluator& inner_;
  StateMap map_;
  system::RectangularPattern pattern_;
  std::vector<system::SlotInfo> slots_;
  std::vector<system::RowInfo> rows_;
};

class GivenRunner final : public system::EquationRunner {
 public:
  explicit GivenRunner(const GivenStates& set)
      : set_(set),
        own_(set.map_.places.size()),
        values_(static_cast<std::size_t>(set.map_.n_variables)),
        moved_(values_.size()) {}

  // The configuration is that of the evaluator, which its owner sets.
  void set_configuration(const system::Configuration& /*configuration*/) override {}

  Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
    gather(slots);
    const Evaluation evaluation = set_.inner_.outputs(t, own_, values_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const StateMap::Given& given = set_.map_.given[i];
      values[i] =
          slots[static_cast<std::size_t>(given.state)] - values_[static_cast<std::size_t>(given.variable)];
    }
    return evaluation;
  }

  Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
    gather(slots);
    const StateMap& map = set_.map_;
    for (std::size_t e = 0, state = 0; state < slots.size(); ++state) {
      const auto found = std::find(map.places.begin(), map.places.end(), static_cast<Index>(state));
      const bool is_own = found != map.places.end();
      double h = 0.0;
      if (is_own) {
        const auto place = static_cast<std::size_t>(found - map.places.begin());
        const double at = own_[place];
        h = kDifference * std::max(std::abs(at), map.nominal[place]);
        own_[place] = at + h;
        Evaluation evaluation = set_.inner_.outputs(t, own_, moved_);
        own_[place] = at - h;
        if (evaluation.ok()) {
          evaluation = set_.inner_.outputs(t, own_, values_);
        }
        own_[place] = at;
        if (!evaluation.ok()) {
          return evaluation;
        }
      }
      for (const StateMap::Given& given : map.given) {
        const bool is_given = given.state == static_cast<Index>(state);
        const auto variable = static_cast<std::size_t>(given.variable);
        if (is_own || is_given) {
          entries[e++] = is_given ? 1.0 : -(moved_[variable] - values_[variable]) / (2.0 * h);
        }
      }
    }
    return {};
  }

  void fields(Archive& a) override { a(own_, values_, moved_); }

 private:
  void gather(std::span<const double> slots) {
    for (std::size_t i = 0; i < own_.size(); ++i) {
      own_[i] = slots[static_cast<std::size_t>(set_.map_.places[i])];
    }
  }

  const GivenStates& set_;
  std::vector<double> own_;
  std::vector<double> values_;
  std::vector<double> moved_;
};

std::unique_ptr<system::EquationRunner> GivenStates::make_runner() const {
  return std::make_unique<GivenRunner>(*this);
}

}  // namespace

MappedEvaluator::MappedEvaluator(system::Evaluator& inner, StateMap map)
    : inner_(inner),
      map_(std::move(map)),
      own_(map_.places.size()),
      own_rate_(map_.places.size()),
      moved_(map_.places.size()),
      later_(static_cast<std::size_t>(map_.n_variables)),
      earlier_(later_.size()) {
  SALTUS_EXPECT(map_.places.size() + map_.given.size() == static_cast<std::size_t>(map_.n_outside),
                "every state outside is one of the mode or given by it");
}

std::shared_ptr<const system::EquationSet> MappedEvaluator::constraints() {
  return std::make_shared<GivenStates>(inner_, map_);
}

std::span<const double> MappedEvaluator::own(std::span<const double> x) {
  for (std::size_t i = 0; i < own_.size(); ++i) {
    own_[i] = x[static_cast<std::size_t>(map_.places[i])];
  }
  return own_;
}

Evaluation MappedEvaluator::rhs(double t, std::span<const double> x, std::span<double> xdot) {
  if (const Evaluation evaluation = inner_.rhs(t, own(x), own_rate_); !evaluation.ok()) {
    return evaluation;
  }
  double speed = 1.0 / std::max(std::abs(t), 1.0);
  for (std::size_t i = 0; i < own_.size(); ++i) {
    xdot[static_cast<std::size_t>(map_.places[i])] = own_rate_[i];
    speed = std::max(speed, std::abs(own_rate_[i]) / std::max(std::abs(own_[i]), map_.nominal[i]));
  }
  const double h = kDifference / speed;
  for (const double side : {1.0, -1.0}) {
    for (std::size_t i = 0; i < own_.size(); ++i) {
      moved_[i] = own_[i] + side * h * own_rate_[i];
    }
    const Evaluation evaluation = inner_.outputs(t + side * h, moved_, side > 0.0 ? later_ : earlier_);
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  for (const StateMap::Given& given : map_.given) {
    const auto variable = static_cast<std::size_t>(given.variable);
    xdot[static_cast<std::size_t>(given.state)] = (later_[variable] - earlier_[variable]) / (2.0 * h);
  }
  return {};
}

Evaluation MappedEvaluator::outputs(double t, std::span<const double> x, std::span<double> values) {
  return inner_.outputs(t, own(x), values);
}

Evaluation MappedEvaluator::outputs_block(std::span<const double> t, std::span<const double> x,
                                          std::span<double> values) {
  const std::size_t width = t.size();
  for (std::size_t point = 0; point < width; ++point) {
    for (std::size_t i = 0; i < own_.size(); ++i) {
      own_[i] = x[static_cast<std::size_t>(map_.places[i]) * width + point];
    }
    if (const Evaluation evaluation = inner_.outputs(t[point], own_, later_); !evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t i = 0; i < later_.size(); ++i) {
      values[i * width + point] = later_[i];
    }
  }
  return {};
}

Evaluation MappedEvaluator::guards(std::span<const Index> which, double t, std::span<const double> x,
                                   std::span<double> values) {
  return inner_.guards(which, t, own(x), values);
}

double MappedEvaluator::guard_noise(Index i, double t, std::span<const double> x) {
  return inner_.guard_noise(i, t, own(x));
}

Evaluation MappedEvaluator::guard_gradient(Index i, double t, std::span<const double> x,
                                           std::span<double> gradient, double& time_derivative) {
  const Evaluation evaluation = inner_.guard_gradient(i, t, own(x), moved_, time_derivative);
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t k = 0; k < own_.size(); ++k) {
    gradient[static_cast<std::size_t>(map_.places[k])] = moved_[k];
  }
  return evaluation;
}

Evaluation MappedEvaluator::guard_derivatives(Index i, double t, std::span<const double> x,
                                              system::GuardDerivatives& derivatives) {
  return inner_.guard_derivatives(i, t, own(x), derivatives);
}

}  // namespace saltus::slide
