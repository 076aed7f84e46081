#include "support/oracle/circuits/write_network.hpp"

#include <cstdio>
#include <utility>

namespace saltus::test::circuits {
namespace {

std::string text_of(Real value) {
  for (int digits = 1; digits <= 17; ++digits) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::stod(text) == value || digits == 17) {
      return text;
    }
  }
  return "";
}

/// Products of decimals by powers of ten are decimals again, up to rounding.
Real scaled(Real value, Real factor) {
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", value * factor);
  return std::stod(text);
}

class Writer {
 public:
  explicit Writer(const Network& network) : network_(network), currents_(network.n_nodes + 1) {}

  WrittenNetwork write() {
    for (std::size_t node = 1; node <= network_.n_nodes; ++node) {
      declare(potential(node));
      column(potential(node), Column::What::potential, node);
    }
    for (std::size_t e = 0; e < network_.elements.size(); ++e) {
      add(e);
    }
    for (std::size_t node = 1; node <= network_.n_nodes; ++node) {
      equations_.push_back(currents_[node] + " = 0");
    }
    shuffle();
    std::string text = "model Circuit \"" + network_.name + "\"\n" + parameters_;
    text += declarations_ + "equation\n";
    for (const std::string& equation : equations_) {
      text += "  " + equation + ";\n";
    }
    text += clauses_ +
            "  annotation(experiment(StopTime = " + text_of(scaled(network_.stop, network_.units.time)) +
            "));\nend Circuit;\n";
    return {.text = std::move(text), .columns = std::move(columns_)};
  }

 private:
  [[nodiscard]] static std::string potential(std::size_t node) { return "p" + std::to_string(node); }
  [[nodiscard]] static std::string voltage(const Element& element) {
    if (element.b == 0) {
      return potential(element.a);
    }
    return (element.a == 0 ? "-" : potential(element.a) + " - ") + potential(element.b);
  }
  [[nodiscard]] Real volts(Real v) const { return scaled(v, network_.units.voltage); }
  [[nodiscard]] Real amperes(Real i) const {
    return scaled(i, network_.units.voltage / network_.units.impedance);
  }

  void declare(const std::string& name, const std::string& type = "Real",
               const std::string& attributes = "") {
    declarations_ += "  " + type + " " + name + attributes + ";\n";
  }
  void column(const std::string& name, Column::What what, std::size_t place) {
    columns_.push_back({.name = name, .what = what, .place = place});
  }
  void parameter(const std::string& name, Real value) {
    parameters_ += "  parameter Real " + name + " = " + text_of(value) + ";\n";
  }
  void flows(const Element& element, const std::string& current) {
    if (element.a != 0) {
      std::string& sum = currents_[element.a];
      sum += (sum.empty() ? "" : " + ") + current;
    }
    if (element.b != 0) {
      currents_[element.b] += (currents_[element.b].empty() ? "-" : " - ") + current;
    }
  }
  /// Of the current of an element, with or without a name of its own.
  std::string named_current(std::size_t e, const std::string& x) {
    declare("i" + x);
    column("i" + x, Column::What::current, e);
    flows(network_.elements[e], "i" + x);
    return "i" + x;
  }
  std::string named_voltage(std::size_t e, const std::string& x) {
    declare("v" + x);
    column("v" + x, Column::What::voltage, e);
    equations_.push_back("v" + x + " = " + voltage(network_.elements[e]));
    return "v" + x;
  }

  void add(std::size_t e) {
    const Element& element = network_.elements[e];
    const std::string x = network_.name_of(e);
    const Units& units = network_.units;
    switch (element.kind) {
      case Element::Kind::resistor: {
        parameter(x, scaled(element.value, units.impedance));
        if (element.variant % 2 == 0) {
          flows(element, "(" + voltage(element) + ")/" + x);
        } else {
          const std::string i = named_current(e, x);
          equations_.push_back(x + "*" + i + " = " + voltage(element));
        }
        return;
      }
      case Element::Kind::capacitor: {
        parameter(x, scaled(element.value, units.time / units.impedance));
        declare("v" + x, "Real", start(volts(element.start), units.voltage));
        column("v" + x, Column::What::voltage, e);
        equations_.push_back("v" + x + " = " + voltage(element));
        if (element.variant % 2 == 0) {
          flows(element, x + "*der(v" + x + ")");
        } else {
          equations_.push_back(x + "*der(v" + x + ") = " + named_current(e, x));
        }
        return;
      }
      case Element::Kind::inductor: {
        parameter(x, scaled(element.value, units.time * units.impedance));
        declare("i" + x, "Real", start(amperes(element.start), units.voltage / units.impedance));
        column("i" + x, Column::What::current, e);
        flows(element, "i" + x);
        equations_.push_back(x + "*der(i" + x + ") = " + voltage(element));
        return;
      }
      case Element::Kind::voltage:
        named_current(e, x);
        equations_.push_back(voltage(element) + " = " + wave(element.wave, units.voltage));
        return;
      case Element::Kind::current:
        named_current(e, x);
        equations_.push_back("i" + x + " = " + wave(element.wave, units.voltage / units.impedance));
        return;
      case Element::Kind::diode: return add_diode(e, x);
      case Element::Kind::open_close: return add_switch(e, x);
    }
  }

