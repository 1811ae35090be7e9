// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_BASE_FLOAT_ENVIRONMENT_H_
#define PATCHBAY_CORE_BASE_FLOAT_ENVIRONMENT_H_

#include <cfenv>

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

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_BASE_FLOAT_ENVIRONMENT_H_
