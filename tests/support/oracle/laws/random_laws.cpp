#include "support/oracle/laws/random_laws.hpp"

#include <cstdio>
#include <utility>

#include "support/oracle/draw.hpp"

namespace saltus::test::laws {
namespace {

using oracle::Draw;

std::string text_of(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return value < 0 ? "(" + std::string(buffer) + ")" : buffer;
}

/// A multiple of a thousandth, which its text gives back.
double between(Draw& draw, double least, double most) {
  const auto n = static_cast<std::size_t>((most - least) * 1000.0 + 0.5);
  return (static_cast<double>(static_cast<long>(least * 1000.0 + 0.5)) +
          static_cast<double>(draw.below(n + 1))) /
         1000.0;
}

std::string name_of(const char* what, std::size_t i) {
  return what + std::to_string(i + 1);
}

/// Both of a model as it grows.
struct Builder {
  LawModel model;
  std::string declarations;
  std::string equations;
  std::vector<std::string> sums;  ///< right-hand side of each state, times its size
  std::vector<double> sizes;      ///< area or mass

  std::size_t add_state(const std::string& name, double start, double size) {
    model.system.start.push_back(start);
    model.names.push_back(name);
    declarations += "  Real " + name + "(start = " + text_of(start) + ", fixed = true);\n";
    sums.emplace_back();
    sizes.push_back(size);
    return sums.size() - 1;
  }
  void add_effect(std::size_t state, const std::string& term) {
    sums[state] += (sums[state].empty() ? "" : " + ") + term;
  }
  void add_forcing(std::size_t state, double amplitude, double frequency, double phase, double begin,
                   double end) {
    model.system.forcings.push_back({.state = state,
                                     .amplitude = amplitude / sizes[state],
                                     .frequency = frequency,
                                     .phase = phase,
                                     .begin = begin,
                                     .end = end});
    std::string text = text_of(amplitude);
    if (frequency != 0) {
      text += "*sin(" + text_of(frequency) + "*time + " + text_of(phase) + ")";
    }
    if (end < 1e300) {
      text = "(if time > " + text_of(begin) + " and time < " + text_of(end) + " then " + text + " else 0)";
    }
    add_effect(state, text);
  }
  LawModel finish(double stop) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      equations += "  " + text_of(sizes[i]) + "*der(" + model.names[i] +
                   ") = " + (sums[i].empty() ? "0" : sums[i]) + ";\n";
    }
    model.system.stop = stop;
    model.text = "model M\n" + declarations + "equation\n" + equations +
                 "  annotation(experiment(StopTime = " + text_of(stop) + "));\nend M;\n";
    return std::move(model);
  }
};

std::string one_way(Draw& draw, const std::string& a, const std::string& b) {
  switch (draw.below(6)) {
    case 0: return "(if " + a + " > " + b + " then sqrt(" + a + " - " + b + ") else 0)";
    case 1: return "(if " + a + " <= " + b + " then 0 else sqrt(" + a + " - " + b + "))";
    case 2: return "sqrt(max(0, " + a + " - " + b + "))";
    case 3: return "smooth(0, if " + a + " > " + b + " then sqrt(" + a + " - " + b + ") else 0)";
    case 4: return "max(" + a + " - " + b + ", 0)^0.5";
    default: return "(if " + b + " < " + a + " then (" + a + " - " + b + ")^0.5 else 0)";
  }
}

std::string both_ways(Draw& draw, const std::string& a, const std::string& b) {
  const std::string d = "(" + a + " - " + b + ")";
  switch (draw.below(3)) {
    case 0: return "sign" + d + "*sqrt(abs" + d + ")";
    case 1: return "(if " + a + " > " + b + " then sqrt" + d + " else -sqrt(" + b + " - " + a + "))";
    default: return "(if " + a + " >= " + b + " then sqrt(abs" + d + ") else -sqrt(abs" + d + "))";
  }
}

