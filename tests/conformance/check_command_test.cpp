// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// `patchbay check` of plugins that crash, hang, or end the process: the report comes out.
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "support/text.h"

namespace {

using patchbay::test::contains;

struct Finished {
  int exit_status;
  std::string output;  // of both streams, unless the caller chose others
  double seconds;
};

Finished check(const std::string& flaw, const std::string& arguments,
               const std::string& setting = "", const std::string& streams = "2>&1") {
  // Sanitizers leave the signals alone.
  const std::string command =
      "env ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0 TSAN_OPTIONS=$TSAN_OPTIONS:handle_segv=0 " +
      setting + " PATCHBAY_FLAW='" + flaw +
      "' '" PATCHBAY_COMMAND "' check '" PATCHBAY_FLAWED_PLUGIN "' " + arguments + " " + streams;
  const auto begin = std::chrono::steady_clock::now();
  FILE* const pipe = popen(command.c_str(), "r");
  std::string output;
  char bytes[1024];
  for (std::size_t size = 0; (size = std::fread(bytes, 1, sizeof(bytes), pipe)) > 0;) {
    output.append(bytes, size);
  }
  const int status = pclose(pipe);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output, taken.count()};
}

/// Expects that the check ends with status 1 and prints this text.
Finished expect_finding(const std::string& flaw, const std::string& arguments,
                        const std::string& text, const std::string& setting = "") {
  Finished finished = check(flaw, arguments, setting);
  EXPECT_EQ(finished.exit_status, 1) << flaw;
  EXPECT_HAS(finished.output, text);
  return finished;
}

TEST(CheckCommand, AGoodPluginPasses) {
  const Finished finished = check("none", "--chapter loading --chapter memory");
  EXPECT_EQ(finished.exit_status, 0) << finished.output;
  EXPECT_HAS(finished.output, "Plugin flawed (backend flawed)\n");
  EXPECT_FALSE(contains(finished.output, "failed ")) << finished.output;
}

TEST(CheckCommand, WhatAPluginPrintsStaysOutOfTheReport) {
  const std::string flaw = "print memory.copy_to_host", arguments = "--chapter memory --json";
  const Finished report = check(flaw, arguments, "", "2>/dev/null");
  EXPECT_EQ(report.exit_status, 0) << report.output;
  EXPECT_TRUE(report.output.starts_with("{\n")) << report.output;
  EXPECT_FALSE(contains(report.output, "chatter")) << report.output;
  EXPECT_HAS(check(flaw, arguments).output, "chatter\n");
}

TEST(CheckCommand, WhatTheRuntimeRefusesIsSaidWithTheReason) {
  expect_finding("kind-77", "", "it enumerates flawed:0: its kind is 77, expected 1 or 2");
  EXPECT_HAS(check("kind-77", "--json").output, "\"code\": \"plugin_failed\"");
}

TEST(CheckCommand, ACrashIsAFindingAndTheOtherChecksAreRun) {
  const Finished finished =
      check("crash memory.copy_to_host", "--chapter memory --chapter loading");
  EXPECT_EQ(finished.exit_status, 1);
  EXPECT_HAS(
      finished.output,
      "failed memory.writes_survive\n"
      "      crashed with SIGSEGV (Segmentation fault) in copy_to_host of the memory table\n");
  EXPECT_FALSE(contains(finished.output, "failed memory.many_small_blocks")) << finished.output;
  EXPECT_FALSE(contains(finished.output, "not run")) << finished.output;
}

/// Memory goes while it is still written, so that what is found depends on chance.
TEST(CheckCommand, WaitsThatEndEarlyAreFindings) {
  expect_finding("early-synchronize", "--chapter streams",
                 "failed streams.synchronize_waits_for_the_work\n", "PATCHBAY_FAKE_DELAY_MS=1");
  expect_finding("throw stream.synchronize", "--chapter streams",
                 "failed streams.synchronize_waits_for_the_work\n");
}

TEST(CheckCommand, AnExitIsAFinding) {
  expect_finding("exit memory.info", "--chapter memory --json",
                 "ended the process with exit status 3 in info of the memory table\"");
  const Finished quick = check("quick-exit memory.info", "--chapter memory --json");
  EXPECT_HAS(quick.output, "ended the process with exit status 3 in info of the memory table\"");
}

