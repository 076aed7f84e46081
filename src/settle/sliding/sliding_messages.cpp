// What a decision is called in failures, warnings and explanations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "settle/sliding/sliding_control.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::settle {
namespace {

std::string rates_text(const slide::GuardDecision& guard) {
  if (std::isnan(guard.rate_plus) || std::isnan(guard.rate_minus)) {
    return fmt::format("{:.9g} on the side it takes, and the equations do not jump there",
                       guard.value > 0.0 ? guard.rate_plus : guard.rate_minus);
  }
  return fmt::format("{:.9g} with the guard on its positive side and {:.9g} on its negative side",
                     guard.rate_plus, guard.rate_minus);
}

}  // namespace

std::string SlidingControl::names_of(std::span<const slide::GuardDecision> guards) const {
  std::string names;
  for (const slide::GuardDecision& guard : guards) {
    names += (names.empty() ? "" : ", ") + state_.guard(guard.guard).text;
  }
  return names;
}

bool SlidingControl::fail_decision(const slide::Decision& decision) {
  const auto barred = std::find_if(decision.guards.begin(), decision.guards.end(),
                                   [](const slide::GuardDecision& guard) { return guard.is_barred; });
  if (decision.status == slide::Decision::Status::evaluation_failed) {
    return fail(state_.failure_of(*state_.at.mode().evaluator, decision.evaluation));
  }
  if (barred != decision.guards.end()) {
    return fail(
        {"no_sliding_solution",
         fmt::format("at t = {:.9g} neither side of {} agrees with the value that it leads to (in mode {}){}",
                     state_.at.time(), state_.guard(barred->guard).text, state_.at.mode().info->name,
                     state_.options().sliding == Sliding::off
                         ? "; sliding is switched off"
                         : "; it decides more than real values and cannot be blended")});
  }
  return fail({"no_sliding_solution",
               fmt::format("at t = {:.9g} no motion on or beside the surfaces {} exists (in mode {})",
                           state_.at.time(), names_of(decision.guards), state_.at.mode().info->name)});
}

void SlidingControl::warn_of(const slide::Decision& decision) {
  if ((!decision.is_ambiguous && !decision.is_repelling) || decision.guards.empty()) {
    return;
  }
  const Index first = decision.guards[0].guard;
  std::uint8_t& is_reported = is_reported_[static_cast<std::size_t>(first)];
  if (is_reported != 0) {
    return;
  }
  is_reported = 1;
  Diagnostic diagnostic;
  diagnostic.severity = Severity::warning;
  diagnostic.span = state_.guard(first).span;
  const std::string names = names_of(decision.guards);
  if (decision.is_repelling) {
    diagnostic.code = kRepellingSurface.name;
    diagnostic.message = fmt::format(
        "at t = {:.9g} the solution stands on {} = 0, which repels it to both sides: it is not unique",
        state_.at.time(), names);
  } else {
    diagnostic.code = kAmbiguousSliding.name;
    diagnostic.message = fmt::format(
        "at t = {:.9g} several motions on the surfaces {} are possible; the one nearest the sides before is "
        "taken",
        state_.at.time(), names);
  }
  state_.observer().warning(std::move(diagnostic));
}

std::string SlidingControl::explanation() const {
  std::string text = fmt::format("t = {:.17g}, mode {}\n", state_.at.time(), state_.at.mode().info->name);
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < state_.at.x().size(); ++i) {
    fmt::format_to(out, "  {} = {:.17g}\n", state_.at.mode().engine->names()[i], state_.at.x()[i]);
  }
  for (const slide::GuardDecision& guard : last_) {
    const char* const kind = guard.kind == slide::GuardDecision::Kind::slides ? "slides with weight"
                             : guard.kind == slide::GuardDecision::Kind::side ? "takes the side"
                                                                              : "stays zero, value";
    fmt::format_to(out, "  guard {}: derivative of order {} is {}; it was {:.9g} and {} {:.9g}{}\n",
                   state_.guard(guard.guard).text, guard.order, rates_text(guard), guard.before, kind,
                   guard.value, guard.is_barred ? " (it would slide, but may not)" : "");
  }
  for (const Factor& factor : state_.at.how()) {
    fmt::format_to(out, "  states {}{}{}\n", text_of(factor.kind), factor.guard >= 0 ? " " : "",
                   factor.guard >= 0 ? state_.guard(factor.guard).text : std::string());
  }
  return text;
}

}  // namespace saltus::settle
