/// What the table of a sweep has of each run: final values of variables, and functionals.
///
/// Method       Names and patterns mean variables; everything else is read as a functional (api/gradient/functional_model.hpp), whose terms are
///              variables of a larger model, which is the one that is run. Values at events are taken from the rows of the run: the last
///              one before an instant, the last one at it.
/// Contract     Without functionals the model is run as it is. A functional has no value (NaN) where one of its terms has none; instants are counted
///              as for gradients: those that have events, all of one time as one.
/// Fails when   an item is neither a variable nor a functional
/// Checked by   tests/sweep/outputs_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/gradient/functional_model.hpp"
#include "saltus/result.hpp"
#include "saltus/result_files.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {

class SweepOutputs {
 public:
  /// `items`: SweepOptions::columns; `set`: what all runs have in common.
  [[nodiscard]] static Result<SweepOutputs> make(const Model& model, const std::vector<std::string>& items,
                                                 const std::vector<SetValue>& set);

  /// The one to run.
  [[nodiscard]] const Model& model() const { return model_; }
  /// Names of the columns.
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }
  /// Variables whose values at events are asked for; and the last instant.
  [[nodiscard]] const std::vector<std::string>& event_variables() const { return event_variables_; }
  [[nodiscard]] std::int64_t last_event() const { return last_event_; }

  /// An instant with events, as a run has it: event_variables() before and after.
  struct Instant {
    double time = 0.0;
    std::vector<double> before;
    std::vector<double> after;
  };
  /// Of a run that is ok(), with its first instants.
  void values(const SimulationResult& result, const std::vector<Instant>& instants,
              std::span<double> out) const;

 private:
  struct Output {
    std::size_t place = 0;  // of a variable, or of a functional
    bool is_functional = false;
    std::optional<std::size_t> term{};  // a functional that is nothing but this
  };

  explicit SweepOutputs(Model model) : model_(std::move(model)) {}
  void add_variable(std::size_t place);
  [[nodiscard]] Diagnostics add_functionals(const std::vector<std::string>& texts,
                                            const std::vector<std::size_t>& outputs,
                                            const std::vector<SetValue>& set);
  [[nodiscard]] std::vector<double> terms(const SimulationResult& result,
                                          const std::vector<Instant>& instants) const;
  [[nodiscard]] static double final_value(const SimulationResult& result, const std::string& name,
                                          std::size_t guess);

  Model model_;
  std::vector<std::string> labels_;
  std::vector<Output> outputs_;
  std::vector<std::string> names_;  // of variables that are run
  std::optional<FunctionalModel> functionals_;
  std::vector<std::size_t> places_;        // by term: of its variable
  std::vector<std::size_t> event_places_;  // by term: in event_variables_
  std::vector<std::string> event_variables_;
  std::int64_t last_event_ = 0;
};

/// Takes the values at events from the rows of a run, and hands what belongs to `files` on to them.
class InstantRows final : public OutputSink {
 public:
  /// Both outlive it; `files` may be null. Columns of the run are those of the files, then event_variables().
  InstantRows(const SweepOutputs& outputs, OutputSink* files) : outputs_(outputs), files_(files) {}

  [[nodiscard]] bool begin(std::span<const VariableInfo> columns) override;
  [[nodiscard]] bool rows(const OutputRows& rows) override;
  void event(const Event& event) override;

  [[nodiscard]] const std::vector<SweepOutputs::Instant>& instants() const { return instants_; }

 private:
  const SweepOutputs& outputs_;
  OutputSink* files_;
  std::vector<std::size_t> places_;  // of event_variables() among the columns
  std::vector<double> last_;         // row
  std::optional<double> last_time_;
  std::optional<double> instant_;  // the last one
  std::vector<SweepOutputs::Instant> instants_;
  std::int64_t n_instants_ = 0;
};

}  // namespace saltus::api
