model M Real x(start = 1); equation sum(x) = x^2/(0.5 - time); end M;
