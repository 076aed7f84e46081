#include "sensitivity/instant/stretch_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "sensitivity/instant/contact.hpp"
#include "sensitivity/instant/same_truths.hpp"

namespace saltus::sensitivity {
namespace {

using system::GuardInfo;

// The field of a side that the run does not take.
struct OtherSide {
  bool has_rates = false;
  bool has_same_rates = false;
  bool has_same_truths = false;
  GuardMotion motion;  // in the frame; where its tangents exist
  std::vector<double> rates;
};

class Leaving {
 public:
  Leaving(const FieldSource& source, StretchField& field, const StretchStart& start, std::vector<double>& x)
      : source_(source),
        field_(field),
        start_(start),
        point_(start.point),
        x_(x),
        rates_(point_.x.size()),
        values_(source.system.variables().size()),
        direction_(source.options.stop >= source.options.start ? 1.0 : -1.0) {
    left_.undefined.resize(source.n_columns(), false);
    has_values_ = field.evaluator().rhs(point_.t, point_.x, rates_).ok() &&
                  field.evaluator().outputs(point_.t, point_.x, values_).ok();
    point_.rates = rates_;
  }

  SurfacesLeft leave() {
    const std::vector<GuardPlace> places = guard_places(source_, field_, point_.t, point_.x, start_.passed);
    std::vector<Index> guards;
    std::transform(places.begin(), places.end(), std::back_inserter(guards),
                   [](const GuardPlace& place) { return place.guard; });
    const std::size_t n = source_.n_columns();
    const std::vector<double> tangents = tangents_of_guards(source_, field_, point_, start_.sigma, guards);
    std::vector<Crossing> crossings;
    for (std::size_t i = 0; i < places.size(); ++i) {
      look_at(places[i], std::span(tangents).subspan(i * n, n), crossings);
    }
    for (std::size_t k = 0; k < n; ++k) {
      cross(k, crossings);
    }
    return std::move(left_);
  }

  // Where the stretch ends.
  SurfacesApproached approach() {
    SurfacesApproached approached;
    approached.undefined.resize(source_.n_columns(), false);
    for (const GuardPlace& place : guard_places(source_, field_, point_.t, point_.x, start_.passed)) {
      const std::vector<double> tangents =
          tangents_of_guards(source_, field_, point_, start_.sigma, {&place.guard, 1});
      const std::vector<bool> near = columns_near(place, tangents);
      if (std::find(near.begin(), near.end(), true) == near.end()) {
        continue;
      }
      const GuardRate rate = rate_of_guard(source_, field_, place.guard, point_);
      std::vector<bool> counts = moved_columns(place, rate, 1, tangents, near);
      for (std::size_t k = 0; k < counts.size(); ++k) {
        counts[k] = counts[k] && !keeps_side(tangents[k] * side_taken(place.guard, rate));
      }
      if (std::find(counts.begin(), counts.end(), true) == counts.end() ||
          !do_sides_matter(place, others_at(place), tangents, false)) {
        continue;
      }
      std::transform(counts.begin(), counts.end(), approached.undefined.begin(), approached.undefined.begin(),
                     std::logical_or<>());
      approached.problem = fmt::format("beside this value '{}' has the other truth right before it",
                                       condition_of(source_, place.guard));
    }
    return approached;
  }

  SurfaceTouched touch(const GuardPlace& place) {
    SurfaceTouched touched;
    const std::vector<double> tangents =
        tangents_of_guards(source_, field_, point_, start_.sigma, {&place.guard, 1});
    touched.matters = do_sides_matter(place, others_at(place), tangents, false);
    touched.undefined = moves_from_surface(source_, field_, place.guard, point_, start_.sigma);
    touched.undefined.resize(source_.n_columns(), false);
    std::transform(touched.undefined.begin(), touched.undefined.end(), touched.undefined.begin(),
                   [&touched](bool moves) { return moves && touched.matters; });
    touched.problem = fmt::format("'{}' only touches its surface", condition_of(source_, place.guard));
    return touched;
  }

