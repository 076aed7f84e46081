within Saltus;
package Blocks "Signals"
  block Hysteresis "y becomes true where u exceeds uHigh and false where it falls below uLow"
    RealInput u;
    BooleanOutput y;
    parameter Real uLow = 0;
    parameter Real uHigh = 1;
    parameter Boolean pre_y_start = false "value before the start";
  initial equation
    pre(y) = pre_y_start;
  equation
    y = u > uHigh or (pre(y) and u >= uLow);
  end Hysteresis;

  block PWM "y is true for the share u of each period"
    RealInput u "from 0 to 1";
    BooleanOutput y;
    parameter Real period(unit = "s") = 1e-3;
    parameter Real startTime(unit = "s") = 0;
  protected
    discrete Real on(start = 0, fixed = true) "how long y is true in this period";
    discrete Real begin(start = startTime, fixed = true) "of this period";
  equation
    when sample(startTime, period) then
      on = period*min(1, max(0, u));
      begin = time;
    end when;
    y = time >= begin and time < begin + on;
  end PWM;

  block Sampler "y is u at the instants startTime + k samplePeriod"
    RealInput u;
    RealOutput y;
    parameter Real samplePeriod(unit = "s") = 0.1;
    parameter Real startTime(unit = "s") = 0;
  protected
    discrete Real held(start = 0, fixed = true);
  equation
    when sample(startTime, samplePeriod) then
      held = u;
    end when;
    y = held;
  end Sampler;

  block LimitedPI "y = k (e + x) within its limits, T dx/dt = e + (y - k (e + x))/(k Ni): the integrator gives way to the limit"
    RealInput u_s "set point";
    RealInput u_m "measured";
    RealOutput y;
    parameter Real k(min = 0) = 1;
    parameter Real Ti(unit = "s") = 0.5;
    parameter Real yMax = 1;
    parameter Real yMin = -yMax;
    parameter Real Ni(min = 0) = 0.9 "how fast the integrator gives way";
    Real x(start = 0, fixed = true);
  protected
    Real e = u_s - u_m;
    Real free = k*(e + x) "without limits";
  equation
    y = min(yMax, max(yMin, free));
    Ti*der(x) = e + (y - free)/(k*Ni);
  end LimitedPI;

  package Examples "With solutions in closed form"
    model Triangle "An integrator between the limits of a hysteresis: a triangle of period 2 (uHigh - uLow)"
      Hysteresis hysteresis(uLow = -0.5, uHigh = 0.5, u = x);
      Real x(start = 0, fixed = true);
    equation
      der(x) = if hysteresis.y then -1 else 1;
      when sample(0.25, 0.5) then
        assert(abs(abs(x) - 0.25) < 1e-6, "closed form");
      end when;
      annotation(experiment(StopTime = 5));
    end Triangle;

    model MeanOfPWM "The mean of a pulse train is its share"
      PWM pwm(period = 0.1, u = 0.3);
      Real x(start = 0, fixed = true);
    equation
      der(x) = if pwm.y then 1 else 0;
      when sample(0.099, 0.1) then
        assert(abs(x - 0.03*(1 + floor(time/0.1))) < 1e-6, "closed form");
      end when;
      annotation(experiment(StopTime = 2));
    end MeanOfPWM;

    model Held "Between two instants the value of the earlier one"
      Sampler sampler(samplePeriod = 0.25, u = time^2);
    equation
      when sample(0.1, 0.25) then
        assert(abs(sampler.y - (time - 0.1)^2) < 1e-9, "closed form");
      end when;
      annotation(experiment(StopTime = 2));
    end Held;

    model FirstOrderLoop "A first order system with y unlimited: k (1 + x) as its closed loop says"
      LimitedPI controller(k = 2, Ti = 1, yMax = 100, u_s = 1, u_m = plant);
      Real plant(start = 0, fixed = true);
    equation
      der(plant) = controller.y - plant;
      // k = 2, Ti = 1: (s + 1) cancels the pole, so that plant = 1 - exp(-2 t)
      assert((plant - (1 - exp(-2*time)))^2 < 1e-10, "closed form");
      annotation(experiment(StopTime = 4, Tolerance = 1e-8));
    end FirstOrderLoop;
  end Examples;
end Blocks;
