/// The states with which a mode, or another structure of the same mode, is entered.
///
/// Problem      the states of two modes differ: a variable may be a state in one, given by an equation in the other, and
///              missing in a third; an index may make a derivative a state.
/// Method       a state of the mode entered takes the value of the state of that name; else of the variable of that name,
///              as the equations of the mode left give it; a state der(x) else takes the rate of x in the mode left, if x was
///              a state there, or is zero and free; a variable that did not exist begins with its start value.
/// Contract     what comes out need not satisfy the constraints of the mode entered (rounds_constraints.cpp moves it). NaN
///              where nothing gives a value.
/// Cost         which state comes from where is found once for each two lists of states.
/// Checked by   tests/events/structures_test.cpp, tests/events/modes_test.cpp
#pragma once

#include <vector>

#include "hybrid/run_state.hpp"

namespace saltus::hybrid {

class ModeEntry {
 public:
  explicit ModeEntry(RunState& state) : state_(state) {}

  /// From the present state of the run.
  void states_for(const ModeData& target, std::vector<double>& x);

 private:
  struct Source {
    Index state = -1;     ///< of the mode left
    Index variable = -1;  ///< else this variable
    Index rate = -1;      ///< else the rate of this state of the mode left
    bool is_derivative = false;
  };
  struct Map {
    const Engine* from = nullptr;
    const Engine* to = nullptr;
    std::vector<Source> sources;
  };

  [[nodiscard]] const Map& map_to(const Engine& target);

  RunState& state_;
  std::vector<Map> maps_;
  std::vector<double> rates_;
};

}  // namespace saltus::hybrid
