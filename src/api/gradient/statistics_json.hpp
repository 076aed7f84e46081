/// What a run cost, as a member of a JSON object.
#pragma once

#include "base/json_writer.hpp"
#include "saltus/run_statistics.hpp"

namespace saltus::api {

inline void put_statistics(JsonWriter& json, const Statistics& statistics) {
  json.key("statistics");
  json.begin_object();
  json.member("method", std::string_view(statistics.method));
  json.member("accepted_steps", statistics.accepted_steps);
  json.member("rejected_steps", statistics.rejected_steps);
  json.member("residual_evaluations", statistics.residual_evaluations);
  json.member("events", statistics.events);
  json.member("wall_seconds", statistics.wall_seconds);
  json.end_object();
}

}  // namespace saltus::api
