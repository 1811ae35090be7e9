// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Records what happens on threads and streams as events of a trace file, and writes that.
#ifndef PATCHBAY_CORE_RUNTIME_TRACE_TRACER_H_
#define PATCHBAY_CORE_RUNTIME_TRACE_TRACER_H_

#include <atomic>
#include <cstddef>
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
#include "core/output/output_file.h"

namespace patchbay::runtime {

/// A file in Chrome's trace event format, which Perfetto also reads.
///
/// A JSON array of events, written in batches. No event crosses a page of the file: a kill ends a
/// write between pages. Each page overwrites the closing bracket and ends with a new one, so a
/// killed process leaves whole events, at worst without the bracket, which the format allows. Not
/// thread-safe.
class TraceFile {
 public:
  /// Replaces the file. Errors: kIo.
  explicit TraceFile(const std::filesystem::path& path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Takes one event, a JSON object. Writes when enough events or time have passed.
  void add(std::string_view event, std::uint64_t now_ns) noexcept;
  void flush() noexcept;
  /// The reason of the first failed write, after which nothing is written; empty if none failed.
  const std::string& failure() const { return failure_; }

 private:
  void write_batch();
  bool write_at_end(std::string_view text, std::string_view end);
  std::size_t room_in_page() const noexcept;

  output::OutputFile file_;
  std::int64_t end_ = 0;  // the offset of the closing bracket's line
  bool needs_comma_ = false;
  std::uint64_t written_ns_ = 0;
  std::string batch_;               // events without separators
  std::vector<std::size_t> sizes_;  // of the events
  std::string failure_;
};

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

  const base::HomeProcess home_;  // forked processes add nothing
  const std::uint64_t start_ns_;
  mutable std::mutex mutex_;
  TraceFile file_;
  std::map<std::string, std::uint32_t> processes_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> named_threads_;
  std::atomic<std::uint64_t> num_arrows_{0};
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_TRACER_H_
