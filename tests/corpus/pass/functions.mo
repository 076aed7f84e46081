function factorial
  input Integer n;
  output Integer r;
algorithm
  if n <= 1 then
    r := 1;
    return;
  end if;
  r := n*factorial(n - 1);
end factorial;
function horner "polynomial by Horner's rule"
  input Real c[:];
  input Real x;
  output Real y;
  output Real slope;
protected
  Integer k;
algorithm
  y := 0;
  slope := 0;
  k := size(c, 1);
  while k >= 1 loop
    slope := slope*x + y;
    y := y*x + c[k];
    k := k - 1;
  end while;
end horner;
function sorted
  input Real a[2];
  output Real b[2] = a;
algorithm
  if a[1] > a[2] then
    b[1] := a[2];
    b[2] := a[1];
  end if;
end sorted;
function first_above
  input Real v[:];
  input Real limit;
  output Integer place;
algorithm
  place := 0;
  for i in 1:size(v, 1) loop
    if v[i] > limit then
      place := i;
      break;
    end if;
  end for;
end first_above;
model Functions
  parameter Integer n = 5;
  parameter Real table[3] = {1, 5, 9};
  constant Integer f5 = factorial(5);
  Real x, y, s, z[2], q[first_above(table, 4)];
equation
  der(x) = factorial(4)/f5;
  (y, s) = horner({1, 2, 3}, x);
  z = sorted({x, y});
  q = {x, y};
end Functions;
