// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/validation/findings.h"

#include "core/base/status.h"

namespace patchbay::runtime::validation {

void Findings::keep(const std::string& text, bool is_late) {
  {
    const std::scoped_lock lock(mutex_);
    ++count_;
    if (texts_.size() < kMostKept) texts_.push_back(text);
    if (is_late && late_.size() < kMostKept) late_.push_back(text);
  }
  logger_.log(LogLevel::kError, "{}", text);
}

patchbay_status* Findings::raise(const std::string& text) {
  keep(text, /*is_late=*/false);
  return make_status(kValidationCode, text);
}

void Findings::add_late(const std::string& text) { keep(text, /*is_late=*/true); }

patchbay_status* Findings::take_late() {
  std::string text;
  {
    const std::scoped_lock lock(mutex_);
    if (late_.empty()) return nullptr;
    text = std::move(late_.front());
    late_.pop_front();
  }
  return make_status(kValidationCode, text);
}

void Findings::forget_late() {
  const std::scoped_lock lock(mutex_);
  late_.clear();
}

std::uint64_t Findings::count() const {
  const std::scoped_lock lock(mutex_);
  return count_;
}

std::vector<std::string> Findings::texts() const {
  const std::scoped_lock lock(mutex_);
  return texts_;
}

}  // namespace patchbay::runtime::validation
