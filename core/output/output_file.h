// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A file that stays open to be written: the log's and the trace's.
#ifndef PATCHBAY_CORE_OUTPUT_OUTPUT_FILE_H_
#define PATCHBAY_CORE_OUTPUT_OUTPUT_FILE_H_

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/output/own_descriptor.h"

namespace patchbay::output {

/// Its functions fail with the reason in errno: EBADF once the program has closed the descriptor,
/// whatever the number then is; EFBIG beyond RLIMIT_FSIZE, without SIGXFSZ.
class OutputFile {
 public:
  enum class OpenMode { kAppend, kReplace };

  /// No file.
  OutputFile() noexcept = default;
  /// Opens or makes a regular file; kReplace empties it. Check is_open(): ESPIPE is another kind of
  /// file. A FIFO does not keep the program waiting for a reader.
  OutputFile(const std::filesystem::path& path, OpenMode mode) noexcept;

  bool is_open() const noexcept { return file_.get() >= 0; }
  /// At the end of the file; it was opened with kAppend.
  bool append(std::string_view text) noexcept;
  bool write_at(std::string_view text, std::int64_t offset_bytes) noexcept;

 private:
  OwnDescriptor file_;
};

}  // namespace patchbay::output

#endif  // PATCHBAY_CORE_OUTPUT_OUTPUT_FILE_H_
