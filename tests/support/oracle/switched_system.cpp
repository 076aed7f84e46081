#include "support/oracle/switched_system.hpp"

#include "support/oracle/text_pieces.hpp"

namespace saltus::test::oracle {
namespace {

std::string switch_text(const AffineFunction& g, Spelling spelling) {
  switch (spelling) {
    case Spelling::choice: return "(if " + text_of(g) + " > 0 then 1 else -1)";
    case Spelling::reversed: return "(if 0 > " + text_of(g, 2) + " then -1 else 1)";
    case Spelling::sign:
    case Spelling::modes: break;
  }
  return "sign(" + text_of(g) + ")";
}

std::string reset_text(const Reset& reset) {
  const std::string name = name_of(reset.target);
  return "reinit(" + name + ", " + text_of(reset.factor) + "*pre(" + name + ") + " + text_of(reset.offset) +
         ");\n";
}

/// der(x) = A x + b + Σ dⱼ·(text of switch j)
std::string field_text(const SwitchedSystem& system, const Mode& mode,
                       const std::vector<std::string>& switches) {
  std::string text;
  for (std::size_t i = 0; i < system.n(); ++i) {
    text += "  der(" + name_of(i) + ") = " + text_of(mode.b[i]);
    for (std::size_t j = 0; j < system.n(); ++j) {
      if (mode.a[i][j] != 0) {
        text += " + " + text_of(mode.a[i][j]) + "*" + name_of(j);
      }
    }
    for (std::size_t j = 0; j < system.surfaces.size(); ++j) {
      if (system.surfaces[j].d[i] != 0) {
        text += " + " + text_of(system.surfaces[j].d[i]) + "*" + switches[j];
      }
    }
    text += ";\n";
  }
  return text;
}

std::string transitions_text(const Mode& mode) {
  std::string text;
  for (const Transition& transition : mode.transitions) {
    text += "  transition to m" + std::to_string(transition.target + 1) + " when " + text_of(transition.g) +
            " > 0";
    if (!transition.resets.empty()) {
      text += " then\n";
      for (const Reset& reset : transition.resets) {
        text += "    " + reset_text(reset);
      }
      text += "  end transition";
    }
    text += ";\n";
  }
  return text;
}

std::string two_modes_text(const SwitchedSystem& system) {
  const std::string g = text_of(system.surfaces[0].g);
  return "initial mode plus\n equation\n" + field_text(system, system.modes[0], {"1"}) +
         "  transition to minus when " + g + " < 0;\nend plus;\nmode minus\n equation\n" +
         field_text(system, system.modes[0], {"(-1)"}) + "  transition to plus when " + g +
         " > 0;\nend minus;\n";
}

}  // namespace

Real AffineFunction::at(Real t, const Vector& x) const {
  Real sum = e + f * t;
  for (std::size_t i = 0; i < c.size(); ++i) {
    sum += c[i] * x[i];
  }
  return sum;
}

std::string model_text(const SwitchedSystem& system, const std::vector<Spelling>& spelling, bool named) {
  std::string text = "model Random\n";
  for (std::size_t i = 0; i < system.n(); ++i) {
    text += "  Real " + name_of(i) + "(start = " + text_of(system.x0[i]) + ", fixed = true);\n";
  }
  const bool as_modes = !spelling.empty() && spelling[0] == Spelling::modes;
  std::vector<std::string> switches;
  for (std::size_t j = 0; j < system.surfaces.size() && !as_modes; ++j) {
    switches.push_back(switch_text(system.surfaces[j].g, spelling[j]));
    if (named) {
      const std::string name = "u" + std::to_string(j + 1);
      text += "  Real " + name + " = " + switches.back() + ";\n";
      switches.back() = name;
    }
  }
  text += "equation\n";
  for (const Clause& clause : system.clauses) {
    text += "  when " + text_of(clause.g) + " > 0 then\n    " + reset_text(clause.reset) + "  end when;\n";
  }
  if (as_modes) {
    text += two_modes_text(system);
  } else if (system.modes.size() == 1) {
    text += field_text(system, system.modes[0], switches);
  } else {
    for (std::size_t m = 0; m < system.modes.size(); ++m) {
      const std::string name = "m" + std::to_string(m + 1);
      text += (m == 0 ? "initial mode " : "mode ") + name + "\n equation\n" +
              field_text(system, system.modes[m], switches) + transitions_text(system.modes[m]) + "end " +
              name + ";\n";
    }
  }
  return text + "end Random;\n";
}

}  // namespace saltus::test::oracle
