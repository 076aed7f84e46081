within Saltus;
package Translational "Bodies that move along one line"
  connector Flange "The end of a body"
    Real s(unit = "m") "position";
    flow Real f(unit = "N") "force into the component";
  end Flange;
  connector Flange_a = Flange;
  connector Flange_b = Flange;

  partial model Compliant "Two flanges: s_rel = flange_b.s - flange_a.s, the same force through both"
    Flange_a flange_a;
    Flange_b flange_b;
    Real s_rel(unit = "m", start = 0) "flange_b.s - flange_a.s";
    Real f(unit = "N") "force between the flanges";
  equation
    s_rel = flange_b.s - flange_a.s;
    flange_b.f = f;
    flange_a.f = -f;
  end Compliant;

  model Mass "m dv/dt = flange_a.f + flange_b.f; its flanges lie L apart"
    Flange_a flange_a;
    Flange_b flange_b;
    parameter Real m(unit = "kg", min = 0) = 1;
    parameter Real L(unit = "m") = 0;
    Real s(unit = "m") "position of the middle";
    Real v(unit = "m/s") "velocity";
    Real a(unit = "m/s2") "acceleration";
  equation
    flange_a.s = s - L/2;
    flange_b.s = s + L/2;
    v = der(s);
    a = der(v);
    m*a = flange_a.f + flange_b.f;
  end Mass;

  model BouncingMass "A mass that cannot pass below s_min: it leaves the stop with -e times its velocity"
    extends Mass;
    parameter Real s_min(unit = "m") = 0;
    parameter Real e(min = 0, max = 1) = 0.5 "coefficient of restitution";
  equation
    when s <= s_min and v < 0 then
      reinit(v, -e*pre(v));
    end when;
  end BouncingMass;

  model Fixed "s = s0"
    Flange flange;
    parameter Real s0(unit = "m") = 0;
  equation
    flange.s = s0;
  end Fixed;

  model Spring "f = c (s_rel - s_rel0)"
    extends Compliant;
    parameter Real c(unit = "N/m", min = 0) = 1;
    parameter Real s_rel0(unit = "m") = 0;
  equation
    f = c*(s_rel - s_rel0);
  end Spring;

  model Damper "f = d ds_rel/dt"
    extends Compliant;
    parameter Real d(unit = "N.s/m", min = 0) = 1;
    Real v_rel(unit = "m/s");
  equation
    v_rel = der(s_rel);
    f = d*v_rel;
  end Damper;

  model Friction "Dry friction: |f| <= f_max, and f = f_max sign(v_rel) where it slips"
    extends Compliant;
    parameter Real f_max(unit = "N", min = 0) = 1;
    Real v_rel(unit = "m/s");
  equation
    v_rel = der(s_rel);
    f = f_max*sign(v_rel);
  end Friction;

  model ConstantForce "The force f_constant acts on the flange"
    Flange flange;
    parameter Real f_constant(unit = "N") = 1;
  equation
    flange.f = -f_constant;
  end ConstantForce;

  model Force "The force is an input"
    Flange flange;
    RealInput f;
  equation
    flange.f = -f;
  end Force;

  package Examples "With solutions in closed form"
    model Oscillator "A mass on a spring: s = cos(sqrt(c/m) t)"
      Fixed fixed;
      Spring spring(c = 18);
      Mass mass(m = 2, s(start = 1, fixed = true), v(start = 0, fixed = true));
    equation
      connect(fixed.flange, spring.flange_a);
      connect(spring.flange_b, mass.flange_a);
      assert((mass.s - cos(3*time))^2 < 1e-8, "closed form");
      annotation(experiment(StopTime = 4, Tolerance = 1e-8));
    end Oscillator;

    model Sliding "Dry friction stops a mass that is not pushed hard enough, and holds it"
      Fixed fixed;
      Friction friction(f_max = 5);
      ConstantForce push(f_constant = 3);
      Mass mass(m = 1, s(start = 0, fixed = true), v(start = 4, fixed = true));
    equation
      connect(fixed.flange, friction.flange_a);
      connect(friction.flange_b, mass.flange_a);
      connect(push.flange, mass.flange_b);
      assert((mass.v - max(0, 4 - 2*time))^2 < 1e-12, "closed form");
      annotation(experiment(StopTime = 4));
    end Sliding;

    model Bouncing "The peaks of a falling mass shrink by e^2"
      BouncingMass mass(m = 2, e = 0.5, s(start = 1, fixed = true), v(start = 0, fixed = true));
      ConstantForce weight(f_constant = -2*9.81);
      parameter Real t1 = sqrt(2/9.81) "the first impact";
    equation
      connect(weight.flange, mass.flange_a);
      // The peak after the first impact, when half the time of the first fall has passed.
      when time >= 1.5*t1 then
        assert(abs(mass.s - 0.25) < 1e-6 and abs(mass.v) < 1e-5, "closed form");
      end when;
      annotation(experiment(StopTime = 1, Tolerance = 1e-8));
    end Bouncing;
  end Examples;
end Translational;