  [[nodiscard]] std::string start(Real value, Real nominal) const {
    return "(start = " + text_of(value) + ", fixed = true" +
           (network_.units.has_nominal ? ", nominal = " + text_of(nominal) : "") + ")";
  }

  [[nodiscard]] std::string wave(const Wave& wave, Real unit) const {
    const Real time = network_.units.time;
    const auto value = [&](Real v) { return text_of(scaled(v, unit)); };
    const std::string high = value(wave.mean + wave.amplitude);
    const std::string low = value(wave.mean - wave.amplitude);
    const std::string angle = text_of(scaled(wave.rate, 1 / time)) + "*time + " + text_of(wave.phase);
    switch (wave.kind) {
      case Wave::Kind::constant: return value(wave.mean);
      case Wave::Kind::sine:
        return (wave.mean == 0 ? "" : value(wave.mean) + " + ") + value(wave.amplitude) + "*sin(" + angle +
               ")";
      case Wave::Kind::square:
        return "(if mod(time + " + text_of(scaled(wave.phase, time)) + ", " +
               text_of(scaled(wave.period, time)) + ") < " + text_of(scaled(wave.duty * wave.period, time)) +
               " then " + high + " else " + low + ")";
      case Wave::Kind::square_by_sine:
        return "(if sin(" + angle + ") > 0 then " + high + " else " + low + ")";
    }
    return "";
  }

  void add_diode(std::size_t e, const std::string& x) {
    const Element& element = network_.elements[e];
    const std::string i = named_current(e, x);
    const bool is_ideal = element.ron == 0 && element.goff == 0;
    const std::string v = "v" + x;
    const std::string s = "s" + x;
    named_voltage(e, x);
    const std::string ron = text_of(scaled(element.ron, network_.units.impedance));
    const std::string goff = text_of(scaled(element.goff, 1 / network_.units.impedance));
    if (element.spelling == Spelling::minimum) {
      if (!is_ideal) {
        equations_.push_back(element.variant % 2 == 0
                                 ? i + " = max(" + v + "/" + ron + ", " + goff + "*" + v + ")"
                                 : v + " = min(" + ron + "*" + i + ", " + i + "/" + goff + ")");
      } else {
        equations_.push_back(element.variant % 2 == 0 ? "0 = min(" + i + ", -" + v + ")"
                                                      : "max(-" + i + ", " + v + ") = 0");
      }
      return;
    }
    declare(s);
    column(s, Column::What::curve, e);
    std::string off = s + " < 0";
    if (element.spelling == Spelling::boolean) {
      off = "off" + x;
      declare(off, "Boolean", element.is_thyristor ? "(start = true, fixed = true)" : "");
      column(off, Column::What::off, e);
      equations_.push_back(
          off + " = " + s + " < 0" +
          (element.is_thyristor ? " or pre(" + off + ") and not (" + control(e, x) + ")" : ""));
      add_counter(e, x, off);
    }
    if (is_ideal) {
      equations_.push_back(v + " = if " + off + " then " + s + " else 0");
      equations_.push_back(element.spelling == Spelling::difference
                               ? i + " = " + s + " - " + v
                               : i + " = if " + off + " then 0 else " + s);
    } else if (element.spelling == Spelling::difference) {
      equations_.push_back(v + " = if " + off + " then " + s + " else " + ron + "*" + s);
      equations_.push_back(i + " = if " + off + " then " + goff + "*" + s + " else " + s);
    } else {
      equations_.push_back(v + " = " + s + "*(if " + off + " then 1 else " + ron + ")");
      equations_.push_back(i + " = " + s + "*(if " + off + " then " + goff + " else 1)");
    }
  }

