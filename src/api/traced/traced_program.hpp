/// A traced function with the names that it may use, and what is known of its paths.
///
/// Contract   leaves of its graph are numbered as the variables and parameters of the declarations alone. May be asked by several threads: the function
///            runs in one at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flat/model.hpp"
#include "program/guards/parameter_values.hpp"
#include "saltus/traced_model.hpp"
#include "trace/exploration.hpp"
#include "trace/recorder.hpp"

namespace saltus::api {

/// Where a run of the function stands: what State asks.
struct TracePoint {
  const TracedProgram* program = nullptr;
  trace::Recorder* recorder = nullptr;
  bool elsewhere = false;
};

class TracedProgram {
 public:
  /// `declarations`: the model without the equations of the function.
  TracedProgram(const flat::Model& declarations, TracedFunction function, std::size_t n_residuals);

  struct Leaf {
    expr::Node node;
    flat::Type type = flat::Type::real;
    double value = 0.0;
  };
  /// Throw where there is no such name.
  [[nodiscard]] const Leaf& variable(std::string_view name) const;
  [[nodiscard]] const Leaf& parameter(std::string_view name) const;
  [[nodiscard]] const std::vector<std::uint32_t>& continuous() const { return continuous_; }
  [[nodiscard]] const Leaf& variable(std::size_t number) const { return variables_[number]; }
  [[nodiscard]] std::vector<const Leaf*> elements(std::string_view name) const;
  [[nodiscard]] double start_time() const { return start_time_; }

  [[nodiscard]] std::string name_of(const expr::Node& leaf) const;
  [[nodiscard]] std::size_t n_residuals() const { return n_residuals_; }

  /// Both with the mutex held.
  [[nodiscard]] std::mutex& mutex() { return mutex_; }
  [[nodiscard]] trace::Exploration& exploration() { return exploration_; }

  std::size_t n_extensions = 0;  ///< with the mutex held

 private:
  [[nodiscard]] trace::Recording run(trace::TraceGraph& graph, const trace::Answers& answers,
                                     bool elsewhere) const;

  TracedFunction function_;
  std::size_t n_residuals_;
  double start_time_ = 0.0;
  std::vector<std::string> variable_names_;
  std::vector<std::string> parameter_names_;
  std::vector<Leaf> variables_;
  std::vector<Leaf> parameters_;
  std::unordered_map<std::string, std::uint32_t> variable_of_;
  std::unordered_map<std::string, std::uint32_t> parameter_of_;
  std::vector<std::uint32_t> continuous_;
  std::mutex mutex_;
  trace::Exploration exploration_;
};

}  // namespace saltus::api
