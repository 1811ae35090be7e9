// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where log lines go: the program's sink and the file that PATCHBAY_LOG names.
#ifndef PATCHBAY_CORE_OUTPUT_LOGGER_H_
#define PATCHBAY_CORE_OUTPUT_LOGGER_H_

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "patchbay/log.h"

#include "core/base/environment.h"
#include "core/output/delivery.h"
#include "core/output/output_file.h"

namespace patchbay::output {

/// Thread-safe. A line goes to the file at once, so that it is there if the driver's call that it
/// announces crashes; delivery.h says when the sink is called. Once the program has closed the
/// file's descriptor, nothing goes to that file any more. The level is PATCHBAY_LOG's (error,
/// warning, info, debug), warning by default.
class Logger {
 public:
  /// Errors: kInvalidArgument for a bad PATCHBAY_LOG, kIo for its file.
  Logger(LogSink sink, const base::Environment& environment);
  /// Waits until the sink has had all lines.
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  bool wants(LogLevel level) const { return level <= level_ && (sink_ || file_.is_open()); }
  /// Drops the line if there is no memory for it, here and below.
  void write(LogLevel level, std::string_view line) noexcept;

  template <class... Args>
  void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) noexcept {
    if (!wants(level)) return;
    try {
      write(level, fmt::format(format, std::forward<Args>(args)...));
    } catch (...) {  // NOLINT(bugprone-empty-catch): logging must not fail
    }
  }

 private:
  SharedSink sink_;  // null without one
  LogLevel level_ = LogLevel::kWarning;
  OutputFile file_;
};

}  // namespace patchbay::output

#endif  // PATCHBAY_CORE_OUTPUT_LOGGER_H_
