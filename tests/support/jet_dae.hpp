/// A DAE given as a C++ function, with its derivative arrays: for tests of algorithms that need no model text.
///
/// The function is written once over Series, truncated power series in time whose coefficients carry their derivatives to all
/// slots; row p of an array is p! times the p-th coefficient. Slow, and sharing nothing with the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "system/locked_dae.hpp"

namespace saltus::test {

class Series {
 public:
  Series(std::size_t n_terms, std::size_t n_slots)
      : n_slots_(n_slots), terms_(n_terms * (n_slots + 1), 0.0) {}

  [[nodiscard]] std::size_t n_terms() const { return terms_.size() / (n_slots_ + 1); }
  [[nodiscard]] double& value(std::size_t k) { return terms_[k * (n_slots_ + 1)]; }
  [[nodiscard]] double value(std::size_t k) const { return terms_[k * (n_slots_ + 1)]; }
  [[nodiscard]] double& slope(std::size_t k, std::size_t slot) {
    return terms_[k * (n_slots_ + 1) + 1 + slot];
  }
  [[nodiscard]] double slope(std::size_t k, std::size_t slot) const {
    return terms_[k * (n_slots_ + 1) + 1 + slot];
  }
  [[nodiscard]] Series zero() const { return {n_terms(), n_slots_}; }
  [[nodiscard]] Series constant(double c) const {
    Series result = zero();
    result.value(0) = c;
    return result;
  }
  // this[k] += factor · a[i]·b[j]
  void add_product(std::size_t k, double factor, const Series& a, std::size_t i, const Series& b,
                   std::size_t j) {
    value(k) += factor * a.value(i) * b.value(j);
    for (std::size_t s = 0; s < n_slots_; ++s) {
      slope(k, s) += factor * (a.slope(i, s) * b.value(j) + a.value(i) * b.slope(j, s));
    }
  }
  friend Series operator+(Series a, const Series& b) {
    std::transform(a.terms_.begin(), a.terms_.end(), b.terms_.begin(), a.terms_.begin(), std::plus<>());
    return a;
  }
  friend Series operator*(double factor, Series a) {
    for (double& term : a.terms_) {
      term *= factor;
    }
    return a;
  }
  friend Series operator-(const Series& a, const Series& b) { return a + (-1.0) * b; }
  friend Series operator-(const Series& a, double b) { return a - a.constant(b); }
  friend Series operator+(const Series& a, double b) { return a + a.constant(b); }
  friend Series operator*(const Series& a, const Series& b) {
    Series result = a.zero();
    for (std::size_t k = 0; k < a.n_terms(); ++k) {
      for (std::size_t i = 0; i <= k; ++i) {
        result.add_product(k, 1.0, a, i, b, k - i);
      }
    }
    return result;
  }

