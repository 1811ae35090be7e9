// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_LOG_H_
#define PATCHBAY_LOG_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "patchbay/export.h"

namespace patchbay {

enum class LogLevel : std::uint8_t { kError = 1, kWarning = 2, kInfo = 3, kDebug = 4 };
PATCHBAY_API std::string_view to_string(LogLevel level);

/// Receives one line, without a newline. Called on any thread, also on several at once, but not
/// within itself. It may call the library, wait for other threads, and throw, which is ignored:
/// docs/loading.md. Level: setting `log`, or warning.
using LogSink = std::function<void(LogLevel level, std::string_view line)>;

}  // namespace patchbay

#endif  // PATCHBAY_LOG_H_
