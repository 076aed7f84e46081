within Saltus;
package Thermal "Heat that flows between bodies"
  connector HeatPort "A point of a body"
    Real T(unit = "K") "temperature";
    flow Real Q_flow(unit = "W") "heat flow into the component";
  end HeatPort;
  connector HeatPort_a = HeatPort;
  connector HeatPort_b = HeatPort;

  model HeatCapacitor "C dT/dt = port.Q_flow"
    HeatPort_a port;
    parameter Real C(unit = "J/K") = 1;
    Real T(unit = "K", start = 293.15);
  equation
    T = port.T;
    C*der(T) = port.Q_flow;
  end HeatCapacitor;

  model ThermalConductor "Q_flow = G (port_a.T - port_b.T)"
    HeatPort_a port_a;
    HeatPort_b port_b;
    parameter Real G(unit = "W/K") = 1;
    Real Q_flow(unit = "W");
    Real dT(unit = "K");
  equation
    dT = port_a.T - port_b.T;
    port_a.Q_flow = Q_flow;
    port_b.Q_flow = -Q_flow;
    Q_flow = G*dT;
  end ThermalConductor;

  model FixedTemperature "port.T = T"
    HeatPort_b port;
    parameter Real T(unit = "K") = 293.15;
  equation
    port.T = T;
  end FixedTemperature;

  model FixedHeatFlow "The heat flow Q_flow goes out of the port"
    HeatPort_b port;
    parameter Real Q_flow(unit = "W") = 1;
  equation
    port.Q_flow = -Q_flow;
  end FixedHeatFlow;

  package Examples "With solutions in closed form"
    model Cooling "A body cools: T = Te + (T0 - Te) exp(-G t/C)"
      HeatCapacitor body(C = 4, T(start = 400, fixed = true));
      ThermalConductor wall(G = 2);
      FixedTemperature outside(T = 300);
    equation
      connect(body.port, wall.port_a);
      connect(wall.port_b, outside.port);
      assert((body.T - 300 - 100*exp(-0.5*time))^2 < 1e-6, "closed form");
      annotation(experiment(StopTime = 5, Tolerance = 1e-8));
    end Cooling;
  end Examples;
end Thermal;