 private:
  std::size_t n_slots_;
  std::vector<double> terms_;
};

/// sin and cos of a series together: s' = c·a', c' = -s·a'.
inline std::pair<Series, Series> sin_cos(const Series& a) {
  Series s = a.zero();
  Series c = a.zero();
  s.value(0) = std::sin(a.value(0));
  c.value(0) = std::cos(a.value(0));
  Series unit = a.constant(1.0);
  // Slopes of the first terms: s₀' = c₀·a₀', c₀' = -s₀·a₀'.
  Series first_s = a.zero();
  Series first_c = a.zero();
  first_s.add_product(0, c.value(0), a, 0, unit, 0);
  first_c.add_product(0, -s.value(0), a, 0, unit, 0);
  first_s.value(0) = s.value(0);
  first_c.value(0) = c.value(0);
  s = first_s;
  c = first_c;
  for (std::size_t k = 1; k < a.n_terms(); ++k) {
    for (std::size_t i = 1; i <= k; ++i) {
      const double weight = static_cast<double>(i) / static_cast<double>(k);
      s.add_product(k, weight, a, i, c, k - i);
      c.add_product(k, -weight, a, i, s, k - i);
    }
  }
  return {s, c};
}

/// The unknowns and their derivatives as series.
struct JetPoint {
  Series t;
  std::vector<std::vector<Series>> derivatives;  ///< [variable][order]
  [[nodiscard]] const Series& x(std::size_t variable, std::size_t order = 0) const {
    return derivatives[variable][order];
  }
};

struct JetModel {
  std::vector<int> orders;  ///< highest order of each variable as written, at least 1
  std::size_t n_equations = 0;
  std::function<std::vector<Series>(const JetPoint&)> equations;
  bool is_linear = false;
};

class JetArray final : public system::EquationSet {
 public:
  JetArray(std::shared_ptr<const JetModel> model, int level) : model_(std::move(model)), level_(level) {
    const int most = *std::max_element(model_->orders.begin(), model_->orders.end()) + level;
    for (int order = 0; order <= most; ++order) {
      for (std::size_t j = 0; j < model_->orders.size(); ++j) {
        if (order <= model_->orders[j] + level) {
          slots_.push_back({slot_name(j, order), static_cast<Index>(j), order, 1.0});
        }
      }
    }
    for (int order = 0; order <= level; ++order) {
      for (std::size_t i = 0; i < model_->n_equations; ++i) {
        rows_.push_back(
            {"equation " + std::to_string(i + 1) + std::string(static_cast<std::size_t>(order), '\''),
             static_cast<Index>(i),
             order,
             {}});
      }
    }
    pattern_.n_rows = static_cast<Index>(rows_.size());
    pattern_.n_columns = static_cast<Index>(slots_.size());
    // Entries that are not zero at a point without special values.
    std::vector<double> probe(slots_.size());
    for (std::size_t s = 0; s < probe.size(); ++s) {
      probe[s] = 0.7 + 0.113 * static_cast<double>(s);
    }
    const std::vector<Series> at_probe = evaluate(0.917, probe);
    for (std::size_t j = 0; j < slots_.size(); ++j) {
      pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (at_probe[static_cast<std::size_t>(rows_[i].equation)].slope(
                static_cast<std::size_t>(rows_[i].order), j) != 0.0) {
          pattern_.rows.push_back(static_cast<Index>(i));
        }
      }
    }
    pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
  }

  static std::string slot_name(std::size_t variable, int order) {
    std::string name = "x" + std::to_string(variable + 1);
    for (int k = 0; k < order; ++k) {
      name = "der(" + name + ")";
    }
    return name;
  }

  [[nodiscard]] const std::vector<system::SlotInfo>& slots() const override { return slots_; }
  [[nodiscard]] const std::vector<system::RowInfo>& rows() const override { return rows_; }
  [[nodiscard]] const system::RectangularPattern& pattern() const override { return pattern_; }
  [[nodiscard]] bool is_linear() const override { return model_->is_linear; }
  [[nodiscard]] std::unique_ptr<system::EquationRunner> make_runner() const override;

  /// All rows as series at a point.
  [[nodiscard]] std::vector<Series> evaluate(double t, std::span<const double> slots) const {
    const auto n_terms = static_cast<std::size_t>(level_ + 1);
    JetPoint point{Series(n_terms, slots_.size()), {}};
    point.t.value(0) = t;
    if (n_terms > 1) {
      point.t.value(1) = 1.0;
    }
    point.derivatives.resize(model_->orders.size());
    for (std::size_t j = 0; j < model_->orders.size(); ++j) {
      point.derivatives[j].assign(static_cast<std::size_t>(model_->orders[j]) + 1,
                                  Series(n_terms, slots_.size()));
    }
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      auto& own = point.derivatives[static_cast<std::size_t>(slots_[s].variable)];
      for (std::size_t k = 0; k < own.size(); ++k) {
        const int term = slots_[s].order - static_cast<int>(k);
        if (term >= 0 && term <= level_) {
          own[k].value(static_cast<std::size_t>(term)) = slots[s] / std::tgamma(term + 1.0);
          own[k].slope(static_cast<std::size_t>(term), s) = 1.0 / std::tgamma(term + 1.0);
        }
      }
    }
    return model_->equations(point);
  }

 private:
  std::shared_ptr<const JetModel> model_;
  int level_;
  std::vector<system::SlotInfo> slots_;
  std::vector<system::RowInfo> rows_;
  system::RectangularPattern pattern_;
};

