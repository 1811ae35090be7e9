// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/search/candidate.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "patchbay/plugin/abi.h"

#include "core/base/error.h"
#include "core/runtime/search/arrival.h"
#include "core/runtime/search/linkage.h"
#include "core/runtime/search/own_file.h"

namespace patchbay::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "patchbay-";
constexpr std::string_view kSuffix = ".so";

/// Waits for nothing and takes no terminal, whatever the path names.
constexpr int kReadOnly = O_RDONLY | O_NONBLOCK | O_NOCTTY;

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
      base::raise(
          ErrorCode::kInvalidArgument,
          "[Runtime] bad PATCHBAY_PLUGIN_PATH {}: element {} is {}. Use absolute directories, "
          "separated by ':'.",
          base::quote(value), base::quote(element), element.empty() ? "empty" : "relative");
    }
    directories.emplace_back(element);
    begin = end + 1;
  }
}

std::string error_text(int error) { return std::generic_category().message(error); }

/// The files of a directory, none if it is missing. Avoids directory_iterator, which ends the
/// process if it has no memory. Errors: those of check_no_lack.
std::vector<fs::path> files_of(const fs::path& directory) {
  std::vector<fs::path> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(directory.c_str()), closedir);
  if (entries == nullptr) {
    check_no_lack(errno, directory);
    return files;
  }
  while (const dirent* const entry = readdir(entries.get())) {
    files.push_back(directory / entry->d_name);
  }
  return files;
}

/// Checks the folder by its open descriptor `directory`, and the file by `info`. Higher folders are
/// not checked.
std::string refuse_ownership(int directory, const struct stat& info, const fs::path& real_path,
                             const TrustedFolders& trusted) {
  struct stat folder {};
  if (fstat(directory, &folder) != 0) return "its directory can't be read: " + error_text(errno);
  if (trusted.contain(folder)) return {};
  std::string refusal = refuse_access(info, "the file");
  if (!refusal.empty()) return refusal;
  return refuse_access(folder, "its directory " + base::one_line(real_path.parent_path().string()));
}

std::string refuse_linkage(const ElfFile& file, const fs::path& real_path,
                           const TrustedFolders& trusted) {
  Linkage linkage = read_linkage(file, real_path.parent_path());
  for (const LinkedFolder& folder : linkage.folders) {
    if (!linkage.refusal.empty()) break;
    linkage.refusal = refuse_folder(folder.path, folder.what, trusted);
  }
  return std::move(linkage.refusal);
}

bool is_setting_name(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  return kLetters.find(name[0]) != std::string_view::npos &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// A zero ends the name.
constexpr std::size_t kMostNameBytes = sizeof(patchbay_note::plugin) - 1;

/// `file_name` is the <name> of patchbay-<name>.so, empty for other files.
std::string refuse_note(const Note& note, const std::string& file_name) {
  if (note.abi_major != PATCHBAY_ABI_MAJOR) {
    return fmt::format("built for plugin interface {}.{}, this library has {}.{}", note.abi_major,
                       note.abi_minor, PATCHBAY_ABI_MAJOR, PATCHBAY_ABI_MINOR);
  }
  if (note.required_minor > PATCHBAY_ABI_MINOR) {
    return fmt::format(
        "it requires plugin interface {}.{} for {}, this library has {}.{}. Use a newer library or "
        "an older plugin",
        note.abi_major, note.required_minor, base::quote(note.required_feature), PATCHBAY_ABI_MAJOR,
        PATCHBAY_ABI_MINOR);
  }
  if (note.kind != PATCHBAY_KIND_DEVICE && note.kind != PATCHBAY_KIND_COLLECTIVE) {
    return fmt::format("a plugin of kind {}: this library opens those of the kinds '{}' and '{}'",
                       base::quote(note.kind), PATCHBAY_KIND_DEVICE, PATCHBAY_KIND_COLLECTIVE);
  }
  if (note.plugin.empty() || note.backend.empty()) {
    return "its note names no plugin or no backend";
  }
  for (const std::string& name : {note.plugin, note.backend}) {
    if (name.size() <= kMostNameBytes) continue;
    return fmt::format("its note has a name of more than {} bytes, {}", kMostNameBytes,
                       base::quote(name));
  }
  if (printable(note.plugin) != note.plugin) {
    return fmt::format("its note names a plugin with control characters, '{}'",
                       printable(note.plugin));
  }
  // Filters use the file's name before the note is read, so the note must name the same plugin.
  if (!file_name.empty() && note.plugin != file_name) {
    return fmt::format("its note names plugin {}, its file {}", base::quote(note.plugin),
                       base::quote(file_name));
  }
  try {
    DeviceName::parse(note.backend + ":0");
  } catch (const Error&) {
    return fmt::format("its note has a bad backend name {}: expected [a-z][a-z0-9_]*",
                       base::quote(note.backend));
  }
  if (note.backend == "gpu" || note.backend == "host") {
    return fmt::format("backend name '{}' is reserved", note.backend);
  }
  for (const std::string& name : note.settings.value_or(std::vector<std::string>())) {
    if (is_setting_name(name)) continue;
    return fmt::format("its note has a bad setting name {}: expected [a-z][a-z0-9_]*",
                       base::quote(name));
  }
  return {};
}

/// Plugins are opened later, when the program may have another working directory.
fs::path as_absolute(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute;
}

}  // namespace

