#include "program/guards/time_series.hpp"

#include <algorithm>
#include <cmath>

#include "program/vm/interval.hpp"

namespace saltus::program {
namespace {

using expr::Op;

// Powers are made of products: more of them than this are left to bounds by slopes.
constexpr int kLargestPower = 16;

constexpr TimeSeries kNoSeries{};

bool is_null(const Interval& a) {
  return a.lower == 0.0 && a.upper == 0.0;
}

Interval sum(const Interval& a, const Interval& b) {
  return is_null(a) ? b : is_null(b) ? a : add(a, b);
}

Interval product(const Interval& a, const Interval& b) {
  return is_null(a) || is_null(b) ? Interval{0.0, 0.0} : multiply(a, b);
}

Interval number(double value) {
  return {value, value};
}

// A value with its series.
struct Term {
  Interval value;
  const TimeSeries* rest = &kNoSeries;

  [[nodiscard]] const Interval& operator[](std::size_t k) const { return k == 0 ? value : (*rest)[k - 1]; }
  [[nodiscard]] bool is_constant() const { return rest == &kNoSeries; }
};

// Σ from i = `from` to `to` of a_i b_{k-i}
Interval convolution(const Term& a, const Term& b, std::size_t k, std::size_t from, std::size_t to) {
  Interval total{0.0, 0.0};
  for (std::size_t i = from; i <= to; ++i) {
    total = sum(total, product(a[i], b[k - i]));
  }
  return total;
}

// Σ from i = 1 to k of i·a_i b_{k-i}, over k
Interval derivative_convolution(const Term& a, const Term& b, std::size_t k) {
  Interval total{0.0, 0.0};
  for (std::size_t i = 1; i <= k; ++i) {
    total = sum(total, product(product(number(static_cast<double>(i)), a[i]), b[k - i]));
  }
  return divide(total, number(static_cast<double>(k)));
}

bool is_defined(const TimeSeries& series) {
  return std::all_of(series.begin(), series.end(), [](const Interval& coefficient) {
    return std::isfinite(coefficient.lower) && std::isfinite(coefficient.upper);
  });
}

class Operation {
 public:
  Operation(const TapeInstruction& instruction, const SeriesDependence& dependence, const Interval* registers,
            const Interval* x, std::span<const TimeSeries> series)
      : op_(instruction.op), value_(registers[instruction.result]) {
    for (int k = 0; k < expr::n_operands(op_); ++k) {
      const std::int32_t operand = instruction.operands[k];
      const std::int32_t slot = dependence.slot(operand);
      operands_[static_cast<std::size_t>(k)] = {
          read_operand(operand, registers, x),
          slot < 0 ? &kNoSeries : &series[static_cast<std::size_t>(slot)]};
    }
  }

  [[nodiscard]] bool run(TimeSeries& result) const {
    const Term& a = operands_[0];
    const Term& b = operands_[1];
    switch (op_) {
      case Op::negate: each(result, [&](std::size_t k) { return negate(a[k]); }); break;
      case Op::add: each(result, [&](std::size_t k) { return sum(a[k], b[k]); }); break;
      case Op::subtract: each(result, [&](std::size_t k) { return sum(a[k], negate(b[k])); }); break;
      case Op::multiply: each(result, [&](std::size_t k) { return convolution(a, b, k, 0, k); }); break;
      case Op::divide: run_division(result); break;
      case Op::exp: run_exponential(result); break;
      case Op::sin:
      case Op::cos: run_circular(result); break;
      case Op::power_integer: return run_power(result) && is_defined(result);
      case Op::select: run_choice(result); break;
      default: return false;
    }
    return is_defined(result);
  }

