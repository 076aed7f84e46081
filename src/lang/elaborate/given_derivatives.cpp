// Derivatives that functions say they have: annotation(derivative = f_der), Modelica 12.7.1.
//
// Problem    y = f(x) is inlined, so that its total derivative would be that of the expression; the function f_der(x, ẋ) is to take its place
// Method     f_der is affine in ẋ: f_der(x, ẋ) = c(x) + Σ gᵢ(x)·ẋᵢ, where c is its value at ẋ = 0 and gᵢ what it has more at the i-th unit vector. Both are
//            expressions, and y becomes a rated node (expr/graph.hpp) with c as the slope along time and gᵢ along xᵢ. A second
//            derivative f_der2(x, ẋ, ẍ) = q + Σ qᵢẋᵢ + Σ hᵢⱼẋᵢẋⱼ + Σ gᵢẍᵢ makes c and gᵢ rated in their turn.
// Contract   the annotation counts wherever time derivatives are taken: der(f(x)) and equations that are differentiated. Jacobians of
//            iterations are those of the expression. A derivative function that does not fit is an error at the annotation.
// Choices    that f_der has this form is found out at random points [Sch80]: a polynomial identity that holds there holds. The
//            derivative of the expression is compared with it in the same way: another one is used, with a warning. The
//            rates of functions called in derivative functions are given up to kMaxGivenDepth; further in they are those of the expressions.
// Fails when f_der is not affine in ẋ, or f_der2 is not the derivative of something with the gᵢ of f_der: an error
// Cost       n + 3 calls of f_der for n moving numbers, n² of f_der2
// Checked by tests/classes/hold/derivatives.test, tests/corpus/fail/derivatives.test
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "expr/derivative.hpp"
#include "expr/evaluate.hpp"
#include "expr/traversal.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {
namespace {

/// Annotated calls in derivative functions in derivative functions …
constexpr int kMaxGivenDepth = 3;
/// Random points at which an identity is looked at.
constexpr int kDraws = 4;
/// Relative to the terms: roundings of a long expression are below, wrong terms above.
constexpr double kIdentityTolerance = 1e-8;
/// f_der2 is called for each pair of numbers: more would take longer than the model itself.
constexpr std::size_t kMostPairedNumbers = 24;

/// Uniform in [0.5, 1.5), the same for the same leaf and draw (the finalizer of MurmurHash3, as in expr/graph.cpp).
double drawn_number(std::uint64_t key) {
  key ^= key >> 33U;
  key *= 0xff51afd7ed558ccdULL;
  key ^= key >> 33U;
  key *= 0xc4ceb9fe1a85ec53ULL;
  key ^= key >> 33U;
  return 0.5 + std::ldexp(static_cast<double>(key >> 11U), -53);
}

expr::LeafValues drawn_leaves(int draw) {
  expr::LeafValues leaves;
  const auto seed = static_cast<std::uint64_t>(draw + 1);
  leaves.time = drawn_number(seed);
  leaves.other = [seed](const expr::Node& leaf) {
    const std::uint64_t name = (static_cast<std::uint64_t>(leaf.op) << 56U) ^
                               (static_cast<std::uint64_t>(leaf.second) << 32U) ^ leaf.first;
    const double value = drawn_number(name * 0x9e3779b97f4a7c15ULL + seed);
    return leaf.op == expr::Op::condition ? (value < 1.0 ? 0.0 : 1.0) : value;
  };
  return leaves;
}

}  // namespace

