// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/files/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace patchbay::nn::files {
namespace {

using runtime::raise;

std::string quoted(const std::filesystem::path& path) { return runtime::quote(path.native()); }

/// A call transfers at most about 2 GiB on Linux.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

std::string_view way_out_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG: return " Check the path.";
    case EACCES:
    case EPERM: return " Check the permissions.";
    case EFBIG: return " Raise the limit on the size of files, or choose another disk.";
    case ENOSPC:
    case EDQUOT: return " Make room on the disk, or choose another one.";
    case EROFS: return " Choose another folder.";
    default: return "";
  }
}

/// What is there that is no regular file.
std::string_view kind_of(const struct stat& info) {
  return S_ISDIR(info.st_mode)    ? "a folder"
         : S_ISFIFO(info.st_mode) ? "a pipe"
         : S_ISLNK(info.st_mode)  ? "a link to something else"
                                  : "a device or socket";
}

/// A name beside `path` that nobody can guess.
std::filesystem::path name_beside(const std::filesystem::path& path) {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    number = static_cast<std::uint64_t>(getpid());  // the name is checked to be new all the same
  }
  std::filesystem::path result = path;
  return result.replace_filename(
      fmt::format(".{}.{:016x}", path.filename().string().substr(0, 200), number));
}

}  // namespace

void raise_io(std::string_view operation, std::string_view what, const std::filesystem::path& path,
              int error) {
  throw Error(
      ErrorCode::kIo,
      fmt::format("[{}] {}: {}: {}.{}", operation, what, quoted(path),
                  error == 0 ? "the stream failed" : std::strerror(error), way_out_of(error)),
      error);
}

const std::filesystem::path& checked_name(const std::filesystem::path& path,
                                          std::string_view operation) {
  if (path.native().find('\0') == std::string::npos) return path;
  raise(ErrorCode::kInvalidArgument, "[{}] a file name with NUL: {}. Pass the name without it.",
        operation, quoted(path));
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

ReadFile::ReadFile(const std::filesystem::path& path, std::string_view operation)
    : path_(checked_name(path, operation)),
      operation_(operation),
      // Opening a pipe would wait for a writer.
      file_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (file_.get() < 0) raise_io(operation_, "can't open the file", path_, errno);
  struct stat info {};
  if (fstat(file_.get(), &info) != 0) raise_io(operation_, "can't read the file", path_, errno);
  if (!S_ISREG(info.st_mode)) {
    raise(ErrorCode::kIo, "[{}] can't read {}: expected a regular file, got {}. Check the path.",
          operation_, quoted(path_), kind_of(info));
  }
  size_bytes_ = static_cast<std::uint64_t>(info.st_size);
}

void ReadFile::read(std::uint64_t offset_bytes, void* to, std::size_t size_bytes) const {
  char* next = static_cast<char*>(to);
  while (size_bytes > 0) {
    const ssize_t count = pread(file_.get(), next, std::min(size_bytes, kMostAtOnce),
                                static_cast<off_t>(offset_bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) raise_io(operation_, "can't read the file", path_, errno);
    if (count == 0) {
      raise(ErrorCode::kIo,
            "[{}] the file has become shorter: {} had {} bytes, and ends at {}. Open it again when "
            "nobody writes it.",
            operation_, quoted(path_), size_bytes_, offset_bytes);
    }
    next += count;
    size_bytes -= static_cast<std::size_t>(count);
    offset_bytes += static_cast<std::uint64_t>(count);
  }
}

Mapping::Mapping(const ReadFile& file) : size_bytes_(file.size_bytes()) {
  void* const mapped = mmap(nullptr, size_bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_NORESERVE, file.descriptor(), 0);
  if (mapped == MAP_FAILED) {
    raise_io(file.operation(), "can't map the file", file.path(), errno);
  }
  data_ = static_cast<std::byte*>(mapped);
}

Mapping::~Mapping() { munmap(data_, size_bytes_); }

namespace {

/// Whether it is a link to a regular file or to nothing. One to a device or pipe is wanted as it
/// is, and so is one to a file that a process has open, such as /dev/stdout.
bool may_replace_link(const std::filesystem::path& path, const struct stat& link) {
  if (!S_ISLNK(link.st_mode)) return false;
  std::error_code error;
  const std::filesystem::path to = std::filesystem::read_symlink(path, error);
  if (error || to.native().starts_with("/proc/")) return false;
  struct stat target {};
  return stat(path.c_str(), &target) != 0 || S_ISREG(target.st_mode);
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path, std::string_view operation)
    : path_(checked_name(path, operation)), operation_(operation), file_(-1) {
  if (path_.filename().empty()) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] no file name: expected the path of a file, got {}. Add a name.", operation_,
          quoted(path_));
  }
  // Who may read the old file may read the new one, and nobody else.
  struct stat old {};
  const bool replaces = lstat(path_.c_str(), &old) == 0;
  const bool is_file = replaces && S_ISREG(old.st_mode);
  if (replaces && !is_file && !may_replace_link(path_, old)) {
    raise(ErrorCode::kIo,
          "[{}] can't replace {}: expected a regular file, got {}. Choose another "
          "path.",
          operation_, quoted(path_), kind_of(old));
  }
  constexpr int kTries = 8;
  for (int i = 0; i < kTries && file_.get() < 0; ++i) {
    written_ = name_beside(path_);
    file_ = Descriptor(open(written_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            is_file ? 0600 : 0666));
    if (file_.get() < 0 && errno != EEXIST) break;
  }
  if (file_.get() < 0) raise_io(operation_, "can't make a file beside", path_, errno);
  if (is_file && fchmod(file_.get(), old.st_mode & 0777) != 0) {
    const int error = errno;
    unlink(written_.c_str());
    raise_io(operation_, "can't give the new file the mode of the old one", path_, error);
  }
}

AtomicFile::~AtomicFile() {
  if (!is_committed_) unlink(written_.c_str());
}

void AtomicFile::raise_errno(std::string_view what) const {
  raise_io(operation_, what, path_, errno);
}

bool write_all(int file, const void* from, std::size_t size_bytes) {
  const char* next = static_cast<const char*>(from);
  while (size_bytes > 0) {
    const ssize_t count = ::write(file, next, std::min(size_bytes, kMostAtOnce));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    next += count;
    size_bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

void AtomicFile::write(const void* from, std::size_t size_bytes) {
  if (!write_all(file_.get(), from, size_bytes)) raise_errno("can't write the new file");
}

void AtomicFile::commit() {
  if (fsync(file_.get()) != 0) raise_errno("can't write the new file");
  if (rename(written_.c_str(), path_.c_str()) != 0) raise_errno("can't replace the file");
  is_committed_ = true;
  // The new name itself: without this it may be lost with the power, and the old file is back.
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0) fsync(opened.get());
}

}  // namespace patchbay::nn::files
