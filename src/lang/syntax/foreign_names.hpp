/// Names of Modelica that stand for whole parts of it which the language does not have: they are refused as such, not as unknown.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace saltus::lang {

/// What a function or type of Modelica belongs to, for "… are not supported yet"; empty: it is none of these. A class of the text with
/// this name goes before it.
[[nodiscard]] constexpr std::string_view foreign_part(std::string_view name) {
  using NamedPart = std::pair<std::string_view, std::string_view>;
  constexpr std::string_view kClocked = "clocked equations";
  constexpr std::string_view kMachines = "state machines";
  constexpr std::string_view kStreams = "stream connectors";
  if (name.rfind("Connections.", 0) == 0 || name.rfind(".Connections.", 0) == 0) {
    return "overconstrained connections";
  }
  constexpr std::array kParts = {
      NamedPart{"Clock", kClocked},        NamedPart{"previous", kClocked},
      NamedPart{"hold", kClocked},         NamedPart{"subSample", kClocked},
      NamedPart{"superSample", kClocked},  NamedPart{"shiftSample", kClocked},
      NamedPart{"backSample", kClocked},   NamedPart{"noClock", kClocked},
      NamedPart{"firstTick", kClocked},    NamedPart{"interval", kClocked},
      NamedPart{"transition", kMachines},  NamedPart{"initialState", kMachines},
      NamedPart{"activeState", kMachines}, NamedPart{"ticksInState", kMachines},
      NamedPart{"timeInState", kMachines}, NamedPart{"inStream", kStreams},
      NamedPart{"actualStream", kStreams},
  };
  const auto* const found =
      std::find_if(kParts.begin(), kParts.end(), [&](const NamedPart& part) { return part.first == name; });
  return found == kParts.end() ? std::string_view() : found->second;
}

}  // namespace saltus::lang
