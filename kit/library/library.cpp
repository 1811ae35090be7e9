// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/library/library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "kit/library/root_folder.hpp"

namespace patchbay {
namespace {

/// The dynamic linker waits for a FIFO's writer. Names without a slash are left to its search.
bool is_special_file(const std::string& file) {
  struct stat info {};
  return file.find('/') != std::string::npos && stat(file.c_str(), &info) == 0 &&
         !S_ISREG(info.st_mode);
}

/// The file if the process has loaded it already, else null. The linker opens it to see.
void* find_loaded(const std::string& file) {
  return is_special_file(file) ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
}

}  // namespace

Library::Library(const std::string& file, Lifetime lifetime) : file_(file) {
  if (is_special_file(file)) {
    why_ = file + ": it is no regular file";
    return;
  }
  if (const std::string why = RootFolder::why_not(); !why.empty()) {
    why_ = file + ": " + why;
    return;
  }
  const int stay = lifetime == Lifetime::kProcess ? RTLD_NODELETE : 0;
  handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | stay);
  if (handle_ != nullptr) return;
  const char* const why = dlerror();
  why_ = why != nullptr ? why : file;
}

Library Library::first_of(std::span<const std::string> files, Lifetime lifetime) {
  Library first;
  for (const std::string& file : files) {
    Library library(file, lifetime);
    if (library) return library;
    if (first.why_.empty()) first = std::move(library);
  }
  return first;
}

Library Library::loaded_or_first_of(std::span<const std::string> files, Lifetime lifetime) {
  for (const std::string& file : files) {
    void* const loaded = find_loaded(file);
    if (loaded == nullptr) continue;
    Library library(file, lifetime);
    dlclose(loaded);
    if (library) return library;
  }
  return first_of(files, lifetime);
}

Library::~Library() {
  if (handle_ != nullptr) dlclose(handle_);
}

Library::Library(Library&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      file_(std::move(other.file_)),
      why_(std::move(other.why_)) {}

Library& Library::operator=(Library&& other) noexcept {
  std::swap(handle_, other.handle_);
  file_.swap(other.file_);
  why_.swap(other.why_);
  return *this;
}

std::string Library::path() const {
  const link_map* map = nullptr;
  if (handle_ == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return {};
  return map->l_name;
}

void* Library::optional(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

void Library::miss(const char* name) {
  if (why_.empty()) why_ = file_ + ": no symbol " + name;
}

namespace {

/// Whether the dynamic linker's cache has a path to a file of that name. Paths end with a zero
/// byte.
bool is_in_cache(const std::string& file) {
  std::ifstream cache("/etc/ld.so.cache", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(cache), {}};
  return bytes.find('/' + file + '\0') != std::string::npos;
}

}  // namespace

bool is_installed(const std::string& file) {
  const auto exists = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
  if (file.find('/') != std::string::npos) return exists(file);
  void* const program = dlopen(nullptr, RTLD_NOW);
  if (program == nullptr) return false;
  Dl_serinfo size{};
  bool is_found = false;
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0) {
    std::vector<std::byte> memory(size.dls_size);
    auto* const folders = reinterpret_cast<Dl_serinfo*>(memory.data());
    *folders = size;
    if (dlinfo(program, RTLD_DI_SERINFO, folders) == 0) {
      for (unsigned i = 0; i < folders->dls_cnt && !is_found; ++i) {
        is_found = exists(std::string(folders->dls_serpath[i].dls_name) + '/' + file);
      }
    }
  }
  dlclose(program);
  return is_found || is_in_cache(file);
}

void stay_loaded(const void* address) {
  Dl_info found{};
  if (dladdr(address, &found) == 0) return;
  const Library kept(found.dli_fname, Library::Lifetime::kProcess);
}

const char* replaced_function(const std::string& file, std::span<const char* const> names) {
  void* const loaded = find_loaded(file);
  const char* replaced = nullptr;
  for (const char* const name : names) {
    void* const programs = dlsym(RTLD_DEFAULT, name);
    if (programs == nullptr) continue;
    if (loaded == nullptr || dlsym(loaded, name) != programs) replaced = name;
  }
  if (loaded != nullptr) dlclose(loaded);
  return replaced;
}

}  // namespace patchbay
