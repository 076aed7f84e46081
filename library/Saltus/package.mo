package Saltus "Ideal components for switched systems"
  annotation(Documentation(info = "Connectors have the names and signs of the Modelica Standard Library, so that components of both can be connected. Ideal means ideal: a closed switch has no voltage, an open one no current, and nothing is added to make equations regular. A network must determine its solution in every configuration that it reaches; where it does not, what is undetermined is named."));

  connector RealInput = input Real;
  connector RealOutput = output Real;
  connector BooleanInput = input Boolean;
  connector BooleanOutput = output Boolean;
end Saltus;
