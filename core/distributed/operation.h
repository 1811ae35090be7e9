// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A collective operation that a member has asked for, as its Work sees it.
#ifndef PATCHBAY_CORE_DISTRIBUTED_OPERATION_H_
#define PATCHBAY_CORE_DISTRIBUTED_OPERATION_H_

#include <cstdint>
#include <string_view>

namespace patchbay::distributed {

/// Its tensors remember it as a use, at a position of a queue, and later work on them waits for
/// that position. If the members meet on the host, the operation is the queue itself
/// (HostOperation). If a driver orders operations on a stream, the queue is that stream.
class Operation {
 public:
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Whether it has ended, well or not.
  virtual bool has_ended() noexcept = 0;
  /// False if `deadline_ns` passed first. Errors: those of the operation.
  virtual bool wait_until(std::uint64_t deadline_ns) = 0;
  /// What it waits for now, for messages: "all members".
  virtual std::string_view missing() const noexcept = 0;
  /// "all_reduce": the public function.
  const char* name() const noexcept { return name_; }

 protected:
  explicit Operation(const char* name) : name_(name) {}

 private:
  const char* const name_;
};

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_OPERATION_H_
