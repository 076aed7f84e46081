#include "structure/unmixing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

#include "expr/dependency.hpp"
#include "structure/linear_terms.hpp"

namespace saltus::structure {
namespace {

constexpr double kVanishes = 1e-10;  // of what was added up: far above rounding, far below chance
constexpr double kWhole = 1e-12;
constexpr double kPivotShare = 0.05;  // of the largest candidate: sparse rows are preferred among these
constexpr std::size_t kMostFill = 20;
constexpr std::size_t kFewEntries = 20000;
constexpr int kNoLevel = std::numeric_limits<int>::max() / 2;

struct Entry {
  std::uint32_t column = 0;
  double value = 0.0;
  double size = 0.0;
};

using Row = std::vector<Entry>;  // ascending columns

struct Column {
  NodeId expression;
  std::vector<NodeId> leaves;  // variables below it
  bool is_leaf = false;
  bool has_derivative = false;  // a highest one
  bool has_algebraic = false;
  int level = kNoLevel;
};

const Entry* find(const Row& row, std::uint32_t column) {
  const auto at = std::lower_bound(row.begin(), row.end(), column,
                                   [](const Entry& entry, std::uint32_t c) { return entry.column < c; });
  return at != row.end() && at->column == column ? &*at : nullptr;
}

double largest_of(const Row& row) {
  double largest = 0.0;
  for (const Entry& entry : row) {
    largest = std::max(largest, std::abs(entry.value));
  }
  return largest;
}

// row - factor·other; `cleared` is gone for sure.
Row difference(const Row& row, double factor, const Row& other, std::uint32_t cleared) {
  Row result;
  result.reserve(row.size() + other.size());
  auto a = row.begin();
  auto b = other.begin();
  while (a != row.end() || b != other.end()) {
    if (b == other.end() || (a != row.end() && a->column < b->column)) {
      result.push_back(*a++);
      continue;
    }
    Entry entry{b->column, -factor * b->value, std::abs(factor) * b->size};
    ++b;
    if (a != row.end() && a->column == entry.column) {
      entry.value += a->value;
      entry.size = std::max(entry.size, a->size);
      ++a;
    }
    if (entry.column != cleared && std::abs(entry.value) > kVanishes * entry.size) {
      result.push_back(entry);
    }
  }
  return result;
}

class Unmixing {
 public:
  Unmixing(flat::Model& model, const Classification& classification, std::vector<flat::Equation>& equations)
      : graph_(model.graph), equations_(equations) {
    for (const auto* list : {&classification.unknowns, &classification.inputs}) {
      for (const Unknown& unknown : *list) {
        order_of_.emplace(unknown.variable.value(), unknown.order);
      }
    }
  }

  bool run(std::span<const std::size_t> first_rows) {
    gather(first_rows);
    const bool is_done =
        sort_out([](const Column& column) { return column.has_derivative; }, false) &&
        sort_out([](const Column& column) { return column.has_algebraic && column.is_leaf; }, false) &&
        sort_out([](const Column& column) { return column.has_algebraic; }, false);
    if (!is_done) {
      return false;
    }
    find_levels();
    if (!sort_out_by_level()) {
      return false;
    }
    thin_out();
    const bool has_empty =
        std::any_of(rows_.begin(), rows_.end(), [this](const Row& row) { return !has_unknown(row); });
    return !has_empty && rewrite();
  }

 private:
  enum class Stage : std::uint8_t { open, done, constraint };

  // Rows that share highest derivatives or algebraic variables with the first ones, directly or by others.
  void gather(std::span<const std::size_t> first_rows) {
    std::vector<Row> all(equations_.size());
    std::vector<std::vector<std::size_t>> rows_of_column;
    for (std::size_t i = 0; i < equations_.size(); ++i) {
      all[i] = row_of(equations_[i]);
      rows_of_column.resize(columns_.size());
      for (const Entry& entry : all[i]) {
        rows_of_column[entry.column].push_back(i);
      }
    }
    std::vector<std::uint8_t> is_taken(equations_.size(), 0);
    std::vector<std::size_t> pending(first_rows.begin(), first_rows.end());
    while (!pending.empty()) {
      const std::size_t i = pending.back();
      pending.pop_back();
      if (std::exchange(is_taken[i], std::uint8_t{1}) != 0) {
        continue;
      }
      for (const Entry& entry : all[i]) {
        const Column& column = columns_[entry.column];
        if (column.has_derivative || column.has_algebraic) {
          pending.insert(pending.end(), rows_of_column[entry.column].begin(),
                         rows_of_column[entry.column].end());
        }
      }
    }
    for (std::size_t i = 0; i < equations_.size(); ++i) {
      if (is_taken[i] != 0) {
        equation_of_row_.push_back(i);
        most_entries_ += all[i].size();
        rows_.push_back(std::move(all[i]));
      }
    }
    most_entries_ = std::max(kFewEntries, kMostFill * most_entries_);
    stage_.assign(rows_.size(), Stage::open);
    pivot_.assign(rows_.size(), kNone);
    has_changed_.assign(rows_.size(), 0);
  }

