#include "sensitivity/instant/surface_places.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "sensitivity/instant/contact.hpp"
#include "settle/state/held_number.hpp"

namespace saltus::sensitivity {
namespace {

using system::GuardInfo;

// Of those that have a value.
std::vector<GuardPlace> places_of(const FieldSource& source, StretchField& field, double t,
                                  std::span<const double> x, std::span<const Index> deciding) {
  std::vector<double> values(deciding.size());
  if (!field.evaluator().guards(deciding, t, x, values).ok()) {
    for (std::size_t i = 0; i < deciding.size(); ++i) {
      if (!field.evaluator().guards(deciding.subspan(i, 1), t, x, {&values[i], 1}).ok()) {
        values[i] = std::nan("");
      }
    }
  }
  std::vector<GuardPlace> places;
  for (std::size_t i = 0; i < deciding.size(); ++i) {
    const GuardInfo& info = source.system.guards()[static_cast<std::size_t>(deciding[i])];
    if (!std::isnan(values[i])) {
      const double level =
          info.kind == GuardInfo::Kind::relation ? 0.0 : settle::nearest_level(info, values[i]);
      places.push_back({deciding[i], level, std::abs(values[i] - level)});
    }
  }
  return places;
}

}  // namespace

std::vector<Index> deciding_guards(const FieldSource& source, const StretchField& field,
                                   std::span<const Index> passed) {
  std::vector<Index> deciding;
  const std::vector<GuardInfo>& guards = source.system.guards();
  const std::vector<Index>& surfaces = field.facts().surfaces;
  for (std::size_t g = 0; g < guards.size(); ++g) {
    const auto guard = static_cast<Index>(g);
    const auto is_among = [guard](std::span<const Index> some) {
      return std::find(some.begin(), some.end(), guard) != some.end();
    };
    const bool is_smooth = guards[g].continuity >= 1 && !guards[g].in_rounds && !guards[g].has_root;
    if (!is_smooth && guards[g].kind != GuardInfo::Kind::external && field.locked().watches(guard) &&
        !is_among(surfaces) && !is_among(passed)) {
      deciding.push_back(guard);
    }
  }
  return deciding;
}

std::vector<GuardPlace> guard_places(const FieldSource& source, StretchField& field, double t,
                                     std::span<const double> x, std::span<const Index> passed) {
  return places_of(source, field, t, x, deciding_guards(source, field, passed));
}

std::vector<system::Configuration> other_sides(const FieldSource& source, const StretchField& field,
                                               const GuardPlace& place) {
  const auto g = static_cast<std::size_t>(place.guard);
  const GuardInfo& info = source.system.guards()[g];
  std::vector<system::Configuration> others;
  for (const double sign : {-1.0, 1.0}) {
    const double latched =
        info.kind == GuardInfo::Kind::relation ? sign : settle::number_beyond(info, place.level, sign);
    if (latched != field.facts().configuration.latched[g]) {
      others.push_back(field.facts().configuration);
      others.back().latched[g] = latched;
    }
  }
  return others;
}

std::vector<double> tangents_of_guards(const FieldSource& source, StretchField& field,
                                       const InstantPoint& point, std::span<const double> sigma,
                                       std::span<const Index> guards) {
  const std::size_t n = source.n_columns();
  std::vector<double> tangents(guards.size() * n);
  const system::Seeds seeds{sigma, point.s, point.discrete};
  if (!field.tangents().guards(guards, point.t, point.x, seeds, tangents).ok()) {
    for (std::size_t i = 0; i < guards.size(); ++i) {
      const std::span<double> row = std::span(tangents).subspan(i * n, n);
      if (!field.tangents().guards(guards.subspan(i, 1), point.t, point.x, seeds, row).ok()) {
        std::fill(row.begin(), row.end(), std::nan(""));
      }
    }
  }
  return tangents;
}

bool is_zero(StretchField& field, const GuardPlace& place, double t, std::span<const double> x) {
  return place.distance == 0.0 ||
         place.distance <= kRoundingsOfZero * field.evaluator().guard_noise(place.guard, t, x);
}

std::string condition_of(const FieldSource& source, Index guard) {
  const GuardInfo& info = source.system.guards()[static_cast<std::size_t>(guard)];
  return info.condition.empty() ? info.text : info.condition;
}

bool reaches(const FieldSource& source, const StretchField& field, const GuardPlace& place, double tangent,
             std::size_t k) {
  return place.distance <=
         kTolerancesOfReach * field.tolerances().rtol * std::abs(tangent) * source.setup.columns[k].size;
}

bool all_reach(const FieldSource& source, const StretchField& field, const GuardPlace& place,
               std::span<const double> tangents) {
  double motion = 0.0;
  for (std::size_t k = 0; k < tangents.size(); ++k) {
    motion += std::isnan(tangents[k]) ? 0.0 : std::abs(tangents[k]) * source.setup.columns[k].size;
  }
  return place.distance <= kTolerancesOfReach * field.tolerances().rtol * motion;
}

void KnownZeros::add(std::span<const Column> columns, std::vector<double> row, double tolerance) {
  const auto largest = [&] {
    std::size_t most = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      most = std::abs(row[k]) * columns[k].size > std::abs(row[most]) * columns[most].size ? k : most;
    }
    return most;
  };
  const std::size_t first = largest();
  const double size = row.empty() ? 0.0 : std::abs(row[first]) * columns[first].size;
  take_from(row);
  const std::size_t pivot = largest();
  if (size > 0.0 && std::abs(row[pivot]) * columns[pivot].size > tolerance * size) {
    rows_.push_back({pivot, std::move(row)});
  }
}

