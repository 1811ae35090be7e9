// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a plugin may do to the process that opens it, and that it is done to the probe alone.
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "probed.h"

namespace patchbay::faults {
namespace {

using Clock = std::chrono::steady_clock;

struct Case {
  const char* misdeed;
  const char* verdict;          // how the reason begins
  bool has_place = true;        // it goes on with the place
  double deadline_seconds = 0;  // 0: the usual one
};
constexpr Case kCases[] = {
    {"crash", "it crashed (SIGSEGV) in the code of /"},
    {"abort", "it aborted (SIGABRT)"},
    {"exit", "it ended the process with status 3"},
    {"_exit", "it ended the process with status 0"},
    {"throw", "it let an exception escape"},
    {"throw-int", "it let an exception escape"},
    {"hang", "it did not return within 1 s", true, 1},
    {"stop", "it did not return within 1 s", true, 1},
    {"flood", "it wrote more than 1 MiB of output"},
    {"memory", "it took more than ", true, 100},
    {"file", "it wrote a file of more than 256 MiB (SIGXFSZ)"},
    {"children", "it left processes running", false},
    {"close", "it closed descriptors of the process"},
    {"stack", "it exhausted its stack (SIGSEGV)"},
};

/// The kernel may need a moment to take back the memory of a process that was killed.
bool ends(int process) {
  const Clock::time_point start = Clock::now();
  while (kill(process, 0) == 0 && Clock::now() < start + kSlowness) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return kill(process, 0) != 0 && errno == ESRCH;
}

class Misdeeds : public testing::TestWithParam<Case> {};

TEST_P(Misdeeds, HarmTheProbeAlone) {
  const Case& one = GetParam();
  const std::pair<const char*, const char*> places[] = {{"constructor", "in its initialisation"},
                                                        {"handshake", "in patchbay_plugin_v1"},
                                                        {"open", "in open"},
                                                        {"enumeration", "in enumerate"}};
  for (const auto& [place, words] : places) {
    // The kit makes a status of what a driver throws.
    if (std::string(place) == "open" && std::string(one.misdeed).starts_with("throw")) continue;
    // It takes half of the machine's memory.
    const bool is_heavy = std::string(one.misdeed) == "memory" && std::string(place) != "open";
    if (is_heavy && std::getenv("PATCHBAY_TEST_ALL") == nullptr) continue;
    SCOPED_TRACE(std::string(one.misdeed) + " in " + place);
    Probed plugin(std::string(place) + " " + one.misdeed);
    if (one.deadline_seconds > 0) {
      plugin.options.settings["probe_seconds"] = std::to_string(one.deadline_seconds);
    }
    const Clock::time_point start = Clock::now();
    const PluginInfo info = plugin.open();
    const std::chrono::duration<double> time = Clock::now() - start;
    EXPECT_EQ(to_string(info.status), "quarantined") << info.reason;
    EXPECT_TRUE(info.reason.starts_with(one.verdict)) << info.reason;
    EXPECT_EQ(info.reason.find(words) != std::string::npos, one.has_place) << info.reason;
    EXPECT_EQ(to_string(info.probe), "new");
    EXPECT_TRUE(info.devices.empty());
    const double deadline = one.deadline_seconds > 0 ? one.deadline_seconds : 10;
    EXPECT_LT(time.count(), deadline + 0.2 + std::chrono::duration<double>(kSlowness).count());
    EXPECT_FALSE(is_mapped(plugin.file));
    for (const int process : plugin.processes()) {
      EXPECT_NE(process, getpid());
      EXPECT_TRUE(ends(process)) << process << " runs";
    }
  }
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.misdeed;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c < '0'; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Misdeeds, testing::ValuesIn(kCases), name_of);

TEST(Quarantine, IsToldByTheErrorThatMissesTheBackend) {
  const Probed plugin("constructor exit");
  const Runtime runtime(plugin.options);
  try {
    (void)runtime.device("misdeeds:0");
    FAIL() << "a device of a plugin that ends the process";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnknownDevice);
    const std::string expected =
        "is quarantined: it ended the process with status 3 in its "
        "initialisation";
    EXPECT_HAS(error.what(), expected);
  }
  EXPECT_HAS(runtime.explain(), "quarantined: it ended the process");
}

TEST(Quarantine, OfAFileNamedInCodeIsAnError) {
  Probed plugin("handshake abort");
  plugin.options.plugin_directories.clear();
  plugin.options.plugin_files = {plugin.file};
  try {
    const Runtime runtime(plugin.options);
    FAIL() << "a plugin that aborts was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kPluginFailed);
    EXPECT_HAS(error.what(), "quarantined: it aborted (SIGABRT) in patchbay_plu");
  }
}

TEST(Quarantine, TellsWhatThePluginSaid) {
  const Probed thrown("enumeration throw");
  EXPECT_EQ(thrown.open().reason, "it let an exception escape in enumerate: thrown out of it");
  const Probed complaining("handshake complain");
  EXPECT_EQ(complaining.open().reason,
            "it aborted (SIGABRT) in patchbay_plugin_v1: the driver\\x1b\\x00 is too old");
}

/// The kit makes a status of what a driver throws, as where it finds no library.
TEST(Quarantine, OfADriverThatClosesDescriptorsAndIsAbsent) {
  const PluginInfo info = Probed("open close and throw").open();
  EXPECT_EQ(to_string(info.status), "quarantined") << info.reason;
  EXPECT_EQ(info.reason.find("it closed descriptors of the process"), 0u) << info.reason;
}

TEST(Quarantine, OfAPluginThatEndsTheProbe) {
  const Probed plugin("open kill");
  const PluginInfo info = plugin.open();
  EXPECT_EQ(to_string(info.status), "quarantined");
  EXPECT_EQ(info.reason, "it ended or stopped the probe");
}

TEST(Quarantine, NoPluginHidesAnother) {
  const Probed bad("constructor crash");
  const TemporaryDirectory good{"fake"};
  RuntimeOptions options = bad.options;
  options.plugin_directories.push_back(good.path());
  const Runtime runtime(options);
  EXPECT_EQ(runtime.devices().size(), 2u);
  EXPECT_EQ(to_string(plugin_info(runtime, "misdeeds").status), "quarantined");
}

/// The end of what the dynamic linker maps of a file.
std::ptrdiff_t loaded_size(const std::string& bytes) {
  ElfW(Ehdr) header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::ptrdiff_t end = 0;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_type != PT_LOAD) continue;
    end = std::max(end, static_cast<std::ptrdiff_t>(segment.p_offset + segment.p_filesz));
  }
  return end;
}

