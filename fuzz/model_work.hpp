/// What the fuzz targets do with a model text, and the test that replays their corpus without a fuzzer: everything ends soon, with a
/// value; an exception or a signal is a bug.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "saltus/analysis.hpp"
#include "saltus/simulate.hpp"

namespace saltus::fuzz {

// A text that takes longer than this is cut by the library itself; the fuzzer's own limit is far above it.
inline constexpr double kMostSeconds = 2.0;

inline constexpr std::array<const char*, 5> kMethods = {"auto", "radau5", "bdf", "sdirk4", "dopri5"};

/// The first line of a corpus file may begin with "//saltus": then the text is in the dialect with modes.
inline std::string name_for(std::string_view text) {
  return text.substr(0, 8) == "//saltus" ? "fuzz.saltus" : "fuzz.mo";
}

inline void show(const Diagnostics& diagnostics) {
  static_cast<void>(render_text(diagnostics));
  static_cast<void>(render_json(diagnostics));
}

/// Elaboration, structure, characteristic values.
inline void analyse_text(const std::string& text) {
  const Result<Model> model = Model::from_text(name_for(text), text, {nullptr, kMostSeconds});
  if (!model) {
    show(model.error());
    return;
  }
  show(model->check({nullptr, kMostSeconds}));
  const Result<Analysis> analysis = analyze(*model, {.at = {}, .set = {}, .limits = {nullptr, kMostSeconds}});
  show(analysis ? analysis->warnings : analysis.error());
}

/// A short run with each limit at work.
inline void run_text(const std::string& text, const char* method) {
  const Result<Model> model = Model::from_text(name_for(text), text, {nullptr, kMostSeconds});
  if (!model) {
    show(model.error());
    return;
  }
  SimulationOptions options;
  options.method = method;
  options.start = 0.0;
  options.stop = 1.0;
  options.interval = 0.1;
  options.max_steps = 300;
  options.max_events = 50;
  options.max_rounds = 20;
  options.max_time = kMostSeconds;
  const Result<SimulationResult> result = simulate(*model, options);
  show(result ? result->diagnostics : result.error());
}

}  // namespace saltus::fuzz
