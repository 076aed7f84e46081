model M Real a(start = 1); equation der(a) = if der(a) > 0 then -a else a; end M;
