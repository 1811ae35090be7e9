// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Records what happens on threads and streams as events of a trace file.
#ifndef PATCHBAY_CORE_RUNTIME_TRACE_TRACER_H_
#define PATCHBAY_CORE_RUNTIME_TRACE_TRACER_H_

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/clock.h"
#include "core/base/fork.h"
#include "core/runtime/trace/trace_file.h"

namespace patchbay::runtime {

/// A line of the trace: a thread of the host, or a stream of a device.
struct Track {
  std::uint32_t process = 0, thread = 0;
};

struct TraceArgument {
  std::string_view name;
  std::variant<std::uint64_t, std::string_view> value;
};
using TraceArguments = std::span<const TraceArgument>;

/// Thread-safe. Times are those of now_ns(). Once a write has failed, events are dropped.
class Tracer {
 public:
  /// The tracer for that file, shared by the runtimes of the process. In a child of fork one of its
  /// parent's, which adds nothing, while the parent traces to that file. Errors: kIo.
  static std::shared_ptr<Tracer> open(const std::filesystem::path& path);
  explicit Tracer(const std::filesystem::path& path);

  /// The calling thread's track.
  Track host_track() noexcept;
  Track device_track(const std::string& device_name, std::uint64_t stream_number) noexcept;

  void span(Track track, std::string_view name, std::uint64_t begin_ns, std::uint64_t end_ns,
            TraceArguments arguments) noexcept;
  void instant(Track track, std::string_view name, TraceArguments arguments) noexcept;
  void counter(Track track, std::string_view name, TraceArguments values) noexcept;
  /// Draws an arrow between the spans open at these times.
  void arrow(Track from, std::uint64_t from_ns, Track to, std::uint64_t to_ns) noexcept;
  /// For spans whose ends are recorded separately.
  void begin(Track track, std::string_view name) noexcept;
  void end(Track track) noexcept;

  void flush() noexcept;
  std::string failure() const;

 private:
  void add(std::string_view phase, Track track, std::string_view name, std::uint64_t at_ns,
           std::string_view more, TraceArguments arguments) noexcept;
  void name_track(std::string_view what, Track track, std::string_view name) noexcept;

  const HomeProcess home_;  // forked processes add nothing
  const std::uint64_t start_ns_;
  mutable std::mutex mutex_;
  TraceFile file_;
  std::map<std::string, std::uint32_t> processes_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> named_threads_;
  std::atomic<std::uint64_t> num_arrows_{0};
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_TRACER_H_
