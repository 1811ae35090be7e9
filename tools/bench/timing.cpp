// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/bench/timing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <patchbay/error.h>

namespace patchbay::tools {

using nn::files::AtomicFile;
using nn::files::Descriptor;

PlotFile::PlotFile(std::string command, std::string path)
    : command_(std::move(command)), path_(std::move(path)) {
  if (path_.empty()) return;
  struct stat info {};
  const bool is_new = lstat(path_.c_str(), &info) != 0 && errno == ENOENT;
  if (!is_new) {
    Descriptor file(open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (file.get() < 0) fail(errno);
    if (!S_ISREG(info.st_mode)) opened_ = std::move(file);
  }
  if (opened_.get() < 0) replace(nullptr);
}

void PlotFile::write(const std::string& svg) const {
  opened_.get() < 0 ? replace(&svg) : write_opened(svg);
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
  for (std::size_t done = 0; done < svg.size();) {
    const ssize_t count = ::write(opened_.get(), svg.data() + done, svg.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    done += static_cast<std::size_t>(count);
  }
}

void PlotFile::fail(int error) const {
  throw Error(ErrorCode::kIo,
              fmt::format("[{}] can't write '{}': {}. Name another file.", command_, path_,
                          std::strerror(error)),
              error);
}

}  // namespace patchbay::tools
