// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A plugin that does what PATCHBAY_TEST_MISDEED says, "place what": in the library's constructor,
// in patchbay_plugin_v1, or in enumerate. Without it, it is sound.
#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "patchbay/plugin/kit/kit.hpp"

namespace {

void crash() { raise(SIGSEGV); }

[[noreturn]] void hang() {
  for (;;) pause();
}

void flood() {
  const std::string line(4095, 'x');
  for (;;) std::puts(line.c_str());
}

void take_memory() {
  constexpr std::size_t kBlock = std::size_t{16} << 20;
  for (void* block = nullptr; (block = std::malloc(kBlock)) != nullptr;) {
    std::memset(block, 1, kBlock);
  }
  hang();
}

void trace();

#pragma GCC diagnostic ignored "-Winfinite-recursion"
/// Its frames are on the stack itself, also below the address sanitizer.
__attribute__((no_sanitize("address"))) int dive(volatile const char* above) {
  volatile char block[4096] = {*above};
  return dive(block) + block[1];
}

void leave_children() {
  for (int i = 0; i < 3; ++i) {
    if (fork() != 0) continue;
    setsid();
    trace();
    hang();
  }
}

void close_descriptors() {
  for (int file = 0; file < 64; ++file) close(file);
}

void write_file() {
  const std::string block(std::size_t{1} << 20, 'x');
  std::FILE* const file = std::tmpfile();
  while (std::fwrite(block.data(), 1, block.size(), file) == block.size()) {
  }
}

void complain() {
  const char text[] = "looking for a card\nthe driver\x1b\0 is too old\n";
  std::fwrite(text, 1, sizeof(text) - 1, stderr);
  std::abort();
}

void ignore_signal() { signal(SIGUSR2, SIG_IGN); }

void change_settings() {
  ignore_signal();
  std::fesetround(FE_UPWARD);
  umask(0123);
  setenv("MISDEED_WAS_HERE", "1", 1);
  std::setlocale(LC_ALL, "C.UTF-8");
  if (chdir("/usr") != 0) std::abort();
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  --files.rlim_cur;
  setrlimit(RLIMIT_NOFILE, &files);
}

struct Misdeed {
  const char* name;
  void (*commit)();
};
constexpr Misdeed kMisdeeds[] = {{"crash", crash},
                                 {"abort", [] { std::abort(); }},
                                 {"exit", [] { std::exit(3); }},
                                 {"_exit", [] { _exit(0); }},
                                 {"throw", [] { throw std::runtime_error("thrown out of it"); }},
                                 {"throw-int", [] { throw 42; }},
                                 {"hang", hang},
                                 {"stop", [] { raise(SIGSTOP); }},
                                 {"flood", flood},
                                 {"memory", take_memory},
                                 {"children", leave_children},
                                 {"close", close_descriptors},
                                 {"close and throw",
                                  [] {
                                    close_descriptors();
                                    throw std::runtime_error("no driver");
                                  }},
                                 {"file", write_file},
                                 {"complain", complain},
                                 {"exit without preload",
                                  [] {
                                    if (std::getenv("LD_PRELOAD") == nullptr) _exit(4);
                                  }},
                                 {"signal", ignore_signal},
                                 {"stack", [] { dive(""); }},
                                 {"kill", [] { kill(getppid(), SIGKILL), hang(); }},
                                 {"settings", change_settings}};

void commit(const std::string& name) {
  for (const Misdeed& misdeed : kMisdeeds) {
    if (name == misdeed.name) misdeed.commit();
  }
}

void misbehave(const std::string& place) {
  const char* const told = std::getenv("PATCHBAY_TEST_MISDEED");
  const std::string all = told != nullptr ? told : "";
  if (!all.starts_with(place + " ")) return;
  commit(all.substr(place.size() + 1));
}

struct Driver : patchbay::plugin::Driver {
  explicit Driver(patchbay::plugin::Host host) {
    const char* const library = std::getenv("PATCHBAY_TEST_DRIVER");
    if (library != nullptr && dlopen(library, RTLD_NOW) == nullptr) std::abort();
    misbehave("open");
    commit(host.option("misdeeds_open").value_or(""));
  }
  void enumerate(const Found& found) override {
    patchbay_device_properties properties{};
    properties.size = sizeof(properties);
    properties.kind = PATCHBAY_DEVICE_ACCELERATOR;
    properties.name = patchbay::plugin::to_abi("none");
    properties.vendor = patchbay::plugin::to_abi("none");
    properties.memory_alignment_bytes = 64;
    found(properties);
  }
  std::unique_ptr<patchbay::plugin::Device> open_device(std::uint32_t) override { return nullptr; }
};

constexpr patchbay_plugin kQuiet =
    patchbay::plugin::detail::make_plugin<Driver>("misdeeds", "misdeeds", "0.1");

void trace() {
  const char* const path = std::getenv("PATCHBAY_TEST_TRACE");
  std::FILE* const file = path != nullptr ? std::fopen(path, "a") : nullptr;
  if (file == nullptr) return;
  std::fprintf(file, "%d\n", static_cast<int>(getpid()));
  std::fclose(file);
}

__attribute__((constructor)) void construct() {
  trace();
  misbehave("constructor");
}

}  // namespace

PATCHBAY_PLUGIN_NOTE("misdeeds", "misdeeds");
PATCHBAY_PLUGIN_EXPORT const patchbay_plugin* patchbay_plugin_v1(void) {
  static patchbay_plugin table;
  table = kQuiet;
  misbehave("handshake");
  table.enumerate = [](patchbay_driver* driver,
                       void (*found)(void*, const patchbay_device_properties*),
                       void* user) -> patchbay_status* {
    misbehave("enumeration");
    return kQuiet.enumerate(driver, found, user);
  };
  return &table;
}
