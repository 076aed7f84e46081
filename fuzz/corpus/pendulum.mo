model M Real x(start = 1), y(start = 0), u, v, l; equation der(x) = u; der(y) = v; der(u) = -l*x; der(v) = -l*y - 9.81; x^2 + y^2 = 1; end M;