class JetRunner final : public system::EquationRunner {
 public:
  explicit JetRunner(const JetArray& array) : array_(array) {}
  void set_configuration(const system::Configuration& /*configuration*/) override {}
  system::Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
    const std::vector<Series> rows = array_.evaluate(t, slots);
    for (std::size_t i = 0; i < array_.rows().size(); ++i) {
      const system::RowInfo& row = array_.rows()[i];
      values[i] = std::tgamma(row.order + 1.0) *
                  rows[static_cast<std::size_t>(row.equation)].value(static_cast<std::size_t>(row.order));
      if (!std::isfinite(values[i])) {
        return {system::Evaluation::Status::not_finite, static_cast<Index>(i)};
      }
    }
    return {};
  }
  system::Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
    const std::vector<Series> rows = array_.evaluate(t, slots);
    const system::RectangularPattern& pattern = array_.pattern();
    for (std::size_t j = 0; j < array_.slots().size(); ++j) {
      for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
        const auto entry = static_cast<std::size_t>(e);
        const system::RowInfo& row = array_.rows()[static_cast<std::size_t>(pattern.rows[entry])];
        entries[entry] = std::tgamma(row.order + 1.0) * rows[static_cast<std::size_t>(row.equation)].slope(
                                                            static_cast<std::size_t>(row.order), j);
      }
    }
    return {};
  }

 private:
  const JetArray& array_;
};

inline std::unique_ptr<system::EquationRunner> JetArray::make_runner() const {
  return std::make_unique<JetRunner>(*this);
}

/// Outputs are the variables themselves; what moves the states is not known, as in every system reduced by ranks.
class PlainEvaluator final : public system::Evaluator {
 public:
  explicit PlainEvaluator(std::size_t n_variables) : n_variables_(n_variables) {}
  system::Evaluation rhs(double /*t*/, std::span<const double> /*x*/, std::span<double> /*xdot*/) override {
    return {system::Evaluation::Status::no_convergence, -1};
  }
  system::Evaluation outputs(double /*t*/, std::span<const double> x, std::span<double> values) override {
    std::copy_n(x.begin(), n_variables_, values.begin());
    return {};
  }
  system::Evaluation outputs_block(std::span<const double> /*t*/, std::span<const double> x,
                                   std::span<double> values) override {
    return outputs(0.0, x, values);
  }
  [[nodiscard]] std::string describe(const system::Evaluation& /*evaluation*/, double /*t*/) const override {
    return "the plain system failed";
  }

 private:
  std::size_t n_variables_;
};

class JetDae final : public system::LockedDae {
 public:
  explicit JetDae(JetModel model) : model_(std::make_shared<const JetModel>(std::move(model))) {
    const int most = *std::max_element(model_->orders.begin(), model_->orders.end());
    for (int order = 0; order < most; ++order) {
      for (std::size_t j = 0; j < model_->orders.size(); ++j) {
        if (order < model_->orders[j]) {
          states_.push_back(
              {.name = JetArray::slot_name(j, order), .quantity = {static_cast<Index>(j), order}});
        }
      }
    }
  }
  [[nodiscard]] const std::vector<system::StateInfo>& states() const override { return states_; }
  [[nodiscard]] Index block_width() const override { return 1; }
  [[nodiscard]] std::unique_ptr<system::Evaluator> make_evaluator(
      std::span<const double> /*guess*/) const override {
    return std::make_unique<PlainEvaluator>(model_->orders.size());
  }
  [[nodiscard]] system::Reduction reduction() const override { return system::Reduction::ranks; }
  [[nodiscard]] Result<std::shared_ptr<const system::EquationSet>> derivative_array(
      int level) const override {
    return std::shared_ptr<const system::EquationSet>(std::make_shared<JetArray>(model_, level));
  }

 private:
  std::shared_ptr<const JetModel> model_;
  std::vector<system::StateInfo> states_;
};

}  // namespace saltus::test
