// A model whose variables and equations are in other units is the same model: x written as u/U with the nominal value U, rows times numbers.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using Units = std::map<std::string, double>;

std::string constants(const Units& units, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const auto found = units.find(name);
    text += " constant Real U" + name + " = " + number(found == units.end() ? 1.0 : found->second) + ";\n";
  }
  return text;
}

// examples/bead_on_wire.mo: friction in proportion to a multiplier. Its first two equations tie a velocity to a derivative by a number.
std::string bead(const Units& units) {
  return "model M\n" + constants(units, {"x", "y", "u", "v", "N", "F", "w", "r", "rowv", "rowF"}) +
         " Real x(start = 1.5*Ux, fixed = true, nominal = Ux), y(start = 2.25*Uy, nominal = Uy);\n"
         " Real u(start = 0, fixed = true, nominal = Uu), v(start = 0, nominal = Uv);\n"
         " Real N(nominal = UN), F(nominal = UF), w(nominal = Uw), r(nominal = Ur) = Ur*sqrt(1 + "
         "4*(x/Ux)^2);\n"
         "equation\n der(x/Ux) = u/Uu;\n der(y/Uy) = v/Uv;\n"
         " der(u/Uu) = -2*(x/Ux)/(r/Ur)*(N/UN) - (F/UF)/(r/Ur);\n"
         " Urowv*der(v/Uv) = Urowv*((N/UN)/(r/Ur) - 2*(x/Ux)/(r/Ur)*(F/UF) - 9.81);\n y/Uy = (x/Ux)^2;\n"
         " w/Uw = (u/Uu + 2*(x/Ux)*(v/Uv))/(r/Ur);\n UrowF*(F/UF) = UrowF*(0.2*abs(N/UN)*sign(w/Uw));\nend "
         "M;\n";
}

// examples/car_axis.mo, with velocities tied by numbers.
std::string car_axis(const Units& units) {
  return "model M\n" + constants(units, {"xl", "yl", "xr", "yr", "ul", "vl", "ur", "vr"}) +
         " parameter Real L = 1, L0 = 0.5, k = 5e-4, g = 1;\n"
         " Real xl(start = 0), yl(start = 0.5), xr(start = 1), yr(start = 0.5), lambda1, lambda2;\n"
         " Real ul(start = -0.5*Uul, nominal = Uul), vl(start = 0, nominal = Uvl);\n"
         " Real ur(start = -0.5*Uur, nominal = Uur), vr(start = 0, nominal = Uvr);\n"
         " Real yb = 0.1*sin(10*time), xb = sqrt(L^2 - yb^2);\n"
         " Real Ll = sqrt(xl^2 + yl^2), Lr = sqrt((xr - xb)^2 + (yr - yb)^2);\n"
         "equation\n Uxl*der(xl) = Uxl*(ul/Uul);\n Uyl*der(yl) = Uyl*(vl/Uvl);\n Uxr*der(xr) = "
         "Uxr*(ur/Uur);\n"
         " Uyr*der(yr) = Uyr*(vr/Uvr);\n k*der(ul/Uul) = (L0 - Ll)*xl/Ll + lambda1*xb + 2*lambda2*(xl - "
         "xr);\n"
         " k*der(vl/Uvl) = (L0 - Ll)*yl/Ll + lambda1*yb + 2*lambda2*(yl - yr) - k*g;\n"
         " k*der(ur/Uur) = (L0 - Lr)*(xr - xb)/Lr - 2*lambda2*(xl - xr);\n"
         " k*der(vr/Uvr) = (L0 - Lr)*(yr - yb)/Lr - 2*lambda2*(yl - yr) - k*g;\n"
         " 0 = xl*xb + yl*yb;\n 0 = (xl - xr)^2 + (yl - yr)^2 - L^2;\nend M;\n";
}

double unit(const Units& units, const std::string& name) {
  const auto found = units.find(name);
  return found == units.end() ? 1.0 : found->second;
}

// Each of these found no start, or ended at rest where a velocity is zero, when only sizes of rows counted.
TEST(VariableUnits, OfABeadChangeNothing) {
  const std::vector<Units> all = {
      {{"x", 1e-3}, {"y", 1e5}, {"v", 1e6}, {"F", 1e-5}, {"r", 1e3}},
      {{"y", 1e5}, {"v", 1e8}, {"F", 1e-9}},
      {{"x", 1e-8}, {"y", 1e-7}, {"u", 1e8}, {"v", 1e8}, {"N", 1e-9}, {"F", 1e-9}, {"r", 1e-8}},
      {{"x", 1e9}, {"N", 1e-8}, {"F", 1e-8}, {"rowv", 10.0}, {"rowF", 1e6}},
      {{"x", 1e9}, {"y", 1e-9}, {"u", 1e-9}, {"v", 1e9}, {"w", 1e7}, {"rowv", 1e-9}, {"rowF", 1e9}}};
  for (const std::string method : {"auto", "dopri5", "radau5", "sdirk4", "bdf"}) {
    const std::vector<std::pair<std::string, std::string>> options{
        {"stop", "6"}, {"interval", "0.1"}, {"tolerance", "1e-7"}, {"method", method}};
    const HybridRun base = run_text(bead({}), options);
    ASSERT_EQ(base.result.status, SimulationStatus::success) << base.log();
    for (const Units& units : all) {
      SCOPED_TRACE(method + " " + bead(units).substr(0, 200));
      const HybridRun run = run_text(bead(units), options);
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      ASSERT_EQ(run.events.size(), base.events.size());
      for (std::size_t i = 0; i < run.events.size(); ++i) {
        EXPECT_NEAR(run.events[i].time, base.events[i].time, 1e-5);
      }
      for (const std::string name : {"x", "y", "N"}) {
        EXPECT_NEAR(run.final(name) / unit(units, name), base.final(name),
                    1e-5 * std::max(1.0, base.final(name)))
            << name;
      }
    }
  }
}

// Final values: the reference of the test set for initial value problem solvers. A velocity was off by 300 tolerances, because what was
// wrong with it was put right along a direction that turns to zero.
TEST(VariableUnits, VelocitiesMayBeTiedByNumbers) {
  const Units tied = {{"xl", 1e3}, {"yl", 1e3}, {"xr", 1e3}, {"yr", 1e3}};
  const Units scaled = {{"ul", 1e3}, {"vl", 1e-3}, {"ur", 1e6}, {"vr", 1e-6}, {"yr", 1e3}};
  for (const std::string method : {"auto", "dopri5", "radau5"}) {
    for (const Units& units : std::array{Units{}, tied, scaled}) {
      SCOPED_TRACE(method);
      const HybridRun run = run_text(
          car_axis(units), {{"stop", "3"}, {"interval", "0.5"}, {"tolerance", "1e-7"}, {"method", method}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      EXPECT_NEAR(run.final("xl"), 0.0493455784275402809, 1e-6);
      EXPECT_NEAR(run.final("yr"), 0.373911027265361257, 1e-5);
      EXPECT_NEAR(run.final("ul") / unit(units, "ul"), -0.0770583684040972358, 1e-5);
      EXPECT_NEAR(run.final("vl") / unit(units, "vl"), 0.00744686658723778553, 5e-6);
    }
  }
}

}  // namespace
}  // namespace saltus::test