/// The numbers that a derivative function returns, one output after the other; the derivatives are numbers, all of the first order
/// before those of the second.
std::optional<std::vector<Scalar>> Elaborator::derivative_numbers(
    const GivenDerivative& given, const Rates& rates, const std::vector<std::vector<double>>& derivatives) {
  GivenInputs inputs;
  for (const Component& component : given.function->components) {
    if (component.causality == CausalityPrefix::input) {
      inputs.inputs.push_back(&component);
      inputs.spans.push_back(given.annotation->span);
    }
  }
  inputs.values.assign(rates.values.begin(), rates.values.end());
  for (const std::vector<double>& numbers : derivatives) {
    std::size_t place = 0;
    for (const Shape& shape : rates.shapes) {
      Value value = array_value(flat::Type::real, shape);
      for (std::size_t k = 0; k < value.size(); ++k) {
        value[k] = known_scalar(numbers[place++]);
      }
      inputs.values.emplace_back(std::move(value));
    }
  }
  const InlinedOutputs outputs = inline_given(*given.function, std::move(inputs), given.annotation->span);
  if (outputs.failed) {
    return std::nullopt;
  }
  std::vector<Scalar> result;
  for (const Value& value : outputs.values) {
    for (std::size_t k = 0; k < value.size(); ++k) {
      result.push_back(value[k]);
    }
  }
  if (result.size() != rates.n_outputs) {
    error(kWrongAnnotation,
          fmt::format("{} returns {} numbers, the function whose derivative it is {}",
                      quoted(given.function->name), result.size(), rates.n_outputs),
          given.annotation->span);
    return std::nullopt;
  }
  return result;
}

/// Whether Σ factor·term is the same function of all leaves as the whole.
bool Elaborator::is_sum_everywhere(const Scalar& whole, const std::vector<Term>& terms) {
  std::vector<NodeId> nodes = {arithmetic_.node(whole)};
  for (const Term& term : terms) {
    nodes.push_back(arithmetic_.node(term.value));
  }
  for (int draw = 0; draw < kDraws; ++draw) {
    const std::vector<double> values = expr::evaluate(model_.graph, nodes, drawn_leaves(draw));
    double rest = values[0];
    double size = std::abs(values[0]);
    for (std::size_t k = 0; k < terms.size(); ++k) {
      rest -= terms[k].factor * values[k + 1];
      size += std::abs(terms[k].factor * values[k + 1]);
    }
    if (std::isfinite(rest) && std::abs(rest) > kIdentityTolerance * size) {
      return false;
    }
  }
  return true;
}

void Elaborator::give_rates(const Class& function, const std::vector<FunctionInput>& inputs,
                            InlinedOutputs& outputs) {
  bool is_annotated = false;
  for (const Modification& annotation : function.annotations) {
    is_annotated = is_annotated || ast_.text(annotation.name) == "derivative";
  }
  if (!is_annotated || given_depth_ >= kMaxGivenDepth) {
    return;
  }
  bool moves = false;
  for (const FunctionInput& input : inputs) {
    moves = moves || variability(input.value) == flat::NodeVariability::continuous;
  }
  const std::optional<GivenDerivative> first = moves ? find_derivative(function, 1, inputs) : std::nullopt;
  if (!first) {
    return;
  }
  Rates rates;
  std::vector<Symbol> moving;
  for (const FunctionInput& input : inputs) {
    rates.values.push_back(input.value);
    const bool rests = std::find(first->resting.begin(), first->resting.end(), input.component->name) !=
                       first->resting.end();
    if (rests || input.value.type != flat::Type::real) {
      continue;
    }
    moving.push_back(input.component->name);
    for (std::size_t k = 0; k < input.value.size(); ++k) {
      const bool is_fixed = variability(input.value[k]) <= flat::NodeVariability::parameter;
      rates.numbers.push_back(is_fixed ? NodeId() : arithmetic_.node(input.value[k]));
    }
    rates.shapes.push_back(input.value.shape);
  }
  for (const Value& value : outputs.values) {
    rates.n_outputs += value.type == flat::Type::real ? value.size() : 0;
  }
  ++given_depth_;
  const bool ok = fits_derivative(function, *first, moving) && find_slopes(*first, rates) &&
                  find_second_slopes(*first, rates);
  --given_depth_;
  outputs.failed = outputs.failed || !ok;
  if (ok && first->not_moving.empty()) {
    compare_with_own(*first, outputs, rates);
  }
  std::size_t place = 0;
  for (Value& value : outputs.values) {
    for (std::size_t k = 0; ok && value.type == flat::Type::real && k < value.size(); ++k) {
      value[k] = with_rate(value[k], rates.rests[place], rates.slopes[place], rates);
      ++place;
    }
  }
}