/// Whole by its headers, but the dynamic linker finds nothing in it.
TEST(Quarantine, OrRefusalOfZerosInTheSecondHalf) {
  Probed plugin;
  std::string bytes = test::read_text(plugin.file);
  const std::ptrdiff_t loaded = loaded_size(bytes);  // debug information may follow
  std::fill(bytes.begin() + loaded / 2, bytes.begin() + loaded, '\0');
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.write("misdeeds", bytes);
  plugin.options.plugin_directories = {directory.path()};
  const PluginInfo info = plugin.open();
  EXPECT_TRUE(info.status == PluginStatus::kRefused || info.status == PluginStatus::kQuarantined)
      << to_string(info.status) << ": " << info.reason;
  EXPECT_FALSE(is_mapped(file));
}

/// In a child, because the dynamic linker never unlocks itself then.
TEST(NoProbe, AnExceptionOfTheInitialisationIsCaughtOnce) {
  for (const std::string misdeed : {"throw", "throw-int"}) {
    Probed plugin("constructor " + misdeed);
    plugin.options.probe = ProbeMode::kOff;
    const auto try_twice = [&] {
      const Runtime runtime(plugin.options);
      for (int i = 0; i < 2; ++i) {
        try {
          (void)runtime.device("misdeeds:0");
          _exit(1);
        } catch (const Error& error) {
          const std::string what = error.what();
          if (what.find("failed: its initialisation threw an exception") == what.npos) _exit(2);
        }
      }
      _exit(0);
    };
    EXPECT_EXIT(try_twice(), testing::ExitedWithCode(0), "") << misdeed;
    EXPECT_EQ(plugin.processes().size(), 1u);
  }
}

}  // namespace
}  // namespace patchbay::faults
