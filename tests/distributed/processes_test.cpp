// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Groups of several processes: what operations compute, and what members are told when one is lost.
// The engine is simulated.
#include "distributed/processes.h"

#include <chrono>

namespace patchbay::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Different for each rank and element, and exact in all float dtypes.
Floats values_of(int rank, std::int64_t count) {
  Floats values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>((rank + 1) * 2 + i % 5));
  }
  return values;
}
Tensor tensor_of(const ProcessGroup& member, std::int64_t count, DType dtype = DType::f32) {
  return from_host(values_of(member.rank(), count), {count}, member.device()).cast(dtype);
}
Floats floats_of(const Tensor& tensor) { return tensor.cast(DType::f32).to_vector<float>(); }
Floats sums(int members, std::int64_t count) {
  Floats sum(static_cast<std::size_t>(count));
  for (int rank = 0; rank < members; ++rank) {
    const Floats each = values_of(rank, count);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += each[i];
  }
  return sum;
}

/// One process with several devices, several with one or more, and devices that the host can't
/// address.
const Processes kGroups[] = {{.count = 1, .devices = {"cpu:0", "cpu:1"}},
                             {.count = 2},
                             {.count = 3, .devices = {"cpu:0", "fake:0"}},
                             {.count = 2, .devices = {"fake:0"}}};

TEST(Processes, HaveRanksOneAfterTheOther) {
  run_all({.count = 2, .devices = {"cpu:0", "fake:0"}}, [](int rank, const Members& members) {
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(members[0].rank(), 2 * rank);
    EXPECT_EQ(members[1].rank(), 2 * rank + 1);
    EXPECT_EQ(members[0].size(), 4);
    members[0].health();
    const auto health = members[1].health();
    ASSERT_EQ(health.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(health[i].rank, static_cast<int>(i));
      EXPECT_EQ(health[i].device, i % 2 == 0 ? "cpu:0" : "fake:0");
      EXPECT_EQ(health[i].process, getpid());
      EXPECT_FALSE(health[i].host.empty());
    }
    on_all(members, [](const ProcessGroup& member, std::size_t) { return member.barrier(); });
  });
}

TEST(Processes, AllReduceSumsOnEveryMember) {
  for (const Processes& group : kGroups) {
    const int size = group.count * static_cast<int>(group.devices.size());
    for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32}) {
      for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
        run_all(group, [&](int, const Members& members) {
          std::vector<Tensor> tensors;
          for (const ProcessGroup& each : members) tensors.push_back(tensor_of(each, count, dtype));
          on_all(members, [&](const ProcessGroup& member, std::size_t i) {
            return member.all_reduce(tensors[i]);
          });
          for (const Tensor& each : tensors) EXPECT_EQ(floats_of(each), sums(size, count));
        });
      }
    }
  }
}

/// In f32, and rounded once: the sum of 1 and many halves of a unit in the last place.
TEST(Processes, SumsOfHalvesAreRoundedOnce) {
  run_all({.count = 4}, [](int rank, const Members& members) {
    const Tensor tensor = full({1}, rank == 0 ? 2048.0 : 1.0, {DType::f16, members[0].device()});
    members[0].all_reduce(tensor).wait();
    EXPECT_EQ(floats_of(tensor), Floats{2052});  // 2051 lies between two halves
  });
}

TEST(Processes, SumsAreInTheOrderOfTheRanks) {
  const Floats parts = {1e8F, 1.0F, -1e8F};
  run_all({.count = 3}, [&](int rank, const Members& members) {
    const Tensor tensor = full({5}, parts[static_cast<std::size_t>(rank)], members[0].device());
    members[0].all_reduce(tensor).wait();
    EXPECT_EQ(tensor.to_vector<float>(), Floats(5, (parts[0] + parts[1]) + parts[2]));
  });
}

