// A model that is much work before its first step.
#pragma once

#include <string>

namespace saltus::test {

/// n points on a sphere, each repelling all others: index 3 with n³ terms to differentiate and factorise; from n = 60 on far beyond any
/// limit of the tests.
inline std::string sphere_model(int n) {
  return "model Sphere\n  parameter Integer N = " + std::to_string(n) + R"(;
  Real p[N,3](start = {{cos(2*i)*cos(0.3*i), sin(2*i)*cos(0.3*i), sin(0.3*i)} for i in 1:N});
  Real q[N,3](each start = 0), lam[N](each start = -2);
equation
  for i in 1:N loop
    for k in 1:3 loop
      der(p[i,k]) = q[i,k];
      der(q[i,k]) = -0.5*q[i,k] + 2*lam[i]*p[i,k] + sum({if j == i then 0 else (p[i,k] - p[j,k])/
        ((p[i,1] - p[j,1])^2 + (p[i,2] - p[j,2])^2 + (p[i,3] - p[j,3])^2) for j in 1:N});
    end for;
    p[i,1]^2 + p[i,2]^2 + p[i,3]^2 = 1;
  end for;
  annotation(experiment(StopTime = 10));
end Sphere;
)";
}

}  // namespace saltus::test
