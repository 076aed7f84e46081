model h>
function limited
m r=.........................................end limited;e=({z})-({x});if x;=initial mode;uation s
model l mode a o=,;
  function limited
  hm
 r :=..........................................ÿ  end limited;,
end a;
mode b