TEST(Processes, BroadcastReduceAndGather) {
  for (const Processes& group : kGroups) {
    const int size = group.count * static_cast<int>(group.devices.size());
    for (int root = 0; root < size; ++root) {
      run_all(group, [&](int, const Members& members) {
        std::vector<Tensor> sent, reduced, gathered, scattered;
        for (const ProcessGroup& each : members) {
          sent.push_back(tensor_of(each, 6));
          reduced.push_back(tensor_of(each, 6));
          gathered.push_back(zeros({size * 6}, each.device()));
          scattered.push_back(zeros({6}, each.device()));
        }
        on_all(members, [&](const ProcessGroup& member, std::size_t i) {
          return member.all_gather(gathered[i], sent[i]);
        });
        on_all(members, [&](const ProcessGroup& member, std::size_t i) {
          return member.broadcast(sent[i], root);
        });
        on_all(members, [&](const ProcessGroup& member, std::size_t i) {
          return member.reduce(reduced[i], root, ReduceOp::kMax);
        });
        on_all(members, [&](const ProcessGroup& member, std::size_t i) {
          return member.reduce_scatter(scattered[i], gathered[i]);
        });
        Floats all;
        for (int rank = 0; rank < size; ++rank) {
          for (const float each : values_of(rank, 6)) all.push_back(each);
        }
        for (std::size_t i = 0; i < members.size(); ++i) {
          const int rank = members[i].rank();
          EXPECT_EQ(sent[i].to_vector<float>(), values_of(root, 6));
          EXPECT_EQ(reduced[i].to_vector<float>(), values_of(rank == root ? size - 1 : rank, 6));
          EXPECT_EQ(gathered[i].to_vector<float>(), all);
          Floats part = values_of(rank, 6);
          for (float& each : part) each *= static_cast<float>(size);
          EXPECT_EQ(scattered[i].to_vector<float>(), part);
        }
      });
    }
  }
}

TEST(Processes, TensorsOfAnyStrides) {
  run_all({.count = 2}, [](int, const Members& members) {
    const Tensor whole = tensor_of(members[0], 12).view({3, 4});
    members[0].all_reduce(whole.transpose(0, 1)).wait();
    EXPECT_EQ(whole.view({12}).to_vector<float>(), sums(2, 12));
    members[0].all_reduce(whole.slice(1, 1, 3)).wait();
    Floats expected = sums(2, 12);
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t i = 1; i < 3; ++i) expected[4 * row + i] *= 2;
    }
    EXPECT_EQ(whole.view({12}).to_vector<float>(), expected);
  });
}

/// What the runtime says of the engine's plugin.
PluginInfo engine_of(const Runtime& runtime) {
  for (PluginInfo& each : runtime.plugins()) {
    if (each.name == "sim-engine") return std::move(each);
  }
  return {};
}

TEST(Processes, TheEngineIsOpenedByJoinAndClosedByUnload) {
  RuntimeOptions chosen =
      options({{"sim_engine_hub", "alone"}, {"sim_engine_rank", "0"}, {"sim_engine_size", "1"}});
  chosen.plugins.emplace_back("sim-engine");
  Runtime runtime(chosen);
  EXPECT_EQ(engine_of(runtime).status, PluginStatus::kFound);
  EXPECT_EQ(engine_of(runtime).reason, "not opened yet: a group of processes opens it");
  static_cast<void>(runtime.devices());
  EXPECT_EQ(engine_of(runtime).status, PluginStatus::kFound);
  for (int round = 0; round < 2; ++round) {
    auto members = ProcessGroup::join({runtime.device("cpu:0"), runtime.device("fake:0")},
                                      {.timeout = seconds(10), .engine = "sim_engine"});
    EXPECT_EQ(engine_of(runtime).status, PluginStatus::kLoaded);
    EXPECT_EQ(engine_of(runtime).reason, "simulated engine");
    EXPECT_EQ(engine_of(runtime).backend, "sim_engine");
    EXPECT_TRUE(has_parts(runtime.explain(), {"sim-engine.so' loaded: simulated engine\n"}) ||
                has_parts(runtime.explain(), {"sim-engine.so loaded: simulated engine\n"}));
    EXPECT_ERROR((runtime.unload("sim-engine"), 0), kInUse,
                 "[unload] plugin 'sim-engine' is in use: 1 group of processes.");
    std::vector<Tensor> tensors = {tensor_of(members[0], 3), tensor_of(members[1], 3)};
    on_all(members, [&](const ProcessGroup& member, std::size_t i) {
      return member.all_reduce(tensors[i]);
    });
    EXPECT_EQ(tensors[1].to_vector<float>(), sums(2, 3));
    members.clear();
    if (round == 0) continue;  // another group of the open engine
    runtime.unload("sim-engine");
    EXPECT_EQ(engine_of(runtime).status, PluginStatus::kUnloaded);
  }
}

