model M Real x(start = 1); equation x^2 + 1 + time = 0; end M;
