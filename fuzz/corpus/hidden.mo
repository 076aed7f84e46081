model M Real x, y, z; equation x + y + der(z) = sin(time); x + y - z = 1; der(x) + 2*x + 2*y + der(y) = 0; end M;
