#include "api/traced/traced_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/model_data.hpp"
#include "api/traced/lower_trace.hpp"
#include "program/guards/condition_inputs.hpp"

namespace saltus::api {
namespace {

// Guards that are slid on, and truths that are not known from the configuration: of so many all combinations are verified, of more
// as many of them, spread irregularly, as these have. Comparisons of which up to eight act together are then found but for a chance of 1e-7.
constexpr std::size_t kMostOpen = 12;

// Bit b of combination k: in order, or irregular (the mixing of splitmix64).
bool bit_of(std::uint64_t k, std::size_t b, bool is_irregular) {
  if (!is_irregular) {
    return ((k >> b) & 1U) != 0;
  }
  std::uint64_t mixed = (k << 32U) + b + 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return ((mixed ^ (mixed >> 31U)) & 1U) != 0;
}

class TracedCheck final : public StretchCheck {
 public:
  TracedCheck(std::shared_ptr<const TracedEquations> equations, std::shared_ptr<const flat::Model> model,
              const TracedEquations::Truths& truths, const program::ParameterOverrides& overrides,
              bool has_tunable)
      : equations_(std::move(equations)), model_(std::move(model)) {
    program::ParameterValues values(*model_, overrides);
    for (const trace::KnownDecision& decision : equations_->decisions()) {
      const auto found = truths.find(decision.less.value());
      Item item{.decision = decision.less.value()};
      if (found != truths.end()) {
        describe(found->second, has_tunable, values, item);
      }
      items_.push_back(item);
    }
  }

  std::optional<Refusal> refusal(const system::Configuration& configuration,
                                 std::span<const Index> surfaces) const override {
    if (!is_same_) {
      return Refusal{
          Reason::trace_not_verified,
          "with other values of parameters on which sizes depend, the traced equations cannot be verified"};
    }
    std::vector<Index> open_guards;
    std::size_t n_open = 0;
    for (const Item& item : items_) {
      n_open += item.is_open() ? 1 : 0;
      if (item.guard >= 0 && std::find(surfaces.begin(), surfaces.end(), item.guard) != surfaces.end() &&
          std::find(open_guards.begin(), open_guards.end(), item.guard) == open_guards.end()) {
        open_guards.push_back(item.guard);
      }
    }
    n_open += open_guards.size();
    const bool is_irregular = n_open > kMostOpen;
    const std::uint64_t n = std::uint64_t{1} << std::min(n_open, kMostOpen);
    for (std::uint64_t k = 0; k < n; ++k) {
      const auto bit = [&](std::size_t b) { return bit_of(k, b, is_irregular); };
      if (auto refused = equations_->verify(outcomes(configuration, open_guards, bit))) {
        return refused;
      }
    }
    return std::nullopt;
  }

 private:
  struct Item {
    std::uint32_t decision = 0;
    std::optional<bool> known = {};  // whatever the configuration
    Index guard = -1;                // of a condition
    flat::Condition::Kind kind = flat::Condition::Kind::greater;
    bool is_contrary = false;

    [[nodiscard]] bool is_open() const { return !known && guard < 0; }
  };

  void describe(const TracedEquations::Truth& truth, bool has_tunable, program::ParameterValues& values,
                Item& item) {
    item.is_contrary = truth.is_contrary;
    if (truth.scalar.known) {
      item.known = (truth.scalar.number != 0.0) != truth.is_contrary;
      return;
    }
    const expr::Node& node = model_->graph[truth.scalar.node];
    if (node.op == expr::Op::condition && truth.guard.valid()) {
      const bool is_known_again = node.first < model_->conditions.size() &&
                                  model_->conditions[node.first].kind == truth.kind &&
                                  model_->conditions[node.first].guard == truth.guard &&
                                  (*model_)[truth.guard].expression == truth.surface;
      is_same_ = is_same_ && is_known_again;
      item.guard = static_cast<Index>(truth.guard.index());
      item.kind = truth.kind;
      return;
    }
    if (const std::optional<double> value = values.of(truth.scalar.node); value && !has_tunable) {
      item.known = (*value != 0.0) != truth.is_contrary;
    }
  }

  [[nodiscard]] trace::Exploration::Outcomes outcomes(const system::Configuration& configuration,
                                                      const std::vector<Index>& open_guards,
                                                      const std::function<bool(std::size_t)>& bit) const {
    trace::Exploration::Outcomes result;
    std::size_t next_bit = open_guards.size();
    for (const Item& item : items_) {
      bool holds = false;
      if (item.known) {
        holds = *item.known;
      } else if (item.guard >= 0) {
        const auto open = std::find(open_guards.begin(), open_guards.end(), item.guard);
        const double side = open == open_guards.end()
                                ? configuration.latched[static_cast<std::size_t>(item.guard)]
                            : bit(static_cast<std::size_t>(open - open_guards.begin())) ? 1.0
                                                                                        : -1.0;
        holds = (program::value_as_written(item.kind, side) != 0.0) != item.is_contrary;
      } else {
        holds = bit(next_bit++);
      }
      result.emplace(item.decision, holds);
    }
    return result;
  }

