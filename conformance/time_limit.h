// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CONFORMANCE_TIME_LIMIT_H_
#define PATCHBAY_CONFORMANCE_TIME_LIMIT_H_

#include <chrono>
#include <functional>
#include <string>

namespace patchbay::conformance {

/// Runs `work`, which must not throw, on a thread of its own. False: it has not ended when the
/// limit is over, and then the thread goes on; so `work` must own all that it uses.
bool ends_within(std::chrono::milliseconds limit, std::function<void()> work);

/// What does not end, and which entries of the plugin have not returned.
std::string describe_hang(std::chrono::milliseconds limit);

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_TIME_LIMIT_H_
