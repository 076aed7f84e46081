#include "structure/index/unmixing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

#include "expr/dependency.hpp"
#include "structure/index/multiples.hpp"
#include "structure/match/linear_terms.hpp"
#include "structure/match/slots.hpp"

namespace saltus::structure {
namespace {

constexpr double kCancelled = 1e-10;  // of what was added up: far above rounding, far below chance
// The same where what was added up includes the errors of quotients: zeros are below the first (of 2,000 generated models none was above
// half a rounding), numbers above the second. Between them nobody can tell, and a term that is dropped by mistake makes another model
// of it.
constexpr double kIsZero = 16.0 * std::numeric_limits<double>::epsilon();
constexpr double kIsNumber = 100.0 * kIsZero;
// Errors that grew beyond this part of the numbers themselves say of no term that it is zero: factors of 1e-5 beside 1 are what
// people write, 1e-8 is not.
constexpr double kMostUncertain = 1e-8;
constexpr double kWhole = 1e-12;
// Roundings of a factor that was found by values (multiples.hpp).
constexpr double kMultipleRounding = 4.0;
// Roundings of what was added up to a number, and of the pivot that it is divided by.
constexpr double kEntryRounding = 4.0 * std::numeric_limits<double>::epsilon();
constexpr double kPivotShare = 0.05;   // of the largest candidate: sparse rows are preferred among these
constexpr double kPivotGrowth = 10.0;  // … and of the most certain one
constexpr std::size_t kMostUnmixedFill = 20;  // times the entries of the rows: a limit of work
constexpr std::size_t kFewEntries = 20000;    // always allowed
constexpr int kNoDepth = std::numeric_limits<int>::max() / 2;

struct Entry {
  std::uint32_t column = 0;
  double value = 0.0;
  double size = 0.0;       // of what was added up to it, in proportion to its error
  double magnitude = 0.0;  // of what was added up to it

  // Its relative error, in roundings.
  [[nodiscard]] double growth() const { return size / std::abs(value); }
};

using Row = std::vector<Entry>;  // ascending columns

struct Column {
  NodeId expression;
  std::vector<NodeId> leaves;  // variables below it
  bool is_leaf = false;
  bool has_derivative = false;  // a highest one
  bool has_algebraic = false;
  int depth = kNoDepth;
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

struct Quotient {
  double value = 0.0;
  double growth = 0.0;
};

// own/pivot. Both may be what is left of larger numbers (the derivative of a fast row that was divided by its speed), while rows that are
// multiples of one another have the same quotient in every column: the most certain one that agrees is taken.
Quotient quotient_of(const Row& row, const Entry& own, const Row& other, const Entry& pivot) {
  const Quotient wanted{own.value / pivot.value, own.growth() + pivot.growth()};
  Quotient best = wanted;
  for (const Entry& entry : other) {
    const Entry* const beside = find(row, entry.column);
    if (beside == nullptr) {
      continue;
    }
    const Quotient tried{beside->value / entry.value, beside->growth() + entry.growth()};
    const double error = kIsZero * (wanted.growth + tried.growth) * std::abs(wanted.value);
    if (tried.growth < best.growth && std::abs(tried.value - wanted.value) <= error) {
      best = tried;
    }
  }
  return best;
}

// row - own/pivot·other, where these belong to both rows; `cleared` is gone for sure. A quotient of what is left of larger numbers is as
// uncertain as they are, and so is what is taken off.
Row difference(const Row& row, const Entry& own, const Row& other, const Entry& pivot, std::uint32_t cleared,
               bool& is_unclear) {
  const auto [factor, growth] = quotient_of(row, own, other, pivot);
  Row result;
  result.reserve(row.size() + other.size());
  auto a = row.begin();
  auto b = other.begin();
  while (a != row.end() || b != other.end()) {
    if (b == other.end() || (a != row.end() && a->column < b->column)) {
      result.push_back(*a++);
      continue;
    }
    Entry entry{b->column, -factor * b->value,
                std::abs(factor) * std::max(b->size, growth * std::abs(b->value)),
                std::abs(factor) * b->magnitude};
    ++b;
    if (a != row.end() && a->column == entry.column) {
      entry.value += a->value;
      entry.size = std::max(entry.size, a->size);
      entry.magnitude = std::max(entry.magnitude, a->magnitude);
      ++a;
    }
    if (entry.column == cleared) {
      continue;
    }
    if (std::abs(entry.value) > kIsZero * entry.size) {
      is_unclear = is_unclear || std::abs(entry.value) < kIsNumber * entry.size;
      result.push_back(entry);
    } else {
      is_unclear = is_unclear || kIsZero * entry.size > kMostUncertain * entry.magnitude;
    }
  }
  return result;
}

class Unmixing {
 public:
  Unmixing(flat::Model& model, const Classification& classification, std::vector<flat::Equation>& equations,
           NumberErrors& errors)
      : graph_(model.graph), equations_(equations), errors_(errors), multiples_(model.graph) {
    for (const auto* list : {&classification.unknowns, &classification.inputs}) {
      for (const Unknown& unknown : *list) {
        order_of_.emplace(unknown.variable.value(), unknown.order);
      }
    }
  }

