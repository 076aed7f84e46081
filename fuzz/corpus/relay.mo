model M Real x(start = 1), y(start = -1); equation der(x) = -sign(x) + 0.5*y; der(y) = -sign(y) - 0.2*x; end M;
