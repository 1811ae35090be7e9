// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where the program called the library. Linux only: the frames of the stack, by the dynamic linker.
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_CALL_SITE_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_CALL_SITE_H_

#include <array>
#include <string>

namespace patchbay::runtime::validation {

/// Taking one costs about a microsecond; the names are looked up when they are asked for.
class CallSite {
 public:
  static CallSite here() noexcept;

  /// The function of the library that the program called: "ones"; `fallback` where it has no name,
  /// as when the compiler has made a jump of the call.
  std::string operation(const char* fallback) const;
  /// Who called it: "main+0x2f (program+0x11a3)", without the name where the program exports none;
  /// empty if unknown.
  std::string caller() const;

 private:
  int first_outside() const;

  std::array<void*, 40> frames_{};
  int num_frames_ = 0;
};

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_CALL_SITE_H_
