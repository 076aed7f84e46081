/// The states with which a mode, or another structure of the same mode, is entered.
///
/// Problem      the states of two modes differ: a variable may be a state in one, given by an equation in the other, and
///              missing in a third; an index may make a derivative a state.
/// Method       a state of the mode entered takes the value of the state of that name; else of the variable of that name,
///              as the equations of the mode left give it; a variable that did not exist begins with its start value. Where
///              variables that are one in the mode entered were several before, states or integrated variables that others determined
///              there (orders_as_written.hpp), the value is the one that changes them least (in nominal values).
/// Contract     what comes out need not satisfy the constraints of the mode entered (transfer.hpp moves it). NaN where nothing
///              gives a value: own variables without a start, and derivatives that were no states; for these rates() has what
///              they were, should nothing determine them.
/// Cost         which state comes from where is found once for each list of states and structure.
/// Checked by   tests/events/structures_test.cpp, tests/events/modes_test.cpp
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

class ModeEntry {
 public:
  using StatePlaces = std::unordered_map<system::Quantity, Index, system::QuantityHash>;

  explicit ModeEntry(RunState& state) : state_(state) {}

  /// From the present state of the run.
  void states_for(const ModeData& target, std::vector<double>& x);
  /// … and from other values of the states before.
  void states_for(const ModeData& target, std::span<const double> from, std::vector<double>& x);
  /// Of the last call, by state: what a state der(x) was as the rate of x, 0 where x was none; NaN for other states.
  [[nodiscard]] const std::vector<double>& rates() const { return rates_; }

 private:
  struct Alias {
    std::size_t state = 0;  ///< of the mode entered
    Index source = -1;      ///< state of the mode left
    Index variable = -1;    ///< else this variable
    double sign = 1.0;
    double nominal = 1.0;
  };
  struct Source {
    Index state = -1;     ///< of the mode left
    Index variable = -1;  ///< else this variable
    Index rate = -1;      ///< else the rate of this state of the mode left
    bool is_derivative = false;
  };
  struct Map {
    const Engine* from = nullptr;
    const Engine* to = nullptr;
    system::StructureId structure;  ///< entered
    std::vector<Source> sources;
    std::vector<Alias>
        aliases;  ///< ascending in the state entered, itself included; of states that have others
  };

  [[nodiscard]] const Map& map_to(const ModeData& target);
  static void add_aliases(const ModeData& mode, const StatePlaces& states, Map& map);
  void take_rates(const Map& map, std::span<const double> from);
  void settle_aliases(const Map& map, std::span<const double> from, std::vector<double>& x) const;

  RunState& state_;
  std::vector<Map> maps_;
  std::vector<double> rates_;
  std::vector<double> derivative_;
};

}  // namespace saltus::settle