TEST(CheckCommand, AKernelThatEndsOrHangsTheProcessIsAFinding) {
  for (const char* entry : {"workspace_bytes", "launch"}) {
    SCOPED_TRACE(entry);
    const std::string named = std::string(entry) + " of the kernel table\n";
    expect_finding("exit kernel." + std::string(entry), "--chapter streams",
                   "ended the process with exit status 3 in " + named);
    const Finished hung =
        expect_finding("hang kernel." + std::string(entry), "--time-limit 1 --chapter streams",
                       "did not end within 1 s: the plugin is still in " + named);
    EXPECT_LT(hung.seconds, 300);
  }
}

TEST(CheckCommand, AnExceptionOutOfADestructorIsAFinding) {
  expect_finding("throw event.destroy", "--chapter streams",
                 "failed streams.deadlines\n"
                 "      destroy of the event table threw an exception across the boundary: boom");
}

TEST(CheckCommand, WhatHappensAfterTheLastCheckIsAFindingToo) {
  expect_finding("throw kernel.destroy", "--chapter streams",
                 "failed loading.the_end\n"
                 "      destroy of the kernel table threw an exception across the boundary: boom");
  expect_finding("crash kernel.destroy", "--chapter streams",
                 "failed loading.the_end\n"
                 "      crashed with SIGSEGV (Segmentation fault) in destroy of the kernel table");
}

TEST(CheckCommand, EndsWhateverDoesNotEnd) {
  const Finished finished = expect_finding(
      "never-done", "--time-limit 3 --chapter loading --chapter streams",
      "failed streams.an_event_is_done_when_its_work_is\n"
      "      did not end within 3 s: the plugin is still in wait of the event table\n");
  EXPECT_HAS(finished.output, " checks were not run, because too many did not end in time.\n");
  EXPECT_LT(finished.seconds, 600);
}

void expect_hang(const std::string& entry, const std::string& where, int seconds) {
  const std::string limit = std::to_string(seconds);
  const Finished hung = check("hang " + entry, "--time-limit " + limit);
  EXPECT_EQ(hung.exit_status, 1);
  EXPECT_EQ(hung.output, "patchbay: [check] loading the plugin did not end within " + limit +
                             " s: the plugin is still in " + where + ".\n");
}

void expect_crash(const std::string& entry, const std::string& where) {
  const Finished crashed = check("crash " + entry, "");
  EXPECT_EQ(crashed.exit_status, 1);
  EXPECT_EQ(crashed.output,
            "patchbay: [check] loading the plugin crashed with SIGSEGV (Segmentation fault) in " +
                where + ".\n");
}

TEST(CheckCommand, APluginThatIsNeverLoadedIsAnError) {
  expect_hang("plugin.open", "open of the plugin table", 1);
  expect_crash("plugin.enumerate", "enumerate of the plugin table");
}

TEST(CheckCommand, TheEndOfTheLibraryIsNamed) {
  const std::string where = "the library's own end (its static destructors and atexit functions)";
  expect_hang("library.end", where, 2);
  expect_crash("library.end", where);
}

TEST(CheckCommand, TheEndOfTheProcessIsNamed) {
  expect_finding("crash process.end", "--chapter loading",
                 "failed loading.the_end\n"
                 "      in exit, after the last check, it crashed with SIGSEGV");
}

/// Its output is the pipe that this test reads to the end.
TEST(CheckCommand, AProgramThatAHungEntryRunsIsEnded) {
  const Finished hung =
      expect_finding("run-program memory.info", "--time-limit 1 --chapter memory",
                     "did not end within 1 s: the plugin is still in info of the memory table");
  EXPECT_LT(hung.seconds, 600);
}

TEST(CheckCommand, TheTimeLimitIsANumberOfSeconds) {
  for (const std::string limit : {"0", "nan", "inf", "abc", "86401"}) {
    const Finished finished = check("none", "--time-limit " + limit);
    EXPECT_EQ(finished.exit_status, 2);
    EXPECT_HAS(finished.output,
               "--time-limit: expected seconds from 0.001 to 86400, got '" + limit);
  }
}

}  // namespace
