model M Real a(start = 1), y; equation abs(der(a)) + der(a) = y; y = a - 0.3*time; end M;
