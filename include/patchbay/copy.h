// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_COPY_H_
#define PATCHBAY_COPY_H_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/buffer.h"
#include "patchbay/device.h"
#include "patchbay/export.h"

namespace patchbay {

namespace runtime {
struct ScopedStream;
}

/// How bytes get from one place to another. The abilities of the memory decide, never a name.
enum class Route : std::uint8_t {
  kNone,  // the same storage, or 0 bytes
  kSameDevice,
  kHostToDevice,  // from host-addressable memory
  kDeviceToHost,
  kHostToHost,  // both ends are host-addressable
  kPeer,        // the driver copies between two devices
  kStaged,      // through pinned host memory, in chunks
  kScalar       // a 0-d operand of another device, whose value goes with the launch; never planned
};
/// "none", "same device", "host to device" ...
PATCHBAY_API std::string_view to_string(Route route);

/// One end of a copy: memory of a device, or of the host.
class PATCHBAY_API Endpoint {
 public:
  Endpoint(const Device& device) : device_(device.shared_state()) {}  // NOLINT
  static Endpoint host() { return Endpoint(); }
  bool is_host() const { return device_ == nullptr; }
  /// The device's name, or "host".
  std::string name() const;
  runtime::DeviceState* device_state() const { return device_.get(); }

 private:
  Endpoint() = default;
  std::shared_ptr<runtime::DeviceState> device_;
};

struct CopyLeg {
  std::string from, to;
};

/// What `copy` would do.
struct CopyPlan {
  Route route = Route::kNone;
  std::string reason;  // why that route, as "the devices belong to two plugins"
  std::vector<CopyLeg> legs;
  std::size_t size_bytes = 0;
  std::size_t chunks = 0, chunk_bytes = 0;
  /// The time that the copy takes if nothing else runs. Empty: not measured (see calibrate).
  std::optional<double> seconds;
};

/// The route between two endpoints, without copying. `plan_copy(d, d, n)` is kSameDevice. A
/// non-blocking copy may take another route than a blocking one.
/// Errors: kInvalidArgument for devices of two runtimes.
PATCHBAY_API CopyPlan plan_copy(const Endpoint& from, const Endpoint& to, std::size_t size_bytes,
                                bool non_blocking = false);

/// Measures the speed of copies from one endpoint to the other, and for staged copies the best
/// chunk size. The runtime keeps the result for plan_copy and for its copies. Blocks for about half
/// a second. The ledger counts these copies under the tag "calibrate". Errors: as plan_copy;
/// kInvalidArgument if both endpoints are the host; kOutOfMemory; kCopyForbidden inside a guard.
PATCHBAY_API void calibrate(const Endpoint& from, const Endpoint& to);

/// A range of bytes in a buffer.
struct BufferRange {
  Buffer buffer;
  std::size_t offset_bytes = 0;
  std::size_t size_bytes = 0;
};

/// Copies between buffers of any devices of one runtime. Blocks unless `non_blocking`. A
/// non-blocking copy keeps its source alive; reads through the library wait for it, and throw if it
/// failed. Errors: kInvalidArgument for devices of two runtimes, and for ranges that differ in
/// size, overlap, or reach outside their buffers; kCopyForbidden inside a guard; kOutOfMemory for
/// staging memory.
PATCHBAY_API void copy(const BufferRange& to, const BufferRange& from, bool non_blocking = false);
/// Copies from host memory, which the caller may reuse when the call returns.
PATCHBAY_API void copy_from_host(const BufferRange& to, const void* from);
/// Copies to host memory. Blocks until the bytes are there.
PATCHBAY_API void copy_to_host(void* to, const BufferRange& from);

/// The copies with one source, destination, route and tag.
struct LedgerEntry {
  std::string from, to;  // device names or "host"
  Route route = Route::kNone;
  std::string tag;  // of the CopyTag scope, empty by default
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0;
};

/// Counts every copy of a runtime by (source, destination, route, tag). Thread-safe.
class PATCHBAY_API Ledger {
 public:
  Ledger();
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Ordered by source, destination, route, tag.
  std::vector<LedgerEntry> entries() const;
  /// The sums over the entries that match. An empty string matches all.
  LedgerEntry total(std::string_view from = {}, std::string_view to = {}) const;
  void reset();
  /// A table of text, one line an entry.
  std::string to_text() const;
  /// {"copies": [{"from", "to", "route", "tag", "copies", "bytes"}]}
  std::string to_json() const;

  /// Called by the copy router.
  void record(const std::string& from, const std::string& to, Route route, std::size_t bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Names the copies of this thread in the ledger until the scope ends.
class PATCHBAY_API CopyTag {
 public:
  explicit CopyTag(std::string tag);
  ~CopyTag();
  CopyTag(const CopyTag&) = delete;
  CopyTag& operator=(const CopyTag&) = delete;

 private:
  std::string previous_;
};

/// Until the scope ends, copies between devices, and between a device and the host, throw
/// kCopyForbidden (kForbid) or are logged as warnings (kLog): on this thread, and on threads that
/// carry its context. So is a 0-d operand of another device. Copies within one device are allowed.
class PATCHBAY_API CopyGuard {
 public:
  enum class Mode : std::uint8_t { kAllow, kLog, kForbid };
  explicit CopyGuard(Mode mode = Mode::kForbid);
  ~CopyGuard();
  CopyGuard(const CopyGuard&) = delete;
  CopyGuard& operator=(const CopyGuard&) = delete;

 private:
  Mode previous_;
};

/// The scopes of this thread (default device, tag, guard, streams, recording of gradients), to
/// carry them to a thread that works on its behalf.
class PATCHBAY_API ThreadContext {
 public:
  static ThreadContext current();
  /// Sets this thread's state until the scope ends.
  class PATCHBAY_API Scope {
   public:
    explicit Scope(const ThreadContext& context);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    std::unique_ptr<ThreadContext> previous_;
  };

 private:
  std::shared_ptr<runtime::DeviceState> device_;
  std::string tag_;
  CopyGuard::Mode guard_ = CopyGuard::Mode::kAllow;
  std::shared_ptr<const runtime::ScopedStream> streams_;
  std::uint32_t bits_ = 0;  // of the layers above
};

}  // namespace patchbay

#endif  // PATCHBAY_COPY_H_
