model M Real a(start = 1), b(start = 2); equation 0 = max(der(a) + a, b - 3); der(b) = a; end M;