 private:
  // A surface that is left at once, where it counts.
  struct Crossing {
    Index guard = -1;
    double side = 0.0;  // that the run takes
    OtherSide other;
    std::vector<double> tangents;  // G
    std::vector<bool> counts;      // by column
  };

  void look_at(const GuardPlace& place, std::span<const double> tangents, std::vector<Crossing>& crossings) {
    const bool is_at_zero = is_zero(field_, place, point_.t, point_.x);
    const std::vector<bool> near = columns_near(place, tangents);
    if (!is_at_zero && std::find(near.begin(), near.end(), true) == near.end()) {
      return;
    }
    const GuardRate rate = rate_of_guard(source_, field_, place.guard, point_);
    const std::size_t order = is_at_zero ? order_of_contact(field_, place.guard, rate, point_) : 1;
    const bool rests = order == kContactOrders;
    std::vector<bool> counts = moved_columns(place, rate, order, tangents, near);
    const bool is_any = std::find(counts.begin(), counts.end(), true) != counts.end();
    if (!is_any && !rests) {
      return;
    }
    std::vector<OtherSide> others = others_at(place);
    if (!do_sides_matter(place, others, tangents, rests)) {
      return;
    }
    if (rests) {
      left_.resting.push_back(place.guard);
    }
    if (order == 1 && others.size() == 1 && field_.facts().surfaces.empty()) {
      crossings.push_back({place.guard,
                           side_taken(place.guard, rate),
                           std::move(others.front()),
                           {tangents.begin(), tangents.end()},
                           std::move(counts)});
    } else if (is_any) {
      undefine(counts, problem_of(place.guard, order));
    }
  }

  [[nodiscard]] std::string problem_of(Index guard, std::size_t order) const {
    return order == 1
               ? fmt::format("beside this value '{}' has the other truth right after it",
                             condition_of(source_, guard))
               : fmt::format("the solution is on the surface of '{}' and stays there or leaves along it",
                             condition_of(source_, guard));
  }

  // The direction that is asked for moves a guard by this to the side that it has.
  [[nodiscard]] bool keeps_side(double motion) const {
    return source_.setup.side != Side::none && (source_.setup.side == Side::plus ? motion : -motion) > 0.0;
  }

  // The configuration says it; where it does not, the guard is zero and moves there.
  [[nodiscard]] double side_taken(Index guard, const GuardRate& rate) const {
    const auto g = static_cast<std::size_t>(guard);
    const double latched = field_.facts().configuration.latched[g];
    const bool is_side =
        source_.system.guards()[g].kind == GuardInfo::Kind::relation && std::abs(latched) == 1.0;
    return is_side ? latched : direction_ * rate.value > 0.0 ? 1.0 : -1.0;
  }

  // By column: small changes lead to the surface. Unit changes are asked together: the run may be mistaken in any of them, and in the time that it takes.
  [[nodiscard]] std::vector<bool> columns_near(const GuardPlace& place,
                                               std::span<const double> tangents) const {
    bool all = place.distance == 0.0;
    if (start_.before != nullptr && !all) {
      const double time =
          kTolerancesOfReach * field_.tolerances().rtol * std::abs(point_.t - source_.options.start);
      all = all_reach(source_, field_, place, tangents) ||
            place.distance <= time * std::abs(rate_of_guard(source_, field_, place.guard, point_).value);
    }
    std::vector<bool> near(tangents.size(), all);
    for (std::size_t k = 0; k < near.size(); ++k) {
      near[k] = near[k] || reaches(source_, field_, place, tangents[k], k);
    }
    return near;
  }

