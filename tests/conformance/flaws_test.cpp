// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Plugins with one flaw each: the suite finds it and says what it is.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/kernels/launcher.h"
#include "conformance/suite.h"
#include "support/runtime_fixture.h"

namespace patchbay::conformance {
namespace {

RuntimeOptions options_of(const std::string& flaw,
                          const std::map<std::string, std::string>& settings = {}) {
  RuntimeOptions options;
  options.read_environment = false;
  options.settings = settings;
  options.settings["flaw"] = flaw;
  return options;
}

Subject subject_of(const std::string& flaw, const char* file = PATCHBAY_FLAWED_PLUGIN,
                   const std::map<std::string, std::string>& settings = {}) {
  Subject subject = subject_of_file(options_of(flaw, settings), file);
  subject.time_limit = std::chrono::seconds(40);
  return subject;
}

Outcome run(const std::string& id, Subject subject) {
  Context context(std::move(subject));
  for (const Check& check : all_checks()) {
    if (check.id() == id) return run_check(check, context);
  }
  return {Result::kPassed, "there is no check " + id};
}

void expect_found(const std::string& id, const std::string& message, Subject subject) {
  SCOPED_TRACE(id);
  const Outcome outcome = run(id, std::move(subject));
  EXPECT_EQ(to_string(outcome.result), "failed");
  EXPECT_HAS(outcome.message, message);
}

void expect_outcome(const std::string& id, const Subject& subject, const std::string& result,
                    const std::string& message = "") {
  const Outcome outcome = run(id, subject);
  EXPECT_EQ(to_string(outcome.result), result) << id << ": " << outcome.message;
  EXPECT_HAS(outcome.message, message);
  EXPECT_TRUE(result != "passed" || outcome.message.empty()) << outcome.message;
}

/// The exception that this entry of this table threw, "throw TABLE.ENTRY".
std::string boom_of(const std::string& flaw) {
  const auto dot = flaw.find('.');
  return flaw.substr(dot + 1) + " of the " + flaw.substr(6, dot - 6) +
         " table threw an exception across the boundary: boom";
}

/// A planted flaw, and the check that finds it with this message; if empty, with boom_of(flaw).
struct Found {
  std::string flaw, check, message = {};
};

void expect_all_found(const std::vector<Found>& all,
                      const std::map<std::string, std::string>& settings = {}) {
  for (const Found& found : all) {
    SCOPED_TRACE(found.flaw);
    expect_found(found.check, found.message.empty() ? boom_of(found.flaw) : found.message,
                 subject_of(found.flaw, PATCHBAY_FLAWED_PLUGIN, settings));
  }
}

/// The message starts with this text.
void expect_start(const std::string& id, const Subject& subject, const std::string& result,
                  const std::string& start) {
  const Outcome outcome = run(id, subject);
  EXPECT_EQ(to_string(outcome.result), result) << id;
  EXPECT_EQ(outcome.message.find(start), 0u) << id << ": " << outcome.message;
}

TEST(Flaws, WithoutOneTheChecksPass) {
  for (const char* id :
       {"loading.the_runtime_closes", "memory.driver_blocks_do_not_overlap",
        "memory.two_blocks_are_never_in_one_place", "memory.released_memory_can_be_had_again",
        "memory.both_totals_agree", "copies.the_entries_copy_what_the_host_could",
        "streams.a_stream_waits_for_the_work_of_another"}) {
    for (const char* file : {PATCHBAY_FLAWED_PLUGIN, PATCHBAY_FLAWED_CPU_PLUGIN}) {
      expect_outcome(id, subject_of("none", file), "passed");
    }
  }
}

TEST(Flaws, ImpossiblePropertiesAreRefusedAtLoad) {
  const std::pair<const char*, const char*> flaws[] = {
      {"endless-total", "its memory_total_bytes is 18446744073709551615"},
      {"alignment-3", "its memory_alignment_bytes is 3, expected a power of two"},
      {"kind-77", "its kind is 77, expected 1 or 2"},
      {"throw plugin.open",
       "open of the plugin table threw an exception across the boundary: boom"},
      {"throw-int plugin.enumerate",
       "enumerate of the plugin table threw an exception across the boundary"},
  };
  for (const auto& [flaw, reason] : flaws) {
    EXPECT_ERROR(subject_of(flaw), ErrorCode::kPluginFailed, reason);
  }
}

TEST(Flaws, OfMemoryAreFound) {
  expect_all_found({
      {"same-block", "memory.driver_blocks_do_not_overlap",
       "of 90 blocks, device memory, when all"},
      {"same-block", "memory.two_blocks_are_never_in_one_place",
       "places of live blocks of device memory: expected 64, got 1"},
      {"overlap", "memory.driver_blocks_do_not_overlap",
       "device memory, when all are written: byte"},
      {"misaligned", "memory.driver_blocks_are_aligned_as_asked",
       "allocate of the memory table gave the address 0x"},
      {"info-total", "memory.both_totals_agree",
       "flawed:0: enumerate says 1073741824 bytes of memory in total, info 268435456"},
      {"info-endless", "memory.memory_figures_make_sense",
       "broke the plugin interface: info gave 1073741824 free of 18446744073709551615 bytes"},
      {"same-uuid", "loading.devices_are_told_apart", "flawed:0 and flawed:1 have the same UUID"},
      {"info-constant", "memory.info_counts_what_is_allocated",
       "info says that 1073741824 bytes are free before 335544320 bytes are allocated, and "
       "1073741824 after"},
      {"short-copy", "copies.round_trips_through_the_host", "3 bytes at 0: byte 2 of 3: expected"},
  });
}

TEST(Flaws, GroupsThatAreLeftOutAreFound) {
  for (const char* file : {PATCHBAY_FLAWED_PLUGIN, PATCHBAY_FLAWED_CPU_PLUGIN}) {
    expect_found("kernels.fused_groups",
                 "a fused expression, group 1 of 2, output 0: element 0 of shape [17, 23]",
                 subject_of("first-group", file));
  }
}

TEST(Flaws, WithoutGroupsEachIsALaunch) {
  expect_outcome("kernels.fused_groups", subject_of("no-groups"), "waived",
                 "[patchbay-expr/1] 2 groups of tensors: this device takes one in a launch "
                 "(flawed:0). Launch once for each.");
  RuntimeOptions options = options_of("no-groups");
  options.plugin_files = {PATCHBAY_FLAWED_PLUGIN};
  const Runtime runtime(options);
  const Device device = runtime.device("flawed:0");
  const TensorList parameters = {full({3}, 5, device), full({2}, 5, device)},
                   gradients = {full({3}, 1, device), full({2}, 2, device)};
  Profile profile(runtime);
  sgd_update(parameters, gradients, {}, 1, {.learning_rate = 1});
  profile.stop();
  ASSERT_EQ(profile.rows().size(), 1u);
  EXPECT_EQ(profile.rows()[0].calls, 2u);
  EXPECT_EQ(parameters[0].to_vector<float>(), std::vector<float>(3, 4));
  EXPECT_EQ(parameters[1].to_vector<float>(), std::vector<float>(2, 3));
}

TEST(Flaws, OperandsThatAreKeptTooLongAreFound) {
  expect_found("kernels.gemm_of_changed_operands",
               "gemm.1 of f32, m 16 n 300 k 700, NNN, padding 0, alpha 1 beta 0, after b was "
               "written: element ",
               subject_of("stale-operands", PATCHBAY_FLAWED_CPU_PLUGIN));
}

TEST(Flaws, MemoryThatNeverComesBackIsFound) {
  expect_found("memory.released_memory_can_be_had_again", "bytes were allocated and released, and ",
               subject_of("leak"));
  const std::map<std::string, std::string> small = {{"fake_memory_bytes", "1000000"}};
  expect_found("memory.released_memory_can_be_had_again",
               "8 blocks of 125000 bytes were allocated and released, and the next one failed: ",
               subject_of("leak", PATCHBAY_FLAWED_PLUGIN, small));
}

/// Longer than a launch takes, which sanitizers slow down.
const std::map<std::string, std::string> slow = {{"fake_delay_ms", test::kSanitized ? "50" : "5"}};

TEST(Flaws, WorkThatNobodyWaitedForIsFound) {
  expect_all_found(
      {
          {"early-wait", "streams.an_event_waits_for_its_work",
           "launches before an event that was waited for, of which done: expected "},
          {"early-query", "streams.an_event_is_not_done_before_its_work",
           "launches before an event that says it is done, of which done: expected "},
          {"no-wait-event", "streams.a_stream_waits_for_the_work_of_another",
           "launches before an event that another stream waited for, of which done: expected "},
      },
      slow);
}

TEST(Flaws, WaitsThatIgnoreTheirDeadlineAreFound) {
  expect_all_found(
      {
          {"endless-synchronize", "streams.synchronize_ends_at_its_deadline",
           "Stream::synchronize of work that takes "},
          {"endless-wait", "streams.an_event_wait_ends_at_its_deadline",
           "Event::wait of work that takes "},
      },
      slow);
  for (const char* id :
       {"streams.synchronize_ends_at_its_deadline", "streams.an_event_wait_ends_at_its_deadline"}) {
    expect_outcome(id, subject_of("none", PATCHBAY_FLAWED_PLUGIN, slow), "passed");
  }
}

TEST(Flaws, PrioritiesThatAreOnlySaidAreFound) {
  expect_found("streams.streams_of_each_priority", "no such priority", subject_of("no-priorities"));
  expect_outcome("streams.streams_of_each_priority", subject_of("none"), "waived",
                 "the streams have no priorities (PATCHBAY_CAN_STREAM_PRIORITY)");
}

TEST(Flaws, OfExtensionsAreFound) {
  expect_all_found({
      {"short-exit", "loading.extensions_are_whole",
       "[flawed] gives a table of 8 bytes for the extension 'exit', expected at least 16: ignored"},
      {"gap-in-ranges", "loading.extensions_are_whole",
       "[flawed] gives a table for the extension 'ranges' whose entry 1 of 2 is null: ignored"},
      {"throw plugin.get_extension", "loading.extensions_are_whole"},
      {"no-replays", "streams.a_recorded_list_replays",
       "replays of (a + 1) * 2: expected [10, 14, 18], got [4, 6, 8]"},
  });
  for (const char* id : {"loading.extensions_are_whole", "streams.a_recorded_list_replays"}) {
    expect_outcome(id, subject_of("none"), "passed");
  }
}

TEST(Flaws, ADefaultStreamThatOnlySaysItCompletesInlineIsFound) {
  expect_found("streams.inline_work_is_done_when_its_call_returns",
               "the plugin says PATCHBAY_CAN_INLINE_STREAM, but an event of the default stream is "
               "not done when the launches before it have returned",
               subject_of("false-inline", PATCHBAY_FLAWED_PLUGIN, {{"fake_delay_ms", "50"}}));
  expect_outcome("streams.inline_work_is_done_when_its_call_returns", subject_of("none"), "waived");
  expect_outcome("streams.inline_work_is_done_when_its_call_returns",
                 subject_of("none", PATCHBAY_FLAWED_CPU_PLUGIN), "passed");
}

TEST(Flaws, OfModulesAreFound) {
  for (const char* file : {PATCHBAY_FLAWED_PLUGIN, PATCHBAY_FLAWED_CPU_PLUGIN}) {
    expect_found("modules.work_items_know_their_places",
                 "places in [3, 2, 4] groups of [4, 2, 3]: element 48: expected 100000, got 20",
                 subject_of("swapped-axes", file));
    expect_found("modules.parts_of_buffers",
                 "saxpy of the elements from 31 and from 50 on: element 1: expected 1, got 15",
                 subject_of("no-offsets", file));
    expect_found("modules.values_arrive",
                 "values of i8, i64, u8, i16, u32, u16, u64, i32, f32: element 1: expected "
                 "-1234567890123, got ",
                 subject_of("short-values", file));
  }
  expect_all_found({
      {"throw kernel.launch_grid", "modules.atomics_count"},
      {"throw kernel.load_module", "modules.atomics_count"},
      {"throw kernel.module_kernel", "modules.atomics_count"},
      {"throw kernel.unload_module", "modules.a_module_outlives_its_handles"},
  });
}

/// The check asks for the module before anything that needs an operator.
TEST(Flaws, APluginMayLackModulesAndOperators) {
  const Subject subject = subject_of("no-modules");
  for (const Check& check : all_checks()) {
    if (check.chapter != "modules") continue;
    const Outcome outcome = run(check.id(), subject);
    EXPECT_EQ(to_string(outcome.result), "waived") << check.id();
    EXPECT_EQ(outcome.message, "the device loads no modules") << check.id();
  }
}

TEST(Flaws, ACallbackThatNeverComesIsFound) {
  expect_found("streams.a_callback_comes_after_its_work", "a callback was not called within 10 s",
               subject_of("no-callback"));
}

TEST(Flaws, ExceptionsAreFound) {
  expect_all_found({
      {"throw memory.copy_to_host", "copies.round_trips_through_the_host"},
      {"throw memory.release", "memory.two_blocks_are_never_in_one_place"},
      {"throw stream.destroy", "loading.the_runtime_closes"},
      {"throw-int event.destroy", "loading.the_runtime_closes",
       "destroy of the event table threw an exception across the boundary"},
      {"throw plugin.close_device", "loading.the_runtime_closes"},
      {"throw kernel.destroy", "loading.the_runtime_closes"},
      {"throw kernel.launch", "kernels.in_place"},
      {"throw kernel.workspace_bytes", "kernels.in_place"},
  });
}

/// Whether one of a few checks that call all required entries says that this one threw.
bool is_exception_found(const std::string& table, const std::string& entry) {
  const std::string flaw = "throw " + table + "." + entry;
  const std::string words = entry + " of the " + table + " table threw an exception";
  for (const char* id :
       {"loading.the_runtime_closes", "memory.memory_figures_make_sense",
        "memory.driver_blocks_do_not_overlap", "copies.between_two_devices",
        "copies.within_one_device", "streams.a_stream_keeps_its_order",
        "streams.an_event_on_an_idle_stream_is_done", "streams.an_event_orders_two_streams",
        "streams.times_are_in_the_order_of_the_work"}) {
    const Outcome outcome = run(id, subject_of(flaw));
    if (outcome.message.find(words) != std::string::npos) {
      return outcome.result == Result::kFailed;
    }
  }
  return false;
}

/// But for synchronize: what is being copied to memory that is gone would end this process.
TEST(Flaws, AnExceptionOutOfAnyEntryIsFound) {
  const std::map<std::string, std::vector<const char*>> entries = {
      {"plugin", {"open_device", "close_device", "close", "get_extension", "get_device_extension"}},
      {"memory",
       {"allocate", "release", "info", "copy_to_device", "copy_to_host", "copy_on_device",
        "copy_to_peer", "can_access_peer"}},
      {"stream", {"create", "destroy", "flush", "wait_event"}},
      {"event", {"create", "destroy", "record", "query", "wait", "elapsed"}},
      {"kernel", {"prepare", "destroy", "workspace_bytes", "launch"}}};
  for (const auto& [table, names] : entries) {
    for (const char* name : names) {
      EXPECT_TRUE(is_exception_found(table, name)) << table << "." << name;
    }
  }
}

/// The runtime itself copies memory that the host can address.
TEST(Flaws, CopyEntriesThatTheHostCouldDoWithoutAreTried) {
  const auto subject = [](const char* flaw) {
    return subject_of(flaw, PATCHBAY_FLAWED_CPU_PLUGIN);
  };
  const std::string id = "copies.the_entries_copy_what_the_host_could";
  expect_found(id, boom_of("throw memory.copy_to_host"), subject("throw memory.copy_to_host"));
  // What lies in the byte that is not copied may by chance be what is expected there.
  expect_found(id, " bytes: byte ", subject("short-copy"));
  expect_outcome("copies.round_trips_through_the_host", subject("short-copy"), "passed");
}

TEST(Flaws, EntriesThatDoNotReturnAreNamed) {
  for (const auto& [flaw, id, entry] :
       {std::tuple{"never-done", "streams.an_event_is_done_when_its_work_is",
                   "wait of the event table"},
        {"hang kernel.launch", "kernels.in_place", "launch of the kernel table"},
        {"hang kernel.workspace_bytes", "kernels.in_place", "workspace_bytes of the kernel table"},
        {"hang plugin.close_device", "loading.the_runtime_closes",
         "close_device of the plugin table"}}) {
    SCOPED_TRACE(flaw);
    Subject subject = subject_of(flaw);
    subject.time_limit = std::chrono::seconds(2);
    const Outcome outcome = run(id, std::move(subject));
    EXPECT_EQ(to_string(outcome.result), "failed");
    EXPECT_TRUE(outcome.is_hung);
    EXPECT_EQ(outcome.message.find("did not end within 2 s: the plugin is still in "), 0u)
        << outcome.message;
    EXPECT_HAS(outcome.message, entry);
  }
}

/// Ids of the gemm checks with that outcome.
std::set<std::string> gemm_checks_that(Result result, const Subject& subject) {
  std::set<std::string> ids;
  Context context(subject);
  for (const Check& check : all_checks()) {
    if (check.id().starts_with("kernels.gemm") && run_check(check, context).result == result) {
      ids.insert(check.id());
    }
  }
  return ids;
}

TEST(Flaws, WhatOneCheckWaivesNoOtherRequires) {
  const Subject subject = subject_of("no-gemm-i64");
  EXPECT_EQ(gemm_checks_that(Result::kFailed, subject), std::set<std::string>{});
  const std::set<std::string> waived = {"kernels.gemm_batches_i64", "kernels.gemm_i64"};
  EXPECT_EQ(gemm_checks_that(Result::kWaived, subject), waived);
}

/// It is checked as it was before, and its devices keep and copy what they can't make.
TEST(Flaws, APluginMayBeOlderThanTheTypesOfStorage) {
  const Subject subject = subject_of("no-storage");
  for (const char* id : {"kernels.fill_storage", "kernels.cast_storage", "kernels.sum_storage"}) {
    expect_outcome(id, subject, "waived", "i8");
  }
  expect_outcome("kernels.claimed_dtypes", subject, "passed");
  Context context(subject);
  const Device device = context.device();
  EXPECT_EQ(why_unsupported(device, find_operator("cast"), DType::i32), "");
  EXPECT_NE(why_unsupported(device, find_operator("copy"), DType::u64), "");
  const std::vector<std::int16_t> values{-1, 2, 3};
  const Tensor kept = from_host(values, {3}, device);
  EXPECT_EQ(kept.to_vector<std::int16_t>(), values);
  EXPECT_ERROR(eq(kept, 2), ErrorCode::kUnsupported, "eq.1");
  EXPECT_ERROR(eq(kept, 2), ErrorCode::kUnsupported, "i16");
}

/// Of a plugin that refuses every operator with operands of that dtype.
void expect_as_listed(DType refused) {
  const Subject subject = subject_of("refuse " + std::string(to_string(refused)));
  for (const OperatorInfo& info : operators()) {
    if (std::find(info.dtypes.begin(), info.dtypes.end(), refused) == info.dtypes.end()) continue;
    const KernelSpec spec = {
        std::string(info.kernel), {ArgumentSpec::tensor(refused, Access::kRead)}, {}};
    const Outcome outcome = run(own_check(spec), subject);
    const bool is_optional = demand_of(info.kernel, refused) == Demand::kOptional;
    EXPECT_EQ(to_string(outcome.result), is_optional ? "waived" : "failed")
        << info.kernel << " of " << to_string(refused) << ": " << outcome.message;
    EXPECT_HAS(outcome.message, "[" + std::string(info.kernel) + "(");
  }
}

/// PATCHBAY_TEST_ALL: every dtype. They take minutes while no kernel is cached.
TEST(Flaws, AnOperatorThatLacksADtypeIsFoundWhereThePageListsIt) {
  const bool has_all = std::getenv("PATCHBAY_TEST_ALL") != nullptr && !test::kSanitized;
  for (const DType dtype : find_operator("copy").dtypes) {
    if (!has_all && dtype != DType::boolean && dtype != DType::i8) continue;
    SCOPED_TRACE(to_string(dtype));
    expect_as_listed(dtype);
  }
}

TEST(Flaws, OfSixteenBitFloatsAreFound) {
  expect_all_found({
      {"bf16-as-f16", "kernels.add_bf16", "add.1 of bf16, "},
      {"bf16-as-f16", "kernels.exp_bf16", "exp.1 of bf16, "},
      {"bf16-as-f16", "kernels.cast_bf16", "cast.1 of f32, "},
      {"bf16-as-f16", "kernels.sum_bf16", "sum.1 of bf16, "},
      {"bf16-as-f16", "kernels.gemm_bf16", "gemm.1 of bf16, "},
      {"bf16-as-f16", "kernels.softmax_bf16", "softmax.1 of bf16, "},
      {"bf16-as-f16", "kernels.conv2d_bf16", "conv2d.1 of bf16, "},
      {"bf16-as-f16", "kernels.uniform_bf16", "uniform.1 of bf16 "},
  });
  const Subject subject = subject_of("bf16-as-f16");
  for (const char* id : {"kernels.add_f16", "kernels.copy_bf16"}) {
    expect_outcome(id, subject, "passed");
  }
}

TEST(Flaws, AnOperatorMayLackSixteenBitFloats) {
  const Subject subject = subject_of("no-f16-products");
  expect_start("kernels.gemm_f16", subject, "waived",
               "[gemm.1(f16, f16, f16, f16 scalar, f16 scalar)] ");
  expect_outcome("kernels.gemm_bf16", subject, "passed");
}

constexpr const char* kNewer[] = {"sin", "floor", "isnan", "conv2d"};

/// In a process of its own: the calls of one plugin file are watched in a process.
TEST(OldPlugin, MayLackNewerOperators) {
  const Subject subject = subject_of("no-newer", PATCHBAY_FLAWED_OLD_PLUGIN);
  for (const std::string op : kNewer) {
    expect_outcome("kernels." + op, subject, "waived", op + ".1");
  }
  expect_outcome("kernels.cos", subject, "passed");
}

TEST(Flaws, APluginHasTheOperatorsOfItsVersion) {
  const Subject subject = subject_of("no-newer");
  for (const std::string op : kNewer) {
    expect_start("kernels." + op, subject, "failed", "required, but unsupported: [" + op + ".1(");
  }
  expect_outcome("kernels.cos", subject, "passed");
}

TEST(Flaws, AWaivedOperatorIsWaivedWhereverItIsNeeded) {
  Subject subject = subject_of("no-add");
  const std::string reason = "required, but unsupported: [add.1(";
  for (const char* id :
       {"kernels.add", "kernels.fixed_shapes", "streams.a_stream_keeps_its_order"}) {
    subject.exemptions = {};
    expect_start(id, subject, "failed", reason);
    subject.exemptions = {{"kernels.add", "no adder"}};
    expect_start(id, subject, "waived", "no adder (" + reason);
  }
  subject.exemptions = {{"kernels.sub", "no subtracter"}};
  expect_outcome("kernels.add", subject, "failed");
}

}  // namespace
}  // namespace patchbay::conformance
