// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CONFORMANCE_SUPPORT_TIME_LIMIT_H_
#define PATCHBAY_CONFORMANCE_SUPPORT_TIME_LIMIT_H_

#include <chrono>
#include <functional>
#include <string>

namespace patchbay::conformance {

/// Runs `work`, which must not throw, on its own thread. Returns false if it exceeds the limit; the
/// thread then continues, so `work` must own everything that it uses.
bool ends_within(std::chrono::milliseconds limit, std::function<void()> work);

/// Describes what exceeded the limit, and which entries of the plugin have not returned.
std::string describe_hang(std::chrono::milliseconds limit);

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_SUPPORT_TIME_LIMIT_H_
