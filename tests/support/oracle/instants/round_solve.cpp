// The values of a round: sorted blocks one after the other, loops through relations by trying their truths.
#include <algorithm>
#include <bitset>

#include "support/oracle/instants/round_system.hpp"

namespace saltus::test::instants {

void RoundSystem::solve(Values& at) const {
  run(blocks_, at, false);
}

void RoundSystem::follow(Values& at) const {
  run(blocks_, at, true);
}

void RoundSystem::set(Unknown unknown, const Series& value, Values& at) const {
  if (unknown < n_) {
    at.value[unknown] = value;
  } else {
    at.pre[unknown - n_] = value[0];
  }
}

void RoundSystem::run(const std::vector<Block>& blocks, Values& at, bool is_locked) const {
  for (const Block& block : blocks) {
    if (!block.inner.empty()) {
      if (is_locked) {
        run(block.inner, at, true);
      } else {
        solve_mixed(block, at);
      }
    } else if (!block.is_explicit) {
      solve_linear(block, at);
    } else if (const Item& item = items_[block.items[0]]; item.kind == Kind::equation) {
      set(item.unknown, evaluate(model_, at, item.equation.right), at);
    } else if (item.kind == Kind::clause) {
      set(item.unknown, clause_value(item, at), at);
    } else if (!is_locked) {
      set_held(block.items[0], at);
    }
  }
}

Series RoundSystem::clause_value(const Item& item, Values& at) const {
  const std::vector<Branch>& branches = model_.clauses[item.clause].branches;
  const std::size_t active = active_branch(model_, at, item.clause);
  if (active < branches.size()) {
    for (const Assignment& assignment : branches[active].assignments) {
      if (assignment.variable == item.which) {
        return evaluate(model_, at, assignment.value);
      }
    }
  }
  return {at.pre[item.which]};
}

Series RoundSystem::residual(const Item& item, Values& at) const {
  if (item.kind == Kind::clause) {
    return at.value[item.which] - clause_value(item, at);
  }
  return evaluate(model_, at, item.equation.left) - evaluate(model_, at, item.equation.right);
}

/// The truth of a relation from its operands; on the surface it stays as it is held, at the start it is as written.
void RoundSystem::set_held(std::size_t item, Values& at) const {
  const std::size_t place = items_[item].which;
  const Node& node = model_.nodes[place];
  const Guard guard = guard_of(model_, at, place);
  if (node.op == Op::floor) {
    const Real argument = evaluate(model_, at, node.a)[0];
    const Real nearest = std::round(argument);
    const auto is_beside = [&](Real whole) { return whole == nearest || whole == nearest - 1; };
    if (!guard.is_zero()) {
      at.held[place] = std::floor(argument);
    } else if (at.is_initial) {
      at.held[place] = nearest;
    } else if (!is_beside(at.held[place])) {
      // Located at another whole number than the one it has come to: on this surface it was not located.
      at.held[place] = at.located[place] && is_beside(at.came[place]) ? at.came[place] : nearest;
    }
  } else if (!guard.is_zero()) {
    at.held[place] = guard.value[0] > 0 ? 1 : 0;
  } else if (at.is_initial) {
    at.held[place] = node.op == Op::greater_equal ? 1 : 0;
  }
}

/// Whether the truth that the relation is given is that of its operands in the solution it leads to.
bool RoundSystem::agrees(std::size_t item, Values& at) const {
  const std::size_t place = items_[item].which;
  const Guard guard = guard_of(model_, at, place);
  const bool is_held = at.held[place] != 0;
  if (!guard.is_zero()) {
    return is_held == (guard.value[0] > 0);
  }
  if (at.is_initial) {
    return is_held == (model_.nodes[place].op == Op::greater_equal);
  }
  return true;
}

void RoundSystem::solve_mixed(const Block& block, Values& at) const {
  const std::size_t n = block.cuts.size();
  const auto differ = [&](const Values& a, const Values& b) {
    // The same within the noise of the guards: one combination.
    for (const std::size_t item : block.cuts) {
      const std::size_t place = items_[item].which;
      Values copy_a = a;
      Values copy_b = b;
      if (a.held[place] != b.held[place] &&
          !(guard_of(model_, copy_a, place).is_zero() && guard_of(model_, copy_b, place).is_zero())) {
        return true;
      }
    }
    return false;
  };
  std::vector<Values> found;
  for (std::size_t distance = 0; distance <= n; ++distance) {
    for (std::size_t flips = 0; flips < (std::size_t{1} << n); ++flips) {
      if (std::bitset<64>(flips).count() != distance) {
        continue;
      }
      Values trial = at;
      bool is_possible = true;
      for (std::size_t i = 0; i < n; ++i) {
        if ((flips >> i & 1) != 0) {
          Real& truth = trial.held[items_[block.cuts[i]].which];
          truth = 1 - truth;
        }
      }
      try {
        run(block.inner, trial, false);
      } catch (const Unsupported&) {
        continue;  // singular with these truths
      }
      for (std::size_t i = 0; i < n && is_possible; ++i) {
        const std::size_t place = items_[block.cuts[i]].which;
        const bool is_flipped = (flips >> i & 1) != 0;
        const bool is_tied = at.located[place] && guard_of(model_, trial, place).is_zero();
        is_possible = agrees(block.cuts[i], trial) && !(is_flipped && is_tied);
      }
      if (is_possible && std::all_of(found.begin(), found.end(),
                                     [&](const Values& other) { return differ(other, trial); })) {
        found.push_back(trial);
      }
    }
  }
  if (found.empty()) {
    std::string names;
    for (const std::size_t item : block.items) {
      names += items_[item].kind == Kind::held ? "" : " " + name_of(items_[item].unknown);
    }
    throw NoSolution("no combination of truths is consistent in the loop through" + names);
  }
  at = found[0];
  if (found.size() > 1) {
    at.doubt = "several combinations of truths are consistent";
  }
}

/// Affine in its unknowns: the columns are differences of residuals, then coefficient after coefficient of the series.
void RoundSystem::solve_linear(const Block& block, Values& at) const {
  const std::size_t n = block.items.size();
  const auto residuals = [&] {
    std::vector<Series> all;
    for (const std::size_t i : block.items) {
      all.push_back(residual(items_[i], at));
    }
    return all;
  };
  std::vector<Series> solution(n, Series{0});
  const auto apply = [&] {
    for (std::size_t j = 0; j < n; ++j) {
      set(items_[block.items[j]].unknown, solution[j], at);
    }
  };
  apply();
  const std::vector<Series> base = residuals();
  std::vector<std::vector<Real>> matrix(n, std::vector<Real>(n));
  for (std::size_t j = 0; j < n; ++j) {
    solution[j] = {1};
    apply();
    const std::vector<Series> moved = residuals();
    for (std::size_t i = 0; i < n; ++i) {
      matrix[i][j] = moved[i][0] - base[i][0];
    }
    solution[j] = {0};
  }
  Real size = 1;
  for (const Series& value : base) {
    size = std::max(size, largest(value));
  }
  apply();
  for (std::size_t k = 0; k <= kOrder; ++k) {
    const std::vector<Series> now = residuals();
    std::vector<std::vector<Real>> rows = matrix;
    bool is_done = k > 0;
    for (std::size_t i = 0; i < n; ++i) {
      rows[i].push_back(-coefficient(now[i], k));
      for (std::size_t order = k; order < now[i].size(); ++order) {
        is_done = is_done && std::abs(now[i][order]) <= kRounding * size;
      }
    }
    if (is_done) {
      break;
    }
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c; r < n; ++r) {
        pivot = std::abs(rows[r][c]) > std::abs(rows[pivot][c]) ? r : pivot;
      }
      std::swap(rows[c], rows[pivot]);
      if (std::abs(rows[c][c]) <= kNoise * kNoise) {
        throw Unsupported("singular equations for " + name_of(items_[block.items[0]].unknown));
      }
      for (std::size_t r = 0; r < n; ++r) {
        const Real factor = r == c ? 0 : rows[r][c] / rows[c][c];
        for (std::size_t j = c; j <= n; ++j) {
          rows[r][j] -= factor * rows[c][j];
        }
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      solution[j].resize(std::max(solution[j].size(), k + 1), 0);
      solution[j][k] = rows[j][n] / rows[j][j];
      solution[j] = trimmed(solution[j]);
    }
    apply();
  }
  for (const Series& rest : residuals()) {
    if (std::abs(rest[0]) > kNoise * size) {
      throw Unsupported("not linear: equations for " + name_of(items_[block.items[0]].unknown));
    }
  }
}

}  // namespace saltus::test::instants
