within Saltus;
package Rotational "Shafts that turn about one axis"
  connector Flange "The end of a shaft"
    Real phi(unit = "rad") "angle";
    flow Real tau(unit = "N.m") "torque into the component";
  end Flange;
  connector Flange_a = Flange;
  connector Flange_b = Flange;

  partial model Compliant "Two flanges: phi_rel = flange_b.phi - flange_a.phi, the same torque through both"
    Flange_a flange_a;
    Flange_b flange_b;
    Real phi_rel(unit = "rad", start = 0) "flange_b.phi - flange_a.phi";
    Real tau(unit = "N.m") "torque between the flanges";
  equation
    phi_rel = flange_b.phi - flange_a.phi;
    flange_b.tau = tau;
    flange_a.tau = -tau;
  end Compliant;

  model Inertia "J dw/dt = flange_a.tau + flange_b.tau"
    Flange_a flange_a;
    Flange_b flange_b;
    parameter Real J(unit = "kg.m2", min = 0) = 1;
    Real phi(unit = "rad") "angle";
    Real w(unit = "rad/s") "angular velocity";
    Real a(unit = "rad/s2") "angular acceleration";
  equation
    phi = flange_a.phi;
    phi = flange_b.phi;
    w = der(phi);
    a = der(w);
    J*a = flange_a.tau + flange_b.tau;
  end Inertia;

  model Fixed "phi = phi0"
    Flange flange;
    parameter Real phi0(unit = "rad") = 0;
  equation
    flange.phi = phi0;
  end Fixed;

  model Spring "tau = c (phi_rel - phi_rel0)"
    extends Compliant;
    parameter Real c(unit = "N.m/rad", min = 0) = 1;
    parameter Real phi_rel0(unit = "rad") = 0;
  equation
    tau = c*(phi_rel - phi_rel0);
  end Spring;

  model Damper "tau = d dphi_rel/dt"
    extends Compliant;
    parameter Real d(unit = "N.m.s/rad", min = 0) = 1;
    Real w_rel(unit = "rad/s");
  equation
    w_rel = der(phi_rel);
    tau = d*w_rel;
  end Damper;

  model Friction "Dry friction: |tau| <= tau_max, and tau = tau_max sign(w_rel) where it slips"
    extends Compliant;
    parameter Real tau_max(unit = "N.m", min = 0) = 1;
    Real w_rel(unit = "rad/s");
  equation
    w_rel = der(phi_rel);
    tau = tau_max*sign(w_rel);
  end Friction;

  model IdealGear "flange_a.phi = ratio flange_b.phi, without losses"
    Flange_a flange_a;
    Flange_b flange_b;
    parameter Real ratio = 1;
  equation
    flange_a.phi = ratio*flange_b.phi;
    0 = ratio*flange_a.tau + flange_b.tau;
  end IdealGear;

  model ConstantTorque "The torque tau_constant acts on the flange"
    Flange flange;
    parameter Real tau_constant(unit = "N.m") = 1;
  equation
    flange.tau = -tau_constant;
  end ConstantTorque;

  model Torque "The torque is an input"
    Flange flange;
    RealInput tau;
  equation
    flange.tau = -tau;
  end Torque;

  package Examples "With solutions in closed form"
    model Torsion "An inertia on a spring: phi = cos(sqrt(c/J) t)"
      Fixed fixed;
      Spring spring(c = 8);
      Inertia inertia(J = 2, phi(start = 1, fixed = true), w(start = 0, fixed = true));
    equation
      connect(fixed.flange, spring.flange_a);
      connect(spring.flange_b, inertia.flange_a);
      assert((inertia.phi - cos(2*time))^2 < 1e-8, "closed form");
      annotation(experiment(StopTime = 5, Tolerance = 1e-8));
    end Torsion;

    model GearedStart "A torque through a gear: a = ratio tau/(J1 ratio^2 + J2)"
      ConstantTorque torque(tau_constant = 3);
      Inertia motor(J = 0.5, phi(start = 0, fixed = true), w(start = 0, fixed = true));
      IdealGear gear(ratio = 4);
      Inertia load(J = 4);
    equation
      connect(torque.flange, motor.flange_a);
      connect(motor.flange_b, gear.flange_a);
      connect(gear.flange_b, load.flange_a);
      assert((load.w - time)^2 < 1e-12, "closed form");
      annotation(experiment(StopTime = 2, Tolerance = 1e-8));
    end GearedStart;

    model Braking "Dry friction stops an inertia after J w0/tau_max and holds it"
      Fixed fixed;
      Friction friction(tau_max = 2);
      Inertia inertia(J = 1, phi(start = 0, fixed = true), w(start = 3, fixed = true));
    equation
      connect(fixed.flange, friction.flange_a);
      connect(friction.flange_b, inertia.flange_a);
      assert((inertia.w - max(0, 3 - 2*time))^2 < 1e-12, "closed form");
      annotation(experiment(StopTime = 3));
    end Braking;
  end Examples;
end Rotational;
