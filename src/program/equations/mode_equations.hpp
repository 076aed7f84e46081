/// The equations of one mode over slots (mode_equation_code.hpp) with the numbers of one system.
///
/// Contract     immutable as seen from outside; may be asked by several threads. What is bound is kept.
/// Checked by   tests/unit/program/mode_equations_test.cpp
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "program/equations/mode_equation_code.hpp"
#include "program/equations/system_data.hpp"

namespace saltus::program {

class ModeEquations {
 public:
  ModeEquations(std::shared_ptr<const SystemData> data, std::size_t mode);

  /// Null where EquationCompiler has none.
  [[nodiscard]] std::shared_ptr<const EquationProgram> constraints() const;
  [[nodiscard]] Result<std::shared_ptr<const system::EquationSet>> derivative_array(int depth) const;
  [[nodiscard]] std::shared_ptr<const ResidualForm> residual_form() const;
  [[nodiscard]] std::shared_ptr<const Divisors> divisors() const;
  [[nodiscard]] std::shared_ptr<const GuardValues> guard_values() const;
  [[nodiscard]] std::shared_ptr<const WrittenProgram> written() const;
  [[nodiscard]] std::shared_ptr<const system::WrittenCoefficients> written_coefficients() const;
  [[nodiscard]] std::shared_ptr<const system::MixedEquations> mixed() const;

 private:
  [[nodiscard]] std::shared_ptr<const system::WrittenCoefficients> bind_coefficients() const;
  [[nodiscard]] std::shared_ptr<const system::MixedEquations> bind_mixed() const;

  std::shared_ptr<const SystemData> data_;
  const ModeData& mode_;
  EquationCompiler compiler_;
  Late<EquationProgram> constraints_;
  Late<ResidualForm> residual_;
  Late<Divisors> divisors_;
  Late<GuardValues> guard_values_;
  Late<WrittenProgram> written_;
  Late<system::WrittenCoefficients> coefficients_;
  Late<system::MixedEquations> mixed_;
  mutable std::mutex arrays_mutex_;
  mutable std::vector<std::shared_ptr<const system::EquationSet>> arrays_;  // by depth
};

}  // namespace saltus::program
