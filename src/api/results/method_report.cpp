#include "api/results/method_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace saltus::api {
namespace {

std::string text_of(const hybrid::MethodChange& change) {
  return fmt::format("{} until t = {:.6g}, then {}: {}", change.from, change.t, change.to,
                     change.reason == hybrid::MethodChange::Reason::stiff
                         ? fmt::format("stiff, h*|lambda| = {:.2g}", change.h_lambda)
                         : "its steps became too small");
}

// The methods of one mode: as chosen, and what it went on with.
MethodOfMode methods_of(const RunSettings& settings, const hybrid::MethodUse& use, const std::string& name,
                        const std::vector<hybrid::MethodChange>& changes) {
  const ModeSettings* const own = settings.of_mode(name);
  const hybrid::MethodChoice& choice = own != nullptr ? own->choice : settings.choice;
  MethodOfMode item{name, std::string(choice.method->name),
                    own != nullptr ? own->reason : settings.method_reason, use.accepted_steps};
  bool is_first = true;
  for (const hybrid::MethodChange& change : changes) {
    if (change.mode == use.mode) {
      item.method = fmt::format("{}, then {}", change.from, change.to);
      item.reason = (is_first ? "chosen: " : item.reason + "; with other states ") + text_of(change);
      is_first = false;
    }
  }
  return item;
}

}  // namespace

void report_methods(const RunSettings& settings, std::span<const system::ModeInfo> modes,
                    const hybrid::RunOutcome& outcome, Statistics& statistics) {
  for (const hybrid::MethodUse& use : outcome.method_uses) {
    statistics.methods.push_back(
        methods_of(settings, use, modes[use.mode.index()].name, outcome.method_changes));
  }
  if (statistics.methods.empty()) {
    return;  // the run did not get that far: as chosen
  }
  std::vector<std::string> names;
  bool is_one = true;
  for (const MethodOfMode& mode : statistics.methods) {
    if (std::find(names.begin(), names.end(), mode.method) == names.end()) {
      names.push_back(mode.method);
    }
    is_one = is_one && mode.method == statistics.methods.front().method &&
             mode.reason == statistics.methods.front().reason;
  }
  statistics.method.clear();
  for (const std::string& name : names) {
    statistics.method += (statistics.method.empty() ? "" : "; ") + name;
  }
  statistics.method_reason = is_one ? statistics.methods.front().reason : "by mode";
  for (const MethodOfMode& mode : statistics.methods) {
    if (!is_one) {
      statistics.method_reason +=
          fmt::format("{} {} {} ({})", &mode == &statistics.methods.front() ? ":" : ";", mode.mode,
                      mode.method, mode.reason);
    }
  }
}

}  // namespace saltus::api
