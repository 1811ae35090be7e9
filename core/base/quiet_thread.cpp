// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/base/quiet_thread.h"

#include <csignal>
#include <system_error>
#include <utility>

#include "core/base/error.h"

namespace patchbay::base {

std::thread start_quiet_thread(std::string_view operation, std::function<void()> body) {
  sigset_t all, before;
  sigfillset(&all);
  // A fault still reaches the application's crash handler.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  std::error_code failure;
  try {
    thread = std::thread(std::move(body));
  } catch (const std::system_error& error) {
    failure = error.code();
  } catch (const std::bad_alloc&) {
    failure = std::make_error_code(std::errc::not_enough_memory);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure) {
    raise(ErrorCode::kOutOfMemory,
          "[{}] a thread of the library's can't be started: {}. End other threads, or raise their "
          "limit (ulimit -u, or pids.max of the container).",
          operation, failure.message());
  }
  return thread;
}

}  // namespace patchbay::base
