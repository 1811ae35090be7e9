// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/device/context.h"

#include <pthread.h>

#include <memory>
#include <new>

#include "core/base/error.h"
#include "core/runtime/plugin/loader.h"

namespace patchbay::runtime {

constinit thread_local std::uint32_t carried_bits = 0;
constinit thread_local bool is_for_plugin = false;

namespace {

constinit thread_local Context* own = nullptr;

/// Runs at the end of a thread. Not a thread_local object with a destructor: the C library ends the
/// process if it has no memory to register the destructor.
void end_context(void* ended) {
  if (own == ended) own = nullptr;
  delete static_cast<Context*>(ended);
}

pthread_key_t context_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    if (pthread_key_create(&made, end_context) != 0) throw std::bad_alloc();
    keep_own_library_loaded();  // threads call end_context when they end
    return made;
  }();
  return key;
}

Context& make_context() {
  auto made = std::make_unique<Context>();
  if (pthread_setspecific(context_key(), made.get()) != 0) throw std::bad_alloc();
  own = made.release();
  return *own;
}

}  // namespace

Context& context() { return own != nullptr ? *own : make_context(); }

std::string_view current_tag() noexcept {
  return own != nullptr ? std::string_view(own->tag) : std::string_view();
}

}  // namespace patchbay::runtime

namespace patchbay {

using runtime::context;

CopyTag::CopyTag(std::string tag) : previous_(std::exchange(context().tag, std::move(tag))) {}
CopyTag::~CopyTag() { context().tag = std::move(previous_); }

CopyGuard::CopyGuard(Mode mode) : previous_(context().guard) {
  base::check_in_enum("CopyGuard", "mode", "CopyGuard::Mode", mode, Mode::kForbid);
  context().guard = mode;
}
CopyGuard::~CopyGuard() { context().guard = previous_; }

}  // namespace patchbay