  UnmixingOutcome run(std::span<const std::size_t> first_rows) {
    gather(first_rows);
    if (!sort_out_all()) {
      return is_unclear_ ? UnmixingOutcome::unclear : UnmixingOutcome::nothing;
    }
    thin_out();
    const bool has_empty =
        std::any_of(rows_.begin(), rows_.end(), [this](const Row& row) { return !has_unknown(row); });
    return !has_empty && rewrite() ? UnmixingOutcome::taken_apart : UnmixingOutcome::nothing;
  }

 private:
  enum class Progress : std::uint8_t { open, done, constraint };

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
    most_entries_ = std::max(kFewEntries, kMostUnmixedFill * most_entries_);
    progress_.assign(rows_.size(), Progress::open);
    pivot_.assign(rows_.size(), kNone);
    has_changed_.assign(rows_.size(), 0);
  }

  Row row_of(const flat::Equation& equation) {
    Row row;
    for (const LinearTerm& term : linear_terms(graph_, equation)) {
      const Multiples::Multiple multiple = multiples_.of(term.expression);
      const double factor = multiple.factor * term.factor;
      const double size =
          std::abs(multiple.factor) * term.size * (multiple.factor == 1.0 ? 1.0 : kMultipleRounding);
      row.push_back({column_of(multiple.of), factor, size, size});
    }
    std::stable_sort(row.begin(), row.end(),
                     [](const Entry& a, const Entry& b) { return a.column < b.column; });
    add_up(row);
    return row;
  }

