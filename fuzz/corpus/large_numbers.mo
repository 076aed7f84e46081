model M Real x(start = 1e300, nominal = 1e-300), y(start = 1e-320); equation der(x) = 1e200*x*y; der(y) = -1e308*y + 1e-308; end M;
