/// Equations that a model has besides those of its text, and what a run with them must be asked.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/ids.hpp"
#include "base/interface.hpp"
#include "flat/model.hpp"
#include "lang/elaborate/compile_options.hpp"
#include "program/guards/parameter_values.hpp"
#include "saltus/end_reason.hpp"
#include "saltus/model.hpp"
#include "system/configuration.hpp"

namespace saltus::api {

/// Asked for every stretch of a run.
class StretchCheck : public Interface {
 public:
  struct Refusal {
    Reason reason =
        Reason::none;  ///< model_extended: the run is to be repeated with AddedEquations::larger()
    std::string message;
  };
  /// `surfaces`: guards that are slid on. None: the equations are right there.
  [[nodiscard]] virtual std::optional<Refusal> refusal(const system::Configuration& configuration,
                                                       std::span<const Index> surfaces) const = 0;
};

class AddedEquations : public Interface {
 public:
  virtual void add(const lang::EquationMaker& maker) const = 0;
  /// For runs of a model that was elaborated with these equations; null: there is nothing to ask. `has_tunable`: parameters may change during a run.
  [[nodiscard]] virtual std::shared_ptr<const StretchCheck> check(
      std::shared_ptr<const flat::Model> model, const program::ParameterOverrides& overrides,
      bool has_tunable) const = 0;
  /// The model that has taken the place of the one with these equations; none: it is up to date.
  [[nodiscard]] virtual std::optional<Model> larger() const = 0;
  /// Whether a run may still find that there is more to it.
  [[nodiscard]] virtual bool may_grow() const = 0;
  /// How often the equations had to be found out anew.
  [[nodiscard]] virtual std::size_t n_runs() const = 0;
};

}  // namespace saltus::api
