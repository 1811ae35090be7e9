// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/output/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/cancellation.h"
#include "core/output/write.h"

namespace patchbay::output {
namespace {

/// -1, with the reason in errno. A file is emptied only once it is known to be a regular one.
int open_regular(const std::filesystem::path& path, OutputFile::OpenMode mode) noexcept {
  const base::CancellationOff not_cancelled;
  const int flags = mode == OutputFile::OpenMode::kAppend ? O_APPEND : 0;
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0666);
  if (file < 0) {
    if (errno == ENXIO) errno = ESPIPE;  // a FIFO or socket that nobody reads
    return -1;
  }
  struct stat info {};
  const bool is_regular = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
  const bool is_ready =
      is_regular && (mode == OutputFile::OpenMode::kAppend || ::ftruncate(file, 0) == 0);
  if (is_ready) return file;
  const int error = is_regular ? errno : ESPIPE;
  ::close(file);
  errno = error;
  return -1;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path, OpenMode mode) noexcept
    : file_(open_regular(path, mode)) {}

bool OutputFile::append(std::string_view text) noexcept {
  // The place is of no account with O_APPEND, and write() would move the descriptor's mark.
  return file_.is_ours() && write_all_at(file_.get(), text.data(), text.size(), 0);
}

bool OutputFile::write_at(std::string_view text, std::int64_t offset_bytes) noexcept {
  return file_.is_ours() && write_all_at(file_.get(), text.data(), text.size(), offset_bytes);
}

}  // namespace patchbay::output