/// Warns where the derivative of the expression is another one. What rates are given for within, and what is chosen by conditions, is not compared.
void Elaborator::compare_with_own(const GivenDerivative& given, const InlinedOutputs& outputs,
                                  const Rates& rates) {
  std::size_t place = 0;
  for (const Value& value : outputs.values) {
    for (std::size_t k = 0; value.type == flat::Type::real && k < value.size(); ++k) {
      if (!is_own_rate(value[k], rates.rests[place], rates.slopes[place], rates) &&
          compared_derivatives_.insert(given.annotation).second) {
        warn_of_another_derivative(given);
      }
      ++place;
    }
  }
}

bool Elaborator::is_own_rate(const Scalar& value, const Scalar& rest, const std::vector<Scalar>& slopes,
                             const Rates& rates) {
  expr::Graph& graph = model_.graph;
  std::vector<NodeId> nodes = {arithmetic_.node(value)};
  std::vector<std::size_t> moved;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    if (rates.numbers[i].valid()) {
      nodes.push_back(rates.numbers[i]);
      moved.push_back(i);
    }
  }
  std::vector<expr::Seed> seeds;
  for (const NodeId id : expr::needed_nodes(graph, nodes)) {
    const expr::Op op = graph[id].op;
    if (op == expr::Op::rated || op == expr::Op::condition) {
      return true;
    }
    if (op == expr::Op::variable || op == expr::Op::time) {
      seeds.push_back({id, NodeId()});
    }
  }
  for (std::size_t k = 0; k < seeds.size(); ++k) {
    const bool is_time = graph[seeds[k].leaf].op == expr::Op::time;
    seeds[k].tangent = graph.constant(is_time ? 1.0 : drawn_number(k + 1));
  }
  const std::vector<NodeId> tangents = expr::forward_derivatives(graph, nodes, seeds);
  std::vector<Term> terms = {{1.0, rest}};
  for (std::size_t k = 0; k < moved.size(); ++k) {
    terms.push_back({1.0, node_scalar(graph.multiply(arithmetic_.node(slopes[moved[k]]), tangents[k + 1]))});
  }
  return is_sum_everywhere(node_scalar(tangents[0]), terms);
}

/// The value with Σ slopeᵢ·ẋᵢ + rest as its rate of change.
Scalar Elaborator::with_rate(const Scalar& value, const Scalar& rest, const std::vector<Scalar>& slopes,
                             const Rates& rates) {
  expr::Graph& graph = model_.graph;
  NodeId node = graph.rated(arithmetic_.node(value), arithmetic_.node(rest), graph.time(), true);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    if (rates.numbers[i].valid()) {
      node = graph.rated(node, arithmetic_.node(slopes[i]), rates.numbers[i], false);
    }
  }
  return node_scalar(node);
}

/// c and gᵢ of f_der(x, ẋ) = c + Σ gᵢ·ẋᵢ.
bool Elaborator::find_slopes(const GivenDerivative& given, Rates& rates) {
  const std::size_t n = rates.numbers.size();
  const std::vector<double> zero(n, 0.0);
  const std::optional<std::vector<Scalar>> rest = derivative_numbers(given, rates, {zero});
  if (!rest) {
    return false;
  }
  rates.rests = *rest;
  rates.slopes.assign(rates.n_outputs, std::vector<Scalar>(n, known_scalar(0.0)));
  std::vector<double> mixed = zero;
  for (std::size_t i = 0; i < n; ++i) {
    if (!rates.numbers[i].valid()) {
      continue;
    }
    std::vector<double> unit = zero;
    unit[i] = 1.0;
    const std::optional<std::vector<Scalar>> along = derivative_numbers(given, rates, {unit});
    if (!along) {
      return false;
    }
    mixed[i] = (i % 2 == 0 ? -2.0 : 3.0) * drawn_number(i + 1);
    for (std::size_t k = 0; k < rates.n_outputs; ++k) {
      rates.slopes[k][i] = arithmetic_.binary(expr::Op::subtract, (*along)[k], rates.rests[k]);
    }
  }
  const std::optional<std::vector<Scalar>> there = derivative_numbers(given, rates, {mixed});
  for (std::size_t k = 0; there && k < rates.n_outputs; ++k) {
    std::vector<Term> terms = {{1.0, rates.rests[k]}};
    for (std::size_t i = 0; i < n; ++i) {
      terms.push_back({mixed[i], rates.slopes[k][i]});
    }
    if (!is_sum_everywhere((*there)[k], terms)) {
      error(kWrongAnnotation,
            fmt::format("{} cannot be a derivative: it is not linear in the derivatives of the inputs",
                        quoted(given.function->name)),
            given.annotation->span);
      return false;
    }
  }
  return there.has_value();
}