TEST(Processes, TheGuardForbidsWhatLeavesTheProcess) {
  run_all({.count = 2}, [](int, const Members& members) {
    const Tensor tensor = tensor_of(members[0], 3);
    {
      const CopyGuard guard;
      EXPECT_ERROR(members[0].all_reduce(tensor), kCopyForbidden, "[all_reduce] ");
    }
  });
}

// --------------------------------------------------------------------------------- failures ---

/// What each process is told by an all_reduce of three, whose script goes wrong.
std::vector<Error> told(const Processes& group) {
  std::vector<Error> errors;
  for (const std::exception_ptr& each : outcomes_of(group, [](int, const Members& members) {
         const Tensor tensor = ones({4}, members[0].device());
         const Error first = error_of([&] { return members[0].all_reduce(tensor).wait(), 0; });
         // What it was to write is marked, and later operations fail alike.
         EXPECT_ERROR(tensor.to_vector<float>(), first.code(), "all_reduce failed");
         EXPECT_STREQ(error_of([&] { return members[0].barrier().wait(), 0; }).what(),
                      first.what());
         throw Error(first);
       })) {
    try {
      std::rethrow_exception(each);
    } catch (const Error& error) {
      errors.push_back(error);
    }
  }
  return errors;
}

TEST(ProcessFailures, AProcessThatEndsIsNamedToAll) {
  // The calls before: the one that joins, and the first half of the sum.
  for (const char* const script : {"end 1", "end 2"}) {
    const auto errors = told({.count = 3, .scripts = {{1, script}}});
    for (const Error& each : errors) {
      EXPECT_EQ(each.code(), ErrorCode::kLaunchFailed) << each.what();
      EXPECT_TRUE(has_parts(each.what(), {"[all_reduce] rank 1 (", ", process ", ", cpu:0) is lost",
                                          "its process has ended. Make a new group without it."}));
    }
  }
}

TEST(ProcessFailures, AProcessThatStopsIsNamedAtTheDeadline) {
  const auto begin = std::chrono::steady_clock::now();
  const auto errors = told({.count = 3, .scripts = {{2, "stop 2"}}, .timeout = milliseconds(300)});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(20));
  for (const Error& each : errors) {
    EXPECT_EQ(each.code(), ErrorCode::kLaunchFailed) << each.what();
    EXPECT_TRUE(
        has_parts(each.what(), {"[all_reduce] rank 2 (", ") is lost: it does not answer."}));
  }
}

TEST(ProcessFailures, AProcessThatDoesNotComeIsNamedAtTheDeadline) {
  const auto errors = told({.count = 3, .scripts = {{0, "skip 1"}}, .timeout = milliseconds(300)});
  for (const Error& each : errors) {
    EXPECT_EQ(each.code(), ErrorCode::kTimedOut) << each.what();
    EXPECT_TRUE(
        has_parts(each.what(), {"[all_reduce] members did not come within 300 ms: rank 0 ("}));
  }
}

TEST(ProcessFailures, DifferentOperations) {
  const auto outcomes = outcomes_of({.count = 2}, [](int rank, const Members& members) {
    const Tensor tensor = ones({rank == 0 ? 3 : 4}, members[0].device());
    EXPECT_INVALID((members[0].all_reduce(tensor).wait(), 0),
                   "[all_reduce] members ask for different calls: rank 0 for all_reduce (sum) of "
                   "f32 [3], rank 1 for all_reduce (sum) of f32 [4]. Make a new group.");
  });
  for (const std::exception_ptr& each : outcomes) EXPECT_EQ(each, nullptr);
}

