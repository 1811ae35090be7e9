// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "symbols.hpp"

#include <dlfcn.h>

#include <iterator>
#include <utility>
#include <vector>

#include "patchbay/plugin/kit/error.hpp"

#include "buffer_lock.hpp"

namespace patchbay::cpu {
namespace {

#if defined(__x86_64__)
#define PATCHBAY_MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define PATCHBAY_MULTIARCH "aarch64-linux-gnu"
#else
#define PATCHBAY_MULTIARCH "."
#endif

constexpr const char* kCandidates[] = {
    "/usr/lib/" PATCHBAY_MULTIARCH "/openblas-serial/libopenblas.so.0",
    "/usr/lib64/libopenblas.so.0",
    "libopenblas.so.0",
    "libopenblas.so",
};

template <class Function>
bool resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// An application may hold a BLAS library of its own, and every BLAS has the same names inside:
/// ours prefers its own. Sanitizers end a process that asks for that, so not in theirs.
int open_flags() noexcept {
  for (const char* sanitizer : {"__asan_init", "__tsan_init", "__msan_init"}) {
    if (dlsym(RTLD_DEFAULT, sanitizer) != nullptr) return RTLD_NOW | RTLD_LOCAL;
  }
  return RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
}

}  // namespace

/// One thread a call is what the callers split the work for, so a build with a pool of its own is
/// told to keep to it.
void Blas::make_concurrent() noexcept {
  int (*parallel)() = nullptr;
  void (*set_num_threads)(int) = nullptr;
  const bool has_pool = resolve(library_, "openblas_get_parallel", parallel) && parallel() != 0;
  if (has_pool && resolve(library_, "openblas_set_num_threads", set_num_threads))
    set_num_threads(1);
  if (!has_pool) locks_buffers_ = install_buffer_lock(library_);
  concurrent_ = has_pool || locks_buffers_;
}

bool Blas::try_open(const char* path, std::string& why) {
  library_ = dlopen(path, open_flags());
  if (library_ == nullptr) {
    const char* text = dlerror();
    why = text != nullptr ? text : path;
    return false;
  }
#define PATCHBAY_BLAS_RESOLVE(name, member, type) \
  if (!resolve(library_, name, member)) why = std::string(path) + ": no symbol " name;
  PATCHBAY_BLAS_SYMBOLS(PATCHBAY_BLAS_RESOLVE)
#undef PATCHBAY_BLAS_RESOLVE
  if (!why.empty()) {
    dlclose(std::exchange(library_, nullptr));
    return false;
  }
  path_ = path;
  make_concurrent();
  return true;
}

Blas::Blas(const std::optional<std::string>& path) {
  std::vector<const char*> candidates(std::begin(kCandidates), std::end(kCandidates));
  if (path) candidates = {path->c_str()};
  std::string first_failure;
  for (const char* candidate : candidates) {
    std::string why;
    if (try_open(candidate, why)) return;
    if (first_failure.empty()) first_failure = std::move(why);
  }
  plugin::unsupported("OpenBLAS can't be opened (" + first_failure +
                      "); install libopenblas0-serial or set the option openblas_path");
}

Blas::~Blas() {
  if (locks_buffers_) remove_buffer_lock(library_);
  if (library_ != nullptr) dlclose(library_);
}

}  // namespace patchbay::cpu
