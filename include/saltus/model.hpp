// A model: read from text once, immutable, shared by all runs and threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/result.hpp"
#include "saltus/work_limits.hpp"

namespace saltus {

enum class ValueType { real, integer, boolean, string };

struct ParameterInfo {
  std::string name;
  ValueType type = ValueType::real;
  /// The default; none where the model gives none (it must be set) and for strings. Booleans are 0 and 1.
  std::optional<double> value;
  std::string text;  ///< the value of a String parameter
  std::string unit;
  std::string description;
  bool is_settable = true;      ///< false for `constant` and `final`
  bool is_structural = false;   ///< array sizes or loops depend on it: setting it elaborates the model anew
  std::optional<double> min{};  ///< with the default parameters
  std::optional<double> max{};
  std::string display_unit{};             ///< the attribute displayUnit
  std::string declared_type{};            ///< the name of its type; of a type of the language: empty
  std::vector<std::size_t> dimensions{};  ///< of the array that it is an element of; empty: of none
};

/// Whether a variable is given from outside, asked for from outside, or neither.
enum class Causality { local, input, output };

struct VariableInfo {
  std::string name;  ///< array elements as "x[1]"
  ValueType type = ValueType::real;
  Causality causality = Causality::local;
  bool is_discrete = false;
  bool is_fixed = false;        ///< the start value is held exactly
  std::optional<double> start;  ///< with the default parameters
  double nominal = 1.0;
  std::optional<double> min;  ///< with the default parameters, as `start`
  std::optional<double> max;
  std::string unit;
  std::string description;
  std::string derivative_of{};            ///< x, where an equation of the model says der(x) = this variable
  std::vector<std::size_t> dimensions{};  ///< of the array that it is an element of; empty: of none
  std::string display_unit{};             ///< the attribute displayUnit; values are in `unit`
  /// The name of its type (`Voltage`; of a class made of others the full one); of a type of the language: empty.
  std::string declared_type{};
};

/// annotation(experiment(…)) and annotation(__saltus(…)) of the model.
struct ExperimentInfo {
  std::optional<double> start;
  std::optional<double> stop;
  std::optional<double> tolerance;
  std::optional<double> interval;
  struct Option {
    std::string name;  ///< a long option of the command line, without dashes
    std::string value;
    SourceSpan span;
    std::string mode{};  ///< of whose section it stands in; empty: it is for the whole run
  };
  std::vector<Option> options;
};

namespace api {
struct ModelData;
}

/// Copies are cheap and share everything. All functions may be called from several threads.
class Model {
 public:
  /// Reads a .mo or .saltus file. The error holds every problem of the text, with places; or the limit that ended the reading.
  /// `model`: which of several models of the file; empty: the last one, with a warning that says so. Tables that the model names are read
  /// from its own folder, from folders below it and from `data_folders`, links resolved.
  [[nodiscard]] static Result<Model> load(const std::string& path, const WorkLimits& limits = {},
                                          const std::string& model = {},
                                          const std::vector<std::string>& data_folders = {});
  /// The same for a text; `name` stands in messages and decides the dialect by its ending (.mo if it has
  /// none). A text has no folder, so that it can name no tables.
  [[nodiscard]] static Result<Model> from_text(std::string name, std::string text,
                                               const WorkLimits& limits = {}, const std::string& model = {});

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& description() const;
  [[nodiscard]] const std::vector<ParameterInfo>& parameters() const;
  /// In the order of all values: rows of output, final values, Trajectory::at.
  [[nodiscard]] const std::vector<VariableInfo>& variables() const;
  [[nodiscard]] const ExperimentInfo& experiment() const;
  /// That hold in every mode, and those of the mode that has the most.
  [[nodiscard]] std::size_t n_equations() const;
  /// What the compiler noticed but accepted.
  [[nodiscard]] const Diagnostics& warnings() const;

  /// Whether the equations can be solved as they stand: structure, blocks, parts that cannot be run yet.
  /// Empty if so.
  [[nodiscard]] Diagnostics check(const WorkLimits& limits = {}) const;

  explicit Model(std::shared_ptr<const api::ModelData> data) : data_(std::move(data)) {}
  /// For the inside of the library.
  [[nodiscard]] const api::ModelData& data() const { return *data_; }

 private:
  std::shared_ptr<const api::ModelData> data_;
};

}  // namespace saltus
