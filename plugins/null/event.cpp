// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

namespace null {

bool Event::is_done() { todo("is_done"); }

bool Event::wait(std::uint64_t) { todo("wait"); }

std::uint64_t Event::nanoseconds_since(plugin::Event&) { todo("nanoseconds_since"); }

}  // namespace null
