#include "program/guards/guard_series.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/machine.hpp"
#include "program/vm/interval.hpp"

namespace saltus::program {
namespace {

Interval number(double value) {
  return {value, value};
}

bool is_finite(const Interval& a) {
  return std::isfinite(a.lower) && std::isfinite(a.upper);
}

double middle_of(const Interval& a) {
  return 0.5 * (a.lower + a.upper);
}

// sum + a·b, where nothing is to be done for zeros.
void accumulate(Interval& sum, const Interval& a, const Interval& b) {
  if ((a.lower != 0.0 || a.upper != 0.0) && (b.lower != 0.0 || b.upper != 0.0)) {
    sum = add(sum, multiply(a, b));
  }
}

double radius_of(const system::CurvePiece& piece) {
  return std::max(piece.time.upper - piece.at, piece.at - piece.time.lower) * (1.0 + kEpsilon);
}

}  // namespace

GuardSeries::Equations::Equations(const GuardClosure& closure)
    : a(closure.unknowns.items.size()),
      b(closure.states.items.size()),
      solver(static_cast<Index>(closure.inputs.size())),
      x(closure.rows.states.size()),
      z_point(closure.inputs.size()),
      values(closure.inputs.size()),
      series(closure.inputs.size()) {}

GuardSeries::GuardSeries(const GuardCode& code)
    : code_(code),
      numbers_(static_cast<std::size_t>(code.size())),
      registers_(code.time_dependence().n_slots()) {
  std::size_t most = 0;
  for (const GuardClosure& closure : code.closures()) {
    equations_.emplace_back(closure);
    most = std::max(most, closure.inputs.size());
  }
  right_.resize(most);
  std::size_t longest = 0;
  for (Index i = 0; i < code.size(); ++i) {
    const GuardCode::Guard& guard = code[i];
    if (!guard.has_series) {
      continue;
    }
    Numbers& numbers = numbers_[static_cast<std::size_t>(i)];
    const GuardClosure& closure = code.closures()[static_cast<std::size_t>(guard.closure)];
    numbers.multipliers.resize(closure.inputs.size());
    numbers.left.resize(closure.inputs.size());
    numbers.slopes.resize(guard.states->size());
    longest = std::max<std::size_t>(longest, guard.value.count);
  }
  all_.resize(longest);
  std::iota(all_.begin(), all_.end(), 0U);
}

// x_p, z_p and a time as registers.
void GuardSeries::put_point(const GuardClosure& closure, const Equations& equations, const Place& place,
                            const Interval& time) {
  place.memory.intervals[0] = time;
  for (std::size_t k = 0; k < closure.inputs.size(); ++k) {
    place.memory.intervals[closure.inputs[k]] = number(equations.z_point[k]);
  }
  for (std::size_t i = 0; i < place.point.size(); ++i) {
    place.point[i] = number(place.piece.x[i]);
  }
}

// A and B, which are the same at every point.
void GuardSeries::differentiate(const GuardClosure& closure, Equations& equations, const Place& place) {
  equations.version = place.version;
  equations.is_regular = false;
  const std::span<const TapeInstruction> code = code_.tape().code_of(closure.rows);
  const std::size_t n = closure.inputs.size();
  run_tape(code, place.memory.intervals, place.point.data());
  std::size_t entry = 0;
  std::size_t state_entry = 0;
  const std::span<double> matrix = equations.solver.matrix();
  std::fill(matrix.begin(), matrix.end(), 0.0);
  for (std::size_t row = 0; row < n; ++row) {
    run_tape_adjoints(code, closure.instructions.of(row), closure.rows.roots[row], place.memory.intervals,
                      place.point.data(), place.memory.adjoints, place.memory.gradient);
    for (const std::uint32_t unknown : closure.unknowns.of(row)) {
      const Interval& slope = place.memory.adjoints[closure.inputs[unknown]];
      if (!is_finite(slope)) {
        return;
      }
      equations.a[entry++] = slope;
      matrix[unknown + row * n] = middle_of(slope);  // transposed
    }
    for (const std::uint32_t state : closure.states.of(row)) {
      if (!is_finite(place.memory.gradient[state])) {
        return;
      }
      equations.b[state_entry++] = place.memory.gradient[state];
    }
  }
  equations.is_regular = equations.solver.factorize().ok();
}

void GuardSeries::find_multipliers(const GuardCode::Guard& guard, const GuardClosure& closure,
                                   Equations& equations, Numbers& numbers, const Place& place) {
  numbers.version = place.version;
  const std::span<const TapeInstruction> code = code_.tape().code_of(guard.value);
  const std::size_t n = closure.inputs.size();
  run_tape(code, place.memory.intervals, place.point.data());
  for (const std::uint32_t input : closure.inputs) {
    place.memory.adjoints[input] = number(0.0);
  }
  for (const Index state : *guard.states) {
    place.memory.gradient[static_cast<std::size_t>(state)] = number(0.0);
  }
  run_tape_adjoints(code, std::span(all_).first(guard.value.count), guard.value.roots[0],
                    place.memory.intervals, place.point.data(), place.memory.adjoints, place.memory.gradient);
  for (std::size_t k = 0; k < n; ++k) {
    numbers.left[k] = place.memory.adjoints[closure.inputs[k]];
  }
  for (std::size_t k = 0; k < guard.states->size(); ++k) {
    numbers.slopes[k] = place.memory.gradient[static_cast<std::size_t>((*guard.states)[k])];
  }
  // Twice: what the first solution leaves is solved for again.
  const std::span<double> right = std::span(right_).first(n);
  std::fill(numbers.multipliers.begin(), numbers.multipliers.end(), 0.0);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < n; ++k) {
      right[k] = middle_of(numbers.left[k]);
    }
    equations.solver.solve(right);
    std::size_t entry = 0;
    for (std::size_t row = 0; row < n; ++row) {
      for (const std::uint32_t unknown : closure.unknowns.of(row)) {
        accumulate(numbers.left[unknown], number(-right[row]), equations.a[entry++]);
      }
    }
    std::size_t state_entry = 0;
    for (std::size_t row = 0; row < n; ++row) {
      numbers.multipliers[row] += right[row];
      for (const std::uint32_t state : closure.states.of(row)) {
        const auto found =
            std::lower_bound(guard.states->begin(), guard.states->end(), static_cast<Index>(state));
        accumulate(numbers.slopes[static_cast<std::size_t>(found - guard.states->begin())],
                   number(-right[row]), equations.b[state_entry++]);
      }
    }
  }
  numbers.is_finite = std::all_of(numbers.left.begin(), numbers.left.end(), is_finite) &&
                      std::all_of(numbers.slopes.begin(), numbers.slopes.end(), is_finite);
}

