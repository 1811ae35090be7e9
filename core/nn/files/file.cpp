// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/files/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/cancellation.h"
#include "core/base/error.h"
#include "core/output/write.h"

namespace patchbay::nn::files {
namespace {

using base::raise;

std::string quoted(const std::filesystem::path& path) { return base::quote(path.native()); }

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
    case EBADF: return " Leave descriptors open that the program did not open.";
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
  const base::CancellationOff not_cancelled;
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
  if (!file_.is_ours()) raise_io(operation_, "can't read the file", path_, errno);
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

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// A path of an open file that may have no other.
std::string own_path(int file) { return fmt::format("/proc/self/fd/{}", file); }

/// Whether that name is the open file's.
bool is_there(const std::filesystem::path& name, int file) {
  struct stat named {
  }, opened{};
  return lstat(name.c_str(), &named) == 0 && fstat(file, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/// Removes what a process left that was killed while it saved: nobody holds its lock.
bool remove_leftover(const std::filesystem::path& name) {
  const Descriptor left(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return left.get() >= 0 && flock(left.get(), LOCK_EX | LOCK_NB) == 0 &&
         is_there(name, left.get()) && unlink(name.c_str()) == 0;
}

/// A name beside `path`: ".path.part0", unless another process saves the same file, or ".path." and
/// a number that nobody can guess if others have taken all of those.
std::filesystem::path name_beside(const std::filesystem::path& path, int attempt) {
  constexpr int kNumbered = 8;
  constexpr std::size_t kMostLetters = 200;
  std::string end = fmt::format("part{}", attempt);
  std::uint64_t number = 0;
  if (attempt >= kNumbered && getrandom(&number, sizeof number, 0) == sizeof number) {
    end = fmt::format("{:016x}", number);
  }
  std::filesystem::path result = path;
  return result.replace_filename(
      fmt::format(".{}.{}", path.filename().string().substr(0, kMostLetters), end));
}

/// Calls `take` with names until it gets one; it fails with the reason in errno. Empty if none can
/// be had.
template <class Take>
std::filesystem::path take_name(const std::filesystem::path& path, Take take) {
  constexpr int kAttempts = 16;
  for (int i = 0; i < kAttempts; ++i) {
    std::filesystem::path name = name_beside(path, i);
    for (const bool again : {true, false}) {
      if (take(name)) return name;
      if (errno != EEXIST) return {};
      if (!again || !remove_leftover(name)) break;
    }
    errno = EEXIST;
  }
  return {};
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path, std::string_view operation)
    : path_(checked_name(path, operation)), operation_(operation) {
  const base::CancellationOff not_cancelled;
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
          "[{}] can't replace {}: expected a regular file, got {}. Choose another path.",
          operation_, quoted(path_), kind_of(old));
  }
  const std::filesystem::path folder = folder_of(path_);
  const int mode = is_file ? 0600 : 0666;
  file_ = output::OwnDescriptor(open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode));
  // Giving it a name needs /proc.
  if (file_.get() < 0 || access(own_path(file_.get()).c_str(), F_OK) != 0) open_named(mode);
  if (is_file && fchmod(file_.get(), old.st_mode & 0777) != 0) {
    const int error = errno;
    remove_name();
    raise_io(operation_, "can't give the new file the mode of the old one", path_, error);
  }
}

AtomicFile::~AtomicFile() {
  const base::CancellationOff not_cancelled;
  remove_name();
}

void AtomicFile::remove_name() noexcept {
  if (!name_.empty() && is_there(name_, file_.get())) unlink(name_.c_str());
}

void AtomicFile::raise_errno(std::string_view what) const {
  raise_io(operation_, what, path_, errno);
}

/// For file systems without unnamed files.
void AtomicFile::open_named(int mode) {
  file_ = {};
  name_ = take_name(path_, [&](const std::filesystem::path& name) {
    const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file < 0) return false;
    file_ = output::OwnDescriptor(file);
    // Another process may take it for a leftover before it is locked.
    const bool is_taken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!is_taken && is_there(name, file)) return true;
    errno = EEXIST;
    return false;
  });
  if (name_.empty()) raise_errno("can't make a file beside");
}

/// Gives the unnamed file a name, with which it can replace another one.
void AtomicFile::give_name() {
  if (!name_.empty()) return;
  flock(file_.get(), LOCK_EX | LOCK_NB);
  const std::string own = own_path(file_.get());
  name_ = take_name(path_, [&](const std::filesystem::path& name) {
    return linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  });
  if (name_.empty()) raise_errno("can't make a file beside");
}

void AtomicFile::write(const void* from, std::size_t size_bytes) {
  if (!file_.is_ours() || !output::write_all_at(file_.get(), from, size_bytes,
                                                static_cast<std::int64_t>(size_bytes_))) {
    raise_errno("can't write the new file");
  }
  size_bytes_ += size_bytes;
}

void AtomicFile::commit() {
  const base::CancellationOff not_cancelled;
  if (!file_.is_ours() || fsync(file_.get()) != 0) raise_errno("can't write the new file");
  give_name();
  if (!is_there(name_, file_.get())) {  // nor may another's file replace the old one
    errno = ENOENT;
    raise_errno("can't replace the file");
  }
  if (rename(name_.c_str(), path_.c_str()) != 0) raise_errno("can't replace the file");
  name_.clear();
  flock(file_.get(), LOCK_UN);
  // The new name itself: without this it may be lost with the power, and the old file is back.
  const Descriptor opened(open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0) fsync(opened.get());
}

}  // namespace patchbay::nn::files
