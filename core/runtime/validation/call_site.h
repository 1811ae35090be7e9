// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where the program called the library. Linux only: uses the stack and the dynamic linker.
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_CALL_SITE_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_CALL_SITE_H_

#include <array>
#include <string>

namespace patchbay::runtime::validation {

/// Capturing takes about a microsecond. Names are looked up only when requested.
class CallSite {
 public:
  static CallSite here() noexcept;

  /// The library function that the program called: "ones". `fallback` if it has no name, for
  /// example after a tail call.
  std::string operation(const char* fallback) const;
  /// The caller: "main+0x2f (program+0x11a3)", without the name if the program does not export it;
  /// empty if unknown.
  std::string caller() const;

 private:
  int first_outside() const;

  std::array<void*, 40> frames_{};
  int num_frames_ = 0;
};

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_CALL_SITE_H_
