// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "worker.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "patchbay/plugin/abi.h"
#include "patchbay/plugin/extensions.h"

struct patchbay_status {};  // what it says, the program will hear itself

namespace patchbay::probe {
namespace {

patchbay_status any_status;

/// The program's own settings are arguments, NAME=VALUE; variables count if word 3 says so.
std::uint32_t option(patchbay_host_context* context, patchbay_string name,
                     patchbay_bytes_callback call, void* user) {
  char** const words = reinterpret_cast<char**>(context);
  std::string begin = std::string(name.data, name.size) + "=";
  for (char** word = words + 4; *word != nullptr; ++word) {
    if (std::strncmp(*word, begin.c_str(), begin.size()) != 0) continue;
    return call(user, *word + begin.size(), std::strlen(*word + begin.size())), 1;
  }
  begin = "PATCHBAY_" + begin.substr(0, name.size);
  std::transform(begin.begin(), begin.end(), begin.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  const char* const value = *words[3] == '1' ? std::getenv(begin.c_str()) : nullptr;
  if (value == nullptr || *value == '\0') return 0;
  return call(user, value, std::strlen(value)), 1;
}

/// No plugin has a device open yet, and what it logs is of no use here.
patchbay_host make_host(const patchbay_plugin& plugin, char** words) {
  patchbay_host host{};
  host.size = sizeof(host);
  host.abi_major = PATCHBAY_ABI_MAJOR;
  host.abi_minor = std::min<std::uint32_t>(PATCHBAY_ABI_MINOR, plugin.abi_minor);
  host.features = (plugin.required_features | plugin.optional_features) & PATCHBAY_KNOWN_FEATURES;
  host.context = reinterpret_cast<patchbay_host_context*>(words);
  host.make_status = [](auto...) { return &any_status; };
  host.release_status = [](auto...) {};
  host.out_of_memory = &any_status;
  host.log = [](auto...) {};
  host.trace = [](auto...) {};
  host.now_ns = [](auto...) {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  };
  host.option = option;
  host.cache_get = [](auto...) { return 0u; };
  host.cache_put = [](auto...) {};
  host.scratch_allocate = [](auto...) { return &any_status; };
  host.scratch_release = [](auto...) {};
  host.parallel_for = [](auto, std::uint64_t n, auto body, void* user) {
    for (std::uint64_t i = 0; i < n; ++i) body(user, i);
  };
  return host;
}

constexpr int kCanaries[] = {3, 4, 10, 63};  // a loop that closes all descriptors comes by

std::string read_descriptors() {
  std::string all;
  for (const int number : {0, 1, 2, kCanaries[0], kCanaries[1], kCanaries[2], kCanaries[3]}) {
    struct stat info {};
    all += fstat(number, &info) == 0 ? std::to_string(info.st_ino) + " " : "closed ";
  }
  return all;
}

/// Rounding, subnormals and traps; not the flags, which every operation sets.
std::string read_float_environment() {
  std::fenv_t state{};
  std::fegetenv(&state);
#if defined(__x86_64__)
  return std::to_string(state.__control_word) + " " + std::to_string(state.__mxcsr & ~0x3fu);
#else
  return std::to_string(state.__fpcr);
#endif
}

/// The settings of this process, by name.
std::map<std::string, std::string> read_settings() {
  std::error_code error;
  itimerval timer{};
  getitimer(ITIMER_REAL, &timer);
  std::map<std::string, std::string> all = {
      {"locale", std::setlocale(LC_ALL, nullptr)},
      {"floating-point environment", read_float_environment()},
      {"working directory", std::filesystem::read_symlink("/proc/self/cwd", error)},
      {"root directory", std::filesystem::read_symlink("/proc/self/root", error)},
      {"session", std::to_string(getsid(0)) + " " + std::to_string(getpgrp())},
      {"priority", std::to_string(getpriority(PRIO_PROCESS, 0))},
      {"scheduling policy", std::to_string(sched_getscheduler(0))},
      {"timer", timer.it_value.tv_sec + timer.it_value.tv_usec == 0 ? "off" : "on"}};
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    const char* const name = sigabbrev_np(signal);
    all["handler of SIG" + (name != nullptr ? name : std::to_string(signal))] =
        std::to_string(reinterpret_cast<std::uintptr_t>(action.sa_handler));
  }
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    all["variable " + std::string(*entry, std::strcspn(*entry, "="))] = *entry;
  }
  const std::map<std::string, std::string> fields = {{"Umask", "umask"},
                                                     {"Uid", "user"},
                                                     {"Gid", "group"},
                                                     {"SigBlk", "signal mask"},
                                                     {"Groups", "groups"},
                                                     {"CapEff", "capabilities"},
                                                     {"Cpus_allowed", "affinity"},
                                                     {"Seccomp", "system calls"},
                                                     {"NoNewPrivs", "no_new_privs"}};
  std::string line;
  for (std::ifstream status("/proc/self/status"); std::getline(status, line);) {
    const auto field = fields.find(line.substr(0, line.find(':')));
    if (field != fields.end()) all[field->second] = line;
  }
  for (std::ifstream limits("/proc/self/limits"); std::getline(limits, line);) {
    all["limit '" + line.substr(0, line.find("  ")) + "'"] = line;  // "Max open files   1024 ..."
  }
  return all;
}

/// The calls that the program makes when it loads the plugin. `enter` is called before each.
template <class Enter>
const char* call_plugin(char** words, const Enter& enter) {
  // Otherwise the compiler, to which dlopen throws nothing, leaves out the handlers.
  void* (*const volatile open_library)(const char*, int) = dlopen;
  enter(" in its initialisation");
  void* const library = open_library(words[1], RTLD_NOW | RTLD_LOCAL);
  void* const entry = library != nullptr ? dlsym(library, PATCHBAY_PLUGIN_SYMBOL) : nullptr;
  if (entry == nullptr) return "answered";
  enter(" in " PATCHBAY_PLUGIN_SYMBOL);
  const patchbay_plugin* const table = reinterpret_cast<const patchbay_plugin* (*)()>(entry)();
  if (table == nullptr) return "answered";
  patchbay_plugin plugin{};
  std::memcpy(&plugin, table, std::min<std::size_t>(table->size, sizeof(plugin)));
  const bool is_known = plugin.abi_major == PATCHBAY_ABI_MAJOR &&
                        (plugin.required_features & ~PATCHBAY_KNOWN_FEATURES) == 0;
  if (!is_known || plugin.open == nullptr || plugin.enumerate == nullptr) return "answered";
  enter(" in open");
  const patchbay_host host = make_host(plugin, words);
  patchbay_driver* driver = nullptr;
  if (plugin.open(&host, &driver) != nullptr || driver == nullptr) return "answered";
  enter(" in enumerate");
  int num_devices = 0;
  const auto count = [](void* user, const patchbay_device_properties*) {
    ++*static_cast<int*>(user);
  };
  if (plugin.enumerate(driver, count, &num_devices) != nullptr) return "answered";
  enter(" in get_extension");
  for (const std::string_view name : {PATCHBAY_EXTENSION_EXIT, PATCHBAY_EXTENSION_RANGES}) {
    if (plugin.get_extension != nullptr)
      plugin.get_extension(driver, {name.data(), name.size()}, 1);
  }
  return num_devices > 0 ? "sound" : "answered";
}

const char* open_plugin(char** words, Page& page) {
  for (const int number : kCanaries) dup2(0, number);
  const std::string descriptors = read_descriptors();
  struct Closed {};
  const auto check_descriptors = [&] {
    if (read_descriptors() != descriptors) throw Closed();
  };
  try {
    const char* const outcome = call_plugin(words, [&](const char* place) {
      check_descriptors();
      page.place = place;
    });
    check_descriptors();  // also where the plugin has no driver or no device
    return outcome;
  } catch (const Closed&) {
    return "harm it closed descriptors of the process";
  } catch (const std::exception& error) {
    std::strncpy(page.thrown, error.what(), sizeof(page.thrown) - 1);
  } catch (...) {  // NOLINT(bugprone-empty-catch): of any type
  }
  return "harm it let an exception escape";
}

}  // namespace

void work(char** words, Page& page) {
  const std::map<std::string, std::string> before = read_settings();
  const char* const outcome = open_plugin(words, page);
  std::map<std::string, std::string> after = read_settings();
  std::string changes;
  for (const auto& [name, value] : before) {
    if (const auto now = after.find(name); now == after.end() || now->second != value) {
      changes += "change " + name + "\n";
    }
    after.erase(name);
  }
  for (const auto& [name, value] : after) changes += "change " + name + "\n";
  changes.resize(std::min(changes.size(), sizeof(page.changes) - 1));
  changes.copy(page.changes, changes.rfind('\n') + 1);
  page.outcome = outcome;
  _exit(0);
}

}  // namespace patchbay::probe
