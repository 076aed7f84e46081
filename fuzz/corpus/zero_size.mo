model M parameter Integer n = 0; Real x[n], y(start = 1); equation for i in 1:n loop der(x[i]) = 1; end for; der(y) = sum(x) + product(x); end M;
