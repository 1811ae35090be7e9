// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A file in Chrome's trace event format, which Perfetto reads too.
#ifndef PATCHBAY_CORE_RUNTIME_TRACE_TRACE_FILE_H_
#define PATCHBAY_CORE_RUNTIME_TRACE_TRACE_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::runtime {

/// A JSON array of events, written in batches. No event lies across two pages of the file, for a
/// kill ends a write between pages: each page is written over the closing bracket and ends with a
/// new one. So whenever the process is killed the file has whole events; at worst, between two
/// pages, it lacks the bracket, which the format allows. Not thread-safe.
class TraceFile {
 public:
  /// Replaces the file. Errors: kIo.
  explicit TraceFile(const std::filesystem::path& path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Takes one event, a JSON object. Writes once much has gathered, or much time has passed.
  void add(std::string_view event, std::uint64_t now_ns) noexcept;
  void flush() noexcept;
  /// Why the first write that failed did; empty while none has. Nothing is written after it.
  const std::string& failure() const { return failure_; }

 private:
  void write_batch();
  bool write_at_end(std::string_view text, std::string_view end);
  std::size_t room_in_page() const noexcept;

  const pid_t process_;  // a child of it has the descriptor too, and is not to write
  int descriptor_ = -1;
  std::int64_t end_ = 0;  // where the closing bracket's line begins
  bool needs_comma_ = false;
  std::uint64_t written_ns_ = 0;
  std::string batch_;               // events without separators
  std::vector<std::size_t> sizes_;  // of these
  std::string failure_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_TRACE_FILE_H_
