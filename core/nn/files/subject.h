// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What is being read, for messages.
#ifndef PATCHBAY_CORE_NN_FILES_SUBJECT_H_
#define PATCHBAY_CORE_NN_FILES_SUBJECT_H_

#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace patchbay::nn::files {

/// The way out for a file that is damaged or cut off.
inline constexpr std::string_view kSaveAgain = "Save or download it again.";

/// The text with `way_out` behind it, unless it ends with another one, and so with a full stop.
inline std::string with_way_out(std::string text, std::string_view way_out) {
  if (!text.ends_with('.')) text.append(". ").append(way_out);
  return text;
}

/// An array that is as it should be, and of which Patchbay has no tensors.
class NoSuchTensors : public Error {
  using Error::Error;
};

struct Subject {
  std::string operation;  // "read_npy"
  std::string format;     // "npy"
  std::string place;      // "'values.npy'", also "'values.npz': 'a.npy'"
  std::string_view way_out = kSaveAgain;

  /// Errors: kInvalidArgument, always.
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format_string, Args&&... args) const {
    throw Error(ErrorCode::kInvalidArgument,
                text_of(fmt::format(format_string, std::forward<Args>(args)...)));
  }
  /// Errors: NoSuchTensors, always.
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format_string, Args&&... args) const {
    throw NoSuchTensors(ErrorCode::kInvalidArgument,
                        text_of(fmt::format(format_string, std::forward<Args>(args)...)));
  }

 private:
  std::string text_of(std::string what) const {
    return fmt::format("[{}] no valid file of {}: {}: {}", operation, format, place,
                       with_way_out(std::move(what), way_out));
  }
};

}  // namespace patchbay::nn::files

#endif  // PATCHBAY_CORE_NN_FILES_SUBJECT_H_