  // By column: G or a derivative of it below the order of contact is not zero.
  std::vector<bool> moved_columns(const GuardPlace& place, const GuardRate& rate, std::size_t order,
                                  std::span<const double> tangents, const std::vector<bool>& near) {
    std::array<AlongWay, kContactOrders> along;
    if (order > 1) {
      along = guard_along_way(source_, field_, place.guard, point_, start_.sigma);
    }
    along[0] = {{tangents.begin(), tangents.end()}, std::vector<double>(tangents.size(), 0.0)};
    std::vector<bool> counts(source_.n_columns(), false);
    // Rests of this run are looked at after every step.
    const std::size_t n_orders = order == kContactOrders && start_.before == nullptr ? 2 : order;
    for (std::size_t o = 0; o < n_orders; ++o) {
      std::vector<double>& derivatives = along[o].value;
      if (start_.before != nullptr) {
        start_.before->take_from(derivatives);
      }
      for (std::size_t k = 0; k < counts.size(); ++k) {
        const double slack = along[o].error[k] +
                             slack_of(source_, field_, std::abs(rate.value * start_.sigma[k]), rate.error, k);
        counts[k] = counts[k] || ((o > 0 || near[k]) && !(std::abs(derivatives[k]) <= slack));
      }
    }
    add_leaving(place.guard, counts);
    return counts;
  }

  // Initial values that were found beside the start may lie on one side only.
  void add_leaving(Index guard, std::vector<bool>& counts) const {
    for (std::size_t k = 0; k < counts.size() && start_.is_start; ++k) {
      const std::vector<Index>& leaves = source_.setup.columns[k].leaves;
      counts[k] = counts[k] || std::find(leaves.begin(), leaves.end(), guard) != leaves.end();
    }
  }

  std::vector<OtherSide> others_at(const GuardPlace& place) {
    std::vector<OtherSide> others;
    for (const system::Configuration& configuration : other_sides(source_, field_, place)) {
      others.push_back(side_of(place.guard, configuration));
    }
    return others;
  }

  OtherSide side_of(Index guard, const system::Configuration& configuration) {
    OtherSide other;
    if (!field_.facts().surfaces.empty() || !has_values_) {
      return other;
    }
    other.rates.resize(field_.n_states());
    field_.set_configuration(configuration);
    other.has_rates = field_.evaluator().rhs(point_.t, point_.x, other.rates).ok();
    if (other.has_rates && field_.is_exact()) {
      InstantPoint there = point_;
      there.rates = other.rates;
      other.motion = rate_in_frame(guard, there);
    }
    field_.set_configuration(field_.facts().configuration);
    other.has_same_rates = other.has_rates && agree_by_state(field_, other.rates, rates_);
    other.has_same_truths = other.has_rates && have_same_truths(source_, field_, point_, values_,
                                                                field_.facts().configuration, configuration);
    return other;
  }

  // G and ġ in the present configuration.
  [[nodiscard]] GuardMotion rate_in_frame(Index guard, const InstantPoint& there) {
    GuardMotion motion;
    motion.tangents = tangents_of_guards(source_, field_, there, start_.sigma, {&guard, 1});
    const GuardRate rate = rate_of_guard(source_, field_, guard, there);
    motion.rate = rate.value;
    motion.error = rate.error;
    motion.grazes = rate.grazes;
    return motion;
  }

  [[nodiscard]] bool do_sides_matter(const GuardPlace& place, const std::vector<OtherSide>& others,
                                     std::span<const double> tangents, bool rests) const {
    const GuardInfo& info = source_.system.guards()[static_cast<std::size_t>(place.guard)];
    if (info.has_root || (rests && info.in_equations && info.continuity < 1)) {
      return true;
    }
    return std::any_of(others.begin(), others.end(), [&](const OtherSide& other) {
      return !other.has_same_rates || !other.has_same_truths || is_another_guard(other, tangents);
    });
  }

