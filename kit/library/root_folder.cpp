// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/library/root_folder.hpp"

#include <sys/stat.h>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay {
namespace {

struct Identity {
  dev_t device = 0;
  ino_t number = 0;
};

Identity identity() {
  struct stat info {};
  return stat("/", &info) == 0 ? Identity{info.st_dev, info.st_ino} : Identity{};
}

const Identity& kept() {
  static const Identity first = identity();
  return first;
}

}  // namespace

void RootFolder::keep() { static_cast<void>(kept()); }

std::string RootFolder::why_not() {
  const Identity first = kept(), now = identity();
  if (now.device == first.device && now.number == first.number) return {};
  return "the process has changed its root directory since the plugin was opened (chroot), and "
         "nothing is opened there: use once before what needs it";
}

void RootFolder::check(const std::string& what) {
  if (const std::string why = why_not(); !why.empty()) {
    plugin::unsupported("no " + what + ": " + why);
  }
}

}  // namespace patchbay
