model Discontinuities
  parameter Real p = 2, q = -p;
  parameter Boolean flag = p > 1 and not q > 0;
  parameter Integer n = 3;
  parameter String note = "a \"quoted\" note";
  Real x(start = 0.3), y, z, a, b, c, d, e, f, k[3], m, o;
  Integer i, j(start = 2), l;
  Boolean s, t;
  function limited
    input Real u;
    input Real limit = 1;
    output Real r;
  algorithm
    r := noEvent(if u > limit then limit else u) + abs(u);
  end limited;
equation
  der(x) = if flag then y else -y;
  y = min(x, max(p, abs(z - 1)));
  z = cos(time) + div(x, 2) + mod(x, 3) + rem(x, p);
  i = integer(x) + floor(2*x) - ceil(x/3);
  j = if s then 1 elseif t then -1 else pre(j);
  l = div(j, 2) + mod(j, 3);
  s = x > y or (x < -1 and t);
  t = not (i <> j) and (i >= 0) == true;
  a = limited(abs(x - y));
  b = limited(limit = 2, u = x) + (if x >= y then x - y else y - x);
  c = smooth(0, if x*y > z then x*y - z else 0);
  d = sign(x - y) - sign(2*y - 2*x);
  e = max({x, y, z}) - min(k);
  f = x^2 + x^0.5 + 2^x + (-x)^3 + x^(-2) - (-3)*x;
  k = abs({x, y, z});
  if x > 0 then
    m = x;
    o = y;
  elseif y > 0 then
    m = -x;
    2*o = y + m;
  else
    o = 0;
    m + o = 1;
  end if;
end Discontinuities;