void KnownZeros::take_from(std::span<double> row) const {
  for (const Row& known : rows_) {
    const double multiple = row[known.pivot] / known.values[known.pivot];
    for (std::size_t k = 0; k < row.size() && multiple != 0.0; ++k) {
      row[k] -= multiple * known.values[k];
    }
    row[known.pivot] = 0.0;
  }
}

KnownZeros find_known_zeros(const FieldSource& source, StretchField& field, const InstantPoint& point) {
  KnownZeros zeros;
  const std::span<const Column> columns = source.setup.columns;
  for (const Index guard : field.facts().surfaces) {
    zeros.add(columns, tangents_of_guards(source, field, point, source.fixed_time, {&guard, 1}),
              agreement(field));
  }
  for (const GuardPlace& place : guard_places(source, field, point.t, point.x, {})) {
    const GuardRate rate = rate_of_guard(source, field, place.guard, point);
    const bool is_near =
        is_zero(field, place, point.t, point.x) || place.distance <= kTolerancesOfReach * rate.error;
    if (!is_near || order_of_contact(field, place.guard, rate, point) != kContactOrders) {
      continue;
    }
    for (AlongWay& along : guard_along_way(source, field, place.guard, point, source.fixed_time)) {
      zeros.add(columns, std::move(along.value), agreement(field));
    }
  }
  return zeros;
}

std::vector<bool> moves_from_surface(const FieldSource& source, StretchField& field, Index guard,
                                     const InstantPoint& point, std::span<const double> sigma) {
  const std::vector<GuardPlace> places = places_of(source, field, point.t, point.x, {&guard, 1});
  if (places.empty()) {
    return {};
  }
  const std::vector<double> tangents = tangents_of_guards(source, field, point, sigma, {&guard, 1});
  const GuardRate rate = rate_of_guard(source, field, guard, point);
  std::vector<bool> moves(source.n_columns(), false);
  for (std::size_t k = 0; k < moves.size(); ++k) {
    const double slack = slack_of(source, field, std::abs(rate.value * sigma[k]), rate.error, k);
    moves[k] = std::isnan(tangents[k]) ||
               (reaches(source, field, places.front(), tangents[k], k) && std::abs(tangents[k]) > slack);
  }
  return moves;
}

std::vector<bool> moves_resting(const FieldSource& source, StretchField& field,
                                std::span<const Index> resting, const InstantPoint& point) {
  std::vector<bool> moves(source.n_columns(), false);
  for (const Index guard : resting) {
    const std::vector<bool> now = moves_from_surface(source, field, guard, point, source.fixed_time);
    std::transform(now.begin(), now.end(), moves.begin(), moves.begin(), std::logical_or<>());
  }
  return moves;
}

bool is_near_surface(const FieldSource& source, StretchField& field, const InstantPoint& point,
                     double time_change, std::span<const Index> passed) {
  const std::vector<GuardPlace> places = guard_places(source, field, point.t, point.x, passed);
  return std::any_of(places.begin(), places.end(), [&](const GuardPlace& place) {
    const GuardRate rate = rate_of_guard(source, field, place.guard, point);
    return is_zero(field, place, point.t, point.x) ||
           place.distance <= kTolerancesOfReach * (rate.change + std::abs(rate.value) * time_change);
  });
}

}  // namespace saltus::sensitivity
