// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The suite itself: that it finds what is wrong, and waives no more than it may.
#include "conformance/suite.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "conformance/support/expect.h"
#include "support/paths.h"
#include "support/runtime_fixture.h"

namespace patchbay::conformance {
namespace {

Outcome outcome_of(const std::function<void()>& body, std::vector<Exemption> exemptions = {}) {
  Context context({{}, "none", "none", std::move(exemptions)});
  return run_check({"kernels", "sample", [&](Context&) { body(); }}, context);
}

TEST(Suite, NamesAreUniqueAndPlain) {
  std::set<std::string> ids;
  for (const Check& check : all_checks()) {
    EXPECT_TRUE(ids.insert(check.id()).second) << check.id();
    EXPECT_TRUE(std::all_of(check.name.begin(), check.name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    })) << check.id();
  }
}

TEST(Suite, ChaptersComeInOrder) {
  const std::vector<std::string> expected = {"loading", "memory",  "copies",
                                             "streams", "kernels", "modules"};
  EXPECT_EQ(chapters(), expected);
}

TEST(Suite, PatternsMatch) {
  EXPECT_TRUE(matches("kernels.gemm*", "kernels.gemm_f64"));
  EXPECT_TRUE(matches("*_f64", "kernels.gemm_f64"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("**", "any.thing"));
  EXPECT_TRUE(matches("*a*b", "a.ab.b"));
  EXPECT_FALSE(matches("*a*b", "a.ab.c"));
  EXPECT_FALSE(matches("", "a.b"));
  // Takes no time that grows with each star.
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(200, 'a')));
  EXPECT_TRUE(matches("copies.between_?_devices", "copies.between_2_devices"));
  EXPECT_FALSE(matches("kernels.gemm", "kernels.gemm_f64"));
  EXPECT_FALSE(matches("", "kernels"));
  EXPECT_FALSE(matches("?", ""));
}

TEST(Suite, ACheckThatReturnsPasses) {
  EXPECT_EQ(outcome_of([] {}).result, Result::kPassed);
}

TEST(Suite, AnUnexpectedErrorFails) {
  const Outcome outcome = outcome_of([] { throw Error(ErrorCode::kDeviceLost, "[x] gone\naway"); });
  EXPECT_EQ(outcome.result, Result::kFailed);
  EXPECT_EQ(outcome.message, "unexpected error device_lost: [x] gone away");
}

TEST(Suite, WhatThePluginDoesNotImplementIsALackToo) {
  const auto lacks = [] { throw Error(ErrorCode::kUnsupported, "[allocate] not implemented"); };
  EXPECT_EQ(outcome_of(lacks).result, Result::kFailed);
  const Outcome outcome = outcome_of(lacks, {{"*", "not yet"}});
  EXPECT_EQ(outcome.result, Result::kWaived);
  EXPECT_EQ(outcome.message, "not yet (unexpected error unsupported: [allocate] not implemented)");
  const auto fails = [] { throw Error(ErrorCode::kLaunchFailed, "[add] broken"); };
  EXPECT_EQ(outcome_of(fails, {{"*", "not yet"}}).result, Result::kFailed);
}

TEST(Suite, OnlyALackIsExempt) {
  const std::vector<Exemption> exemptions = {{"kernels.*", "no unit for it"}};
  EXPECT_EQ(outcome_of([] { throw Lack("no f32"); }).result, Result::kFailed);
  EXPECT_EQ(outcome_of([] { throw Failure("2 + 2 is 5"); }, exemptions).result, Result::kFailed);
  const Outcome outcome = outcome_of([] { throw Lack("no f32"); }, exemptions);
  EXPECT_EQ(outcome.result, Result::kWaived);
  EXPECT_EQ(outcome.message, "no unit for it (no f32)");
}

TEST(Suite, ExpectErrorWantsCodeAndWords) {
  const auto out_of_memory = [] { throw Error(ErrorCode::kOutOfMemory, "[x] cpu:0 is full"); };
  EXPECT_NO_THROW(expect_error(ErrorCode::kOutOfMemory, "it", out_of_memory, {"cpu:0"}));
  EXPECT_THROW(expect_error(ErrorCode::kOutOfMemory, "it", out_of_memory, {"cpu:1"}), Failure);
  EXPECT_THROW(expect_error(ErrorCode::kTimedOut, "it", out_of_memory), Failure);
  EXPECT_THROW(expect_error(ErrorCode::kTimedOut, "it", [] {}), Failure);
}

TEST(Suite, AnUnknownBackendIsAnError) {
  RuntimeOptions options;
  options.read_environment = false;
  EXPECT_INVALID(subject_of_backend(options, "nosuch"), "nosuch");
}

/// The fake plugin, set to do something wrong.
class SuiteOnFake : public testing::Test {
 protected:
  static Outcome run(const std::string& id, const std::string& setting, const std::string& value) {
    RuntimeOptions options;
    options.read_environment = false;
    options.settings[setting] = value;
    Context context(subject_of_file(options, test::fake_plugin()));
    for (const Check& check : all_checks()) {
      if (check.id() == id) return run_check(check, context);
    }
    return {Result::kFailed, "no such check"};
  }
};

TEST_F(SuiteOnFake, FailedCallsAreFound) {
  EXPECT_EQ(run("memory.writes_survive", "fake_fail_allocate", "2").result, Result::kFailed);
  EXPECT_EQ(run("copies.within_one_device", "fake_fail_copy", "3").result, Result::kFailed);
  EXPECT_EQ(run("kernels.add", "fake_fail_launch", "7").result, Result::kFailed);
  EXPECT_EQ(run("streams.a_stream_keeps_its_order", "fake_fail_async_launch", "50").result,
            Result::kFailed);
}

TEST_F(SuiteOnFake, ALostDeviceIsFound) {
  EXPECT_EQ(run("kernels.in_place", "fake_lose_device", "1").result, Result::kFailed);
}

TEST_F(SuiteOnFake, WithoutF64ItsChecksAreWaivedWithTheReason) {
  const Outcome outcome = run("kernels.add_f64", "fake_f64", "0");
  EXPECT_EQ(outcome.result, Result::kWaived);
  EXPECT_HAS(outcome.message, "f64");
  const Outcome required = run("kernels.add", "fake_f64", "0");
  EXPECT_EQ(required.result, Result::kPassed) << required.message;
}

TEST_F(SuiteOnFake, WithoutPeersCopiesAreStaged) {
  for (const Check& check : all_checks()) {
    if (check.chapter != "copies") continue;
    const Outcome outcome = run(check.id(), "fake_peer", "0");
    EXPECT_NE(outcome.result, Result::kFailed) << check.id() << ": " << outcome.message;
  }
}

TEST_F(SuiteOnFake, WorkspacesAndDelaysChangeNothing) {
  EXPECT_EQ(run("kernels.gemm_bounds", "fake_workspace_bytes", "100000").result, Result::kPassed);
  EXPECT_EQ(run("streams.deadlines", "fake_delay_ms", "5").result, Result::kPassed);
  EXPECT_EQ(run("copies.chains_keep_their_order", "fake_delay_ms", "5").result, Result::kPassed);
  EXPECT_EQ(run("kernels.buffers_live_until_the_launch_is_done", "fake_delay_ms", "20").result,
            Result::kPassed);
}

TEST_F(SuiteOnFake, APluginWithoutADeviceIsAnError) {
  RuntimeOptions options;
  options.read_environment = false;
  options.settings["fake_devices"] = "0";
  EXPECT_THROW((void)subject_of_file(options, test::fake_plugin()), Error);
}

}  // namespace
}  // namespace patchbay::conformance
