model M Real h(start = 0.1), v(start = 0); equation der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -0.6*pre(v)); end when; end M;