// Values at t_p and the series of the roots of a piece.
bool GuardSeries::expand_piece(const GuardClosure& closure, const Equations& equations, const TapePiece& code,
                               const Place& place, std::span<Interval> values, std::span<TimeSeries> series) {
  const std::span<const TapeInstruction> instructions = code_.tape().code_of(code);
  const SeriesDependence& dependence = code_.time_dependence();
  const double rho = radius_of(place.piece);
  const auto run = [&](const Interval& time) {
    put_point(closure, equations, place, time);
    run_tape(instructions, place.memory.intervals, place.point.data());
    return run_time_series(instructions, dependence, rho, place.memory.intervals, place.point.data(),
                           registers_);
  };
  const auto root_series = [&](std::size_t k) -> const TimeSeries* {
    const std::int32_t slot = dependence.slot(code.roots[k]);
    return slot < 0 ? nullptr : &registers_[static_cast<std::size_t>(slot)];
  };
  if (!run(place.piece.time)) {
    return false;
  }
  for (std::size_t k = 0; k < code.roots.size(); ++k) {
    const TimeSeries* const rest = root_series(k);
    series[k].back() = rest == nullptr ? number(0.0) : rest->back();
  }
  if (!run(number(place.piece.at))) {
    return false;
  }
  for (std::size_t k = 0; k < code.roots.size(); ++k) {
    values[k] = read_operand(code.roots[k], place.memory.intervals, place.point.data());
    const TimeSeries* const rest = root_series(k);
    for (std::size_t order = 1; order < kSeriesOrder; ++order) {
      series[k][order - 1] = rest == nullptr ? number(0.0) : (*rest)[order - 1];
    }
  }
  return std::all_of(values.begin(), values.end(), is_finite);
}

