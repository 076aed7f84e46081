#include "sensitivity/instant/slide_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "sensitivity/field/structure_beside.hpp"
#include "sensitivity/instant/same_truths.hpp"
#include "settle/sliding/sliding_control.hpp"

namespace saltus::sensitivity {
namespace {

// What becomes of runs that begin beside a surface, on one side of it.
struct BesideSurface {
  bool arrives = false;          // that side leads to the surface, and nothing else happens there
  std::vector<double> rates;     // f'
  std::vector<double> tangents;  // G', by column
  double rate = 0.0;             // ġ'
};

class Reaching {
 public:
  Reaching(const FieldSource& source, StretchField& field, const StretchStart& start, std::vector<double>& x)
      : source_(source),
        field_(field),
        start_(start),
        x_(x),
        rates_(start.point.x.size()),
        values_(source.system.variables().size()),
        direction_(source.options.stop >= source.options.start ? 1.0 : -1.0) {
    reached_.moved.resize(source.n_columns(), false);
    reached_.undefined.resize(source.n_columns(), false);
  }

  SlidesReached reach() {
    const std::vector<Index>& surfaces = field_.facts().surfaces;
    const bool has_rates = field_.evaluator().rhs(start_.point.t, start_.point.x, rates_).ok() &&
                           field_.evaluator().outputs(start_.point.t, start_.point.x, values_).ok();
    std::vector<std::vector<double>> tangents;
    std::vector<std::vector<bool>> counts;
    for (const Index surface : surfaces) {
      tangents.push_back(tangents_of(surface));
      counts.push_back(leaving_columns(surface, tangents.back()));
    }
    for (std::size_t k = 0; k < source_.n_columns(); ++k) {
      std::optional<std::size_t> left;
      bool is_one = has_rates;
      for (std::size_t s = 0; s < surfaces.size(); ++s) {
        if (counts[s][k]) {
          is_one = is_one && !left;
          left = s;
        }
      }
      if (left && !(is_one && move(k, surfaces[*left], tangents[*left][k]))) {
        undefine(k, surfaces[*left]);
      }
    }
    return std::move(reached_);
  }

 private:
  // G.
  std::vector<double> tangents_of(Index surface) {
    std::vector<double> tangents =
        tangents_of_guards(source_, field_, start_.point, start_.sigma, {&surface, 1});
    if (start_.before != nullptr) {
      start_.before->take_from(tangents);
    }
    return tangents;
  }

  // Beyond the accuracy of S and of the states.
  std::vector<bool> leaving_columns(Index surface, std::span<const double> tangents) {
    const std::size_t n = source_.n_columns();
    InstantPoint here = start_.point;
    here.rates = rates_;
    const GuardRate rate = rate_of_guard(source_, field_, surface, here);
    std::vector<double> gradient(start_.point.x.size(), 0.0);
    double slope = 0.0;
    const bool has_gradient =
        field_.evaluator().guard_gradient(surface, start_.point.t, start_.point.x, gradient, slope).ok();
    std::vector<bool> counts(n, false);
    for (std::size_t k = 0; k < n; ++k) {
      double terms = has_gradient ? std::abs(slope * start_.sigma[k]) : 0.0;
      for (std::size_t i = 0; i < gradient.size() && has_gradient; ++i) {
        terms += std::abs(gradient[i] * start_.point.s[i * n + k]);
      }
      // Where G is the greater part of its terms, an error of the states is none of S.
      const double slack = std::abs(tangents[k]) < terms * kPartOfTerms
                               ? slack_of(source_, field_, terms, rate.error, k)
                               : agreement(field_) * terms;
      counts[k] = !(std::abs(tangents[k]) <= slack);
    }
    return counts;
  }

  // X where the run of column k begins beside the surface; false: there is none.
  bool move(std::size_t k, Index surface, double tangent) {
    std::vector<double> plus(field_.n_states());
    std::vector<double> minus(field_.n_states());
    const bool has_plus = arrive(k, surface, tangent > 0.0 ? 1.0 : -1.0, plus);
    const bool has_minus = arrive(k, surface, tangent > 0.0 ? -1.0 : 1.0, minus);
    const bool are_same =
        has_plus && has_minus && agree_by_state(field_, plus, minus, source_.setup.columns[k].size);
    const bool takes_minus = source_.setup.side == Side::minus;
    if (!are_same && (source_.setup.side == Side::none || !(takes_minus ? has_minus : has_plus))) {
      return false;
    }
    for (std::size_t i = 0; i < plus.size(); ++i) {
      x_[i * source_.n_columns() + k] = takes_minus ? minus[i] : plus[i];
    }
    reached_.moved[k] = true;
    return true;
  }