  Row row_of(const flat::Equation& equation) {
    Row row;
    for (const LinearTerm& term : linear_terms(graph_, equation)) {
      if (std::abs(term.factor) > kVanishes * term.size) {
        row.push_back({column_of(term.expression), term.factor, term.size});
      }
    }
    std::sort(row.begin(), row.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
    return row;
  }

  std::uint32_t column_of(NodeId expression) {
    const auto [found, is_new] =
        column_of_.try_emplace(expression.index(), static_cast<std::uint32_t>(columns_.size()));
    if (is_new) {
      Column& column = columns_.emplace_back();
      column.expression = expression;
      for (const NodeId leaf : expr::leaves_of(graph_, std::span(&expression, 1))) {
        const auto order = order_of(leaf);
        if (order < 0) {
          continue;
        }
        column.leaves.push_back(leaf);
        const bool is_highest = static_cast<int>(graph_[leaf].second) == order;
        column.has_derivative = column.has_derivative || (is_highest && order > 0);
        column.has_algebraic = column.has_algebraic || order == 0;
      }
      column.is_leaf = graph_[expression].op == expr::Op::variable;
    }
    return found->second;
  }

  // Highest order of the variable of a leaf; -1: no continuous unknown.
  int order_of(NodeId leaf) const {
    const expr::Node& node = graph_[leaf];
    const auto found = node.op == expr::Op::variable ? order_of_.find(node.first) : order_of_.end();
    return found == order_of_.end() ? -1 : found->second;
  }

  // Gauss-Jordan on the chosen columns: pivots among open rows, taken out of all rows or of the open and constraint ones.
  template <class Chosen>
  bool sort_out(const Chosen& is_chosen, bool constraints_only) {
    // Leaves first, and those that occur in few rows: their rows are the ones that a person wrote for them.
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> count(columns_.size(), 0);
    for (const Row& row : rows_) {
      for (const Entry& entry : row) {
        ++count[entry.column];
      }
    }
    for (std::uint32_t c = 0; c < columns_.size(); ++c) {
      if (is_chosen(columns_[c])) {
        order.push_back(c);
      }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(!columns_[a].is_leaf, count[a]) < std::pair(!columns_[b].is_leaf, count[b]);
    });
    return std::all_of(order.begin(), order.end(),
                       [&](std::uint32_t column) { return take_pivot(column, constraints_only); });
  }

