// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/candidate.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "patchbay/plugin/abi.h"

#include "core/runtime/error.h"

namespace patchbay::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "patchbay-";
constexpr std::string_view kSuffix = ".so";

/// The name in patchbay-<name>.so, empty for any other file name.
std::string plugin_name(const fs::path& path) {
  const std::string file = path.filename().string();
  if (file.size() <= kPrefix.size() + kSuffix.size() || !file.starts_with(kPrefix) ||
      !file.ends_with(kSuffix)) {
    return {};
  }
  return file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
}

void add_path_variable(const std::string& value, std::vector<fs::path>& directories) {
  std::size_t begin = 0;
  while (begin <= value.size()) {
    const std::size_t end = std::min(value.find(':', begin), value.size());
    const std::string element = value.substr(begin, end - begin);
    if (element.empty() || element.front() != '/') {
      raise(ErrorCode::kInvalidArgument,
            "[Runtime] bad PATCHBAY_PLUGIN_PATH {}: element {} is {}. Use absolute directories, "
            "separated by ':'.",
            quote(value), quote(element), element.empty() ? "empty" : "relative");
    }
    directories.emplace_back(element);
    begin = end + 1;
  }
}

std::string error_text(int error) { return std::generic_category().message(error); }

class File {
 public:
  explicit File(const fs::path& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// Only the owner's and root's files are trusted, and only where nobody else can replace them.
std::string refuse_ownership(const struct stat& info, const fs::path& real_path) {
  const uid_t user = geteuid();
  if (info.st_uid != 0 && info.st_uid != user) {
    return fmt::format("owned by user {}: neither root nor the user of this process ({})",
                       info.st_uid, user);
  }
  if ((info.st_mode & S_IWOTH) != 0) return "the file is writable by others (chmod o-w)";
  struct stat directory {};
  if (stat(real_path.parent_path().c_str(), &directory) != 0) {
    return "its directory can't be read: " + error_text(errno);
  }
  if ((directory.st_mode & S_IWOTH) != 0) {
    return fmt::format("its directory {} is writable by others (chmod o-w)",
                       real_path.parent_path().string());
  }
  return {};
}

/// `file_name` is the name in patchbay-<name>.so, empty for any other file.
std::string refuse_note(const Note& note, const std::string& file_name) {
  if (note.abi_major != PATCHBAY_ABI_MAJOR) {
    return fmt::format("built for plugin interface {}.{}, this library has {}.{}", note.abi_major,
                       note.abi_minor, PATCHBAY_ABI_MAJOR, PATCHBAY_ABI_MINOR);
  }
  if (note.plugin.empty() || note.backend.empty()) {
    return "its note names no plugin or no backend";
  }
  // Filters go by the file's name, before the note is read: it must not be another's.
  if (!file_name.empty() && note.plugin != file_name) {
    return fmt::format("its note names plugin {}, its file {}", quote(note.plugin),
                       quote(file_name));
  }
  try {
    DeviceName::parse(note.backend + ":0");
  } catch (const Error&) {
    return fmt::format("its note has a bad backend name {}: expected [a-z][a-z0-9_]*",
                       quote(note.backend));
  }
  if (note.backend == "gpu" || note.backend == "host") {
    return fmt::format("backend name '{}' is reserved", note.backend);
  }
  return {};
}

}  // namespace

fs::path library_plugin_directory() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&library_plugin_directory), &info) == 0 ||
      info.dli_fname == nullptr) {
    return {};
  }
  std::error_code error;
  const fs::path library = fs::canonical(info.dli_fname, error);
  if (error) return {};
  return library.parent_path() / "patchbay" / "plugins";
}

std::vector<fs::path> search_directories(const RuntimeOptions& options,
                                         const Environment& environment) {
  // With raised privileges nothing outside the library's own folder is trusted.
  const bool trusted = !has_raised_privileges();
  std::vector<fs::path> directories;
  if (trusted) directories = options.plugin_directories;
  if (!options.search_default_directories) return directories;
  if (const auto path = environment.get("plugin_path"); trusted && path) {
    add_path_variable(*path, directories);
  }
  if (auto beside = library_plugin_directory(); !beside.empty()) {
    directories.push_back(std::move(beside));
  }
  return directories;
}

std::vector<Candidate> find_candidates(const RuntimeOptions& options,
                                       const std::vector<fs::path>& directories) {
  std::vector<Candidate> candidates;
  if (!has_raised_privileges()) {
    for (const fs::path& path : options.plugin_files) {
      candidates.push_back({path, plugin_name(path), true});
    }
  }
  for (const fs::path& directory : directories) {
    std::vector<Candidate> found;
    std::error_code error;
    // Absent directories are normal; explain() lists what was searched.
    for (fs::directory_iterator at(directory, error), end; !error && at != end;
         at.increment(error)) {
      std::string name = plugin_name(at->path());
      if (!name.empty()) found.push_back({at->path(), std::move(name), false});
    }
    std::sort(found.begin(), found.end(),
              [](const Candidate& a, const Candidate& b) { return a.name < b.name; });
    candidates.insert(candidates.end(), found.begin(), found.end());
  }
  return candidates;
}

Inspection inspect(const Candidate& candidate) {
  Inspection result;
  std::error_code error;
  result.real_path = fs::canonical(fs::absolute(candidate.path), error);
  if (error) {
    result.refusal = "can't be found: " + error.message();
    return result;
  }
  const File file(result.real_path);
  struct stat info {};
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0) {
    result.refusal = "can't be opened: " + error_text(errno);
    return result;
  }
  result.id = {info.st_dev, info.st_ino};
  if (!S_ISREG(info.st_mode)) {
    result.refusal = "not a regular file";
    return result;
  }
  result.refusal = refuse_ownership(info, result.real_path);
  if (!result.refusal.empty()) return result;
  NoteResult note = read_note(file.fd());
  result.note = std::move(note.note);
  result.refusal = std::move(note.refusal);
  if (result.refusal.empty()) result.refusal = refuse_note(result.note, candidate.name);
  return result;
}

}  // namespace patchbay::runtime
