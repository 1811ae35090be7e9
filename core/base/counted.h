// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_BASE_COUNTED_H_
#define PATCHBAY_CORE_BASE_COUNTED_H_

#include <atomic>
#include <cstdint>

namespace patchbay::runtime {

/// Adds one to a count while it lives.
class Counted {
 public:
  explicit Counted(std::atomic<std::int64_t>& count) : count_(count) { count_.fetch_add(1); }
  ~Counted() { count_.fetch_sub(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<std::int64_t>& count_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_BASE_COUNTED_H_
