#include "sensitivity/crossing_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace saltus::sensitivity {
namespace {

// Orders agree to the accuracy of S: this many relative tolerances, and never closer than differences are exact.
constexpr double kOrderAgreement = 1e3;
constexpr double kLeastOrderAgreement = 1e-6;

// S along one order; empty: it cannot be followed.
std::vector<double> across(const FieldSource& source, StretchField& field,
                           system::Configuration configuration, std::span<const Index> order,
                           const InstantPoint& point) {
  const std::size_t n = source.n_columns();
  const system::Configuration& after = field.facts().configuration;
  std::vector<double> s(point.s.begin(), point.s.end());
  std::vector<double> rates(point.x.size());
  std::vector<double> rates_after(point.x.size());
  field.evaluator().set_configuration(configuration);
  if (!field.evaluator().rhs(point.t, point.x, rates).ok()) {
    return {};
  }
  for (std::size_t g = 0; g < order.size(); ++g) {
    InstantPoint here = point;
    here.rates = rates;
    here.s = s;
    const EventTime time = time_of_guard(source, field, order[g], here);
    const auto i = static_cast<std::size_t>(order[g]);
    configuration.latched[i] = after.latched[i];
    if (g + 1 == order.size()) {
      configuration = after;
    }
    field.evaluator().set_configuration(configuration);
    if (!time.problem.empty() || !field.evaluator().rhs(point.t, point.x, rates_after).ok()) {
      return {};
    }
    for (std::size_t e = 0; e < s.size(); ++e) {
      s[e] += (rates[e / n] - rates_after[e / n]) * time.sigma[e % n];
    }
    std::swap(rates, rates_after);
  }
  return s;
}

}  // namespace

std::string order_problem(const FieldSource& source, std::span<const Index> guards) {
  std::string names;
  for (const Index guard : guards) {
    if (static_cast<std::size_t>(guard) < source.system.guards().size()) {
      names +=
          (names.empty() ? "'" : ", '") + source.system.guards()[static_cast<std::size_t>(guard)].text + "'";
    }
  }
  return fmt::format("events happen together whose order depends on it: {}", names);
}

std::vector<double> across_in_all_orders(const FieldSource& source, StretchField& field,
                                         const system::Configuration& before, std::vector<Index> guards,
                                         const InstantPoint& point) {
  const std::size_t n = source.n_columns();
  const bool are_guards = std::all_of(guards.begin(), guards.end(), [&source](Index guard) {
    return static_cast<std::size_t>(guard) < source.system.guards().size();
  });
  if (!are_guards) {
    return {};
  }
  std::sort(guards.begin(), guards.end());
  const double tolerance = std::max(kLeastOrderAgreement, kOrderAgreement * field.tolerances().rtol);
  std::vector<double> first;
  do {
    const std::vector<double> s = across(source, field, before, guards, point);
    bool agrees = !s.empty();
    for (std::size_t e = 0; e < s.size() && !first.empty(); ++e) {
      const double size = std::max(
          {std::abs(s[e]), std::abs(first[e]), field.nominal()[e / n] / source.setup.columns[e % n].size});
      agrees = agrees && std::abs(s[e] - first[e]) <= tolerance * size;
    }
    if (!agrees) {
      field.evaluator().set_configuration(field.facts().configuration);
      return {};
    }
    first = first.empty() ? s : first;
  } while (std::next_permutation(guards.begin(), guards.end()));
  field.evaluator().set_configuration(field.facts().configuration);
  return first;
}

}  // namespace saltus::sensitivity
