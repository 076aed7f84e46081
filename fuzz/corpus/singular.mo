model M Real x, y; equation (time - 0.5)*x + y = 1; x + y = 2*time; end M;