 private:
  template <class Coefficient>
  static void each(TimeSeries& result, const Coefficient& coefficient) {
    for (std::size_t k = 1; k <= kSeriesOrder; ++k) {
      result[k - 1] = coefficient(k);
    }
  }
  void run_division(TimeSeries& result) const {
    const Term& b = operands_[1];
    each(result, [&](std::size_t k) {
      const Interval known =
          b.is_constant() ? Interval{0.0, 0.0} : convolution({value_, &result}, b, k, 0, k - 1);
      return divide(sum(operands_[0][k], negate(known)), b.value);
    });
  }
  void run_exponential(TimeSeries& result) const {
    each(result, [&](std::size_t k) { return derivative_convolution(operands_[0], {value_, &result}, k); });
  }
  // Sine and cosine go together: s' = c a', c' = -s a'.
  void run_circular(TimeSeries& result) const {
    const Term& a = operands_[0];
    const bool is_sine = op_ == Op::sin;
    TimeSeries other;
    const Term own{value_, &result};
    const Term beside{is_sine ? cos(a.value) : sin(a.value), &other};
    for (std::size_t k = 1; k <= kSeriesOrder; ++k) {
      const Interval of_other = derivative_convolution(a, beside, k);
      const Interval of_own = derivative_convolution(a, own, k);
      result[k - 1] = is_sine ? of_other : negate(of_other);
      other[k - 1] = is_sine ? negate(of_own) : of_own;
    }
  }
  [[nodiscard]] bool run_power(TimeSeries& result) const {
    const double exponent = operands_[1].value.lower;
    if (!(exponent >= 1.0 && exponent <= kLargestPower)) {
      return false;
    }
    const Term& a = operands_[0];
    result = *a.rest;
    TimeSeries next;
    for (int n = 2; n <= static_cast<int>(exponent); ++n) {
      const Term before{power_integer(a.value, n - 1), &result};
      each(next, [&](std::size_t k) { return convolution(a, before, k, 0, k); });
      result = next;
    }
    return true;
  }
  void run_choice(TimeSeries& result) const {
    const Interval& weight = operands_[0].value;
    const Term& first = operands_[1];
    const Term& second = operands_[2];
    if (weight.lower == weight.upper && (weight.lower == 0.0 || weight.lower == 1.0)) {
      result = weight.lower == 1.0 ? *first.rest : *second.rest;
      return;
    }
    const Interval rest = subtract(number(1.0), weight);
    each(result, [&](std::size_t k) { return sum(product(weight, first[k]), product(rest, second[k])); });
  }

  Op op_;
  Interval value_;
  std::array<Term, 3> operands_{};
};

}  // namespace

SeriesDependence::Known SeriesDependence::of(const TapeInstruction& instruction) const {
  std::array<Known, 3> operands{};
  const int n = expr::n_operands(instruction.op);
  bool is_constant = true;
  Known both;
  for (int k = 0; k < n; ++k) {
    operands[static_cast<std::size_t>(k)] = of(instruction.operands[k]);
    const Known& one = operands[static_cast<std::size_t>(k)];
    is_constant = is_constant && one.kind == Kind::constant;
    both = {std::max(both.kind, one.kind), both.is_timed || one.is_timed, -1};
  }
  const Known& a = operands[0];
  const Known& b = operands[1];
  const Known none{Kind::other, false, -1};
  if (is_constant) {
    return {};
  }
  switch (instruction.op) {
    case Op::negate:
    case Op::add:
    case Op::subtract: return both;
    case Op::multiply:
      return a.kind == Kind::constant || b.kind == Kind::constant || both.kind == Kind::time ? both : none;
    case Op::divide: return b.kind == Kind::constant || both.kind == Kind::time ? both : none;
    case Op::exp:
    case Op::sin:
    case Op::cos:
    case Op::power_integer: return both.kind == Kind::time && b.kind == Kind::constant ? both : none;
    case Op::select: return a.kind == Kind::constant ? both : none;
    default: return none;
  }
}

bool SeriesDependence::add(const GuardTape& tape, const TapePiece& piece) {
  for (const TapeInstruction& instruction : tape.code_of(piece)) {
    Known& known = known_[static_cast<std::size_t>(instruction.result)];
    const std::int32_t slot = known.slot;
    known = of(instruction);
    known.slot = slot;
    if (known.kind != Kind::other && known.is_timed && slot < 0) {
      known.slot = static_cast<std::int32_t>(n_slots_++);
    }
  }
  if (known_[0].slot < 0) {
    known_[0].slot = static_cast<std::int32_t>(n_slots_++);
  }
  return std::all_of(piece.roots.begin(), piece.roots.end(),
                     [this](std::int32_t root) { return is_affine(root); });
}

bool run_time_series(std::span<const TapeInstruction> code, const SeriesDependence& dependence, double rho,
                     const Interval* registers, const Interval* x, std::span<TimeSeries> series) {
  TimeSeries& time = series[static_cast<std::size_t>(dependence.slot(0))];
  time.fill({0.0, 0.0});
  time[0] = number(rho);
  return std::all_of(code.begin(), code.end(), [&](const TapeInstruction& instruction) {
    const std::int32_t slot = dependence.slot(instruction.result);
    return slot < 0 || Operation(instruction, dependence, registers, x, series)
                           .run(series[static_cast<std::size_t>(slot)]);
  });
}

}  // namespace saltus::program
