#include "support/oracle/circuits/controls.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace saltus::test::circuits {
namespace {

/// Of controls by time.
bool is_due(const Control& control, Real t) {
  switch (control.kind) {
    case Control::Kind::after:
    case Control::Kind::latch: return t > control.on;
    case Control::Kind::window: return t > control.on && t < control.off;
    case Control::Kind::modulated: return std::fmod(t, control.period) < control.duty * control.period;
    case Control::Kind::threshold:
    case Control::Kind::hysteresis: break;
  }
  return false;
}

}  // namespace

Controls::Controls(const Network& network, const Signals& signals, const Vector& w)
    : network_(network), contacts_(network.of_kind(Element::Kind::open_close)) {
  add_watches(w, signals);
  schedule();
  at(0);
}

void Controls::add_watches(const Vector& w, const Signals& signals) {
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Control& control = network_.elements[contacts_[k]].control;
    const auto watch = [&](Real level) {
      const Eigen::Index state = signals.state[control.state];
      watches_.push_back({.contact = k, .state = state, .level = level, .is_above = w(state) > level});
    };
    if (control.kind == Control::Kind::threshold) {
      watch(control.on);
    } else if (control.kind == Control::Kind::hysteresis) {
      watch(control.off);
      watches_.back().opens = true;
      watch(control.on);
      watches_.back().closes = true;
      closed_ |= control.is_inverted ? 0U : 1U << k;
    }
  }
}

void Controls::schedule() {
  const auto every = [&](Real first, Real period) {
    for (std::size_t k = 0; first + static_cast<Real>(k) * period < network_.stop; ++k) {
      if (const Real t = first + static_cast<Real>(k) * period; t > 0) {
        due_.push_back(t);
      }
    }
  };
  for (const Element& element : network_.elements) {
    const Wave& wave = element.wave;
    if (wave.kind == Wave::Kind::square) {
      every(-wave.phase, wave.period);
      every(wave.duty * wave.period - wave.phase, wave.period);
    } else if (wave.kind == Wave::Kind::square_by_sine) {
      every(-wave.phase / wave.rate, std::numbers::pi / wave.rate);
    }
    if (element.kind != Element::Kind::open_close && !element.is_thyristor) {
      continue;
    }
    const Control& control = element.control;
    switch (control.kind) {
      case Control::Kind::after:
      case Control::Kind::latch: every(control.on, network_.stop); break;
      case Control::Kind::window:
        every(control.on, network_.stop);
        every(control.off, network_.stop);
        break;
      case Control::Kind::modulated:
        every(0, control.period);
        every(control.duty * control.period, control.period);
        break;
      case Control::Kind::threshold:
      case Control::Kind::hysteresis: break;
    }
  }
  std::sort(due_.begin(), due_.end());
}

Real Controls::distance(std::size_t watch, const Vector& w, bool is_rate) const {
  const Watch& it = watches_[watch];
  const Real difference = w(it.state) - (is_rate ? 0 : it.level);
  return it.is_above ? difference : -difference;
}

void Controls::set_closed(std::size_t contact, bool is_closed) {
  closed_ = is_closed ? closed_ | (1U << contact) : closed_ & ~(1U << contact);
}

void Controls::cross(std::size_t watch) {
  Watch& it = watches_[watch];
  it.is_above = !it.is_above;
  const bool is_inverted = network_.elements[contacts_[it.contact]].control.is_inverted;
  if (it.opens && it.is_above) {
    set_closed(it.contact, is_inverted);
  } else if (it.closes && !it.is_above) {
    set_closed(it.contact, !is_inverted);
  }
}

void Controls::at(Real t) {
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Control& control = network_.elements[contacts_[k]].control;
    bool is_closed = is_due(control, t + kAfter);
    for (const Watch& watch : watches_) {
      is_closed = watch.contact == k ? watch.is_above : is_closed;
    }
    if (control.kind != Control::Kind::hysteresis) {
      set_closed(k, is_closed != control.is_inverted);
    }
  }
  fired_ = 0;
  thyristors_ = 0;
  std::uint64_t bit = 1;
  for (const std::size_t diode : network_.of_kind(Element::Kind::diode)) {
    const Element& element = network_.elements[diode];
    thyristors_ |= element.is_thyristor ? bit : 0U;
    fired_ |=
        element.is_thyristor && is_due(element.control, t + kAfter) != element.control.is_inverted ? bit : 0U;
    bit <<= 1U;
  }
}

}  // namespace saltus::test::circuits