  void add_counter(std::size_t e, const std::string& x, const std::string& truth) {
    if (!network_.has_counters) {
      return;
    }
    declare("n" + x, "Integer", "(start = 0, fixed = true)");
    column("n" + x, Column::What::count, e);
    clauses_ += "  when change(" + truth + ") then n" + x + " = pre(n" + x + ") + 1; end when;\n";
  }

  void add_switch(std::size_t e, const std::string& x) {
    const Element& element = network_.elements[e];
    const std::string i = named_current(e, x);
    const std::string v = named_voltage(e, x);
    const std::string ron = text_of(scaled(element.ron, network_.units.impedance));
    const std::string goff = text_of(scaled(element.goff, 1 / network_.units.impedance));
    const std::string closed = control(e, x);
    if (element.ron == 0 && element.goff == 0) {
      equations_.push_back(element.variant % 2 == 0
                               ? "0 = if " + closed + " then " + v + " else " + i
                               : "if " + closed + " then " + v + " = 0; else " + i + " = 0; end if");
      return;
    }
    switch (element.variant % 3) {
      case 0:
        declare("s" + x);
        equations_.push_back(v + " = s" + x + "*(if " + closed + " then " + ron + " else 1)");
        equations_.push_back(i + " = s" + x + "*(if " + closed + " then 1 else " + goff + ")");
        return;
      case 1:
        equations_.push_back(v + " = " + i + "*(if " + closed + " then " + ron + " else 1/" + goff + ")");
        return;
      default:
        equations_.push_back("if " + closed + " then " + v + " = " + ron + "*" + i + "; else " + i + " = " +
                             goff + "*" + v + "; end if");
    }
  }

  /// The condition that closes a switch.
  std::string control(std::size_t e, const std::string& x) {
    const Control& control = network_.elements[e].control;
    const auto instant = [&](Real t) { return text_of(scaled(t, network_.units.time)); };
    std::string condition;
    std::string state;
    Real unit = 1;
    if (control.kind == Control::Kind::threshold || control.kind == Control::Kind::hysteresis) {
      const bool is_capacitor = network_.elements[control.state].kind == Element::Kind::capacitor;
      state = (is_capacitor ? "v" : "i") + network_.name_of(control.state);
      unit = network_.units.voltage / (is_capacitor ? 1 : network_.units.impedance);
    }
    switch (control.kind) {
      case Control::Kind::after: condition = "time > " + instant(control.on); break;
      case Control::Kind::window:
        condition = "time > " + instant(control.on) + " and time < " + instant(control.off);
        break;
      case Control::Kind::modulated:
        condition = "mod(time, " + instant(control.period) + ") < " + instant(control.duty * control.period);
        break;
      case Control::Kind::threshold: condition = state + " > " + text_of(scaled(control.on, unit)); break;
      case Control::Kind::latch:
        declare("on" + x, "Boolean", "(start = false, fixed = true)");
        clauses_ += "  when time > " + instant(control.on) + " then on" + x + " = true; end when;\n";
        return (control.is_inverted ? "not on" : "on") + x;
      case Control::Kind::hysteresis:
        declare("on" + x, "Boolean", "(start = true, fixed = true)");
        clauses_ += "  when " + state + " > " + text_of(scaled(control.off, unit)) + " then on" + x +
                    " = false; elsewhen " + state + " < " + text_of(scaled(control.on, unit)) + " then on" +
                    x + " = true; end when;\n";
        return (control.is_inverted ? "not on" : "on") + x;
    }
    condition = control.is_inverted ? "not (" + condition + ")" : condition;
    if (!control.has_boolean) {
      return condition;
    }
    declare("on" + x, "Boolean");
    equations_.push_back("on" + x + " = " + condition);
    return "on" + x;
  }

  void shuffle() {
    std::size_t state = network_.shuffle;
    for (std::size_t i = equations_.size(); network_.shuffle != 0 && i > 1; --i) {
      state = (state * 1103515245U + 12345U) % 2147483648U;
      std::swap(equations_[i - 1], equations_[(state / 65536U) % i]);
    }
  }

  const Network& network_;
  std::string parameters_;
  std::string declarations_;
  std::vector<std::string> equations_;
  std::string clauses_;
  std::vector<std::string> currents_;
  std::vector<Column> columns_;
};

}  // namespace

WrittenNetwork write(const Network& network) {
  return Writer(network).write();
}

}  // namespace saltus::test::circuits
