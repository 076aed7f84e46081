/// What forward sensitivities are asked for, and who is told of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interface.hpp"
#include "saltus/diagnostic.hpp"
#include "system/hybrid_system.hpp"
#include "system/tangents.hpp"

namespace saltus::sensitivity {

/// The same system with another value of one parameter or start value: what cannot be differentiated exactly is differentiated over these,
/// d/dp F ≈ Σ weight·F(twin).
struct Twin {
  double weight = 0.0;
  double offset = 0.0;  ///< of the value from that of the run
  std::shared_ptr<const system::HybridSystem> system;
  /// Of a difference of second order over some of the same twins: what the two differ by says how far either is to be believed.
  double coarse = 0.0;
};

/// Differences of fourth and of second order agree to this part where the former is good to its square, times a number near one.
inline constexpr double kCoarseAgreement = 1e-3;
/// Truncations of a change over the distance that is a smaller part of the value than this do not count.
inline constexpr double kSmallChange = 1e-6;

/// Whether a derivative by differences of fourth and of second order over this distance can be believed; `value` is what is differentiated. One without a value has
/// no derivative either.
[[nodiscard]] inline bool orders_agree(double fine, double coarse, double value, double distance) {
  const double least = distance > 0.0 ? kSmallChange * std::abs(value) / distance : 0.0;
  return std::isnan(fine) || std::abs(fine - coarse) <= kCoarseAgreement * std::max(std::abs(fine), least);
}

/// The twins of a column; they may be made when they are first asked for. Copies share them.
class Twins {
 public:
  Twins() = default;
  explicit Twins(std::function<std::vector<Twin>()> make)
      : made_(std::make_shared<Made>(Made{{}, std::move(make)})) {}

  void push_back(Twin twin) {
    made_ = made_ == nullptr ? std::make_shared<Made>() : made_;
    made_->twins.push_back(std::move(twin));
  }
  void clear() { made_ = nullptr; }
  [[nodiscard]] std::size_t size() const { return all().size(); }
  [[nodiscard]] const Twin* begin() const { return all().data(); }
  [[nodiscard]] const Twin* end() const { return all().data() + all().size(); }

 private:
  struct Made {
    std::vector<Twin> twins;
    std::function<std::vector<Twin>()> make = nullptr;  // none: they are there
  };
  [[nodiscard]] const std::vector<Twin>& all() const {
    static const std::vector<Twin> kNone;
    if (made_ != nullptr && made_->make) {
      made_->twins = std::exchange(made_->make, nullptr)();
    }
    return made_ == nullptr ? kNone : made_->twins;
  }

  std::shared_ptr<Made> made_;
};

/// One parameter or start value.
struct Column {
  std::string name;
  double size = 1.0;  ///< typical: its value, else its nominal value, else 1; scales the tolerance of S
  Twins twins;
  bool moves_equations = true;  ///< false: a start value, which no equation reads
  bool moves_clocks = true;     ///< false: no clock reads it
  /// It moves a parameter that is zero, without which the equations were compiled: tangents know nothing of it, twins do.
  bool moves_zero = false;
  std::string undefined;      ///< why nothing can be said of it from the start on; empty: it can
  std::vector<Index> leaves;  ///< guards that are zero at the start, and are not beside its value
};

/// Which derivative is taken where those to both directions differ: none, that of a larger, or that of a smaller value.
enum class Side : std::uint8_t { none, plus, minus };

/// σ of the first of two events that move apart from one time: none if neither direction is taken. `direction`: of time.
[[nodiscard]] inline double first_to_side(double a, double b, Side side, double direction) {
  if (side == Side::none || !std::isfinite(a) || !std::isfinite(b)) {
    return std::nan("");
  }
  const bool takes_less = (side == Side::plus) == (direction > 0.0);
  return takes_less ? std::min(a, b) : std::max(a, b);
}

struct Setup {
  std::vector<Column> columns;
  system::ParameterDirections directions;  ///< as many as columns; start values move no parameter
  /// Those that tangents know: columns that move zeros rest.
  system::ParameterDirections known_directions;
  /// Of the initial point, [state of the initial structure][column] and [discrete variable][column].
  std::vector<double> x;
  std::vector<double> discrete;
  std::vector<Index> guards;  ///< whose tangents are wanted too
  Side side = Side::none;
};

/// An instant at which there were events. Tangents are [value][column] as in rows; `along` it: of values at t*(p), which moves with p.
struct InstantTangents {
  double t = 0.0;
  std::size_t n_events = 0;
  std::vector<double> sigma;  ///< by column: of the first of its events
  std::vector<bool>
      parts;  ///< by column: beside its value events of the instant come one after the other. Empty: they do not
  std::vector<double> values_before;
  std::vector<double> values_after;
  std::vector<double> before;  ///< at fixed time
  std::vector<double> before_along;
  std::vector<double> after_along;
};

/// Tangents are [value][column], values all variables and then Setup::guards; NaN where they do not exist or are not known.
class Listener : public Interface {
 public:
  /// The first time beyond `t`, in the direction of the run, at which a row is wanted; ±∞: there is none.
  [[nodiscard]] virtual double next_row(double t) = 0;
  [[nodiscard]] virtual bool wants_rows_at_steps() const { return false; }
  /// Rows in their order: at the times asked for, and at instants before and after. False ends the run.
  virtual bool row(double t, std::int64_t segment, std::string_view mode,
                   std::span<const double> tangents) = 0;
  /// ∂t*/∂p of the event that the recorder was told last, by column; NaN: undefined.
  virtual void event_time(std::span<const double> sigma) = 0;
  /// Whether instant() is to be called: for every instant with events, once it is over.
  [[nodiscard]] virtual bool wants_instants() const { return false; }
  virtual void instant(const InstantTangents& /*instant*/) {}
  /// Of the values at the stop of a run that has come there, once it is over: as the last row, but NaN, or of the side asked for, where an event lies at the stop
  /// and runs beside it may end before it.
  virtual void final_values(std::span<const double> /*tangents*/) {}
  /// From here on some sensitivities are undefined (diagnostic sensitivity-undefined).
  virtual void undefined(Diagnostic diagnostic) = 0;
};

}  // namespace saltus::sensitivity
