// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A launch or copy, as described in messages, times, traces and profiles.
#ifndef PATCHBAY_CORE_RUNTIME_TRACE_SUBMISSION_H_
#define PATCHBAY_CORE_RUNTIME_TRACE_SUBMISSION_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "patchbay/plugin/types.h"

namespace patchbay::runtime {

struct Submission {
  std::string_view name;
  bool is_copy = false;
  std::uint64_t size_bytes = 0;                       // of a copy
  std::string_view from = {}, to = {};                // of a copy: a device's name, or "host"
  std::span<const patchbay_argument> arguments = {};  // of a launch

  /// The operator of its row in a profile: the launch's name, or "copy cpu:0 -> host".
  std::string row_name() const;
  /// The bytes of a copy, or those that a launch's tensors have, once for reading and once for
  /// writing. Elements that a broadcast repeats count once.
  std::uint64_t moved_bytes() const;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_SUBMISSION_H_
