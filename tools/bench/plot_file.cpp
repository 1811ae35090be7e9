// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/bench/plot_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <patchbay/error.h>

#include "core/output/write.h"

namespace patchbay::tools {

using nn::files::AtomicFile;
using nn::files::Descriptor;

PlotFile::PlotFile(std::string command, std::string path)
    : command_(std::move(command)), path_(std::move(path)) {
  if (path_.empty()) return;
  struct stat info {};
  if (lstat(path_.c_str(), &info) != 0 && errno == ENOENT) {
    replace(nullptr);
    return;
  }
  is_file_ = S_ISREG(info.st_mode);
  const int create = S_ISLNK(info.st_mode) ? O_CREAT : 0;  // a link may name a file to come
  opened_ = Descriptor(open(path_.c_str(), O_WRONLY | create | O_CLOEXEC | O_NOCTTY, 0666));
  if (opened_.get() < 0) fail(errno);
}

void PlotFile::write(const std::string& svg) const {
  if (opened_.get() < 0) return replace(&svg);
  if (!is_file_) return write_opened(svg);
  try {
    replace(&svg);
  } catch (const Error&) {
    write_opened(svg);  // a folder may allow no other file, and a mounted file stays
  }
}

/// Without a text, only tries whether a file can be made there.
void PlotFile::replace(const std::string* svg) const {
  try {
    AtomicFile file(path_, command_);
    if (svg == nullptr) return;
    file.write(svg->data(), svg->size());
    file.commit();
  } catch (const Error& error) {
    if (error.native_code() == 0) throw;
    fail(static_cast<int>(error.native_code()));
  }
}

void PlotFile::write_opened(const std::string& svg) const {
  struct stat info {};
  const bool is_file = fstat(opened_.get(), &info) == 0 && S_ISREG(info.st_mode);
  if (is_file && ftruncate(opened_.get(), 0) != 0) fail(errno);
  if (!output::write_all(opened_.get(), svg.data(), svg.size())) fail(errno);
}

void PlotFile::fail(int error) const {
  throw Error(ErrorCode::kIo,
              fmt::format("[{}] can't write '{}': {}. Name another file.", command_, path_,
                          std::strerror(error)),
              error);
}

}  // namespace patchbay::tools
