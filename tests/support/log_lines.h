// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SUPPORT_LOG_LINES_H_
#define PATCHBAY_TESTS_SUPPORT_LOG_LINES_H_

#include <mutex>

#include <patchbay/log.h>

#include "support/text.h"

namespace patchbay::test {

/// What comes to a log sink, from any thread.
class LogLines {
 public:
  LogSink sink() const {
    return [kept = kept_](LogLevel, std::string_view line) {
      const std::scoped_lock lock(kept->mutex);
      kept->lines.emplace_back(line);
    };
  }
  /// How many lines hold `text`.
  int count(const std::string& text) const {
    const std::scoped_lock lock(kept_->mutex);
    int found = 0;
    for (const std::string& line : kept_->lines) {
      found += contains(line, text) ? 1 : 0;
    }
    return found;
  }

 private:
  struct Kept {
    std::mutex mutex;
    std::vector<std::string> lines;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_LOG_LINES_H_