fs::path library_plugin_directory() {
  const OwnFile own = own_file();
  if (own.path.empty()) return {};
  fs::path folder = own.path.parent_path();
  // An installed program that contains the library is in bin/, beside lib/.
  if (own.is_program && folder.filename() == "bin") folder = folder.parent_path() / PATCHBAY_LIBDIR;
  return folder / "patchbay" / "plugins";
}

bool is_allowed(const fs::path& directory) {
  if (!base::has_raised_privileges()) return true;
  std::error_code error;
  const fs::path own = fs::canonical(library_plugin_directory(), error);
  return !error && fs::canonical(directory, error) == own && !error;
}

std::vector<fs::path> search_directories(const RuntimeOptions& options,
                                         const base::Environment& environment) {
  std::vector<fs::path> directories;
  for (const fs::path& directory : options.plugin_directories) {
    if (is_allowed(directory)) directories.push_back(as_absolute(directory));
  }
  if (!options.search_default_directories) return directories;
  if (const auto path = environment.get("plugin_path")) add_path_variable(*path, directories);
  if (auto beside = library_plugin_directory(); !beside.empty()) {
    directories.push_back(std::move(beside));
  }
  return directories;
}

Candidate named_candidate(const fs::path& path) {
  return {as_absolute(path), plugin_name(path), true};
}

std::vector<Candidate> find_candidates(const RuntimeOptions& options,
                                       const std::vector<fs::path>& directories) {
  std::vector<Candidate> candidates;
  std::set<fs::path> seen;  // a directory may be named twice, or hold a file that is named
  for (const fs::path& path : options.plugin_files) {
    candidates.push_back(named_candidate(path));
    seen.insert(candidates.back().path);
  }
  for (const fs::path& directory : directories) {
    std::vector<Candidate> found;
    for (const fs::path& file : files_of(directory)) {
      std::string name = plugin_name(file);
      if (name.empty() || !seen.insert(file).second) continue;
      found.push_back({file, std::move(name), false});
    }
    std::sort(found.begin(), found.end(),
              [](const Candidate& a, const Candidate& b) { return a.name < b.name; });
    candidates.insert(candidates.end(), found.begin(), found.end());
  }
  return candidates;
}

TrustedFolders trusted_folders(const RuntimeOptions& options) {
  if (base::has_raised_privileges()) return {};
  std::vector<fs::path> paths;
  for (const fs::path& path : options.trusted_directories) paths.push_back(as_absolute(path));
  return TrustedFolders(std::move(paths));
}

Note read_candidate_note(const Candidate& candidate) {
  const OpenPath file(AT_FDCWD, candidate.path, kReadOnly);
  struct stat info {};
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  return read_note(ElfFile(file.fd())).note;
}

Inspection inspect(const Candidate& candidate, const TrustedFolders& trusted) {
  Inspection result;
  if (candidate.path.empty()) {
    result.refusal = "the path is empty";
    return result;
  }
  if (candidate.path.native().find('\0') != std::string::npos) {
    result.refusal = "the path contains a zero byte";
    return result;
  }
  std::error_code error;
  const fs::path path = fs::absolute(candidate.path, error);
  if (error) {
    result.refusal = "is relative, and the current directory can't be found: " + error.message();
    return result;
  }
  if (!is_allowed(path.parent_path())) {
    result.refusal = fmt::format("with raised privileges only plugins in {} are opened",
                                 base::one_line(library_plugin_directory().string()));
    return result;
  }
  result.real_path = fs::canonical(path, error);
  if (error) {
    result.refusal = "can't be found: " + error.message();
    return result;
  }
  // Open the file within the folder that is checked, even if the path changes meanwhile.
  const OpenPath directory(AT_FDCWD, result.real_path.parent_path(), O_PATH | O_DIRECTORY);
  if (directory.fd() < 0) check_no_lack(errno, path);
  const OpenPath file(directory.fd(), result.real_path.filename(), kReadOnly | O_NOFOLLOW);
  struct stat info {};
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0) {
    check_no_lack(errno, path);
    result.refusal = "can't be opened: " + error_text(errno);
    return result;
  }
  result.id = {info.st_dev, info.st_ino};
  if (!S_ISREG(info.st_mode)) {
    result.refusal = "not a regular file";
    return result;
  }
  result.refusal = refuse_ownership(directory.fd(), info, result.real_path, trusted);
  if (!result.refusal.empty()) return result;
  const ElfFile elf(file.fd());
  NoteResult note = read_note(elf);
  result.note = std::move(note.note);
  result.refusal = std::move(note.refusal);
  if (result.refusal.empty()) result.refusal = refuse_note(result.note, candidate.name);
  if (result.refusal.empty()) result.refusal = refuse_linkage(elf, result.real_path, trusted);
  return result;
}

}  // namespace patchbay::runtime