  std::shared_ptr<const TracedEquations> equations_;
  std::shared_ptr<const flat::Model> model_;
  std::vector<Item> items_;
  bool is_same_ = true;
};

}  // namespace

void TracedEquations::add(const lang::EquationMaker& maker) const {
  std::unique_lock lock(program_->mutex());
  const trace::TraceGraph& graph = program_->exploration().graph();
  const SourceSpan span = text_->residual.empty() ? SourceSpan{} : text_->residual.front();
  TraceLowering lowering(*program_, graph, maker, span);
  lowering.lower(residuals_);
  if (!lowering.missing().empty()) {
    maker.diagnostics.error(
        kWrongTracedModel,
        fmt::format("the traced function uses '{}', which the model does not have with these sizes",
                    lowering.missing()));
    return;
  }
  if (lowering.has_no_number()) {
    maker.diagnostics.error(kTracedFunctionFailed,
                            "the traced function: a number that is infinite or none is part of an equation");
    return;
  }
  for (std::size_t i = 0; i < residuals_.residual.size(); ++i) {
    if (lowering.is_number(residuals_.residual[i])) {
      maker.diagnostics.error(kWrongTracedModel,
                              fmt::format("the residual r[{}] is a number: it determines nothing", i),
                              text_->residual[i]);
      continue;
    }
    maker.model.equations.push_back(lowering.equation(residuals_.residual[i], text_->residual[i]));
  }
  for (const trace::FailingOutcomes& failure : residuals_.failures) {
    const std::string where = program_->exploration().text_of(failure.outcomes);
    if (&failure == &residuals_.failures.front()) {
      maker.diagnostics.warning(kForcedPathFailed,
                                fmt::format("the traced function fails where {}: {}", where, failure.message),
                                std::nullopt, "a run that comes there ends; if none can, nothing is lost");
    }
    maker.model.assertions.push_back({lowering.excluded(failure.outcomes),
                                      fmt::format("the traced function fails: {}", failure.message), ModeId(),
                                      span});
  }
  lock.unlock();  // whoever needs both takes the other one first
  const std::scoped_lock own(mutex_);
  if (!truths_) {
    truths_ = lowering.truths();
  }
}

std::shared_ptr<const StretchCheck> TracedEquations::check(std::shared_ptr<const flat::Model> model,
                                                           const program::ParameterOverrides& overrides,
                                                           bool has_tunable) const {
  if (residuals_.is_complete) {
    return nullptr;
  }
  const std::scoped_lock own(mutex_);
  return std::make_shared<const TracedCheck>(shared_from_this(), std::move(model), *truths_, overrides,
                                             has_tunable);
}

std::optional<StretchCheck::Refusal> TracedEquations::verify(
    const trace::Exploration::Outcomes& outcomes) const {
  std::string key;
  for (const trace::KnownDecision& decision : residuals_.decisions) {
    key += outcomes.at(decision.less.value()) ? '1' : '0';
  }
  const std::scoped_lock own(mutex_);
  if (verified_.count(key) != 0) {
    return std::nullopt;
  }
  const std::scoped_lock lock(program_->mutex());
  const trace::Verdict verdict = program_->exploration().verify(residuals_, outcomes);
  switch (verdict.kind) {
    case trace::Verdict::Kind::holds: verified_.insert(std::move(key)); return std::nullopt;
    case trace::Verdict::Kind::extended:
      ++program_->n_extensions;
      is_extended_ = true;
      return StretchCheck::Refusal{
          Reason::model_extended,
          "the traced function has other equations than was thought: the model has been extended and "
          "is to be run again"};
    case trace::Verdict::Kind::failed: break;
  }
  return StretchCheck::Refusal{Reason::traced_function_failed,
                               fmt::format("the traced function cannot be evaluated: {}", verdict.message)};
}

std::optional<Model> TracedEquations::larger() const {
  const std::scoped_lock own(mutex_);
  if (!is_extended_) {
    return std::nullopt;
  }
  if (!larger_) {
    trace::Residuals residuals;
    {
      const std::scoped_lock lock(program_->mutex());
      residuals = program_->exploration().residuals();
    }
    const auto equations = std::make_shared<const TracedEquations>(program_, text_, std::move(residuals));
    Result<Model> model = read_model(text_->name, text_->text, {}, std::nullopt, equations);
    if (model) {
      larger_ = *std::move(model);
    }
  }
  return larger_;
}

std::size_t TracedEquations::n_runs() const {
  const std::scoped_lock lock(program_->mutex());
  return program_->exploration().n_runs();
}

}  // namespace saltus::api
