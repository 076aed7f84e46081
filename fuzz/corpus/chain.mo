model M parameter Integer n = 9; Real x(start = 0.3), y[n], z; equation y[1] = x; for i in 2:n loop y[i] = y[i - 1]*cos(y[i - 1])/(2 + y[i - 1]); end for; der(x) = z; der(y[n]) = z - time; end M;
