within Saltus;
package Electrical "Circuits"
  connector Pin "A point of a circuit"
    Real v(unit = "V") "potential";
    flow Real i(unit = "A") "current into the component";
  end Pin;
  connector PositivePin = Pin;
  connector NegativePin = Pin;

  partial model OnePort "Two pins, one current: v = p.v - n.v, i = p.i, p.i + n.i = 0"
    PositivePin p;
    NegativePin n;
    Real v(unit = "V") "voltage from p to n";
    Real i(unit = "A") "current from p to n";
  equation
    v = p.v - n.v;
    i = p.i;
    p.i + n.i = 0;
  end OnePort;

  model Ground "p.v = 0"
    Pin p;
  equation
    p.v = 0;
  end Ground;

  model Resistor "v = R i"
    extends OnePort;
    parameter Real R(unit = "Ohm") = 1;
  equation
    v = R*i;
  end Resistor;

  model Conductor "i = G v"
    extends OnePort;
    parameter Real G(unit = "S") = 1;
  equation
    i = G*v;
  end Conductor;

  model Capacitor "C dv/dt = i"
    extends OnePort;
    parameter Real C(unit = "F") = 1;
  equation
    C*der(v) = i;
  end Capacitor;

  model Inductor "L di/dt = v"
    extends OnePort;
    parameter Real L(unit = "H") = 1;
  equation
    L*der(i) = v;
  end Inductor;

  model IdealTransformer "v1 = n v2, i2 = -n i1"
    parameter Real n = 1 "turns of side 1 over those of side 2";
    PositivePin p1, p2;
    NegativePin n1, n2;
    Real v1(unit = "V"), v2(unit = "V");
    Real i1(unit = "A"), i2(unit = "A");
  equation
    v1 = p1.v - n1.v;
    v2 = p2.v - n2.v;
    i1 = p1.i;
    i2 = p2.i;
    p1.i + n1.i = 0;
    p2.i + n2.i = 0;
    v1 = n*v2;
    i2 = -n*i1;
  end IdealTransformer;

  model ConstantVoltage "v = V"
    extends OnePort;
    parameter Real V(unit = "V") = 1;
  equation
    v = V;
  end ConstantVoltage;

  model SineVoltage "v = offset + V sin(2 pi f (t - startTime) + phase) from startTime on, before it offset + V sin(phase)"
    extends OnePort;
    parameter Real V(unit = "V") = 1 "amplitude";
    parameter Real phase(unit = "rad") = 0;
    parameter Real f(unit = "Hz") = 50;
    parameter Real offset(unit = "V") = 0;
    parameter Real startTime(unit = "s") = 0;
  equation
    v = offset + V*sin(phase + (if time < startTime then 0 else 2*Modelica.Constants.pi*f*(time - startTime)));
  end SineVoltage;

  model SignalVoltage "The voltage is an input"
    extends OnePort(v = u);
    RealInput u;
  end SignalVoltage;

  model ConstantCurrent "i = I"
    extends OnePort;
    parameter Real I(unit = "A") = 1;
  equation
    i = I;
  end ConstantCurrent;

  model SignalCurrent "The current is an input"
    extends OnePort(i = u);
    RealInput u;
  end SignalCurrent;

  model IdealDiode "Either v = Vknee and i >= 0, or i = 0 and v <= Vknee"
    extends OnePort;
    parameter Real Vknee(unit = "V") = 0 "voltage while it conducts";
    Boolean off(start = true) "it blocks";
  protected
    Real s(start = 0) "along the characteristic: current where it conducts, voltage beyond the knee where it blocks";
  equation
    off = s < 0;
    v = Vknee + (if off then s else 0);
    i = if off then 0 else s;
  end IdealDiode;

  model IdealThyristor "A diode that conducts only once it is fired, until its current ends"
    extends OnePort;
    parameter Real Vknee(unit = "V") = 0 "voltage while it conducts";
    BooleanInput fire;
    Boolean off(start = true, fixed = true) "it blocks";
  protected
    Real s(start = 0) "along the characteristic";
  equation
    off = s < 0 or (pre(off) and not fire);
    v = Vknee + (if off then s else 0);
    i = if off then 0 else s;
  end IdealThyristor;

  model IdealClosingSwitch "v = 0 where control is true, else i = 0"
    extends OnePort;
    BooleanInput control "true: closed";
  protected
    Real s "current where it is closed, voltage where it is open";
  equation
    v = if control then 0 else s;
    i = if control then s else 0;
  end IdealClosingSwitch;

  model IdealOpeningSwitch "i = 0 where control is true, else v = 0"
    extends OnePort;
    BooleanInput control "true: open";
  protected
    Real s "current where it is closed, voltage where it is open";
  equation
    v = if control then s else 0;
    i = if control then 0 else s;
  end IdealOpeningSwitch;

  model VoltageSensor "No current flows through it"
    extends OnePort;
  equation
    i = 0;
  end VoltageSensor;

  package Examples "With solutions in closed form"
    model Charge "A capacitor through a resistor: v = V (1 - exp(-t/(R C)))"
      ConstantVoltage source(V = 10);
      Resistor resistor(R = 2);
      Capacitor capacitor(C = 0.25, v(start = 0, fixed = true));
      Ground ground;
    equation
      connect(source.p, resistor.p);
      connect(resistor.n, capacitor.p);
      connect(capacitor.n, source.n);
      connect(source.n, ground.p);
      assert((capacitor.v - 10*(1 - exp(-2*time)))^2 < 1e-8, "closed form");
      annotation(experiment(StopTime = 2, Tolerance = 1e-7));
    end Charge;

    model Oscillation "Inductor and capacitor: v = cos(t/sqrt(L C))"
      Inductor inductor(L = 0.5, i(start = 0, fixed = true));
      Capacitor capacitor(C = 0.02, v(start = 1, fixed = true));
      Ground ground;
    equation
      connect(inductor.p, capacitor.p);
      connect(inductor.n, capacitor.n);
      connect(ground.p, capacitor.n);
      assert((capacitor.v - cos(10*time))^2 < 1e-8, "closed form");
      annotation(experiment(StopTime = 2, Tolerance = 1e-8));
    end Oscillation;

    model HalfWave "A diode and a resistor: the current is that of the positive half waves"
      SineVoltage source(V = 10, f = 1);
      IdealDiode diode;
      Resistor load(R = 5);
      Ground ground;
    equation
      connect(source.p, diode.p);
      connect(diode.n, load.p);
      connect(load.n, source.n);
      connect(ground.p, source.n);
      when sample(0.03, 0.1) then
        assert(abs(load.i - max(0, 2*sin(2*Modelica.Constants.pi*time))) < 1e-6, "closed form");
      end when;
      annotation(experiment(StopTime = 2));
    end HalfWave;

    model FreeWheeling "A switch opens: the current of the inductor goes on through the diode and decays"
      ConstantVoltage source(V = 10);
      IdealClosingSwitch switch(control = time < 1);
      Inductor inductor(L = 2, i(start = 0, fixed = true));
      Resistor resistor(R = 4);
      IdealDiode diode;
      Ground ground;
      Real exact = if time < 1 then 2.5*(1 - exp(-2*time)) else 2.5*(1 - exp(-2))*exp(-2*(time - 1));
    equation
      connect(source.p, switch.p);
      connect(switch.n, inductor.p);
      connect(inductor.n, resistor.p);
      connect(resistor.n, source.n);
      connect(diode.p, source.n);
      connect(diode.n, inductor.p);
      connect(ground.p, source.n);
      assert((inductor.i - exact)^2 < 1e-8, "closed form");
      annotation(experiment(StopTime = 3, Tolerance = 1e-7));
    end FreeWheeling;

    model PhaseControl "A thyristor fired a quarter into each period: it conducts for the rest of the half wave"
      SineVoltage source(V = 10, f = 1);
      IdealThyristor thyristor(fire = mod(time, 1) > 0.25 and mod(time, 1) < 0.3);
      Resistor load(R = 5);
      Ground ground;
      Real part = time - floor(time);
      Real exact = if part > 0.25 and part < 0.5 then 2*sin(2*Modelica.Constants.pi*time) else 0;
    equation
      connect(source.p, thyristor.p);
      connect(thyristor.n, load.p);
      connect(load.n, source.n);
      connect(ground.p, source.n);
      when sample(0.05, 0.1) then
        assert(abs(load.i - exact) < 1e-6, "closed form");
      end when;
      annotation(experiment(StopTime = 3));
    end PhaseControl;

    model Transformed "A transformer shows its load with the square of its turns: i = v/(n^2 R)"
      SineVoltage source(V = 12, f = 2);
      IdealTransformer transformer(n = 3);
      Resistor load(R = 2);
      Ground ground1, ground2;
    equation
      connect(source.p, transformer.p1);
      connect(source.n, transformer.n1);
      connect(source.n, ground1.p);
      connect(transformer.p2, load.p);
      connect(transformer.n2, load.n);
      connect(transformer.n2, ground2.p);
      when sample(0.03, 0.1) then
        assert(abs(transformer.i1 - source.v/18) < 1e-9, "closed form");
        assert(abs(load.v - source.v/3) < 1e-9, "closed form");
      end when;
      annotation(experiment(StopTime = 1));
    end Transformed;
  end Examples;
end Electrical;
