/// Base of classes that others implement: they are not copied, and may be destroyed through it.
#pragma once

namespace saltus {

class Interface {
 public:
  Interface() = default;
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;
  virtual ~Interface() = default;
};

}  // namespace saltus
