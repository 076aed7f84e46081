#include <string_view>

#include "api/json_texts.hpp"
#include "base/json_writer.hpp"
#include "saltus/analysis.hpp"

namespace saltus {
namespace {

void put(JsonWriter& json, std::string_view name, const std::optional<int>& value) {
  json.key(name);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

}  // namespace

std::string render_json(const Analysis& analysis) {
  JsonWriter json;
  json.begin_object();
  json.member("time", analysis.time);
  json.key("modes");
  json.begin_array();
  for (const ModeAnalysis& mode : analysis.modes) {
    json.begin_object();
    json.member("name", std::string_view(mode.name));
    json.member("equations", static_cast<std::int64_t>(mode.equations));
    json.member("unknowns", static_cast<std::int64_t>(mode.unknowns));
    put(json, "index", mode.index);
    put(json, "differentiation_index", mode.differentiation_index);
    json.member("d", mode.d);
    json.member("d2", mode.d2);
    json.member("d1", mode.d1);
    json.member("a", mode.a);
    json.member("u", mode.u);
    json.member("v", mode.v);
    json.member("linear", mode.is_linear);
    api::put_texts(json, "states", mode.states);
    api::put_texts(json, "hidden_constraints", mode.hidden_constraints);
    api::put_texts(json, "undetermined", mode.undetermined);
    put(json, "structural_index", mode.structural_index);
    json.member("dof", mode.degrees_of_freedom);
    json.member("reduction", std::string_view(mode.by_structure ? "structural" : "ranks"));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace saltus
