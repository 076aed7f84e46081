#include "support/oracle/switched_dae.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/oracle/text_pieces.hpp"

namespace saltus::test::oracle {
namespace {

/// Σ coefficients·names without what is zero; "0" if nothing is left.
class Sum {
 public:
  void add(Real coefficient, const std::string& name) {
    if (coefficient != 0) {
      const std::string factor = coefficient == 1 && !name.empty() ? "" : text_of(coefficient);
      const std::string product = factor.empty() || name.empty() ? factor + name : factor + "*" + name;
      text_ += (text_.empty() ? "" : " + ") + product;
    }
  }
  using Names = std::array<std::string, kForcings>;
  void add_forcings(const Vector& coefficients, const Names& names) {
    for (std::size_t k = 0; k < kForcings; ++k) {
      add(coefficients[k], names[k]);
    }
  }
  [[nodiscard]] std::string text() const { return text_.empty() ? "0" : text_; }

 private:
  std::string text_;
};

std::string equations_text(const DaeMode& mode, const Sum::Names& forcings) {
  std::string text;
  for (std::size_t i = 0; i < mode.e.size(); ++i) {
    Sum left;
    Sum right;
    for (std::size_t j = 0; j < mode.e.size(); ++j) {
      left.add(mode.e[i][j], "der(" + name_of(j) + ")");
      right.add(mode.a[i][j], name_of(j));
    }
    right.add_forcings(mode.f[i], forcings);
    text += "  " + left.text() + " = " + right.text() + ";\n";
  }
  return text;
}

std::string transition_text(const DaeTransition& transition, const std::string& guard,
                            const Sum::Names& forcings) {
  std::string text = "  transition to m" + std::to_string(transition.target + 1) + " when " + guard + " > 0";
  if (transition.resets.empty()) {
    return text + ";\n";
  }
  text += " then\n";
  for (const DaeReset& reset : transition.resets) {
    Sum value;
    for (std::size_t j = 0; j < reset.before.size(); ++j) {
      value.add(reset.before[j], "pre(" + name_of(j) + ")");
    }
    value.add_forcings(reset.forced, forcings);
    text += "    reinit(" + name_of(reset.target) + ", " + value.text() + ");\n";
  }
  return text + "  end transition;\n";
}

}  // namespace

bool DaeMode::is_differential(std::size_t i) const {
  return std::any_of(e.begin(), e.end(), [i](const Vector& row) { return row[i] != 0; });
}

Vector forcings(Real omega, Real t) {
  return {1, t, t * t, std::sin(omega * t), std::cos(omega * t)};
}

namespace {

std::string parameter_of(std::size_t mode, std::size_t transition) {
  return "g" + std::to_string(mode + 1) + "_" + std::to_string(transition + 1);
}

std::string written(const SwitchedDae& system, const Sum::Names& forcings, bool has_parameters) {
  std::string text = "model Random\n";
  if (has_parameters) {
    text += "  parameter Real poly = 1, wave = 1, omega = " + text_of(system.omega) + ";\n";
    for (std::size_t m = 0; m < system.modes.size(); ++m) {
      for (std::size_t k = 0; k < system.modes[m].transitions.size(); ++k) {
        text += "  parameter Real " + parameter_of(m, k) + " = " +
                text_of(system.modes[m].transitions[k].g.e) + ";\n";
      }
    }
  }
  for (std::size_t i = 0; i < system.n(); ++i) {
    text += "  Real " + name_of(i) + "(start = " + text_of(system.start[i]) +
            (system.is_fixed ? ", fixed = true" : "") +
            (system.nominal[i] != 1 ? ", nominal = " + text_of(system.nominal[i]) : "") + ");\n";
  }
  for (std::size_t m = 0; m < system.modes.size(); ++m) {
    const std::string name = "m" + std::to_string(m + 1);
    text += (m == 0 ? "initial mode " : "mode ") + name + "\n equation\n" +
            equations_text(system.modes[m], forcings);
    for (std::size_t k = 0; k < system.modes[m].transitions.size(); ++k) {
      const DaeTransition& transition = system.modes[m].transitions[k];
      AffineFunction rest = transition.g;
      rest.e = 0;
      text += transition_text(
          transition, has_parameters ? text_of(rest) + " + " + parameter_of(m, k) : text_of(transition.g),
          forcings);
    }
    text += "end " + name + ";\n";
  }
  return text + "end Random;\n";
}

}  // namespace

std::string model_text(const SwitchedDae& system) {
  const std::string angle = "(" + text_of(system.omega) + "*time)";
  return written(system, {"", "time", "time^2", "sin" + angle, "cos" + angle}, false);
}

std::string model_text_with_parameters(const SwitchedDae& system) {
  return written(system, {"poly", "poly*time", "poly*time^2", "wave*sin(omega*time)", "wave*cos(omega*time)"},
                 true);
}

}  // namespace saltus::test::oracle