/// A branch from tank a to tank b, or to the outside where b is a.
void add_branch(Builder& builder, Draw& draw, std::size_t a, std::size_t b, LawKind kind,
                const std::vector<std::string>& heads, double per_level) {
  const bool is_outlet = a == b;
  const double k = between(draw, 0.05, 0.5);
  const std::string flow = name_of("q", builder.model.system.elements.size());
  const std::string other = is_outlet ? "0" : heads[b];
  const std::string law = kind == LawKind::linear         ? "(" + heads[a] + " - " + other + ")"
                          : kind == LawKind::root_one_way ? one_way(draw, heads[a], other)
                                                          : both_ways(draw, heads[a], other);
  builder.declarations += "  Real " + flow + ";\n";
  builder.equations += "  " + flow + " = " + text_of(k) + "*" + law + ";\n";
  Element element{.kind = kind, .argument = {{a, per_level}}, .effect = {{a, -k / builder.sizes[a]}}};
  builder.add_effect(a, "(-" + flow + ")");
  if (!is_outlet) {
    element.argument.push_back({b, -per_level});
    element.effect.push_back({b, k / builder.sizes[b]});
    builder.add_effect(b, flow);
  }
  builder.model.system.elements.push_back(std::move(element));
}

/// Each number is drawn in a statement of its own: compilers evaluate arguments in different orders.
void add_sine(Builder& builder, Draw& draw, std::size_t state, std::pair<double, double> amplitudes,
              std::pair<double, double> frequencies) {
  const double amplitude = between(draw, amplitudes.first, amplitudes.second);
  const double frequency = between(draw, frequencies.first, frequencies.second);
  const double phase = between(draw, 0.0, 3.0);
  builder.add_forcing(state, amplitude, frequency, phase, 0, 1e300);
}

LawModel hydraulics(Family family, Draw& draw) {
  Builder builder;
  const std::size_t n = 2 + draw.below(family == Family::row ? 7 : 5);
  const double per_level = family == Family::pressures ? between(draw, 0.5, 4.0) : 1.0;
  std::vector<std::string> heads;
  for (std::size_t i = 0; i < n; ++i) {
    const double area = draw.below(2) == 0 ? 1.0 : between(draw, 0.3, 3.0);
    builder.add_state(name_of("h", i), between(draw, 0.2, 2.0), area);
    heads.push_back(name_of("h", i));
    if (family == Family::pressures) {
      heads.back() = name_of("p", i);
      builder.declarations += "  Real " + heads.back() + ";\n";
      builder.equations += "  " + heads.back() + " = " + text_of(per_level) + "*" + name_of("h", i) + ";\n";
    }
  }
  const auto kind = [&] {
    const std::size_t drawn = draw.below(family == Family::pressures ? 5 : 4);
    return drawn < 2 ? LawKind::root_one_way : drawn < 4 ? LawKind::root_both_ways : LawKind::linear;
  };
  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t other = family == Family::row ? i - 1 : draw.below(i);
    add_branch(builder, draw, other, i, family == Family::row ? LawKind::root_one_way : kind(), heads,
               per_level);
  }
  for (std::size_t i = 0; family != Family::row && i < draw.below(3); ++i) {
    const std::size_t a = draw.below(n);
    const std::size_t b = (a + 1 + draw.below(n - 1)) % n;
    add_branch(builder, draw, a, b, kind(), heads, per_level);
  }
  const double stop = 10.0 + 5.0 * static_cast<double>(draw.below(7));
  if (family == Family::pumped) {
    for (std::size_t i = 0; i < 1 + draw.below(2); ++i) {
      const double begin = between(draw, 0.05, 0.6) * stop;
      const std::size_t tank = draw.below(n);
      const double amplitude = between(draw, 0.02, 0.2);
      const double end = begin + between(draw, 0.05, 0.3) * stop;
      builder.add_forcing(tank, amplitude, 0, 0, begin, end);
    }
    if (draw.below(2) == 0) {
      // A source that swings about zero, less than any tank holds.
      add_sine(builder, draw, draw.below(n), {0.01, 0.05}, {0.5, 3.0});
    }
    if (draw.below(2) == 0) {
      const std::size_t tank = draw.below(n);
      add_branch(builder, draw, tank, tank, LawKind::root_one_way, heads, per_level);
    }
  }
  return builder.finish(stop);
}

std::string sign_of(Builder& builder, Draw& draw, const std::string& v) {
  switch (draw.below(4)) {
    case 0: return "sign(" + v + ")";
    case 1: return "(if " + v + " > 0 then 1 elseif " + v + " < 0 then -1 else 0)";
    case 2: return "(if " + v + " > 0 then 1 else -1)";
    default: {
      const std::string name = name_of("forward", builder.model.system.elements.size());
      builder.declarations += "  Boolean " + name + ";\n";
      builder.equations += "  " + name + " = " + v + " > 0;\n";
      return "(if " + name + " then 1 else -1)";
    }
  }
}