  bool take_pivot(std::uint32_t column, bool constraints_only) {
    double largest = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Entry* const entry = stage_[i] == Stage::open ? find(rows_[i], column) : nullptr;
      largest = entry != nullptr ? std::max(largest, std::abs(entry->value) / largest_of(rows_[i])) : largest;
    }
    if (largest == 0.0) {
      return true;
    }
    std::size_t best = rows_.size();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Entry* const entry = stage_[i] == Stage::open ? find(rows_[i], column) : nullptr;
      if (entry != nullptr && std::abs(entry->value) / largest_of(rows_[i]) >= kPivotShare * largest &&
          (best == rows_.size() || rows_[i].size() < rows_[best].size())) {
        best = i;
      }
    }
    stage_[best] = constraints_only ? Stage::constraint : Stage::done;
    pivot_[best] = column;
    const double pivot = find(rows_[best], column)->value;
    std::size_t n_entries = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Entry* const entry = i != best ? find(rows_[i], column) : nullptr;
      if (entry != nullptr && !(constraints_only && stage_[i] == Stage::done)) {
        rows_[i] = difference(rows_[i], entry->value / pivot, rows_[best], column);
        has_changed_[i] = 1;
      }
      n_entries += rows_[i].size();
    }
    return n_entries <= most_entries_;
  }

  int level_of(NodeId leaf) const {
    const auto known = level_of_variable_.find(graph_[leaf].first);
    return known == level_of_variable_.end() ? kNoLevel
                                             : known->second - static_cast<int>(graph_[leaf].second);
  }

  // Of variables, at order 0, from the rows that have their derivatives.
  void find_levels() {
    for (const auto& [variable, order] : order_of_) {
      level_of_variable_[variable] = order == 0 ? 0 : kNoLevel;
    }
    for (bool has_changed = true; std::exchange(has_changed, false);) {
      for (const Row& row : rows_) {
        int lowest = kNoLevel;
        for (const Entry& entry : row) {
          for (const NodeId leaf : columns_[entry.column].leaves) {
            lowest = std::min(lowest, level_of(leaf));
          }
        }
        for (const Entry& entry : row) {
          for (const NodeId leaf : columns_[entry.column].leaves) {
            const int order = order_of(leaf);
            int& level = level_of_variable_[graph_[leaf].first];
            if (order > 0 && static_cast<int>(graph_[leaf].second) == order && lowest + order < level) {
              level = lowest + order;
              has_changed = true;
            }
          }
        }
      }
    }
    for (Column& column : columns_) {
      for (const NodeId leaf : column.leaves) {
        column.level = std::min(column.level, level_of(leaf));
      }
    }
  }

  bool sort_out_by_level() {
    std::vector<int> levels;
    for (const Column& column : columns_) {
      if (!column.leaves.empty()) {
        levels.push_back(column.level);
      }
    }
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    return std::all_of(levels.begin(), levels.end(), [this](int level) {
      return sort_out(
          [level](const Column& column) { return column.level == level && !column.leaves.empty(); }, true);
    });
  }

  // Multiples of constraints that are in other rows.
  void thin_out() {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      for (std::size_t i = 0; stage_[k] == Stage::constraint && i < rows_.size(); ++i) {
        if (stage_[i] == Stage::done) {
          thin_out(i, rows_[k]);
        }
      }
    }
  }

  void thin_out(std::size_t i, const Row& constraint) {
    std::vector<double> ratios;
    for (const Entry& entry : constraint) {
      if (const Entry* const own = find(rows_[i], entry.column)) {
        ratios.push_back(own->value / entry.value);
      }
    }
    std::size_t fewest = rows_[i].size();
    Row best;
    for (const double ratio : ratios) {
      Row tried = difference(rows_[i], ratio, constraint, kNone);
      if (tried.size() < fewest) {
        fewest = tried.size();
        best = std::move(tried);
      }
    }
    if (!best.empty()) {
      rows_[i] = std::move(best);
      has_changed_[i] = 1;
    }
  }

  bool has_unknown(const Row& row) const {
    return std::any_of(row.begin(), row.end(),
                       [this](const Entry& entry) { return !columns_[entry.column].leaves.empty(); });
  }

  // pivot = Σ of the others.
  bool rewrite() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (find(rows_[i], pivot_[i]) == nullptr) {
        return false;
      }
    }
    bool is_any = false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (has_changed_[i] == 0) {
        continue;
      }
      const Entry* const pivot = find(rows_[i], pivot_[i]);
      std::vector<LinearTerm> others;
      for (const Entry& entry : rows_[i]) {
        if (&entry != pivot) {
          const double factor = -entry.value / pivot->value;
          const double whole = std::round(factor);
          const bool is_whole = whole != 0.0 && std::abs(factor - whole) <= kWhole * std::abs(whole);
          others.push_back({columns_[entry.column].expression, is_whole ? whole : factor, 0.0});
        }
      }
      flat::Equation& equation = equations_[equation_of_row_[i]];
      equation.left = columns_[pivot->column].expression;
      equation.right = sum_of(graph_, others);
      is_any = true;
    }
    return is_any;
  }

  static constexpr std::uint32_t kNone = 0xffffffffU;

  expr::Graph& graph_;
  std::vector<flat::Equation>& equations_;
  std::unordered_map<std::uint32_t, int> order_of_;  // by variable: highest order of an unknown
  std::unordered_map<std::uint32_t, int> level_of_variable_;
  std::unordered_map<std::size_t, std::uint32_t> column_of_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
  std::vector<std::size_t> equation_of_row_;
  std::vector<Stage> stage_;
  std::vector<std::uint32_t> pivot_;
  std::vector<std::uint8_t> has_changed_;
  std::size_t most_entries_ = 0;
};

}  // namespace

bool unmix_equations(flat::Model& model, const Classification& classification,
                     std::span<const std::size_t> rows, std::vector<flat::Equation>& equations) {
  return Unmixing(model, classification, equations).run(rows);
}

}  // namespace saltus::structure
