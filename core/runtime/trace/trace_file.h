// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A file in Chrome's trace event format, which Perfetto also reads.
#ifndef PATCHBAY_CORE_RUNTIME_TRACE_TRACE_FILE_H_
#define PATCHBAY_CORE_RUNTIME_TRACE_TRACE_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/output/output_file.h"

namespace patchbay::runtime {

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

  const pid_t process_;  // a forked child has the descriptor too, and must not write
  OutputFile file_;
  std::int64_t end_ = 0;  // the offset of the closing bracket's line
  bool needs_comma_ = false;
  std::uint64_t written_ns_ = 0;
  std::string batch_;               // events without separators
  std::vector<std::size_t> sizes_;  // of the events
  std::string failure_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_TRACE_TRACE_FILE_H_
