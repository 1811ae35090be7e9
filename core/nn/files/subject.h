// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What is being read, for messages.
#ifndef PATCHBAY_CORE_NN_FILES_SUBJECT_H_
#define PATCHBAY_CORE_NN_FILES_SUBJECT_H_

#include <string>
#include <utility>

#include "core/base/error.h"

namespace patchbay::nn::files {

struct Subject {
  std::string operation;  // "read_npy"
  std::string format;     // "npy"
  std::string place;      // "'values.npy'", also "'values.npz': 'a.npy'"

  /// Errors: kInvalidArgument, always.
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format_string, Args&&... args) const {
    runtime::raise(ErrorCode::kInvalidArgument, "[{}] no valid file of {}: {}: {}", operation,
                   format, place, fmt::format(format_string, std::forward<Args>(args)...));
  }
};

}  // namespace patchbay::nn::files

#endif  // PATCHBAY_CORE_NN_FILES_SUBJECT_H_
