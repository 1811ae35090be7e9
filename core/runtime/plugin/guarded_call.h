// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_GUARDED_CALL_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_GUARDED_CALL_H_

#include <cfenv>
#include <exception>
#include <string>

#include <fmt/format.h>

namespace patchbay::runtime {

/// Keeps this thread's rounding mode and treatment of subnormals for its scope, in which code runs
/// that may change them: the initialisation of libraries that were built with -ffast-math does.
class KeptFloatEnvironment {
 public:
  KeptFloatEnvironment() { std::fegetenv(&kept_); }
  ~KeptFloatEnvironment() { std::fesetenv(&kept_); }
  KeptFloatEnvironment(const KeptFloatEnvironment&) = delete;
  KeptFloatEnvironment& operator=(const KeptFloatEnvironment&) = delete;

 private:
  std::fenv_t kept_;
};

/// Calls an entry of a plugin that is being loaded; `call` does nothing else. An exception breaks
/// the contract, also std::bad_alloc, but must not harm other plugins: returns its text, else
/// nothing.
template <class Call>
std::string call_guarded(const char* entry, const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return fmt::format("{} threw an exception across the boundary: {}", entry, error.what());
  } catch (...) {
    return fmt::format("{} threw an exception across the boundary", entry);
  }
  return {};
}

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_GUARDED_CALL_H_