  // Entries of one column become one; what cancels is gone.
  static void add_up(Row& row) {
    Row sums;
    for (const Entry& entry : row) {
      if (sums.empty() || sums.back().column != entry.column) {
        sums.push_back(entry);
        continue;
      }
      Entry& sum = sums.back();
      sum.value += entry.value;
      sum.size = std::max(sum.size, entry.size);
      sum.magnitude = std::max(sum.magnitude, entry.magnitude);
    }
    std::erase_if(sums, [](const Entry& sum) { return std::abs(sum.value) <= kCancelled * sum.size; });
    row = std::move(sums);
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

  bool sort_out_all() {
    const bool is_done =
        sort_out([](const Column& column) { return column.has_derivative; }, false) &&
        sort_out([](const Column& column) { return column.has_algebraic && column.is_leaf; }, false) &&
        sort_out([](const Column& column) { return column.has_algebraic; }, false);
    if (is_done) {
      find_depths();
    }
    return is_done && sort_out_by_depth();
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
    double least_growth = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (const Entry* const entry = progress_[i] == Progress::open ? find(rows_[i], column) : nullptr) {
        least_growth = std::min(least_growth, entry->growth());
      }
    }
    const auto candidate = [&](std::size_t i) -> const Entry* {
      const Entry* const entry = progress_[i] == Progress::open ? find(rows_[i], column) : nullptr;
      return entry != nullptr && entry->growth() <= kPivotGrowth * least_growth ? entry : nullptr;
    };
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Entry* const entry = candidate(i);
      largest = entry != nullptr ? std::max(largest, std::abs(entry->value) / largest_of(rows_[i])) : largest;
    }
    if (largest == 0.0) {
      return true;
    }
    std::size_t best = rows_.size();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Entry* const entry = candidate(i);
      if (entry != nullptr && std::abs(entry->value) / largest_of(rows_[i]) >= kPivotShare * largest &&
          (best == rows_.size() || rows_[i].size() < rows_[best].size())) {
        best = i;
      }
    }
    progress_[best] = constraints_only ? Progress::constraint : Progress::done;
    pivot_[best] = column;
    const Entry pivot = *find(rows_[best], column);
    std::size_t n_entries = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Entry* const entry = i != best ? find(rows_[i], column) : nullptr;
      if (entry != nullptr && !(constraints_only && progress_[i] == Progress::done)) {
        rows_[i] = difference(rows_[i], Entry(*entry), rows_[best], pivot, column, is_unclear_);
        has_changed_[i] = 1;
      }
      n_entries += rows_[i].size();
    }
    return !is_unclear_ && n_entries <= most_entries_;
  }

  int depth_of(NodeId leaf) const {
    const auto known = depth_of_variable_.find(graph_[leaf].first);
    return known == depth_of_variable_.end() ? kNoDepth
                                             : known->second - static_cast<int>(graph_[leaf].second);
  }

  // Of variables, at order 0, from the rows that have their derivatives.
  void find_depths() {
    for (const auto& [variable, order] : order_of_) {
      depth_of_variable_[variable] = order == 0 ? 0 : kNoDepth;
    }
    for (bool has_changed = true; std::exchange(has_changed, false);) {
      for (const Row& row : rows_) {
        int lowest = kNoDepth;
        for (const Entry& entry : row) {
          for (const NodeId leaf : columns_[entry.column].leaves) {
            lowest = std::min(lowest, depth_of(leaf));
          }
        }
        for (const Entry& entry : row) {
          for (const NodeId leaf : columns_[entry.column].leaves) {
            const int order = order_of(leaf);
            int& depth = depth_of_variable_[graph_[leaf].first];
            if (order > 0 && static_cast<int>(graph_[leaf].second) == order && lowest + order < depth) {
              depth = lowest + order;
              has_changed = true;
            }
          }
        }
      }
    }
    for (Column& column : columns_) {
      for (const NodeId leaf : column.leaves) {
        column.depth = std::min(column.depth, depth_of(leaf));
      }
    }
  }

  bool sort_out_by_depth() {
    std::vector<int> depths;
    for (const Column& column : columns_) {
      if (!column.leaves.empty()) {
        depths.push_back(column.depth);
      }
    }
    std::sort(depths.begin(), depths.end());
    depths.erase(std::unique(depths.begin(), depths.end()), depths.end());
    return std::all_of(depths.begin(), depths.end(), [this](int depth) {
      return sort_out(
          [depth](const Column& column) { return column.depth == depth && !column.leaves.empty(); }, true);
    });
  }

  // Multiples of constraints that are in other rows.
  void thin_out() {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      for (std::size_t i = 0; progress_[k] == Progress::constraint && i < rows_.size(); ++i) {
        if (progress_[i] == Progress::done) {
          thin_out(i, rows_[k]);
        }
      }
    }
  }

  void thin_out(std::size_t i, const Row& constraint) {
    std::size_t fewest = rows_[i].size();
    Row best;
    for (const Entry& entry : constraint) {
      const Entry* const own = find(rows_[i], entry.column);
      if (own == nullptr) {
        continue;
      }
      bool is_unclear = false;
      Row tried = difference(rows_[i], *own, constraint, entry, kNone, is_unclear);
      if (!is_unclear && tried.size() < fewest) {
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

  // `growth`: what was added up to the number and its divisor, beside them.
  void note_error(double number, double growth) {
    double& error = errors_[std::abs(number)];
    error = std::max(error, kEntryRounding * growth * std::abs(number));
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
          if (!is_whole) {
            note_error(factor, entry.growth() + pivot->growth());
          }
        }
      }
      flat::Equation& equation = equations_[equation_of_row_[i]];
      equation.left = columns_[pivot->column].expression;
      equation.right = sum_of(graph_, others);
      is_any = true;
    }
    return is_any;
  }

  expr::Graph& graph_;
  std::vector<flat::Equation>& equations_;
  NumberErrors& errors_;
  Multiples multiples_;
  std::unordered_map<std::uint32_t, int> order_of_;  // by variable: highest order of an unknown
  std::unordered_map<std::uint32_t, int> depth_of_variable_;
  std::unordered_map<std::size_t, std::uint32_t> column_of_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
  std::vector<std::size_t> equation_of_row_;
  std::vector<Progress> progress_;
  std::vector<std::uint32_t> pivot_;
  std::vector<std::uint8_t> has_changed_;
  std::size_t most_entries_ = 0;
  bool is_unclear_ = false;  // whether a term is zero
};

}  // namespace

UnmixingOutcome unmix_equations(flat::Model& model, const Classification& classification,
                                std::span<const std::size_t> rows, std::vector<flat::Equation>& equations,
                                NumberErrors& errors) {
  return Unmixing(model, classification, equations, errors).run(rows);
}

}  // namespace saltus::structure
