model M Real x(start = 0); equation der(x) = 1; when x > 0.5 then terminate("done"); end when; assert(x < 0.7, "never"); annotation(experiment(StopTime = 2, Tolerance = 1e-9)); end M;
