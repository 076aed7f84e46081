// A model from an ordinary C++ function: its residuals, with `if`, `?:`, loops, tables and helpers, become equations with conditions.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "saltus/model.hpp"
#include "saltus/model_builder.hpp"
#include "saltus/real.hpp"
#include "saltus/result.hpp"

namespace saltus {

namespace api {
class TracedProgram;
struct TracePoint;
}  // namespace api

/// What the equations of a traced function are made of. A name that the model does not have throws.
class State {
 public:
  /// A variable, discrete ones and inputs included; array elements as "x[1]".
  [[nodiscard]] Real operator()(std::string_view name) const;
  [[nodiscard]] Real der(std::string_view name) const;
  /// Continuous variables that are no inputs, in the order of their declaration.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] Real operator[](std::size_t i) const;
  [[nodiscard]] Real der(std::size_t i) const;
  /// All elements of ModelBuilder::reals, and their derivatives.
  [[nodiscard]] std::vector<Real> array(std::string_view name) const;
  [[nodiscard]] std::vector<Real> der_array(std::string_view name) const;
  [[nodiscard]] Real parameter(std::string_view name) const;
  [[nodiscard]] Real time() const;
  /// A Boolean variable, as a condition.
  [[nodiscard]] bool is(std::string_view name) const;

 private:
  friend class api::TracedProgram;
  explicit State(const api::TracePoint& point) : point_(point) {}
  const api::TracePoint& point_;
};

using TracedFunction = std::function<void(const State& state, std::span<Real> residual)>;

/// How a function was traced.
struct TraceStatistics {
  std::size_t n_runs = 0;         ///< of the function, those in simulations included
  std::size_t n_paths = 0;        ///< different ones
  std::size_t n_comparisons = 0;  ///< different ones, that depend on more than numbers
  bool is_complete = false;       ///< all paths are known: no simulation has to look again
  std::size_t n_extensions = 0;   ///< simulations that met a path that was not as it was thought to be
};

/// A model whose equations are the zeros of the residuals of a function. Everything else (parameters, inputs, clauses with resets, initial equations,
/// modes, annotations) is said as in ModelBuilder.
///
/// The function is run a number of times while the model is built, with comparisons answered by the start values or forced to the other outcome: each comparison
/// becomes a condition, each path a configuration. So it must do the same whenever the outcomes are the same (no random numbers, no memory), and
/// it may be run with outcomes that contradict each other; what it throws then concerns that path alone. A function of many paths is not run on all of them:
/// what was not traced is verified when a simulation first comes there, and if the function says otherwise the model is extended and the
/// simulation repeated (docs/api.md says what that costs).
class TracedModel : public ModelBuilder {
 public:
  explicit TracedModel(std::string_view name, std::string_view description = {});
  TracedModel(TracedModel&&) noexcept;
  TracedModel& operator=(TracedModel&&) noexcept;
  ~TracedModel();

  /// A Real whose start value is held, unless the attributes say otherwise.
  Expression state(std::string_view name, Attributes attributes = {});
  /// A Real; its start value is a guess.
  Expression algebraic(std::string_view name, const Attributes& attributes = {});

  /// The residuals, as many as there are continuous variables that no other equation gives; or as many as is said.
  void residual(TracedFunction function);
  void residual(std::size_t n, TracedFunction function);
  /// The function may ask for Real::value(): no equation depends on what it does with it.
  void opaque();

  /// The error holds what is wrong with the declarations, the function, or both. A model that was built keeps its equations; what simulations of it
  /// find out is known to later ones, and to the next build().
  [[nodiscard]] Result<Model> build() const;
  /// After build().
  [[nodiscard]] TraceStatistics statistics() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace saltus
