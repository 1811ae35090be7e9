// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The profile that PATCHBAY_PROFILE asks for.
#ifndef PATCHBAY_CORE_RUNTIME_TRACE_PRINTED_PROFILE_H_
#define PATCHBAY_CORE_RUNTIME_TRACE_PRINTED_PROFILE_H_

#include <memory>

#include "core/base/fork.h"
#include "core/runtime/trace/profiler.h"

namespace patchbay::runtime {

/// Prints a profiler's table to standard error: when it is destroyed, or when the process ends, if
/// that is earlier. Prints nothing in a forked process.
class PrintedProfile {
 public:
  /// Errors: std::bad_alloc.
  explicit PrintedProfile(std::shared_ptr<Profiler> profiler);
  ~PrintedProfile();
  PrintedProfile(const PrintedProfile&) = delete;
  PrintedProfile& operator=(const PrintedProfile&) = delete;

 private:
  const HomeProcess home_;
  const std::shared_ptr<Profiler> profiler_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_PRINTED_PROFILE_H_
