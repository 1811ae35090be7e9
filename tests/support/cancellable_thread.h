// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Threads that pthread_cancel ends.
#ifndef PATCHBAY_TESTS_SUPPORT_CANCELLABLE_THREAD_H_
#define PATCHBAY_TESTS_SUPPORT_CANCELLABLE_THREAD_H_

#include <pthread.h>

#include <atomic>
#include <functional>
#include <utility>

#include <gtest/gtest.h>

namespace patchbay::test {

/// A thread that runs a function until it ends or is cancelled.
class CancellableThread {
 public:
  explicit CancellableThread(std::function<void()> body) : body_(std::move(body)) {
    pthread_create(&thread_, nullptr, run, this);
  }
  CancellableThread(const CancellableThread&) = delete;
  CancellableThread& operator=(const CancellableThread&) = delete;

  /// Asks it to end, and waits. Returns whether it was cancelled.
  bool cancel() {
    pthread_cancel(thread_);
    return join();
  }
  bool join() {
    void* result = nullptr;
    pthread_join(thread_, &result);
    return result == PTHREAD_CANCELED;
  }

 private:
  static void* run(void* self) {
    static_cast<CancellableThread*>(self)->body_();
    return nullptr;
  }

  const std::function<void()> body_;
  pthread_t thread_{};
};

/// Runs the function in a thread that was cancelled before: it ends at the first chance. Returns
/// whether it ended in the function.
inline bool run_cancelled(const std::function<void()>& body) {
  std::atomic<bool> ends{false};
  CancellableThread thread([&] {
    int before = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_cancel(pthread_self());
    pthread_setcancelstate(before, nullptr);
    body();
    ends = true;
    pthread_testcancel();
  });
  EXPECT_TRUE(thread.join());
  return !ends;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_CANCELLABLE_THREAD_H_
