type Voltage = Real(unit = "V", nominal = 10);
type Vector3 = Real[3](each start = 0.5);
model Arrays
  parameter Integer N = 4;
  parameter Integer M = size(A, 1);
  parameter Real A[:, :] = [1, 2; 3, 4];
  parameter Real w[N] = linspace(0, 1, N);
  constant Real eye[2, 2] = identity(2);
  constant Real pi = Modelica.Constants.pi;
  Voltage u[N](start = w, each fixed = true, min = -ones(N));
  Vector3 r, v;
  Real B[2, 2], C[2, 2], s, t, none[0], big[2, 2, 2], 'odd name[1]', 'its, this' = 1 + time;
  output Real y[N] = {i^2*time for i in 1:N};
  Real g[2, 3] = {{i + 10*j + time for i in 1:3} for j in 1:2};
initial equation
  r = {1, 2, 3};
  for i in 1:3 loop
    v[i] = i*pi;
  end for;
equation
  for i in 1:N loop
    der(u[i]) = -w[i]*u[i] + sum(A[k, 1]*u[k] for k in 1:M);
  end for;
  der(der(r)) = -r + cross(r, v);
  der(v) = {r[3], r[1], r[2]} .* v ./ (2 .+ r .^ 2);
  B = A*C + transpose(A)*2 - eye*time;
  C[1, :] = A*r[1:2];
  C[2, :] = r[2:end]*A;
  s = r*v + product(r) + sum(g[:, end]);
  t = (u[{1, 3}]*{1, 2}) + max(A) + ndims(big);
  none = zeros(0);
  big = fill(time, 2, 2, 2);
  'odd name[1]' = if N > 3 then u[4] else u[1];
  if N > 10 then
    s = 0; t = 0;
  end if;
end Arrays;
