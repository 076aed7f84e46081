/// Calls of functions of the user: what they throw ends the run as a value, with their name.
///
/// Contract     an exception becomes system::FunctionFailed, but for those by which the library itself ends its work; a run reports it
///              (`function_failed`) and keeps what was computed before
/// Checked by   tests/unit/api/callback_model_test.cpp, tests/unit/api/callback_simulation_test.cpp
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "base/work_watch.hpp"
#include "system/function_failed.hpp"

namespace saltus::api {

template <class Call>
auto guarded_call(const std::string& what, Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const WorkHalted&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const system::FunctionFailed&) {
    throw;
  } catch (const std::exception& error) {
    throw system::FunctionFailed(what + " has thrown: " + error.what());
  } catch (...) {
    throw system::FunctionFailed(what + " has thrown something that is no std::exception");
  }
}

}  // namespace saltus::api
