#include "api/sweep/sweep_identity.hpp"

#include <fmt/format.h>

#include "api/model/model_data.hpp"
#include "base/byte_hash.hpp"

namespace saltus::api {
namespace {

std::string in_short(const std::vector<double>& numbers) {
  return fmt::format(
      "{:016x}", hash_of({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)}));
}

std::string in_words(const Variation& variation) {
  switch (variation.kind) {
    case Variation::Kind::values:
      return fmt::format("{}: {} values from {} to {} ({})", variation.name, variation.values.size(),
                         variation.values.empty() ? 0.0 : variation.values.front(),
                         variation.values.empty() ? 0.0 : variation.values.back(),
                         in_short(variation.values));
    case Variation::Kind::uniform:
      return fmt::format("{}={}..{}", variation.name, variation.low, variation.high);
    case Variation::Kind::logarithmic:
      return fmt::format("{}=log({}..{})", variation.name, variation.low, variation.high);
    case Variation::Kind::normal:
      return fmt::format("{}=normal({},{})", variation.name, variation.low, variation.high);
  }
  return "";
}

void add_values(RunIdentity& all, const SweepOptions& options) {
  std::string vary;
  for (const Variation& variation : options.vary) {
    vary += (vary.empty() ? "" : ", ") + in_words(variation);
  }
  all.emplace_back("--vary", vary.empty() ? "not given" : vary);
  all.emplace_back("--samples", options.samples
                                    ? fmt::format("{} numbers of {} ({})", options.samples->values.size(),
                                                  fmt::join(options.samples->names, ","),
                                                  in_short(options.samples->values))
                                    : "not given");
  all.emplace_back("--random",
                   options.n_random ? fmt::format("{},{}", *options.n_random, options.seed) : "not given");
}

}  // namespace

RunIdentity sweep_identity(const Model& model, const SweepOptions& options, const RunSettings& settings) {
  const ModelData& data = model.data();
  Instance instance;
  instance.flat = data.flat;
  instance.source = data.flat->source;
  for (const ParameterInfo& parameter : data.parameters) {
    if (parameter.value) {
      instance.parameters.push_back({parameter.name, *parameter.value});
    } else {
      instance.parameters.push_back({parameter.name, parameter.text});
    }
  }
  RunIdentity all = identity_of(instance, settings, {});
  add_values(all, options);
  // Of single runs it has none; this is what the table has.
  std::erase_if(all, [](const auto& item) { return item.first == "--columns"; });
  all.emplace_back("--columns", options.columns.empty() ? "not given"
                                                        : fmt::format("{}", fmt::join(options.columns, ",")));
  all.emplace_back("--trajectories", options.trajectories.empty()
                                         ? "not given"
                                         : fmt::format("{}", fmt::join(options.trajectories, ",")));
  const std::vector<std::string>& sensitivities = options.simulation.sensitivities;
  all.emplace_back("--sens",
                   sensitivities.empty() ? "not given" : fmt::format("{}", fmt::join(sensitivities, ",")));
  const SensitivitySide side = options.simulation.sensitivity_side.value_or(SensitivitySide::both);
  all.emplace_back("--sens-side", side == SensitivitySide::both   ? "both"
                                  : side == SensitivitySide::plus ? "plus"
                                                                  : "minus");
  all.emplace_back("--max-steps", fmt::format("{}", settings.max_steps));
  all.emplace_back("--max-events", fmt::format("{}", settings.events.max_events));
  all.emplace_back("--max-rounds", fmt::format("{}", settings.events.max_rounds));
  all.emplace_back("--max-immediate", fmt::format("{}", settings.events.max_immediate));
  return all;
}

}  // namespace saltus::api