void GuardSeries::expand(const GuardClosure& closure, Equations& equations, const Place& place) {
  const auto is_known = [&] {
    if (equations.series_version != place.version || equations.time != place.piece.time ||
        equations.at != place.piece.at) {
      return false;
    }
    for (std::size_t k = 0; k < equations.x.size(); ++k) {
      if (equations.x[k] != place.piece.x[static_cast<std::size_t>(closure.rows.states[k])]) {
        return false;
      }
    }
    return true;
  };
  const std::span<const Interval> z = place.piece.is_box ? place.tube.values() : place.tube.at_point();
  if (is_known()) {
    return;
  }
  equations.series_version = place.version;
  equations.time = place.piece.time;
  equations.at = place.piece.at;
  for (std::size_t k = 0; k < equations.x.size(); ++k) {
    equations.x[k] = place.piece.x[static_cast<std::size_t>(closure.rows.states[k])];
  }
  std::transform(z.begin(), z.end(), equations.z_point.begin(), middle_of);
  equations.has_series =
      expand_piece(closure, equations, closure.rows, place, equations.values, equations.series);
}

std::optional<system::GuardBounds> GuardSeries::bound(Index guard_number, const GuardTube& tube,
                                                      const system::CurvePiece& piece, std::uint64_t version,
                                                      const TapeMemory& memory, std::span<Interval> point) {
  const GuardCode::Guard& guard = code_[guard_number];
  const GuardClosure& closure = code_.closures()[static_cast<std::size_t>(guard.closure)];
  Equations& equations = equations_[static_cast<std::size_t>(guard.closure)];
  Numbers& numbers = numbers_[static_cast<std::size_t>(guard_number)];
  const Place place{tube, piece, version, memory, point};
  const std::size_t n_states = piece.x.size();
  const std::size_t n_powers = n_states == 0 ? 0 : piece.powers.size() / n_states;
  const double rho = radius_of(piece);
  if ((!piece.is_box && n_powers == 0 && n_states > 0) || n_powers > kSeriesOrder || !(rho > 0.0)) {
    return std::nullopt;
  }
  expand(closure, equations, place);
  if (!equations.has_series) {
    return std::nullopt;
  }
  put_point(closure, equations, place, number(piece.at));
  if (equations.version != version) {
    differentiate(closure, equations, place);
  }
  if (!equations.is_regular) {
    return std::nullopt;
  }
  if (numbers.version != version) {
    find_multipliers(guard, closure, equations, numbers, place);
  }
  Interval value;
  TimeSeries series;
  if (!numbers.is_finite ||
      !expand_piece(closure, equations, guard.value, place, {&value, 1}, {&series, 1})) {
    return std::nullopt;
  }
  for (std::size_t row = 0; row < numbers.multipliers.size(); ++row) {
    const Interval factor = number(-numbers.multipliers[row]);
    accumulate(value, factor, equations.values[row]);
    for (std::size_t k = 0; k < kSeriesOrder; ++k) {
      accumulate(series[k], factor, equations.series[row][k]);
    }
    accumulate(value, numbers.left[row], subtract(tube.values()[row], number(equations.z_point[row])));
  }
  Interval rate{0.0, 0.0};
  for (std::size_t j = 0; j < numbers.slopes.size(); ++j) {
    const auto state = static_cast<std::size_t>((*guard.states)[j]);
    accumulate(value, numbers.slopes[j], piece.around[state]);
    if (piece.is_box) {
      continue;
    }
    accumulate(rate, numbers.slopes[j], piece.rates_around[state]);
    const Interval scale = divide(number(rho), number(piece.step));
    Interval power = number(1.0);
    for (std::size_t p = 1; p < n_powers; ++p) {
      power = multiply(power, scale);
      accumulate(series[p - 1], multiply(numbers.slopes[j], power),
                 number(piece.powers[p * n_states + state]));
    }
  }
  // u over the piece, and its powers.
  const Interval way = subtract(piece.time, number(piece.at));
  Interval u = divide(way, number(rho));
  u = {std::max(u.lower, -1.0), std::min(u.upper, 1.0)};
  Interval slope{0.0, 0.0};
  for (std::size_t k = 1; k <= kSeriesOrder; ++k) {
    accumulate(slope, multiply(number(static_cast<double>(k)), series[k - 1]),
               k == 1 ? number(1.0) : power_integer(u, static_cast<int>(k) - 1));
    accumulate(value, series[k - 1], power_integer(u, static_cast<int>(k)));
  }
  rate = add(rate, divide(slope, number(rho)));
  if (!is_finite(value) || !is_finite(rate)) {
    return std::nullopt;
  }
  return system::GuardBounds{.is_known = true, .value = value, .rate = rate};
}

}  // namespace saltus::program
