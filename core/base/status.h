// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Status objects. The host makes them, so that they outlive the plugin.
#ifndef PATCHBAY_CORE_BASE_STATUS_H_
#define PATCHBAY_CORE_BASE_STATUS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "patchbay/plugin/host.h"

struct patchbay_status {
  std::int32_t code = 0;
  std::uint32_t flags = 0;
  std::int64_t native_code = 0;
  std::string message;
  std::string origin;  // the launch that failed, if the plugin knows
};

namespace patchbay::base {

/// A code of the core's own, which no plugin uses: the message is complete as it is.
constexpr std::int32_t kValidationCode = -1;

/// The one status that needs no memory.
patchbay_status* out_of_memory_status() noexcept;
/// Replaces line breaks with spaces.
std::string without_line_breaks(std::string text);
/// Never null. Replaces line breaks in the message with spaces, except in build logs.
patchbay_status* make_status(std::int32_t code, std::string_view message,
                             std::int64_t native_code = 0, std::uint32_t flags = 0,
                             std::string_view origin = {}) noexcept;
/// Null is allowed.
void release_status(patchbay_status* status) noexcept;

class StatusHolder {
 public:
  explicit StatusHolder(patchbay_status* status) : status_(status) {}
  ~StatusHolder() { release_status(status_); }
  StatusHolder(const StatusHolder&) = delete;
  StatusHolder& operator=(const StatusHolder&) = delete;

  explicit operator bool() const { return status_ != nullptr; }
  const patchbay_status* operator->() const { return status_; }
  patchbay_status* release() {
    patchbay_status* status = status_;
    status_ = nullptr;
    return status;
  }

 private:
  patchbay_status* status_;
};

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_STATUS_H_
