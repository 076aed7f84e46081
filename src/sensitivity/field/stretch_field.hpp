/// The equations of a stretch with their tangents: what S moves along, and where instants are differentiated.
///
/// Contract   evaluators of its own: the run does not notice. Plain fields are made once for each structure and take the configuration of
///            each stretch; fields held on surfaces are made for one stretch.
/// Choices    the evaluator's own tangents, which are exact, where it offers them; else differences (difference_tangents.hpp).
/// Fails when no evaluator can be made: failure() says why. Columns whose twins have another structure are failed().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hybrid/run.hpp"
#include "saltus/result.hpp"
#include "sensitivity/field/difference_tangents.hpp"
#include "sensitivity/field/setup.hpp"
#include "sensitivity/field/twin_parts.hpp"

namespace saltus::sensitivity {

/// What all fields of a run have in common.
struct FieldSource {
  const system::HybridSystem& system;
  const hybrid::Options& options;
  std::span<const double> guess;
  const Setup& setup;
  std::vector<double> fixed_time;  ///< zeros: how time moves where it does not

  [[nodiscard]] std::size_t n_columns() const { return setup.columns.size(); }
};

/// A stretch as it was told.
struct StretchFacts {
  system::StructureId structure;
  system::Configuration configuration;
  std::vector<Index> surfaces;
  double level = 0.0;
  std::int64_t segment = 0;
  std::string mode;
};

class StretchField {
 public:
  StretchField(const FieldSource& source, StretchFacts facts);
  StretchField(const StretchField&) = delete;
  StretchField& operator=(const StretchField&) = delete;

  /// Why there is none; empty: there is.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  /// Columns of which this field knows nothing, because beside their values the equations have another structure. By column, or empty; more are found
  /// as twins are asked for.
  [[nodiscard]] const std::vector<bool>& failed() const { return failed_; }
  /// For another stretch of the same structure, without surfaces.
  void take(StretchFacts facts);

  /// Of the evaluator and of exact tangents, for a look at other sides: whoever looks sets that of facts() again.
  void set_configuration(const system::Configuration& configuration);

  [[nodiscard]] const StretchFacts& facts() const { return facts_; }
  [[nodiscard]] const system::LockedDae& locked() const { return *locked_; }
  [[nodiscard]] system::Evaluator& evaluator() { return *evaluator_; }
  [[nodiscard]] system::Tangents& tangents() { return *tangents_; }
  [[nodiscard]] bool is_exact() const { return differences_ == nullptr; }
  [[nodiscard]] std::size_t n_states() const { return nominal_.size(); }
  [[nodiscard]] const std::vector<double>& nominal() const { return nominal_; }
  [[nodiscard]] const integrate::Tolerances& tolerances() const { return tolerances_; }
  /// Over which the field changes little: a step that was accepted.
  void set_time_size(double time);
  enum class Which : std::uint8_t { all, of_zeros };
  using Twins = std::vector<std::vector<DifferenceTangents::TwinEvaluator>>;
  /// Evaluators of the twins, by column: of all that move equations, or of those that move zeros; none of failed() columns. Made when they are
  /// asked for, for one of these.
  [[nodiscard]] const Twins& twins(Which which);

 private:
  [[nodiscard]] Twins make_twins(Which which);
  void add_parts_of_zeros();

  const FieldSource& source_;
  StretchFacts facts_;
  std::string failure_;
  std::shared_ptr<const system::LockedDae> locked_;
  std::vector<double> nominal_;
  integrate::Tolerances tolerances_;
  std::unique_ptr<system::Evaluator> evaluator_;
  std::unique_ptr<system::Tangents> tangents_;
  DifferenceTangents* differences_ = nullptr;  // these are the tangents
  TwinParts* parts_ = nullptr;                 // … or these, of columns that move zeros, are a part of them
  bool has_twins_ = false;
  Twins twins_;
  std::vector<bool> failed_;
};

}  // namespace saltus::sensitivity
