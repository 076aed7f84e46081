model BouncingBall
  parameter Real e(min = 0, max = 1) = 0.8;
  constant Real g = 9.81;
  Real h(start = 1, fixed = true), v;
  Integer bounces(start = 0);
  Boolean low, was_low(start = false);
  Real u "held between samples", w;
  discrete Real last(start = -1);
equation
  der(h) = v;
  der(v) = -g;
  low = h < 0.1 and not v > 0;
  when h <= 0 and v < 0 then
    reinit(v, -e*pre(v));
    bounces = pre(bounces) + 1;
    last = time;
  elsewhen sample(0, 0.1) then
    last = if edge(low) then time else pre(last);
  end when;
  when {sample(0, 0.25), initial()} then
    u = 2*h;
    if h > 0.5 then
      was_low = false;
    else
      was_low = pre(low);
    end if;
  end when;
  w = noEvent(if h > 0.5 then sqrt(h) else 0.1) + smooth(1, if v > 1 then v^2 else 2*v - 1);
  if h > 5 then
    terminate("too high");
  elseif v > 100 then
    assert(e < 0.9, "too fast");
  else
    terminate("never");
  end if;
  assert(h > -1, "fell through the \"floor\"");
  when terminal() then
    assert(bounces >= 0, "count");
  end when;
  when bounces == 5 and change(bounces) then
    terminate("enough");
  end when;
end BouncingBall;
