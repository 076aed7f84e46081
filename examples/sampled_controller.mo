// A computer controls a slow process: ten times a second it samples the output and sets the input. Comes from the textbooks of digital
// control. To see: the samples are hit exactly, the input is constant between them; between samples the solution is an exponential, so that
// every sampled value is known exactly.
model SampledController "PI controller with a sampling period"
  parameter Real T = 0.1 "period", Kp = 2, Ki = 4, reference = 1;
  Real x(start = 0, fixed = true) "process";
  discrete Real u(start = 0, fixed = true) "input", integral(start = 0, fixed = true);
equation
  der(x) = -x + u;
  when sample(0, T) then
    integral = pre(integral) + T*(reference - x);
    u = Kp*(reference - x) + Ki*integral;
  end when;
  annotation(experiment(StopTime = 5, Tolerance = 1e-8, Interval = 0.02));
end SampledController;
