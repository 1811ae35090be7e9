// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/trace_file.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/base/error.h"

namespace patchbay::runtime {
namespace {

constexpr std::size_t kBatchBytes = 64 << 10;
constexpr std::uint64_t kBatchNs = 250'000'000;
constexpr std::string_view kEnd = "\n]\n";
constexpr std::size_t kPageBytes = 4096;

std::string_view way_out_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR: return "Name a file in a directory that exists.";
    case ENAMETOOLONG: return "Give it a shorter name.";
    case EISDIR: return "Name a file.";
    case ESPIPE: return "Name a regular file.";
    case EACCES:
    case EPERM: return "Check the permissions, or name another file.";
    case EROFS: return "Name a file on another disk.";
    case EFBIG: return "Raise the limit on the size of files, or name a file on another disk.";
    case ENOSPC:
    case EDQUOT: return "Make room on the disk, or name a file on another one.";
    case EMFILE:
    case ENFILE: return "Close files, or raise the limit (ulimit -n).";
    default: return "Name another file.";
  }
}

std::string reason_of(int error) {
  if (error == EBADF) {
    return "the program has closed its descriptor. Leave descriptors open that the program did not "
           "open.";
  }
  return std::generic_category().message(error);
}

}  // namespace

TraceFile::TraceFile(const std::filesystem::path& path)
    : process_(::getpid()), file_(path, OutputFile::OpenMode::kReplace) {
  if (file_.is_open() && write_at_end("[", kEnd)) return;
  const std::error_code why(errno, std::generic_category());
  raise(ErrorCode::kIo, "[trace] can't write {}: {}. {}", quote(path.string()),
        why.value() == ESPIPE ? "expected a regular file, got another kind" : why.message(),
        way_out_of(why.value()));
}

TraceFile::~TraceFile() { flush(); }

void TraceFile::add(std::string_view event, std::uint64_t now_ns) noexcept {
  if (!failure_.empty()) return;
  try {
    sizes_.reserve(sizes_.size() + 1);
    batch_ += event;
    sizes_.push_back(event.size());
  } catch (const std::bad_alloc&) {
    failure_ = "no memory";
    return;
  }
  if (written_ns_ == 0) written_ns_ = now_ns;
  if (batch_.size() < kBatchBytes && now_ns - written_ns_ < kBatchNs) return;
  written_ns_ = now_ns;
  flush();
}

void TraceFile::flush() noexcept {
  if (sizes_.empty() || !failure_.empty()) return;
  try {
    if (::getpid() == process_) write_batch();
  } catch (const std::bad_alloc&) {
    failure_ = "no memory";
  }
  batch_.clear();
  sizes_.clear();
}

std::size_t TraceFile::room_in_page() const noexcept {
  return kPageBytes - static_cast<std::size_t>(end_) % kPageBytes;
}

/// Writes page by page. An event longer than a page takes several.
void TraceFile::write_batch() {
  std::string page;
  const auto write = [&](std::string_view end) {
    if (!write_at_end(page, end)) failure_ = reason_of(errno);
    page.clear();
  };
  std::string_view rest = batch_;
  for (const std::size_t size : sizes_) {
    const std::string_view separator = needs_comma_ ? ",\n" : "\n";
    if (page.size() + separator.size() + size + kEnd.size() > room_in_page()) {
      write(kEnd);
      page = needs_comma_ ? "," : " ";
      page.resize(room_in_page(), ' ');
      write("");
      page += rest.substr(0, size);
    } else {
      page += separator;
      page += rest.substr(0, size);
    }
    needs_comma_ = true;
    rest.remove_prefix(size);
    if (!failure_.empty()) return;
  }
  write(kEnd);
}

bool TraceFile::write_at_end(std::string_view text, std::string_view end) {
  std::string whole(text);
  whole += end;
  if (!file_.write_at(whole, end_)) return false;
  end_ += static_cast<std::int64_t>(text.size());
  return true;
}

}  // namespace patchbay::runtime