  // The other side gives the guard itself another value: it may be on neither.
  [[nodiscard]] bool is_another_guard(const OtherSide& other, std::span<const double> tangents) const {
    for (std::size_t k = 0; k < other.motion.tangents.size(); ++k) {
      const double terms = std::max(std::abs(tangents[k]), std::abs(other.motion.tangents[k]));
      if (!(std::abs(other.motion.tangents[k] - tangents[k]) <=
            slack_of(source_, field_, terms, other.motion.error, k))) {
        return true;
      }
    }
    return false;
  }

  // X where surfaces are left at once.
  void cross(std::size_t k, const std::vector<Crossing>& crossings) {
    const auto counting = std::find_if(crossings.begin(), crossings.end(),
                                       [k](const Crossing& crossing) { return crossing.counts[k]; });
    if (counting == crossings.end() || left_.undefined[k]) {
      return;
    }
    std::vector<double> plus(field_.n_states());
    std::vector<double> minus(field_.n_states());
    const bool has_plus = move(k, 1.0, crossings, plus);
    const bool has_minus = move(k, -1.0, crossings, minus);
    const bool are_same =
        has_plus && has_minus && agree_by_state(field_, plus, minus, source_.setup.columns[k].size);
    const bool takes_minus = source_.setup.side == Side::minus;
    if (!are_same && (source_.setup.side == Side::none || !(takes_minus ? has_minus : has_plus))) {
      std::vector<bool> which(left_.undefined.size(), false);
      which[k] = true;
      undefine(which, problem_of(counting->guard, 1));
      return;
    }
    for (std::size_t i = 0; i < plus.size(); ++i) {
      x_[i * source_.n_columns() + k] = takes_minus ? minus[i] : plus[i];
    }
  }

  // X of one direction; false: there is none.
  bool move(std::size_t k, double sign, const std::vector<Crossing>& crossings, std::vector<double>& x) {
    const std::size_t n = source_.n_columns();
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = point_.s[i * n + k];
    }
    int n_crossed = 0;
    for (const Crossing& crossing : crossings) {
      if (!crossing.counts[k] || sign * crossing.tangents[k] * crossing.side > 0.0) {
        continue;
      }
      const OtherSide& other = crossing.other;
      const bool leads_back = !other.motion.tangents.empty() && !other.motion.grazes &&
                              other.has_same_truths && crossing.side * direction_ * other.motion.rate > 0.0;
      const double tau = leads_back ? -other.motion.tangents[k] / other.motion.rate : 0.0;
      if (!leads_back || ++n_crossed > 1 || !(direction_ * sign * tau > 0.0)) {
        return false;
      }
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] += (other.rates[i] - rates_[i]) * tau;
      }
    }
    return true;
  }

  void undefine(const std::vector<bool>& which, const std::string& problem) {
    left_.problem = left_.problem.empty() ? problem : left_.problem;
    std::transform(which.begin(), which.end(), left_.undefined.begin(), left_.undefined.begin(),
                   std::logical_or<>());
  }

  const FieldSource& source_;
  StretchField& field_;
  const StretchStart& start_;
  InstantPoint point_;
  std::vector<double>& x_;
  std::vector<double> rates_;
  std::vector<double> values_;
  double direction_;  // of time
  bool has_values_ = false;
  SurfacesLeft left_;
};

}  // namespace

SurfacesLeft leave_surfaces(const FieldSource& source, StretchField& field, const StretchStart& start,
                            std::vector<double>& x) {
  return Leaving(source, field, start, x).leave();
}

SurfacesApproached approach_surfaces(const FieldSource& source, StretchField& field,
                                     const StretchStart& end) {
  std::vector<double> x(end.point.s.begin(), end.point.s.end());
  return Leaving(source, field, end, x).approach();
}

SurfaceTouched touch_surface(const FieldSource& source, StretchField& field, const GuardPlace& place,
                             const InstantPoint& point) {
  std::vector<double> s(point.s.begin(), point.s.end());
  StretchStart start;
  start.point = point;
  start.sigma = source.fixed_time;
  return Leaving(source, field, start, s).touch(place);
}

}  // namespace saltus::sensitivity
