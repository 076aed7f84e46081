/// What the table of a sweep has of each run: final values of variables, and functionals.
///
/// Method       Names and patterns mean variables; everything else is read as a functional (api/gradient/functional_model.hpp), whose terms are
///              variables of a larger model, which is the one that is run. Values at events are taken from the rows of the run: the last
///              one before an instant, the last one at it.
/// Contract     Without functionals the model is run as it is. A functional has no value (NaN) where one of its terms has none; instants are counted
///              as for gradients: those that have events, all of one time as one.
///              Sensitivities are those of a run at its end (saltus/sensitivity.hpp); of functionals by the chain rule, empty at a kink.
///              Names of columns are different from each other, from what is varied and from kColumnsOfRuns: a variable whose name is taken has its
///              final value under "final(NAME)".
/// Fails when   an item is neither a variable nor a functional, or two columns were given one name
/// Checked by   tests/sweep/outputs_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/gradient/counted_instants.hpp"
#include "api/gradient/functional_model.hpp"
#include "api/options/run_settings.hpp"
#include "saltus/result.hpp"
#include "saltus/result_files.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {

/// What the table has of each run besides its number, what it was given and what was asked for.
inline constexpr const char* kColumnsOfRuns[] = {"status", "reason", "end", "events", "warnings", "message"};
/// These, the number, and whether a run is ok().
[[nodiscard]] bool is_column_of_runs(std::string_view name);

class SweepOutputs {
 public:
  /// `items`: SweepOptions::columns; `varied`: names that have columns too; `set`: what all runs have in common.
  [[nodiscard]] static Result<SweepOutputs> make(const Model& model, const std::vector<std::string>& items,
                                                 const std::vector<std::string>& varied,
                                                 const std::vector<SetValue>& set);

  /// The one to run.
  [[nodiscard]] const Model& model() const { return model_; }
  /// False: it is the model as it was given.
  [[nodiscard]] bool has_functionals() const { return functionals_.has_value(); }
  /// Whether each variable of a run that the items mean has a column. Where structural parameters are varied runs may have more of them.
  [[nodiscard]] bool has_columns_for(const SimulationResult& result) const;
  /// Names of the columns.
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }
  /// Columns d(OUTPUT)/d(KEY) behind all others, of every Real variable and functional; `keys`: those of Sensitivities::parameters.
  [[nodiscard]] Diagnostics add_sensitivities(std::vector<std::string> keys, const RunSettings& settings);
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
  void add_variable(std::size_t place, const std::vector<std::string>& varied, Diagnostics& problems);
  /// Whether no column has the name; else it is told.
  [[nodiscard]] bool is_free(const std::string& label, Diagnostics& problems) const;
  [[nodiscard]] Diagnostics add_functionals(const std::vector<std::string>& texts,
                                            const std::vector<std::size_t>& outputs,
                                            const std::vector<SetValue>& set);
  [[nodiscard]] std::vector<double> terms(const SimulationResult& result,
                                          const std::vector<Instant>& instants) const;
  /// Where structural parameters are varied the places of variables differ from run to run; none: the run does not have it.
  [[nodiscard]] static std::optional<std::size_t> place_in(const SimulationResult& result,
                                                           const std::string& name, std::size_t guess);
  [[nodiscard]] static double final_value(const SimulationResult& result, const std::string& name,
                                          std::size_t guess);
  void sensitivities(const SimulationResult& result, const std::vector<double>& terms_found,
                     std::span<double> out) const;
  [[nodiscard]] CountedInstants count_instants(const SimulationResult& result,
                                               const sensitivity::Setup& columns) const;
  [[nodiscard]] double term_sensitivity(const SimulationResult& result, const CountedInstants& instants,
                                        std::size_t term, std::size_t parameter) const;

  Model model_;
  std::vector<std::string> items_;  // that mean variables
  std::vector<std::string> labels_;
  std::vector<Output> outputs_;
  std::vector<std::size_t> moving_;  // outputs that have sensitivities
  std::vector<std::string> keys_;    // to which
  double rtol_ = 0.0;                // of the runs
  double atol_ = 0.0;
  sensitivity::Side side_ = sensitivity::Side::none;
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
