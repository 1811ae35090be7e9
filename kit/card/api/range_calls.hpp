// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_CARD_API_RANGE_CALLS_HPP_
#define PATCHBAY_KIT_CARD_API_RANGE_CALLS_HPP_

namespace patchbay::card {

/// A profiler's functions for nested ranges of the calling thread. Both are null if no profiler
/// listens.
struct RangeCalls {
  int (*push)(const char* name) = nullptr;
  int (*pop)() = nullptr;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_API_RANGE_CALLS_HPP_
