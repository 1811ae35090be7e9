// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_GUARDED_CALL_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_GUARDED_CALL_H_

#include <exception>
#include <new>
#include <string>

#include <fmt/format.h>

namespace patchbay::runtime {

/// Calls an entry of a plugin that is being loaded. An exception breaks the contract, but must not
/// harm other plugins: returns its text, else nothing. Errors: std::bad_alloc.
template <class Call>
std::string call_guarded(const char* entry, const Call& call) {
  try {
    call();
  } catch (const std::bad_alloc&) {
    throw;  // the core's own, or equivalent
  } catch (const std::exception& error) {
    return fmt::format("{} threw an exception across the boundary: {}", entry, error.what());
  } catch (...) {
    return fmt::format("{} threw an exception across the boundary", entry);
  }
  return {};
}

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_GUARDED_CALL_H_
