/// The equations of one round as one system, in the order of their dependencies.
///
/// Problem      At an instant the equations, the bodies of the clauses with an edge, the discrete equations and the relations are one
///              system for der(x), y, m and the truths c, with x and pre(m) known (Modelica Language Specification 3.6,
///              appendix B). At the start x and pre(m) are unknowns too unless they are fixed (8.6).
/// Method       Items are equations, one per discrete variable that clauses set, and one per relation or floor that is held between
///              instants. Matching, then strongly connected components: sorted order. A component through relations is a mixed system:
///              all combinations of truths are tried, each makes the rest sorted again, linear parts are solved as such. Consistent is
///              a combination if every relation has the truth of its operands; on its surface a located relation has the side behind
///              it, any other may have both. The combination nearest to the one held is taken.
/// Contract     solve(): finds truths and values; throws NoSolution or Unsupported. follow(): values as series with truths as they are
///              held. Both leave `doubt` where several different combinations are consistent.
/// Fails when   blocks are not linear, floors stand in loops, more than 12 relations in one loop, the number of equations is wrong:
///              Unsupported. A cycle among discrete assignments: DiscreteCycle.
#pragma once

#include <string>
#include <vector>

#include "support/oracle/instants/values.hpp"

namespace saltus::test::instants {

/// No combination of truths agrees with its values.
class NoSolution : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Discrete assignments that need each other in one round.
class DiscreteCycle : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class RoundSystem {
 public:
  RoundSystem(const DiscreteModel& model, bool is_initial);

  void solve(Values& at) const;
  void follow(Values& at) const;
  /// Of the start: whether nothing but its start value determines pre of the variable.
  [[nodiscard]] bool has_open_pre(std::size_t variable) const {
    return is_free(pre_of(variable)) && owner_[pre_of(variable)] == kNobody;
  }

 private:
  enum class Kind { equation, clause, held };
  /// Unknowns: by variable; then pre by variable; then by node.
  using Unknown = std::size_t;
  struct Item {
    Kind kind = Kind::equation;
    Equation equation{};
    std::size_t which = 0;            ///< variable that the clause sets, or node that is held
    std::size_t clause = 0;           ///< that sets it
    std::vector<Unknown> solvable{};  ///< what it may be solved for
    std::vector<Unknown> reads{};
    Unknown unknown = 0;  ///< what it is solved for
  };
  struct Block {
    std::vector<std::size_t> items;
    std::vector<std::size_t> cuts;  ///< items of relations whose truths are tried
    std::vector<Block> inner;       ///< the others, sorted with the truths known
    bool is_explicit = false;
  };

  [[nodiscard]] Unknown pre_of(std::size_t variable) const { return n_ + variable; }
  [[nodiscard]] Unknown node_of(std::size_t node) const { return 2 * n_ + node; }
  [[nodiscard]] bool is_known(Unknown unknown) const;
  [[nodiscard]] bool is_free(Unknown unknown) const;
  [[nodiscard]] std::string name_of(Unknown unknown) const;
  void add_reads(std::size_t node, std::vector<Unknown>& reads) const;
  void add_items();
  void add_clause_items();
  void add_equation(const Equation& equation, bool is_of_start);
  void match();
  [[nodiscard]] bool augment(std::size_t item, bool with_free, std::vector<bool>& seen);
  [[nodiscard]] std::vector<Block> sorted(const std::vector<std::size_t>& items) const;
  [[nodiscard]] Block block_of(const std::vector<std::size_t>& items) const;

  void run(const std::vector<Block>& blocks, Values& at, bool is_locked) const;
  void solve_mixed(const Block& block, Values& at) const;
  [[nodiscard]] bool agrees(std::size_t item, Values& at) const;
  void set_held(std::size_t item, Values& at) const;
  void solve_linear(const Block& block, Values& at) const;
  [[nodiscard]] Series residual(const Item& item, Values& at) const;
  [[nodiscard]] Series clause_value(const Item& item, Values& at) const;
  void set(Unknown unknown, const Series& value, Values& at) const;

  const DiscreteModel& model_;
  bool is_initial_;
  std::size_t n_;
  std::vector<Item> items_;
  std::vector<std::size_t> owner_;  ///< by unknown: item that gives it, or kNobody
  std::vector<Block> blocks_;
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
};

}  // namespace saltus::test::instants
