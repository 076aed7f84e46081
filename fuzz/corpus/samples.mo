model M Real x(start = 1); discrete Real u(start = 0); equation der(x) = u - x; when sample(0, 0.1) then u = -pre(u) + floor(4*x); end when; when x > 0.9 then reinit(x, 0.2); end when; end M;
