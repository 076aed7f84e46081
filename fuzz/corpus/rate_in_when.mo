model M Real x(start = 0), a; Integer k(start = 0); equation der(x) = 1; a = sin(3*x); when der(a) > 0.5 then k = pre(k) + 1; end when; end M;
