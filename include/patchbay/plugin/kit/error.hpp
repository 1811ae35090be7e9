// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The exception that plugin code throws; the kit's thunks turn it into a status.
#ifndef PATCHBAY_PLUGIN_KIT_ERROR_HPP_
#define PATCHBAY_PLUGIN_KIT_ERROR_HPP_

#include <cxxabi.h>
#include <pthread.h>

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "patchbay/plugin/host.h"

namespace patchbay::plugin {

/// An error with a one-line message. `native_code` is the driver's own number. `origin` is the name
/// of the launch that failed, if a later call reports the failure.
class StatusError : public std::exception {
 public:
  StatusError(std::int32_t code, std::string message, std::int64_t native_code = 0,
              std::uint32_t flags = 0, std::string origin = {})
      : code_(code),
        flags_(flags),
        native_code_(native_code),
        message_(std::move(message)),
        origin_(std::move(origin)) {}

  const char* what() const noexcept override { return message_.c_str(); }
  std::int32_t code() const noexcept { return code_; }
  std::uint32_t flags() const noexcept { return flags_; }
  std::int64_t native_code() const noexcept { return native_code_; }
  const std::string& origin() const noexcept { return origin_; }

 private:
  std::int32_t code_;
  std::uint32_t flags_;
  std::int64_t native_code_;
  std::string message_, origin_;
};

[[noreturn]] inline void unsupported(std::string why) {
  throw StatusError(PATCHBAY_UNSUPPORTED, std::move(why));
}
[[noreturn]] inline void invalid_argument(std::string why) {
  throw StatusError(PATCHBAY_INVALID_ARGUMENT, std::move(why));
}

inline patchbay_string to_abi(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view from_abi(patchbay_string text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

namespace detail {

inline patchbay_status* make_status(const patchbay_host* host, std::int32_t code,
                                    std::string_view message, std::int64_t native_code = 0,
                                    std::uint32_t flags = 0,
                                    std::string_view origin = {}) noexcept {
  const patchbay_status_info info{sizeof(info),    code,          flags, native_code,
                                  to_abi(message), to_abi(origin)};
  return host->make_status(host->context, &info);
}

/// The status for the exception in flight.
inline patchbay_status* status_of_current_exception(const patchbay_host* host) noexcept {
  try {
    throw;
  } catch (const StatusError& error) {
    return make_status(host, error.code(), error.what(), error.native_code(), error.flags(),
                       error.origin());
  } catch (const std::bad_alloc&) {
    return host->out_of_memory;
  } catch (const std::exception& error) {
    return make_status(host, PATCHBAY_INTERNAL, error.what());
  } catch (...) {
    return make_status(host, PATCHBAY_INTERNAL, "the plugin threw an exception of an unknown type");
  }
}

/// While it lives, pthread_cancel of this thread has to wait: it throws an exception out of a wait,
/// which a driver does not expect, and which may not pass through a noexcept function.
class CancellationOff {
 public:
  CancellationOff() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_before_); }
  ~CancellationOff() { pthread_setcancelstate(state_before_, nullptr); }
  CancellationOff(const CancellationOff&) = delete;
  CancellationOff& operator=(const CancellationOff&) = delete;

 private:
  int state_before_ = PTHREAD_CANCEL_ENABLE;
};

/// Runs `body` and returns an exception as a status, so that no exception reaches the caller.
template <class Body>
patchbay_status* guarded(const patchbay_host* host, Body&& body) noexcept {
  const CancellationOff not_cancelled;
  try {
    body();
    return nullptr;
  } catch (...) {
    return status_of_current_exception(host);
  }
}

/// Runs `body` and returns an exception as a status, but lets pthread_cancel end the thread in it:
/// for a wait that may be ended so, and for a body without a cancellation point.
///
/// The reference to a forced unwinding is null, which the compiler allows there and the undefined
/// behaviour sanitizer reports. The attribute has no effect on a function that is inlined.
template <class Body>
__attribute__((noinline, no_sanitize("null"))) patchbay_status* guarded_cancellable(
    const patchbay_host* host, Body&& body) {
  try {
    body();
    return nullptr;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return status_of_current_exception(host);
  }
}

}  // namespace detail
}  // namespace patchbay::plugin

#endif  // PATCHBAY_PLUGIN_KIT_ERROR_HPP_
