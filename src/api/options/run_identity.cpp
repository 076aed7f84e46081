#include "api/options/run_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/byte_hash.hpp"

namespace saltus::api {
namespace {

// Many numbers, in short.
void add_numbers(ByteHash& hash, const std::vector<double>& numbers) {
  hash.add({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
}

template <class T>
void add_number(ByteHash& hash, T number) {
  hash.add({reinterpret_cast<const char*>(&number), sizeof number});
}

std::string hash_text(const ByteHash& hash) {
  return fmt::format("{:016x}", hash.value());
}

// What the text of a model, and the files that it reads, have become.
std::string equations_of(const flat::Model& model) {
  ByteHash hash;
  for (std::size_t i = 0; i < model.graph.size(); ++i) {
    const expr::Node& node = model.graph[NodeId(i)];
    add_number(hash, node.op);
    for (const std::uint32_t number : {node.first, node.second, node.third}) {
      add_number(hash, number);
    }
    add_number(hash, node.value);
  }
  for (const flat::Condition& condition : model.conditions) {
    for (const SharedNumbers& numbers : {condition.knots, condition.numbers}) {
      if (numbers != nullptr) {
        add_numbers(hash, *numbers);
      }
    }
  }
  return hash_text(hash);
}

std::string table_text(const InputTable& table) {
  ByteHash hash;
  add_numbers(hash, table.times);
  std::string names;
  for (const InputTable::Column& column : table.columns) {
    add_numbers(hash, column.values);
    names += " " + column.name;
  }
  return fmt::format("{} rows of{} ({})", table.times.size(), names, hash_text(hash));
}

std::string text_of(const hybrid::MethodChoice& choice) {
  return fmt::format("{}{} order {}/{} max-step {}", choice.method->name,
                     choice.stiff_method == nullptr ? "" : fmt::format(" or {}", choice.stiff_method->name),
                     choice.orders.fixed_order, choice.orders.max_order, choice.largest_step);
}

template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "not given";
}

std::string text_of(const GivenValue& value) {
  if (value.number() != nullptr) {
    return fmt::format("{}", *value.number());
  }
  if (value.truth() != nullptr) {
    return *value.truth() ? "true" : "false";
  }
  if (value.text() != nullptr) {
    return fmt::format("\"{}\"", *value.text());
  }
  std::string list;
  for (const GivenValue& element : *value.elements()) {
    list += (list.empty() ? "" : ",") + text_of(element);
  }
  return "{" + list + "}";
}

template <class Enum>
int number_of(Enum value) {
  return static_cast<int>(value);
}

std::string names_text(const std::vector<std::string>& names) {
  return names.empty() ? "not given" : fmt::format("{}", fmt::join(names, ","));
}

void add_model(RunIdentity& all, const Instance& instance) {
  all.emplace_back("the text of the model", instance.source == nullptr
                                                ? ""
                                                : fmt::format("{:016x}", hash_of(instance.source->text())));
  for (const ParameterValue& parameter : instance.parameters) {
    const auto* const number = std::get_if<double>(&parameter.value);
    all.emplace_back("the parameter " + parameter.name,
                     number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(parameter.value));
  }
  if (instance.flat != nullptr) {
    all.emplace_back("the name of the model", instance.flat->name);
    all.emplace_back("what the model reads from files", equations_of(*instance.flat));
  }
}

void add_inputs(RunIdentity& all, const InputSettings& inputs) {
  std::string tables;
  for (const InputTable& table : inputs.tables) {
    tables += (tables.empty() ? "" : ", ") + table_text(table);
  }
  all.emplace_back("--input", tables.empty() ? "not given" : tables);
  std::string rules = inputs.rule ? fmt::format("{}", number_of(*inputs.rule)) : "not given";
  for (const auto& [name, rule] : inputs.rule_of) {
    rules += fmt::format(", {}={}", name, number_of(rule));
  }
  all.emplace_back("--input-rule", rules);
  all.emplace_back("the tunable parameters", names_text(inputs.tunable));
  all.emplace_back("a simulation that is led", inputs.is_open ? "yes" : "no");
}

void add_steps(RunIdentity& all, const RunSettings& settings) {
  all.emplace_back("--start", fmt::format("{}", settings.start));
  all.emplace_back("--stop", fmt::format("{}", settings.stop));
  all.emplace_back("--interval", settings.rows_at_steps ? "steps" : fmt::format("{}", settings.interval));
  ByteHash times;
  add_numbers(times, settings.times);
  all.emplace_back("the times of rows", settings.times.empty() ? "not given" : hash_text(times));
  all.emplace_back("--columns", names_text(settings.columns));
  all.emplace_back("--tolerance", fmt::format("{}", settings.tolerance));
  all.emplace_back("--rtol", fmt::format("{}", settings.rtol));
  std::string atol = text_of(settings.atol);
  for (const NamedValue& item : settings.atol_of) {
    atol += fmt::format(", {}={}", item.name, item.value);
  }
  all.emplace_back("--atol", atol);
  all.emplace_back("--nonnegative", names_text(settings.nonnegative));
  all.emplace_back("--invariant", names_text(settings.invariants));
  std::string method = text_of(settings.choice);
  for (const ModeSettings& mode : settings.modes) {
    method += fmt::format(", {}={}", mode.mode, text_of(mode.choice));
  }
  all.emplace_back("--method", method);
  all.emplace_back("--step", fmt::format("{}", settings.fixed_step));
  all.emplace_back("--initial-step", fmt::format("{}", settings.initial_step));
  all.emplace_back("--step-control",
                   fmt::format("{} {}", number_of(settings.step_control), settings.events.step_exponent));
  all.emplace_back("--restart-step", fmt::format("{}", settings.restart_step));
  std::string index;
  for (const ExpectedIndex& item : settings.expect_index) {
    index += fmt::format("{}={},{},{},{},{} ", item.mode, item.index, item.d, item.a, item.u, item.v);
  }
  all.emplace_back("--expect-index", index.empty() ? "not given" : index);
  all.emplace_back("--start-rule", fmt::format("{}", number_of(settings.start_rule)));
  const structure::FormulationRequest& formulation = settings.formulation;
  all.emplace_back("--formulation",
                   fmt::format("{} {} {} {} {}", number_of(formulation.formulation.row),
                               number_of(formulation.formulation.result), number_of(formulation.rewriting),
                               number_of(formulation.law), number_of(formulation.formulation.control)));
  all.emplace_back("--constraint-rate", fmt::format("{} {}", formulation.formulation.rate,
                                                    fmt::join(formulation.constraint_rates, ",")));
  all.emplace_back("--boundary-layer", fmt::format("{}", formulation.boundary_layer));
  all.emplace_back("--reaching-rate", fmt::format("{}", fmt::join(formulation.reaching_rates, ",")));
}

void add_events(RunIdentity& all, const hybrid::Options& events) {
  all.emplace_back("--sliding", fmt::format("{}", number_of(events.sliding)));
  all.emplace_back("--sliding-rule", fmt::format("{}", number_of(events.sliding_rule)));
  all.emplace_back("--detection",
                   fmt::format("{} {}", number_of(events.detection.rule), events.detection.n_samples));
  all.emplace_back("--event-tolerance", fmt::format("{}", events.detection.event_tolerance));
  all.emplace_back("--concurrency", events.concurrency ? fmt::format("{},{}", events.concurrency->time,
                                                                     events.concurrency->amplitude)
                                                       : "not given");
  all.emplace_back("--shifted-location", text_of(events.shifted_location));
  all.emplace_back("--guard-error", text_of(events.guard_atol));
  all.emplace_back("--zeno", fmt::format("{}", number_of(events.zeno)));
  all.emplace_back("--restitution", fmt::format("{}", number_of(events.restitution)));
  all.emplace_back("--chattering", fmt::format("{}", number_of(events.chattering)));
  all.emplace_back("--chattering-time", text_of(events.chattering_time));
  all.emplace_back("--dwell", fmt::format("{}", events.dwell));
  all.emplace_back("--verify", fmt::format("{}", number_of(events.verify)));
  all.emplace_back("--singular", events.stops_at_singular_points ? "stop" : "pass");
  all.emplace_back("--explain-event", fmt::format("{}", events.explain_event));
}

}  // namespace

RunIdentity identity_of(const Instance& instance, const RunSettings& settings,
                        const SimulationOptions& hooks) {
  RunIdentity all;
  add_model(all, instance);
  std::string set;
  for (const SetValue& item : settings.set) {
    set += fmt::format("{}{}={}", set.empty() ? "" : ", ", item.name, text_of(item.value));
  }
  all.emplace_back("--set", set.empty() ? "not given" : set);
  add_inputs(all, settings.inputs);
  add_steps(all, settings);
  add_events(all, settings.events);
  all.emplace_back("what is kept in memory",
                   fmt::format("{}{}", hooks.keep_rows ? "rows " : "", hooks.keep_dense ? "steps" : ""));
  all.emplace_back("who takes the rows", hooks.sink == nullptr ? "nobody" : "a sink");
  return all;
}

std::vector<std::string> differences(const RunIdentity& now, const RunIdentity& then) {
  std::vector<std::string> found;
  for (const auto& [name, value] : now) {
    const auto same =
        std::find_if(then.begin(), then.end(), [&](const auto& item) { return item.first == name; });
    if (same == then.end()) {
      found.push_back(fmt::format("{} is {} here and was not there", name, value));
    } else if (same->second != value) {
      found.push_back(fmt::format("{} is {} here and was {}", name, value, same->second));
    }
  }
  for (const auto& [name, value] : then) {
    if (std::none_of(now.begin(), now.end(), [&](const auto& item) { return item.first == name; })) {
      found.push_back(fmt::format("{} is not there and was {}", name, value));
    }
  }
  return found;
}

}  // namespace saltus::api
