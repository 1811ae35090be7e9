// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A compiled kernel text, opened.
#ifndef PATCHBAY_KIT_EXECUTOR_LIBRARY_HPP_
#define PATCHBAY_KIT_EXECUTOR_LIBRARY_HPP_

#include <string>

#include "kit/executor/record.h"
#include "kit/library/library.hpp"

namespace patchbay::executor {

/// The library is closed with this object.
class Library {
 public:
  explicit Library(const std::string& path);

  using Run = void (*)(patchbay_launch&);
  using Describe = int (*)(int* codes, int size);
  struct Entry {
    Run run = nullptr;
    Describe describe = nullptr;
  };
  /// Nulls if the library has no such kernel.
  Entry find(const std::string& kernel) const;

 private:
  patchbay::Library library_;
};

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_LIBRARY_HPP_