TEST(ProcessFailures, ACallThatIsRefusedOnOneProcess) {
  const auto outcomes = outcomes_of({.count = 2}, [](int rank, const Members& members) {
    const Tensor tensor = ones({3}, {DType::f32, members[0].device()});
    if (rank == 0) {
      EXPECT_INVALID((members[0].broadcast(tensor, 7).wait(), 0),
                     "[broadcast] no such member: expected a root from 0 to 1, got 7");
      // The handle lives until the other one has asked.
      static_cast<void>(error_of([&] { return members[0].barrier().wait(), 0; }));
    } else {
      EXPECT_ERROR((members[0].broadcast(tensor, 0).wait(), 0), kLaunchFailed,
                   "[broadcast] the call of rank 0 (cpu:0) failed: [broadcast] no such member");
    }
  });
  for (const std::exception_ptr& each : outcomes) EXPECT_EQ(each, nullptr);
}

TEST(ProcessFailures, MembersThatLeaveAndAbort) {
  for (const bool aborts : {false, true}) {
    const auto outcomes = outcomes_of({.count = 2}, [&](int rank, const Members& members) {
      members[0].barrier().wait();
      if (rank == 1) aborts ? members[0].abort("enough") : members[0].leave("enough");
      const Error error = error_of([&] { return members[0].barrier().wait(), 0; });
      EXPECT_EQ(error.code(), ErrorCode::kLaunchFailed);
      EXPECT_TRUE(
          has_parts(error.what(), {aborts ? "the group was aborted: enough" : "is lost: enough"}));
    });
    for (const std::exception_ptr& each : outcomes) EXPECT_EQ(each, nullptr);
  }
}

TEST(ProcessFailures, OfJoining) {
  RuntimeOptions chosen =
      options({{"sim_engine_hub", "lonely"}, {"sim_engine_rank", "0"}, {"sim_engine_size", "3"}});
  chosen.plugins.emplace_back("sim-engine");
  const Runtime runtime(chosen);
  const Device cpu = runtime.device("cpu:0");
  EXPECT_ERROR(ProcessGroup::join({cpu}, {.timeout = milliseconds(50), .engine = "sim_engine"}),
               kTimedOut, "[join] ", "2 of 3 processes did not come");
  EXPECT_INVALID(ProcessGroup::join({}), "[join] the list of devices is empty");
  EXPECT_INVALID(ProcessGroup::join({cpu}, {.timeout = seconds(-1)}), "[join] a wrong timeout");
  EXPECT_ERROR(ProcessGroup::join({cpu}, {.engine = "smoke-signals"}), kUnsupported,
               "[join] there is no plugin of the engine 'smoke-signals'",
               "patchbay-smoke-signals.so is in none of [");
}

/// Nothing hangs, whatever goes wrong where: each process ends with values that are right, or with
/// an error.
void try_scripts(unsigned first_seed, unsigned count) {
  for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto draw = [&](unsigned below) { return static_cast<int>(random() % below); };
    Processes group{.count = 2 + draw(3), .timeout = milliseconds(200)};
    for (int events = draw(3); events > 0; --events) {
      const char* const kinds[] = {"end", "stop", "skip", "delay", "after"};
      const std::string kind = kinds[draw(5)];
      const int call = draw(8);
      std::string& script = group.scripts[draw(static_cast<unsigned>(group.count))];
      script += kind + " " + std::to_string(call);
      if (kind == "delay") script += " " + std::to_string(draw(60));
      if (kind == "after") script += " " + std::to_string(call);
      script += ";";
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto outcomes = outcomes_of(group, [&](int, const Members& members) {
      for (int step = 0; step < 3; ++step) {
        const Tensor tensor = tensor_of(members[0], 50);
        members[0].all_reduce(tensor).wait();
        EXPECT_EQ(tensor.to_vector<float>(), sums(group.count, 50));
      }
    });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(30));
    for (const std::exception_ptr& each : outcomes) {
      if (each == nullptr) continue;
      EXPECT_THROW(std::rethrow_exception(each), Error);
    }
  }
}

TEST(ProcessFailures, ScriptsDrawnByASeed) { try_scripts(1, 20); }
TEST(ProcessFailures, LongScriptsDrawnByASeed) {
  if (std::getenv("PATCHBAY_TEST_ALL") == nullptr) GTEST_SKIP() << "a long run: scripts/test --all";
  try_scripts(100, 1000);
}

}  // namespace
}  // namespace patchbay::test
