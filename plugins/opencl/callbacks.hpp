// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Calls into the program when a queue has come to a point.
#ifndef PATCHBAY_PLUGINS_OPENCL_CALLBACKS_HPP_
#define PATCHBAY_PLUGINS_OPENCL_CALLBACKS_HPP_

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

#include "patchbay/plugin/kit/host.hpp"

#include "timeline.hpp"

namespace patchbay::opencl {

/// The calls of one stream that are still to come.
class Callbacks : public std::enable_shared_from_this<Callbacks> {
 public:
  using Call = void (*)(void* user, patchbay_status*);

  /// Calls when `event` is over, with the status of `position`, on a thread of the driver.
  void add(const Symbols& cl, cl_event event, const Position& position, plugin::Host host,
           Call call, void* user);
  /// Until all have returned.
  void wait();

 private:
  struct Pending;
  static void run(cl_event event, cl_int status, void* pending);
  void count(int change);

  std::mutex mutex_;
  std::condition_variable changed_;
  int num_pending_ = 0;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_CALLBACKS_HPP_