  bool arrive(std::size_t k, Index surface, double side, std::vector<double>& x) {
    const BesideSurface& beside = beside_of(surface, side);
    if (!beside.arrives) {
      return false;
    }
    const std::size_t n = source_.n_columns();
    // A run that begins there is off by |G'| and comes back: side·ġ' < 0 in the direction of the run.
    const double tau = -beside.tangents[k] / beside.rate;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = start_.point.s[i * n + k] + (beside.rates[i] - rates_[i]) * tau;
    }
    return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
  }

  const BesideSurface& beside_of(Index surface, double side) {
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const auto& entry) {
      return entry->surface == surface && entry->side == side;
    });
    if (known != known_.end()) {
      return (*known)->beside;
    }
    known_.push_back(std::make_unique<Known>(Known{surface, side, look_beside(surface, side)}));
    return known_.back()->beside;
  }

  BesideSurface look_beside(Index surface, double side) {
    BesideSurface beside;
    const std::optional<StretchFacts> facts = facts_beside(surface, side);
    if (!facts) {
      return beside;
    }
    StretchField other(source_, *facts);
    if (!other.failure().empty() || !have_same_states(other.locked(), field_.locked())) {
      return beside;
    }
    beside.rates.resize(field_.n_states());
    if (!other.evaluator().rhs(start_.point.t, start_.point.x, beside.rates).ok() ||
        !are_weights_within(other)) {
      return beside;
    }
    InstantPoint there = start_.point;
    there.rates = beside.rates;
    beside.tangents = tangents_of_guards(source_, other, there, start_.sigma, {&surface, 1});
    const GuardRate rate = rate_of_guard(source_, other, surface, there);
    beside.rate = rate.value;
    beside.arrives = !rate.grazes && side * direction_ * rate.value < 0.0;
    return beside;
  }

  // Of the side; none: it is not known what it is.
  std::optional<StretchFacts> facts_beside(Index surface, double side) {
    StretchFacts facts = field_.facts();
    if (facts.level != 0.0) {
      return std::nullopt;
    }
    std::erase(facts.surfaces, surface);
    facts.configuration.latched[static_cast<std::size_t>(surface)] = side;
    const auto pair = settle::pair_of(source_.system, facts.configuration.mode, surface);
    if (pair && field_.facts().surfaces.size() == 1) {
      facts.configuration.mode = side > 0.0 ? pair->plus : pair->minus;
      if (has_clauses()) {
        return std::nullopt;
      }
    } else if (!have_same_truths(source_, field_, start_.point, values_, field_.facts().configuration,
                                 facts.configuration)) {
      return std::nullopt;
    }
    facts.structure = source_.system.structure_of(facts.configuration);
    return facts;
  }

  // Of two modes rounds are others; transitions between them are known.
  [[nodiscard]] bool has_clauses() const {
    const std::vector<system::ActionInfo>& actions = source_.system.actions();
    return !source_.system.discrete().empty() ||
           std::any_of(actions.begin(), actions.end(), [](const system::ActionInfo& action) {
             return action.kind == system::ActionInfo::Kind::when;
           });
  }

  // Of the surfaces that are slid on beside the side: 1 - s and 1 + s, guards beyond those of the system.
  bool are_weights_within(StretchField& other) {
    const auto first = static_cast<Index>(source_.system.guards().size());
    const auto n = static_cast<Index>(2 * other.facts().surfaces.size());
    for (Index exit = first; exit < first + n; ++exit) {
      double room = 0.0;
      if (!other.evaluator().guards({&exit, 1}, start_.point.t, start_.point.x, {&room, 1}).ok() ||
          !(room > 0.0)) {
        return false;
      }
    }
    return true;
  }

  void undefine(std::size_t k, Index surface) {
    reached_.undefined[k] = true;
    if (reached_.problem.empty()) {
      reached_.problem = fmt::format("beside this value the solution begins off the surface of '{}'",
                                     condition_of(source_, surface));
    }
  }

  struct Known {
    Index surface = -1;
    double side = 0.0;
    BesideSurface beside;
  };

  // Of the terms of G: less is left of them by errors.
  static constexpr double kPartOfTerms = 1e-3;

  const FieldSource& source_;
  StretchField& field_;
  const StretchStart& start_;
  std::vector<double>& x_;
  std::vector<double> rates_;   // f
  std::vector<double> values_;  // of all variables
  double direction_;            // of time
  std::vector<std::unique_ptr<Known>> known_;
  SlidesReached reached_;
};

}  // namespace

SlidesReached reach_slides(const FieldSource& source, StretchField& field, const StretchStart& start,
                           std::vector<double>& x) {
  return Reaching(source, field, start, x).reach();
}

}  // namespace saltus::sensitivity
