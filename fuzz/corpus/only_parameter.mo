model M parameter Real p(fixed = false, start = 2); initial equation p^2 = 9; end M;