/// Of f_der2(x, ẋ, ẍ) = q + Σ qᵢẋᵢ + Σ hᵢⱼẋᵢẋⱼ + Σ gᵢẍᵢ, each for all numbers of the outputs.
struct Elaborator::SecondSlopes {
  std::vector<Scalar> rest;                            // q
  std::vector<std::vector<Scalar>> linear;             // qᵢ
  std::vector<std::vector<std::vector<Scalar>>> bent;  // hᵢⱼ = hⱼᵢ
};

/// From the values at ẋ = 0, ±eᵢ and eᵢ + eⱼ.
bool Elaborator::find_curvature(const GivenDerivative& second, const Rates& rates, SecondSlopes& slopes) {
  const std::size_t n = rates.numbers.size();
  const std::vector<double> zero(n, 0.0);
  const auto at = [&](std::size_t i, double first, std::size_t j, double other) {
    std::vector<double> velocity = zero;
    velocity[i] += rates.numbers[i].valid() ? first : 0.0;
    velocity[j] += rates.numbers[j].valid() ? other : 0.0;
    return derivative_numbers(second, rates, {velocity, zero});
  };
  const auto sum = [&](const Scalar& a, const Scalar& b) { return arithmetic_.binary(expr::Op::add, a, b); };
  const auto difference = [&](const Scalar& a, const Scalar& b) {
    return arithmetic_.binary(expr::Op::subtract, a, b);
  };
  const auto half = [&](const Scalar& a) {
    return arithmetic_.binary(expr::Op::multiply, known_scalar(0.5), a);
  };
  const std::optional<std::vector<Scalar>> rest = derivative_numbers(second, rates, {zero, zero});
  if (!rest) {
    return false;
  }
  slopes.rest = *rest;
  slopes.linear.resize(n);
  slopes.bent.assign(n, std::vector<std::vector<Scalar>>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const std::optional<std::vector<Scalar>> forwards = at(i, 1.0, i, 0.0);
    const std::optional<std::vector<Scalar>> backwards = at(i, -1.0, i, 0.0);
    if (!forwards || !backwards) {
      return false;
    }
    for (std::size_t k = 0; k < rates.n_outputs; ++k) {
      slopes.linear[i].push_back(half(difference((*forwards)[k], (*backwards)[k])));
      slopes.bent[i][i].push_back(difference(half(sum((*forwards)[k], (*backwards)[k])), (*rest)[k]));
    }
    for (std::size_t j = 0; j < i; ++j) {
      const std::optional<std::vector<Scalar>> both = at(i, 1.0, j, 1.0);
      if (!both) {
        return false;
      }
      for (std::size_t k = 0; k < rates.n_outputs; ++k) {
        const Scalar alone = sum(sum(slopes.linear[i][k], slopes.bent[i][i][k]),
                                 sum(slopes.linear[j][k], slopes.bent[j][j][k]));
        const Scalar mixed = half(difference(difference((*both)[k], (*rest)[k]), alone));
        slopes.bent[i][j].push_back(mixed);
        slopes.bent[j][i].push_back(mixed);
      }
    }
  }
  return true;
}

