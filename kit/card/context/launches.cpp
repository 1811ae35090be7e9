// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/context/launches.hpp"

#include <algorithm>

namespace patchbay::card {

std::uint64_t Launches::new_stream() {
  const std::lock_guard lock(mutex_);
  return ++num_streams_;
}

void Launches::note(std::uint64_t stream, std::string_view name) {
  const std::lock_guard lock(mutex_);
  Launch& launch = launches_[num_launches_ % kKept];
  launch.position = {stream, ++num_launches_};
  launch.size = static_cast<std::uint8_t>(std::min(name.size(), launch.name.size()));
  std::copy_n(name.begin(), launch.size, launch.name.begin());
}

Position Launches::last(std::uint64_t stream) {
  const std::lock_guard lock(mutex_);
  return {stream, num_launches_};
}

void Launches::forget(const Position& done) {
  const std::lock_guard lock(mutex_);
  for (Launch& launch : launches_) {
    const bool is_done =
        launch.position.stream == done.stream && launch.position.number <= done.number;
    if (is_done) launch.position.stream = 0;
  }
}

std::string Launches::names() {
  constexpr int kShown = 8;
  const std::lock_guard lock(mutex_);
  std::string text;
  int count = 0;
  for (std::size_t i = 0; i < kKept; ++i) {
    const Launch& launch = launches_[(num_launches_ + i) % kKept];
    if (launch.position.stream == 0 || ++count > kShown) continue;
    text += (count == 1 ? "'" : ", '") + std::string(launch.name.data(), launch.size) + "'";
  }
  if (count > kShown) text += " and " + std::to_string(count - kShown) + " more";
  return count > 1 ? "one of " + text : text;
}

}  // namespace patchbay::card