LawModel friction(Family family, Draw& draw) {
  Builder builder;
  const std::size_t n = 1 + draw.below(6);
  LawSystem& system = builder.model.system;
  std::vector<std::size_t> x;
  std::vector<std::size_t> v;
  for (std::size_t i = 0; i < n; ++i) {
    const double mass = between(draw, 0.5, 2.0);
    x.push_back(builder.add_state(name_of("x", i), between(draw, -1.0, 1.0), 1.0));
    v.push_back(
        builder.add_state(name_of("v", i), draw.below(2) == 0 ? 0.0 : between(draw, -1.0, 1.0), mass));
    builder.add_effect(x[i], name_of("v", i));
    system.elements.push_back({.kind = LawKind::linear, .argument = {{v[i], 1}}, .effect = {{x[i], 1}}});
  }
  // Springs to the wall before the first, between neighbours, and to the wall behind the last.
  for (std::size_t i = 0; i <= n; ++i) {
    const double k = draw.below(4) == 0 ? between(draw, 50.0, 200.0) : between(draw, 0.5, 5.0);
    Element spring{.kind = LawKind::linear, .argument = {}, .effect = {}};
    std::string length;
    if (i > 0) {
      length += name_of("x", i - 1);
      spring.argument.push_back({x[i - 1], 1});
      spring.effect.push_back({v[i - 1], -k / builder.sizes[v[i - 1]]});
    }
    if (i < n) {
      length += " - " + name_of("x", i);
      spring.argument.push_back({x[i], -1});
      spring.effect.push_back({v[i], k / builder.sizes[v[i]]});
    }
    if (i > 0) {
      builder.add_effect(v[i - 1], "(-" + text_of(k) + "*(" + length + "))");
    }
    if (i < n) {
      builder.add_effect(v[i], text_of(k) + "*(" + length + ")");
    }
    system.elements.push_back(std::move(spring));
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double force = between(draw, 0.1, 2.0);
    const double belt = family == Family::belt ? between(draw, -0.5, 0.5) : 0.0;
    const std::string speed =
        belt == 0 ? name_of("v", i) : "(" + name_of("v", i) + " - " + text_of(belt) + ")";
    builder.add_effect(v[i], "(-" + text_of(force) + "*" + sign_of(builder, draw, speed) + ")");
    system.elements.push_back({.kind = LawKind::sign,
                               .argument = {{v[i], 1}},
                               .offset = -belt,
                               .effect = {{v[i], -force / builder.sizes[v[i]]}}});
  }
  for (std::size_t i = 1; family == Family::stack && i < n; ++i) {
    const double force = between(draw, 0.05, 0.8);
    const std::string speed = "(" + name_of("v", i - 1) + " - " + name_of("v", i) + ")";
    const std::string name = name_of("f", system.elements.size());
    builder.declarations += "  Real " + name + ";\n";
    const std::string law = sign_of(builder, draw, speed);
    builder.equations += "  " + name + " = " + text_of(force) + "*" + law + ";\n";
    builder.add_effect(v[i - 1], "(-" + name + ")");
    builder.add_effect(v[i], name);
    system.elements.push_back(
        {.kind = LawKind::sign,
         .argument = {{v[i - 1], 1}, {v[i], -1}},
         .effect = {{v[i - 1], -force / builder.sizes[v[i - 1]]}, {v[i], force / builder.sizes[v[i]]}}});
  }
  if (draw.below(4) != 0) {
    add_sine(builder, draw, v[draw.below(n)], {0.3, 3.0}, {0.5, 4.0});
  }
  return builder.finish(5.0 + static_cast<double>(draw.below(11)));
}

}  // namespace

const char* to_string(Family family) {
  switch (family) {
    case Family::row: return "row";
    case Family::network: return "network";
    case Family::pumped: return "pumped";
    case Family::pressures: return "pressures";
    case Family::blocks: return "blocks";
    case Family::belt: return "belt";
    case Family::stack: return "stack";
  }
  return "";
}

bool is_hydraulic(Family family) {
  return family < Family::blocks;
}

LawModel random_laws(Family family, std::uint32_t seed) {
  Draw draw(seed * 16U + static_cast<std::uint32_t>(family));
  return is_hydraulic(family) ? hydraulics(family, draw) : friction(family, draw);
}

}  // namespace saltus::test::laws