/// The rates of c and gᵢ, where the derivative function has a derivative of its own.
bool Elaborator::find_second_slopes(const GivenDerivative& first, Rates& rates) {
  std::vector<FunctionInput> inputs;
  std::vector<Symbol> derivatives;
  for (const Component& component : first.function->components) {
    if (component.causality == CausalityPrefix::input && inputs.size() < rates.values.size()) {
      inputs.push_back({&component, rates.values[inputs.size()]});
    } else if (component.causality == CausalityPrefix::input) {
      derivatives.push_back(component.name);
    }
  }
  const std::optional<GivenDerivative> second = find_derivative(*first.function, 2, inputs);
  if (!second) {
    return true;
  }
  const std::size_t n = rates.numbers.size();
  if (n > kMostPairedNumbers) {
    warn_unused_derivative(
        *second->annotation,
        fmt::format("the derivative of {} is not used: it is one of {} numbers, more than {}",
                    quoted(first.function->name), n, kMostPairedNumbers));
    return true;
  }
  static_cast<void>(
      find_derivative(*second->function, kHighestGivenOrder + 1, inputs));  // told not to be used
  SecondSlopes slopes;
  if (!fits_derivative(*first.function, *second, derivatives) || !find_curvature(*second, rates, slopes)) {
    return false;
  }
  // The whole of it at numbers that are nothing special.
  std::vector<double> velocity(n, 0.0);
  std::vector<double> acceleration(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    velocity[i] = rates.numbers[i].valid() ? (i % 2 == 0 ? 2.0 : -3.0) * drawn_number(i + 1) : 0.0;
    acceleration[i] = rates.numbers[i].valid() ? drawn_number(n + i + 1) : 0.0;
  }
  const std::optional<std::vector<Scalar>> there =
      derivative_numbers(*second, rates, {velocity, acceleration});
  for (std::size_t k = 0; there && k < rates.n_outputs; ++k) {
    std::vector<Term> terms = {{1.0, slopes.rest[k]}};
    for (std::size_t i = 0; i < n; ++i) {
      terms.push_back({velocity[i], slopes.linear[i][k]});
      terms.push_back({acceleration[i], rates.slopes[k][i]});
      for (std::size_t j = 0; j < n; ++j) {
        terms.push_back({velocity[i] * velocity[j], slopes.bent[i][j][k]});
      }
    }
    if (!is_sum_everywhere((*there)[k], terms)) {
      error(kWrongAnnotation,
            fmt::format(
                "{} cannot be the derivative of {}: it is not linear in the second derivatives with the "
                "factors of the first ones there, or not quadratic in the first ones",
                quoted(second->function->name), quoted(first.function->name)),
            second->annotation->span);
      return false;
    }
    std::vector<Scalar> along(n);
    bool is_own = true;
    for (std::size_t i = 0; i < n && second->not_moving.empty() && first.not_moving.empty(); ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        along[j] = slopes.bent[i][j][k];
      }
      is_own = is_own && is_own_rate(rates.slopes[k][i], known_scalar(0.0), along, rates);
    }
    if (!is_own && compared_derivatives_.insert(second->annotation).second) {
      warn_of_another_derivative(*second);
    }
    for (std::size_t i = 0; i < n; ++i) {
      along[i] = slopes.linear[i][k];
    }
    rates.rests[k] = with_rate(rates.rests[k], slopes.rest[k], along, rates);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        along[j] = slopes.bent[i][j][k];
      }
      rates.slopes[k][i] = with_rate(rates.slopes[k][i], known_scalar(0.0), along, rates);
    }
  }
  return there.has_value();
}

void Elaborator::warn_of_another_derivative(const GivenDerivative& given) {
  diagnostics_.warning(
      kDerivativeDiffers,
      fmt::format("{} is used as the derivative, but the function as it is written has another one",
                  quoted(given.function->name)),
      given.annotation->span, "what is differentiated is wrong unless this is meant");
}

void Elaborator::warn_unused_derivative(const Modification& annotation, std::string message) {
  if (seen_derivatives_.insert(&annotation).second) {
    diagnostics_.warning(kUnknownAnnotation, std::move(message), annotation.span);
  }
}

}  // namespace saltus::lang
