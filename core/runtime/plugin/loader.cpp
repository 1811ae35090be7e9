// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/loader.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>

#include <boost/dll/shared_library.hpp>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/runtime/plugin/call_watch.h"
#include "core/runtime/plugin/guarded_call.h"
#include "core/runtime/search/own_file.h"

namespace patchbay::runtime {
namespace {

std::atomic<bool> ending{false};

std::optional<FileId> file_id(const std::filesystem::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

/// The kernel writes a line break of a path as `\012`, but a backslash as it is.
std::string unescaped(std::string_view listed) {
  constexpr std::string_view kBreak = "\\012";
  std::string path;
  for (std::size_t at = 0; at < listed.size();) {
    const bool is_break = listed.substr(at).starts_with(kBreak);
    path += is_break ? '\n' : listed[at];
    at += is_break ? kBreak.size() : 1;
  }
  return path;
}

/// The file mapped at an address, as the kernel reports it.
struct Mapping {
  FileId id;
  bool is_code = false;
  std::string path;
};
std::optional<Mapping> mapping_of(const void* address) {
  std::ifstream maps("/proc/self/maps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char access[5] = "";
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %*s %n", &begin, &end,
                    access, &path_at) < 3 ||
        wanted < begin || wanted >= end || path_at == 0) {
      continue;
    }
    Mapping mapping;
    mapping.is_code = access[2] == 'x';
    mapping.path = line.substr(static_cast<std::size_t>(path_at));
    // A file with that path now is another one.
    if (mapping.path.ends_with(" (deleted)")) return std::nullopt;
    // On layered file systems the listing's device number differs from that of stat.
    auto id = file_id(mapping.path);
    if (!id) {
      mapping.path = unescaped(mapping.path);
      id = file_id(mapping.path);
    }
    if (!id) return std::nullopt;
    mapping.id = *id;
    return mapping;
  }
  return std::nullopt;
}

/// The dynamic linker's own message, without Boost's text around it; empty if it is not one.
std::string loader_text(std::string_view what) {
  constexpr std::string_view kMark = "dlerror system message: ";
  const std::size_t at = what.find(kMark);
  if (at == std::string_view::npos) return {};
  what.remove_prefix(at + kMark.size());
  const std::size_t end = what.rfind("): ");
  return std::string(what.substr(0, end));
}

/// Runs a library's initialisation, and passes on what that throws. Boost calls dlopen, which is
/// declared to throw nothing: the program would end there.
class FirstOpening {
 public:
  explicit FirstOpening(const std::filesystem::path& path) {
    void* (*const volatile open)(const char*, int) = dlopen;
    handle_ = open(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ~FirstOpening() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  FirstOpening(const FirstOpening&) = delete;
  FirstOpening& operator=(const FirstOpening&) = delete;

 private:
  void* handle_;
};

class OpenLibrary final : public Library {
 public:
  explicit OpenLibrary(const std::filesystem::path& path)
      : library_(path, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local) {}
  OpenLibrary(const OpenLibrary&) = delete;
  OpenLibrary& operator=(const OpenLibrary&) = delete;

  ~OpenLibrary() override {
    // At the end of the process the library stays open: its threads may still run.
    if (process_is_ending()) return;
    std::optional<RunningCall> running;
    try {
      running.emplace("the library's own end (its static destructors and atexit functions)");
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): only a report lacks it
    }
    std::destroy_at(&library_);
  }

  /// Empty if the handshake returned a table.
  std::string shake_hands(const Inspection& inspection) {
    if (!library_.has(PATCHBAY_PLUGIN_SYMBOL)) {
      return fmt::format("it exports no symbol {}", PATCHBAY_PLUGIN_SYMBOL);
    }
    const auto& entry = library_.get<const patchbay_plugin*()>(PATCHBAY_PLUGIN_SYMBOL);
    const auto mapping = mapping_of(reinterpret_cast<const void*>(&entry));
    if (!mapping)
      return "/proc/self/maps does not tell the file that the dynamic linker mapped, or the file "
             "is gone";
    if (!mapping->is_code) return fmt::format("its {} is no function", PATCHBAY_PLUGIN_SYMBOL);
    if (mapping->id != inspection.id) {
      return fmt::format("the dynamic linker gave another file, {}", base::quote(mapping->path));
    }
    const RunningCall running(PATCHBAY_PLUGIN_SYMBOL);
    const auto call = [&] { table_ = entry(); };
    if (std::string thrown = call_guarded(PATCHBAY_PLUGIN_SYMBOL, call); !thrown.empty()) {
      return thrown;
    }
    return table_ != nullptr ? std::string()
                             : fmt::format("{} returned null", PATCHBAY_PLUGIN_SYMBOL);
  }

 private:
  union {  // has no destructor
    boost::dll::shared_library library_;
  };
};

/// Open libraries by file, for several runtimes to share.
struct OpenLibraries {
  std::mutex mutex;
  std::map<FileId, std::weak_ptr<Library>> by_file;
  std::map<FileId, std::string> thrown;  // by initialisations, which are not run again
};
constinit base::OfProcess<OpenLibraries> open_libraries;

/// Whether the root directory of the process is not the one in which it first opened a plugin. Code
/// of another root is never opened.
bool has_another_root() {
  const auto identity = [] {
    struct stat info {};
    return stat("/", &info) == 0 ? std::pair(info.st_dev, info.st_ino)
                                 : std::pair(dev_t{}, ino_t{});
  };
  static const std::pair<dev_t, ino_t> first = identity();
  return identity() != first;
}

}  // namespace

LibraryResult open_library(const Inspection& inspection) {
  OpenLibraries& libraries = open_libraries.get();
  const std::scoped_lock lock(libraries.mutex);
  if (auto library = libraries.by_file[inspection.id].lock()) return {std::move(library), {}};
  if (has_another_root()) {
    return {
        nullptr,
        "the process has changed its root directory since its first plugin was opened (chroot), "
        "and nothing is opened there: load it before"};
  }
  // The dynamic linker runs the file's code before the core can see which file it opened.
  if (file_id(inspection.real_path) != inspection.id) {
    return {nullptr, "the file was replaced after it was checked"};
  }
  // The dynamic linker takes a library for open although its initialisation has thrown.
  const auto before = libraries.thrown.find(inspection.id);
  if (before != libraries.thrown.end()) return {nullptr, before->second};
  std::string thrown = "its initialisation threw an exception";
  try {
    const RunningCall running("the library's own initialisation");
    const KeptFloatEnvironment kept;
    std::shared_ptr<OpenLibrary> library;
    {
      const FirstOpening first(inspection.real_path);
      library = std::make_shared<OpenLibrary>(inspection.real_path);
    }
    if (std::string failure = library->shake_hands(inspection); !failure.empty()) {
      return {nullptr, std::move(failure)};
    }
    libraries.by_file[inspection.id] = library;
    return {std::move(library), {}};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    if (const std::string text = loader_text(error.what()); !text.empty()) {
      return {nullptr, "the dynamic linker refused it: " + text};
    }
    thrown += fmt::format(": {}", error.what());
  } catch (...) {  // NOLINT(bugprone-empty-catch): of any type
  }
  return {nullptr, libraries.thrown[inspection.id] = std::move(thrown)};
}

namespace {

/// A list that only grows, so that a child of fork finds it whole.
struct OpenedFile {
  const FileId file;
  const base::HomeProcess home;
  const OpenedFile* const earlier;
};
constinit std::atomic<const OpenedFile*> opened_files{nullptr};

}  // namespace

bool note_opening(const FileId& file) {
  const OpenedFile* const last = opened_files.load(std::memory_order_acquire);
  bool is_known = false, was_open_before_fork = false;
  for (const OpenedFile* one = last; one != nullptr; one = one->earlier) {
    if (one->file == file) (one->home.is_here() ? is_known : was_open_before_fork) = true;
  }
  if (!is_known) opened_files.store(new OpenedFile{file, {}, last}, std::memory_order_release);
  return !was_open_before_fork;
}

void keep_own_library_loaded() noexcept {
  // The dynamic linker looks for no file, because it knows this name.
  if (const char* const name = own_link_name()) {
    static_cast<void>(dlopen(name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE));
  }
}

bool process_is_ending() { return ending.load(std::memory_order_relaxed); }

void watch_process_end() {
  static const int registered = std::atexit([] { ending.store(true, std::memory_order_relaxed); });
  static_cast<void>(registered);
}

}  // namespace patchbay::runtime
