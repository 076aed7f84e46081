#include "support/known_solutions/recipes.hpp"

#include <stdexcept>
#include <string>

#include "support/known_solutions/blocks.hpp"

namespace saltus::test::known {
namespace {

constexpr double kLargestRate = 1e6;
constexpr double kLargestScale = 1e3;

OdeTraits smooth(Random& random, bool is_linear = false) {
  return {.n = 1 + random.below(3), .is_neutral = random.chance(0.2), .is_linear = is_linear};
}

void ode(Canonical& c, Random& r, Disguise& d) {
  const std::size_t n = 1 + r.below(2);
  for (std::size_t i = 0; i < n; ++i) {
    OdeTraits traits = smooth(r, r.chance(0.3));
    traits.form = r.chance(0.5) ? DerivativeForm::plain : DerivativeForm::mass;
    add_ode(c, r, traits);
  }
  d.mixes_unknowns = r.chance(0.5);
}

void stiff(Canonical& c, Random& r, Disguise& d) {
  if (r.chance(0.7)) {
    add_ode(c, r, smooth(r));
  }
  const std::size_t n = 1 + r.below(2);
  for (std::size_t i = 0; i < n; ++i) {
    r.chance(0.3) ? add_slave_pair(c, r, kLargestRate) : add_slave(c, r, kLargestRate);
  }
  d.mixes_unknowns = r.chance(0.3);
}

void algebraic(Canonical& c, Random& r, Disguise& d) {
  add_ode(c, r, smooth(r));
  if (r.chance(0.3)) {
    add_slave(c, r, kLargestRate);
  }
  const std::size_t n = 1 + r.below(3);
  for (std::size_t i = 0; i < n; ++i) {
    add_algebraic(c, r);
  }
  if (r.chance(0.5)) {
    add_ode(c, r, smooth(r));
  }
  d.mixes_unknowns = r.chance(0.3);
}

void iterated(Canonical& c, Random& r, Disguise& d) {
  if (r.chance(0.8)) {
    add_ode(c, r, smooth(r));
  }
  if (r.chance(0.4)) {
    add_slave(c, r, kLargestRate);
  }
  const std::size_t n = 1 + r.below(2);
  for (std::size_t i = 0; i < n; ++i) {
    add_iterated(c, r);
  }
  if (r.chance(0.4)) {
    add_ode(c, r, smooth(r));
  }
  d.mixes_unknowns = r.chance(0.3);
}

void index2(Canonical& c, Random& r, Disguise& d) {
  if (r.chance(0.7)) {
    add_ode(c, r, smooth(r, true));
  }
  add_index_two(c, r);
  if (r.chance(0.4)) {
    add_iterated(c, r);
  }
  if (r.chance(0.4)) {
    add_slave(c, r, kLargestRate);
  }
  d.mixes_unknowns = r.chance(0.2);
}

void index3(Canonical& c, Random& r, Disguise& d) {
  if (r.chance(0.6)) {
    add_ode(c, r, smooth(r, true));
  }
  add_index_three(c, r);
  if (r.chance(0.3)) {
    add_iterated(c, r);
  }
  if (r.chance(0.3)) {
    add_slave(c, r, kLargestRate);
  }
  d.mixes_unknowns = r.chance(0.1);
}

void mixed(Canonical& c, Random& r, Disguise& d) {
  r.chance(0.5) ? algebraic(c, r, d) : iterated(c, r, d);
  d.mixes_equations = true;
  d.mixes_all_unknowns = r.chance(0.3);
}

void mixed2(Canonical& c, Random& r, Disguise& d) {
  index2(c, r, d);
  d.mixes_equations = true;
  d.mixes_all_unknowns = r.chance(0.3);
}

void mixed3(Canonical& c, Random& r, Disguise& d) {
  index3(c, r, d);
  d.mixes_equations = true;
  d.mixes_all_unknowns = r.chance(0.3);
}

void derivative(Canonical& c, Random& r, Disguise& d) {
  const std::size_t n = 1 + r.below(2);
  for (std::size_t i = 0; i < n; ++i) {
    OdeTraits traits = smooth(r, r.chance(0.5));
    traits.form = r.chance(0.7) ? DerivativeForm::nonlinear : DerivativeForm::any;
    add_ode(c, r, traits);
  }
  if (r.chance(0.3)) {
    add_iterated(c, r);
  }
  if (r.chance(0.3)) {
    add_slave(c, r, kLargestRate);
  }
  d.mixes_equations = r.chance(0.2);
}

void kinks(Canonical& c, Random& r, Disguise&) {
  OdeTraits traits = smooth(r);
  traits.has_kinks = true;
  add_ode(c, r, traits);
  if (r.chance(0.4)) {
    add_slave(c, r, kLargestRate);
  }
  if (r.chance(0.4)) {
    add_iterated(c, r);
  }
}

void sliding(Canonical& c, Random& r, Disguise&) {
  if (r.chance(0.5)) {
    add_ode(c, r, smooth(r));
  }
  add_sliding(c, r);
  if (r.chance(0.5)) {
    add_iterated(c, r);
  }
  if (r.chance(0.4)) {
    add_slave(c, r, kLargestRate);
  }
}

void jumps(Canonical& c, Random& r, Disguise& d) {
  add_ode(c, r, smooth(r));
  if (r.chance(0.4)) {
    add_slave(c, r, kLargestRate);
  }
  r.chance(0.5) ? add_iterated(c, r) : add_algebraic(c, r);
  d.jumps = true;
}

struct Entry {
  Recipe recipe;
  void (*build)(Canonical&, Random&, Disguise&);
};
constexpr Entry kEntries[] = {
    {{"ode", "explicit and with masses, damped and not, nonlinear"}, ode},
    {{"stiff", "variables that follow others with rates up to 1e6"}, stiff},
    {{"algebraic", "index 1, variables given by the others"}, algebraic},
    {{"iterated", "index 1, variables given implicitly"}, iterated},
    {{"index2", "a multiplier holds one constraint"}, index2},
    {{"index3", "positions, velocities, a multiplier"}, index3},
    {{"mixed", "equations and variables of index 1 combined linearly"}, mixed},
    {{"mixed2", "… of index 2"}, mixed2},
    {{"mixed3", "… of index 3"}, mixed3},
    {{"derivative", "equations nonlinear in the derivatives"}, derivative},
    {{"kinks", "conditions that leave the solution as it is"}, kinks},
    {{"sliding", "a relay that slides from the start to the end"}, sliding},
    {{"jumps", "a variable jumps at every firing of a clause"}, jumps},
};

}  // namespace

std::span<const Recipe> recipes() {
  static const std::vector<Recipe> list = [] {
    std::vector<Recipe> all;
    for (const Entry& entry : kEntries) {
      all.push_back(entry.recipe);
    }
    return all;
  }();
  return list;
}

KnownModel known_model(std::string_view recipe, std::uint32_t seed) {
  std::uint32_t stream = 0;
  for (const Entry& entry : kEntries) {
    ++stream;
    if (entry.recipe.name != recipe) {
      continue;
    }
    Random random(seed, stream);
    KnownModel model{.recipe = std::string(recipe), .seed = seed};
    model.canonical.stop = random.between(3.0, 10.0);
    Disguise disguise;
    entry.build(model.canonical, random, disguise);
    if (random.chance(0.5)) {
      disguise.largest_scale = kLargestScale;
    }
    model.clauses = random_clauses(model.canonical, random, random.below(4));
    write_model(model, random, disguise);
    return model;
  }
  throw std::invalid_argument("no recipe " + std::string(recipe));
}

}  // namespace saltus::test::known
