model M Real x; equation der(x) = y + x[1] + f(2, ; when x then end when; end N;
