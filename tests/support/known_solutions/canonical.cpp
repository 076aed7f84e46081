#include "support/known_solutions/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace saltus::test::known {

std::size_t Canonical::add(ClosedForm exact, bool is_differential) {
  const Sizes sizes = sizes_of(exact, stop);
  unknowns.push_back({.exact = std::move(exact), .sizes = sizes, .is_differential = is_differential});
  return unknowns.size() - 1;
}

std::string starred(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] != '@') {
      continue;
    }
    if (text[i + 1] == 'd') {
      result += 't';
      ++i;
    } else if (text[i + 1] != 's' && text[i + 1] != 't') {
      result += 's';
    }
  }
  return result;
}

namespace {

/// max over t of Σ exp(-rate (t - tₙ)).
double memory_sum(const std::vector<double>& step_ends, double rate) {
  if (rate == kNoMemory) {
    return 1.0;
  }
  double sum = 1.0;
  double largest = 1.0;
  double before = 0.0;
  for (const double end : step_ends) {
    sum = sum * std::exp(-rate * (end - before)) + 1.0;
    largest = std::max(largest, sum);
    before = end;
  }
  return largest;
}

}  // namespace

std::vector<double> amplifications(const Canonical& canonical, const std::vector<double>& step_ends) {
  std::map<double, double> sums;
  std::vector<double> k;
  for (const Unknown& unknown : canonical.unknowns) {
    const auto [place, is_new] = sums.try_emplace(unknown.rate, 0.0);
    if (is_new) {
      place->second = memory_sum(step_ends, unknown.rate);
    }
    double sum = unknown.own * place->second;
    for (const auto& [driver, gain] : unknown.from) {
      sum += gain * k[driver];
    }
    k.push_back(sum);
  }
  return k;
}

}  // namespace saltus::test::known
