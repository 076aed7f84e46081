#include "support/oracle/circuits/network.hpp"

namespace saltus::test::circuits {

const char* to_string(Spelling spelling) {
  switch (spelling) {
    case Spelling::boolean: return "boolean";
    case Spelling::relation: return "relation";
    case Spelling::minimum: return "minimum";
    case Spelling::difference: return "difference";
  }
  return "";
}

std::vector<std::size_t> Network::of_kind(Element::Kind kind) const {
  std::vector<std::size_t> places;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (elements[e].kind == kind) {
      places.push_back(e);
    }
  }
  return places;
}

std::vector<std::size_t> Network::states() const {
  std::vector<std::size_t> places;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (elements[e].kind == Element::Kind::capacitor || elements[e].kind == Element::Kind::inductor) {
      places.push_back(e);
    }
  }
  return places;
}

std::string Network::name_of(std::size_t element) const {
  constexpr const char* kLetters[] = {"R", "C", "L", "V", "I", "D", "S"};
  std::size_t number = 1;
  for (std::size_t e = 0; e < element; ++e) {
    number += elements[e].kind == elements[element].kind ? 1 : 0;
  }
  return kLetters[static_cast<int>(elements[element].kind)] + std::to_string(number);
}

}  // namespace saltus::test::circuits
