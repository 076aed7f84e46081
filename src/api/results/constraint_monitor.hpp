/// How far the ends of steps are from constraints, and rows from invariants.
///
/// Method     constraints of the mode (LockedDae::constraints) at every end of a step; the highest of each equation along (1, ẋ) by
///            tangents, ẋ as the method has it
/// Cost       the constraints once, and their tangents once, for each step of a mode that has some; nothing in other modes
/// Checked by tests/mechanics/monitors_test.cpp
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "hybrid/run.hpp"
#include "saltus/monitors.hpp"
#include "saltus/trajectory.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::api {

class ConstraintMonitor {
 public:
  /// `invariants`: columns of rows with their names. The system outlives the monitor.
  ConstraintMonitor(const system::HybridSystem& system, std::size_t n_parameters,
                    std::vector<std::pair<std::size_t, std::string>> invariants);

  void begin_stretch(const hybrid::Stretch& stretch);
  void step(const hybrid::StepEnd& end);
  void rows(const OutputRows& rows);
  /// None: nothing was constrained and no invariant asked for.
  [[nodiscard]] std::optional<Monitors> found() const;

  void fields(Archive& a);

 private:
  void enter(const system::StructureId& structure);
  void take_configuration();
  void look_at_rates(const hybrid::StepEnd& end);

  struct Invariant {
    std::size_t column = 0;
    std::string name;
    double start = 0.0;
    bool has_start = false;
    double change = 0.0;
  };
  const system::HybridSystem& system_;
  std::size_t n_parameters_;
  std::vector<Invariant> invariants_;
  bool has_stretch_ = false;
  system::StructureId structure_;
  system::Configuration configuration_;
  bool is_watched_ = false;                                 // no constraint depends on what is slid on
  std::shared_ptr<const system::EquationSet> constraints_;  // null: none
  std::unique_ptr<system::EquationRunner> runner_;
  std::unique_ptr<system::EquationTangents> tangents_;
  std::vector<int> below_;  // by row: how many differentiations it is below the rates
  std::vector<double> residual_;
  std::vector<double> still_;  // discrete values do not move
  bool has_constraints_ = false;
  double position_ = 0.0;
  double velocity_ = 0.0;
  double acceleration_ = 0.0;
};

}  // namespace saltus::api
