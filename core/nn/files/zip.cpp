// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/files/zip.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/nn/files/source.h"

namespace patchbay::nn::files {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50, kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50, kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocatorSignature = 0x07064b50;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56, kLocatorBytes = 20, kMostCommentBytes = 65535;
constexpr std::uint32_t kIn64 = 0xffffffff;  // the value stands in a field of zip64
constexpr unsigned kSizesFollow = 1u << 3;
/// Hints of deflate, sizes behind the data, names in UTF-8.
constexpr unsigned kKnownFlags = 1u << 1 | 1u << 2 | kSizesFollow | 1u << 11;
constexpr unsigned kStore = 0, kDeflate = 8;
constexpr unsigned kZip64Field = 1;

/// Little-endian numbers of a text, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t take(std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes_.at(at_ + i));
    }
    at_ += width;
    return value;
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(take(4)); }
  unsigned u16() { return static_cast<unsigned>(take(2)); }
  void skip(std::size_t size) { at_ += size; }
  std::size_t left() const { return bytes_.size() - at_; }
  std::string_view text(std::size_t size) {
    const std::string_view result = bytes_.substr(at_, size);
    at_ += size;
    return result;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::string bytes_at(const ReadFile& file, std::uint64_t at, std::size_t size) {
  std::string bytes(size, '\0');
  file.read(at, bytes.data(), size);
  return bytes;
}

/// Where the directory is.
struct Directory {
  std::uint64_t num_entries = 0, begin = 0, end = 0;
};

/// The end record, whose comment ends with the file.
std::uint64_t find_end(const ReadFile& file, const Subject& subject) {
  const std::uint64_t size = file.size_bytes();
  const auto window =
      static_cast<std::size_t>(std::min<std::uint64_t>(size, kEndBytes + kMostCommentBytes));
  const std::string tail = bytes_at(file, size - window, window);
  for (std::size_t comment = 0; comment + kEndBytes <= window; ++comment) {
    const std::size_t at = window - kEndBytes - comment;
    Fields fields(std::string_view(tail).substr(at));
    if (fields.u32() != kEndSignature) continue;
    fields.skip(16);
    if (fields.u16() == comment) return size - window + at;
  }
  subject.fail("it has no directory: it is cut off, or no zip file. Save it with numpy.savez.");
}

void check_disks(std::uint64_t a, std::uint64_t b, std::uint64_t here, std::uint64_t all,
                 const Subject& subject) {
  if (a != 0 || b != 0 || here != all)
    subject.fail("it is one of several disks. Save it as one file.");
}

Directory read_end64(const ReadFile& file, std::uint64_t locator_at, const Subject& subject) {
  const std::string locator = bytes_at(file, locator_at, kLocatorBytes);
  Fields fields(locator);
  fields.skip(8);
  const std::uint64_t at = fields.take(8);
  if (locator_at < kEnd64Bytes || at != locator_at - kEnd64Bytes) {
    subject.fail("the end of its directory is at byte {}: expected it before byte {}", at,
                 locator_at);
  }
  const std::string bytes = bytes_at(file, at, kEnd64Bytes);
  Fields end(bytes);
  if (end.u32() != kEnd64Signature || end.take(8) != kEnd64Bytes - 12) {
    subject.fail("the end of its directory is damaged");
  }
  end.skip(4);
  const std::uint32_t disk = end.u32(), first_disk = end.u32();
  const std::uint64_t here = end.take(8), all = end.take(8);
  check_disks(disk, first_disk, here, all, subject);
  const std::uint64_t size = end.take(8), begin = end.take(8);
  if (begin > at || size != at - begin) {
    subject.fail("its directory has {} bytes at byte {}: expected it to end at byte {}", size,
                 begin, at);
  }
  return {all, begin, at};
}

Directory find_directory(const ReadFile& file, const Subject& subject) {
  if (file.size_bytes() < kEndBytes)
    subject.fail("it has {} bytes, too few for a zip file", file.size_bytes());
  const std::uint64_t at = find_end(file, subject);
  if (at >= kLocatorBytes) {
    const std::string before = bytes_at(file, at - kLocatorBytes, 4);
    if (Fields(before).u32() == kLocatorSignature) {
      return read_end64(file, at - kLocatorBytes, subject);
    }
  }
  const std::string bytes = bytes_at(file, at, kEndBytes);
  Fields end(bytes);
  end.skip(4);
  const unsigned disk = end.u16(), first_disk = end.u16(), here = end.u16(), all = end.u16();
  check_disks(disk, first_disk, here, all, subject);
  const std::uint64_t size = end.u32(), begin = end.u32();
  if (begin + size != at) {
    subject.fail("its directory has {} bytes at byte {}: expected it to end at byte {}", size,
                 begin, at);
  }
  return {all, begin, at};
}

/// Replaces the values that say kIn64 by those of the field of zip64, which come in this order.
void apply_zip64(std::string_view extra, std::initializer_list<std::uint64_t*> values,
                 const Subject& subject) {
  Fields fields(extra);
  while (fields.left() >= 4) {
    const unsigned id = fields.u16(), size = fields.u16();
    if (size > fields.left()) subject.fail("an extra field is cut off");
    const std::string_view content = fields.text(size);
    if (id != kZip64Field) continue;
    Fields wide(content);
    for (std::uint64_t* const value : values) {
      if (*value != kIn64) continue;
      if (wide.left() < 8) subject.fail("its zip64 sizes are cut off");
      *value = wide.take(8);
    }
    return;
  }
}

Subject entry_of(const Subject& subject, std::string_view name) {
  Subject result = subject;
  result.place += ": " + base::quote(name);
  return result;
}

bool method_of(unsigned flags, unsigned method, const Subject& subject) {
  if ((flags & 1u) != 0) subject.fail("it is encrypted. Save it without encryption.");
  if ((flags & ~kKnownFlags) != 0) subject.fail("unknown flags: {:#06x}", flags);
  if (method != kStore && method != kDeflate) {
    subject.fail(
        "compressed by method {}: expected {} (none) or {} (deflate). Save it with numpy.savez.",
        method, kStore, kDeflate);
  }
  return method == kDeflate;
}

struct Listed {
  ZipEntry entry;
  unsigned flags = 0, method = 0;
};

Listed read_central(Source& source) {
  std::string bytes(kCentralBytes, '\0');
  source.read_all(bytes.data(), bytes.size(), "its directory");
  Fields fields(bytes);
  if (fields.u32() != kCentralSignature) source.subject().fail("its directory is damaged");
  fields.skip(4);
  Listed listed;
  listed.flags = fields.u16();
  listed.method = fields.u16();
  fields.skip(4);
  ZipEntry& entry = listed.entry;
  entry.crc = fields.u32();
  entry.stored_bytes = fields.u32();
  entry.size_bytes = fields.u32();
  const unsigned name_size = fields.u16(), extra_size = fields.u16(), comment_size = fields.u16();
  const unsigned disk = fields.u16();
  fields.skip(6);
  entry.header_at = fields.u32();
  std::string rest(name_size + extra_size + comment_size, '\0');
  source.read_all(rest.data(), rest.size(), "its directory");
  entry.name = rest.substr(0, name_size);
  const Subject subject = entry_of(source.subject(), entry.name);
  if (entry.name.find('\0') != std::string::npos) subject.fail("its name contains NUL");
  if (disk != 0) subject.fail("it is on another disk. Save it as one file.");
  entry.is_deflated = method_of(listed.flags, listed.method, subject);
  apply_zip64(std::string_view(rest).substr(name_size, extra_size),
              {&entry.size_bytes, &entry.stored_bytes, &entry.header_at}, subject);
  if (!entry.is_deflated && entry.size_bytes != entry.stored_bytes) {
    subject.fail("{} bytes are stored as {} without compression", entry.size_bytes,
                 entry.stored_bytes);
  }
  return listed;
}

/// Compares what stands before the data with the directory, and finds the data.
void place_data(const ReadFile& file, Listed& listed, std::uint64_t end, const Subject& subject) {
  ZipEntry& entry = listed.entry;
  if (end < kLocalBytes || entry.header_at > end - kLocalBytes) {
    subject.fail("it begins at byte {}: expected it before the directory", entry.header_at);
  }
  const std::string bytes = bytes_at(file, entry.header_at, kLocalBytes);
  Fields fields(bytes);
  const std::uint32_t signature = fields.u32();
  fields.skip(2);
  const unsigned flags = fields.u16(), method = fields.u16();
  fields.skip(4);
  const std::uint32_t crc = fields.u32();
  std::uint64_t stored = fields.u32(), size = fields.u32();
  const unsigned name_size = fields.u16(), extra_size = fields.u16();
  entry.data_at = entry.header_at + kLocalBytes + name_size + extra_size;
  if (entry.data_at > end || entry.stored_bytes > end - entry.data_at) {
    subject.fail("its {} bytes reach into the directory", entry.stored_bytes);
  }
  const std::string rest = bytes_at(file, entry.header_at + kLocalBytes, name_size + extra_size);
  apply_zip64(std::string_view(rest).substr(name_size), {&size, &stored}, subject);
  const bool says_sizes = (flags & kSizesFollow) == 0;
  if (signature != kLocalSignature || flags != listed.flags || method != listed.method ||
      rest.substr(0, name_size) != entry.name ||
      (says_sizes &&
       (crc != entry.crc || stored != entry.stored_bytes || size != entry.size_bytes))) {
    subject.fail("the directory and the header before its data differ");
  }
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(const ReadFile& file, const Subject& subject) {
  const Directory directory = find_directory(file, subject);
  FileSource source(subject, file, directory.begin, directory.end);
  std::vector<Listed> all;
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < directory.num_entries; ++i) {
    Listed& listed = all.emplace_back(read_central(source));
    if (!names.insert(listed.entry.name).second) {
      entry_of(subject, listed.entry.name).fail("it occurs twice");
    }
  }
  source.check_end(directory.num_entries, "entries in its directory");
  // In the order of the file, so that no byte of it is read for two entries.
  std::ranges::sort(all, {}, [](const Listed& each) { return each.entry.header_at; });
  std::vector<ZipEntry> entries;
  std::uint64_t end = 0;
  for (Listed& listed : all) {
    const Subject here = entry_of(subject, listed.entry.name);
    if (listed.entry.header_at < end) here.fail("it overlaps with the entry before it");
    place_data(file, listed, directory.begin, here);
    end = listed.entry.data_at + listed.entry.stored_bytes;
    entries.push_back(std::move(listed.entry));
  }
  return entries;
}

}  // namespace patchbay::nn::files
