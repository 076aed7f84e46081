model M parameter Real p(fixed = false) = 1; Real x(start = p0); parameter Real p0 = 3; equation der(x) = -p*x; initial equation p = 5; end M;
