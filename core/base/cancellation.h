// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Threads that pthread_cancel ends. It throws an exception of its own out of a wait or another call
// of the system, which may pass through neither a destructor nor any other noexcept function, and
// which no handler may swallow: the process would abort.
#ifndef PATCHBAY_CORE_BASE_CANCELLATION_H_
#define PATCHBAY_CORE_BASE_CANCELLATION_H_

#include <pthread.h>

namespace patchbay::base {

/// While it lives, pthread_cancel of this thread has to wait: for what is noexcept, hands an
/// exception on as something else, or would leave work that uses the stack.
class CancellationOff {
 public:
  CancellationOff() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_before_); }
  ~CancellationOff() { pthread_setcancelstate(state_before_, nullptr); }
  CancellationOff(const CancellationOff&) = delete;
  CancellationOff& operator=(const CancellationOff&) = delete;

 private:
  int state_before_ = PTHREAD_CANCEL_ENABLE;
};

/// Ends a thread that pthread_cancel asked to end while a driver waited. Public waits end with it.
inline void end_if_cancelled() { pthread_testcancel(); }

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_CANCELLATION_H_
