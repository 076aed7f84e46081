#include "api/options/event_options.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/fill_option.hpp"
#include "api/model/number_option.hpp"
#include "api/options/option_words.hpp"

namespace saltus::api {
namespace {

constexpr Word<Sliding> kSliding[] = {
    {"on", Sliding::on}, {"off", Sliding::off}, {"hysteresis", Sliding::hysteresis}};
constexpr Word<SlidingRule> kSlidingRule[] = {{"blend", SlidingRule::blend}, {"convex", SlidingRule::convex}};
constexpr Word<Zeno> kZeno[] = {{"rest", Zeno::rest}, {"stop", Zeno::stop}, {"continue", Zeno::go_on}};
constexpr Word<Restitution> kRestitution[] = {{"newton", Restitution::newton},
                                              {"poisson", Restitution::poisson}};
constexpr Word<Chattering> kChattering[] = {
    {"report", Chattering::report}, {"stop", Chattering::stop}, {"off", Chattering::off}};
constexpr Word<Detection::Rule> kDetection[] = {
    {"bound", Detection::Rule::bound}, {"ends", Detection::Rule::ends}, {"stages", Detection::Rule::stages}};

// At least two: one would be `stages` in other words ([CMR16]).
constexpr std::int64_t kMinSamples = 2;
constexpr std::int64_t kMaxSamples = 10'000;

constexpr Word<Singular> kSingular[] = {{"stop", Singular::stop}, {"pass", Singular::pass}};
constexpr Word<Verify> kVerify[] = {{"some", Verify::some}, {"full", Verify::full}};
constexpr Word<StartRule> kStartRule[] = {{"least-change", StartRule::least_change},
                                          {"minimum-norm", StartRule::minimum_norm}};
constexpr Word<bool> kGuardError[] = {{"on", true}, {"off", false}};

constexpr std::array<std::string_view, 19> kNames{
    "event-tolerance", "max-immediate", "chattering-time", "sliding", "sliding-rule", "detection",
    "concurrency",     "zeno",          "chattering",      "dwell",   "max-events",   "max-rounds",
    "explain-event",   "guard-error",   "singular",        "verify",  "start-rule",   "shifted-location",
    "restitution"};

Diagnostics set_count(std::optional<std::int64_t>& field, std::string_view name, std::string_view value) {
  field = parse_count(value);
  return field ? Diagnostics{} : wrong_value(name, value, "a whole number");
}

Diagnostics set_detection(SimulationOptions& options, std::string_view value) {
  for (const Word<Detection::Rule>& word : kDetection) {
    if (word.text == value) {
      options.detection = Detection{word.value, 0};
      return {};
    }
  }
  const std::optional<std::int64_t> n = parse_count(value);
  if (!n || *n < kMinSamples || *n > kMaxSamples) {
    return wrong_value(
        "detection", value,
        fmt::format("bound, ends, stages or a whole number from {} to {}", kMinSamples, kMaxSamples));
  }
  options.detection = Detection{Detection::Rule::samples, static_cast<int>(*n)};
  return {};
}

Diagnostics set_concurrency(SimulationOptions& options, std::string_view value) {
  const std::size_t comma = value.find(',');
  const std::optional<double> time = parse_number(value.substr(0, comma));
  const std::optional<double> amplitude =
      comma == std::string_view::npos ? std::nullopt : parse_number(value.substr(comma + 1));
  if (!time || !amplitude) {
    return wrong_value("concurrency", value, "two numbers TIME,AMPLITUDE");
  }
  options.concurrency = Concurrency{*time, *amplitude};
  return {};
}

void require_count(Diagnostics& problems, std::string_view name, const std::optional<std::int64_t>& value) {
  if (value && *value < 1) {
    problems.error(kWrongOptionValue, fmt::format("--{} must be at least 1, not {}", name, *value));
  }
}

bool is_positive(double value) {
  return value > 0.0 && std::isfinite(value);
}

}  // namespace

std::span<const std::string_view> event_option_names() {
  return kNames;
}

std::optional<Diagnostics> set_event_option(SimulationOptions& options, std::string_view name,
                                            std::string_view value) {
  if (name == "sliding") {
    return set_word(options.sliding, kSliding, name, value);
  }
  if (name == "sliding-rule") {
    return set_word(options.sliding_rule, kSlidingRule, name, value);
  }
  if (name == "detection") {
    return set_detection(options, value);
  }
  if (name == "concurrency") {
    return set_concurrency(options, value);
  }
  if (name == "guard-error") {
    return set_word(options.guard_error, kGuardError, name, value);
  }
  if (name == "zeno") {
    return set_word(options.zeno, kZeno, name, value);
  }
  if (name == "restitution") {
    return set_word(options.restitution, kRestitution, name, value);
  }
  if (name == "chattering") {
    return set_word(options.chattering, kChattering, name, value);
  }
  if (name == "singular") {
    return set_word(options.singular, kSingular, name, value);
  }
  if (name == "start-rule") {
    return set_word(options.start_rule, kStartRule, name, value);
  }
  if (name == "verify") {
    return set_word(options.verify, kVerify, name, value);
  }
  if (name == "chattering-time") {
    options.chattering_time = parse_number(value);
    return options.chattering_time ? Diagnostics{} : wrong_value(name, value, "a number");
  }
  if (name == "shifted-location") {
    options.shifted_location = parse_number(value);
    return options.shifted_location ? Diagnostics{} : wrong_value(name, value, "a number");
  }
  if (name == "dwell") {
    options.dwell = parse_number(value);
    return options.dwell ? Diagnostics{} : wrong_value(name, value, "a number");
  }
  if (name == "max-events") {
    return set_count(options.max_events, name, value);
  }
  if (name == "max-immediate") {
    return set_count(options.max_immediate, name, value);
  }
  if (name == "event-tolerance") {
    options.event_tolerance = parse_number(value);
    return options.event_tolerance ? Diagnostics{} : wrong_value(name, value, "a number");
  }
  if (name == "max-rounds") {
    return set_count(options.max_rounds, name, value);
  }
  if (name == "explain-event") {
    return set_count(options.explain_event, name, value);
  }
  return std::nullopt;
}

void check_event_options(Diagnostics& problems, const SimulationOptions& options) {
  if (options.dwell && !(*options.dwell >= 0.0 && std::isfinite(*options.dwell))) {
    problems.error(kWrongOptionValue, fmt::format("--dwell must not be negative, as {} is", *options.dwell));
  }
  if (options.chattering_time && !is_positive(*options.chattering_time)) {
    problems.error(kWrongOptionValue, fmt::format("--chattering-time must be a positive number, not {}",
                                                  *options.chattering_time));
  }
  if (options.chattering == Chattering::off && options.chattering_time) {
    problems.warning(kOptionWithoutEffect, "--chattering-time has no effect with --chattering off");
  }
  if (options.concurrency &&
      !(is_positive(options.concurrency->time) && is_positive(options.concurrency->amplitude))) {
    problems.error(kWrongOptionValue,
                   fmt::format("--concurrency takes a positive time and a positive amplitude, not {},{}",
                               options.concurrency->time, options.concurrency->amplitude));
  }
  if (options.shifted_location && !is_positive(*options.shifted_location)) {
    problems.error(kWrongOptionValue, fmt::format("--shifted-location must be a positive number, not {}",
                                                  *options.shifted_location));
  }
  if (options.detection && options.detection->rule == Detection::Rule::samples &&
      options.detection->n_samples < kMinSamples) {
    problems.error(kWrongOptionValue, fmt::format("--detection takes at least {} samples, not {}",
                                                  kMinSamples, options.detection->n_samples));
  }
  require_count(problems, "max-events", options.max_events);
  require_count(problems, "max-rounds", options.max_rounds);
  require_count(problems, "max-immediate", options.max_immediate);
  if (options.event_tolerance && !is_positive(*options.event_tolerance)) {
    problems.error(kWrongOptionValue, fmt::format("--event-tolerance must be a positive number, not {}",
                                                  *options.event_tolerance));
  }
  require_count(problems, "explain-event", options.explain_event);
  if (options.guard_error.value_or(false) && options.step) {
    problems.warning(kOptionWithoutEffect, "--guard-error has no effect with a fixed --step");
  }
  if (options.sliding == Sliding::off && options.sliding_rule) {
    problems.warning(kOptionWithoutEffect, "--sliding-rule has no effect with --sliding off");
  }
}

void fill_event_options(SimulationOptions& options, const SimulationOptions& annotated) {
  fill(options.sliding, annotated.sliding);
  fill(options.sliding_rule, annotated.sliding_rule);
  fill(options.detection, annotated.detection);
  fill(options.concurrency, annotated.concurrency);
  fill(options.guard_error, annotated.guard_error);
  fill(options.zeno, annotated.zeno);
  fill(options.restitution, annotated.restitution);
  fill(options.chattering, annotated.chattering);
  fill(options.chattering_time, annotated.chattering_time);
  fill(options.singular, annotated.singular);
  fill(options.verify, annotated.verify);
  fill(options.start_rule, annotated.start_rule);
  fill(options.dwell, annotated.dwell);
  fill(options.shifted_location, annotated.shifted_location);
  fill(options.max_events, annotated.max_events);
  fill(options.max_rounds, annotated.max_rounds);
  fill(options.max_immediate, annotated.max_immediate);
  fill(options.event_tolerance, annotated.event_tolerance);
  fill(options.explain_event, annotated.explain_event);
}

void translate_event_options(const SimulationOptions& options, hybrid::Options& translated) {
  switch (options.sliding.value_or(Sliding::on)) {
    case Sliding::on: translated.sliding = hybrid::Sliding::on; break;
    case Sliding::off: translated.sliding = hybrid::Sliding::off; break;
    case Sliding::hysteresis: translated.sliding = hybrid::Sliding::hysteresis; break;
  }
  switch (options.sliding_rule.value_or(SlidingRule::automatic)) {
    case SlidingRule::automatic: translated.sliding_rule = hybrid::SlidingRule::automatic; break;
    case SlidingRule::blend: translated.sliding_rule = hybrid::SlidingRule::blend; break;
    case SlidingRule::convex: translated.sliding_rule = hybrid::SlidingRule::convex; break;
  }
  switch (options.zeno.value_or(Zeno::rest)) {
    case Zeno::stop: translated.zeno = hybrid::Zeno::stop; break;
    case Zeno::rest: translated.zeno = hybrid::Zeno::rest; break;
    case Zeno::go_on: translated.zeno = hybrid::Zeno::keep_on; break;
  }
  translated.restitution = options.restitution.value_or(Restitution::newton) == Restitution::poisson
                               ? hybrid::RestitutionLaw::poisson
                               : hybrid::RestitutionLaw::newton;
  switch (options.chattering.value_or(Chattering::report)) {
    case Chattering::report: translated.chattering = hybrid::Chattering::report; break;
    case Chattering::stop: translated.chattering = hybrid::Chattering::stop; break;
    case Chattering::off: translated.chattering = hybrid::Chattering::off; break;
  }
  translated.stops_at_singular_points = options.singular.value_or(Singular::stop) == Singular::stop;
  translated.verify = options.verify.value_or(Verify::some) == Verify::full ? hybrid::Verify::full
                                                                            : hybrid::Verify::some_steps;
  translated.chattering_time = options.chattering_time;
  const Detection detection = options.detection.value_or(Detection{});
  switch (detection.rule) {
    case Detection::Rule::bound: translated.detection.rule = locate::Detection::Rule::bound; break;
    case Detection::Rule::ends: translated.detection.rule = locate::Detection::Rule::ends; break;
    case Detection::Rule::stages: translated.detection.rule = locate::Detection::Rule::stages; break;
    case Detection::Rule::samples: translated.detection.rule = locate::Detection::Rule::samples; break;
  }
  translated.detection.n_samples = detection.n_samples;
  if (options.concurrency) {
    translated.concurrency = hybrid::Concurrency{options.concurrency->time, options.concurrency->amplitude};
  }
  translated.shifted_location = options.shifted_location;
  translated.dwell = options.dwell.value_or(0.0);
  translated.max_events = options.max_events.value_or(translated.max_events);
  translated.max_rounds = options.max_rounds.value_or(translated.max_rounds);
  translated.max_immediate = options.max_immediate.value_or(translated.max_immediate);
  translated.detection.event_tolerance = options.event_tolerance.value_or(0.0);
  translated.explain_event = options.explain_event.value_or(0);
}

}  // namespace saltus::api
