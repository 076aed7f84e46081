#include "flat/canonical_guard.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace saltus::flat {
namespace {

constexpr std::size_t kMaxTerms = 256;

/// Roundings in a sum of numbers that may each be a product.
constexpr double kSumRoundings = 2.0;

/// A sum of numbers whose sizes add up to `size`, 0 where they cancel but for rounding.
double without_rounding(double sum, double size) {
  return std::abs(sum) <= kSumRoundings * std::numeric_limits<double>::epsilon() * size ? 0.0 : sum;
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::isfinite(value) && std::abs(std::frexp(value, &exponent)) == 0.5;
}

/// Variables come first, so that the leading term of a surface is one of them where there is one.
int rank(expr::Op op) {
  switch (op) {
    case expr::Op::variable: return 0;
    case expr::Op::previous: return 1;
    case expr::Op::time: return 2;
    case expr::Op::parameter: return 4;
    case expr::Op::condition: return 5;
    default: return 3;
  }
}

std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 33U;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33U;
  h *= 0xc4ceb9fe1a85ec53ULL;
  h ^= h >> 33U;
  return h;
}

}  // namespace

std::uint64_t GuardCanonicalizer::hash(NodeId node) {
  while (hashes_.size() <= node.index()) {
    const expr::Node& next = graph_[NodeId(hashes_.size())];
    std::uint64_t h = mix(static_cast<std::uint64_t>(next.op) + 1);
    const int n = expr::n_operands(next.op);
    if (n == 0) {
      h = mix(h ^ next.first) ^ mix(next.second + 0x9e37ULL) ^ mix(std::bit_cast<std::uint64_t>(next.value));
    }
    for (int k = 0; k < n; ++k) {
      h = mix(h * 31 + hashes_[next.operand(k)]);
    }
    hashes_.push_back(h);
  }
  return hashes_[node.index()];
}

bool GuardCanonicalizer::before(NodeId a, NodeId b) {
  const expr::Node& na = graph_[a];
  const expr::Node& nb = graph_[b];
  const int ra = rank(na.op);
  const int rb = rank(nb.op);
  if (ra != rb) {
    return ra < rb;
  }
  if (expr::n_operands(na.op) == 0 && expr::n_operands(nb.op) == 0) {
    return na.first != nb.first ? na.first < nb.first : na.second < nb.second;
  }
  const std::uint64_t ha = hash(a);
  const std::uint64_t hb = hash(b);
  return ha != hb ? ha < hb : a < b;
}

void GuardCanonicalizer::collect(NodeId root, double root_factor) {
  pending_.clear();
  pending_.push_back({root, root_factor});
  while (!pending_.empty()) {
    const Term term = pending_.back();
    pending_.pop_back();
    const expr::Node node = graph_[term.base];
    const bool may_split = terms_.size() + pending_.size() < kMaxTerms;
    if (node.op == expr::Op::constant) {
      constant_ += term.factor * node.value;
      constant_size_ += std::abs(term.factor * node.value);
    } else if (node.op == expr::Op::negate) {
      pending_.push_back({NodeId(node.first), -term.factor});
    } else if (may_split && (node.op == expr::Op::add || node.op == expr::Op::subtract)) {
      pending_.push_back({NodeId(node.second), node.op == expr::Op::add ? term.factor : -term.factor});
      pending_.push_back({NodeId(node.first), term.factor});
    } else if (node.op == expr::Op::multiply && graph_.is_constant(NodeId(node.first))) {
      pending_.push_back({NodeId(node.second), term.factor * graph_[NodeId(node.first)].value});
    } else if (node.op == expr::Op::multiply && graph_.is_constant(NodeId(node.second))) {
      pending_.push_back({NodeId(node.first), term.factor * graph_[NodeId(node.second)].value});
    } else if (node.op == expr::Op::divide && graph_.is_constant(NodeId(node.second)) &&
               is_power_of_two(graph_[NodeId(node.second)].value)) {
      pending_.push_back({NodeId(node.first), term.factor / graph_[NodeId(node.second)].value});
    } else {
      terms_.push_back(term);
    }
  }
}

void GuardCanonicalizer::merge() {
  std::stable_sort(terms_.begin(), terms_.end(),
                   [this](const Term& a, const Term& b) { return before(a.base, b.base); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms_.size();) {
    Term sum = terms_[i];
    double size = std::abs(sum.factor);
    for (++i; i < terms_.size() && terms_[i].base == sum.base; ++i) {
      sum.factor += terms_[i].factor;
      size += std::abs(terms_[i].factor);
    }
    sum.factor = without_rounding(sum.factor, size);
    if (sum.factor != 0.0) {
      terms_[kept++] = sum;
    }
  }
  terms_.resize(kept);
  constant_ = without_rounding(constant_, constant_size_);
}

double GuardCanonicalizer::removable_factor() const {
  const double leading = std::abs(terms_.front().factor);
  if (is_power_of_two(leading)) {
    return leading;
  }
  const bool common = std::all_of(terms_.begin(), terms_.end(),
                                  [&](const Term& term) { return std::abs(term.factor) == leading; });
  return common && constant_ == 0.0 ? leading : 1.0;
}

NodeId GuardCanonicalizer::build(double scale) {
  NodeId sum;
  for (const Term& term : terms_) {
    const double factor = term.factor / scale;
    const double size = std::abs(factor);
    const NodeId product = size == 1.0 ? term.base : graph_.multiply(graph_.constant(size), term.base);
    if (!sum.valid()) {
      sum = product;  // the leading factor is positive
    } else {
      sum = factor > 0.0 ? graph_.add(sum, product) : graph_.subtract(sum, product);
    }
  }
  const double constant = constant_ / scale;
  if (constant == 0.0) {
    return sum;
  }
  const NodeId size = graph_.constant(std::abs(constant));
  return constant > 0.0 ? graph_.add(sum, size) : graph_.subtract(sum, size);
}

CanonicalGuard GuardCanonicalizer::canonical(NodeId left, NodeId right) {
  terms_.clear();
  constant_ = 0.0;
  constant_size_ = 0.0;
  collect(left, 1.0);
  collect(right, -1.0);
  merge();
  if (terms_.empty()) {
    return {graph_.constant(constant_), false};
  }
  const bool flipped = terms_.front().factor < 0.0;
  const double scale = removable_factor();
  return {build(flipped ? -scale : scale), flipped};
}

}  // namespace saltus::flat
