model M parameter Integer n = 3; Real A[n, n] = identity(n)*(1 + time), x[n](start = 1:n), s = sum(x), m = max(x[1], x[n]); equation der(x) = -A*x + {s, -s, 0}; assert(m < 100, "large"); end M;
