// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Groups of several "processes" within one: runtimes that the simulated engine joins, each used by
// a thread of its own.
#ifndef PATCHBAY_TESTS_DISTRIBUTED_PROCESSES_H_
#define PATCHBAY_TESTS_DISTRIBUTED_PROCESSES_H_

#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <patchbay/patchbay.h>

#include "support/paths.h"
#include "support/runtime_fixture.h"

namespace patchbay::test {

/// A group as the processes have it.
struct Processes {
  int count = 2;
  /// The devices of each one.
  std::vector<std::string> devices = {"cpu:0"};
  /// What goes wrong in some of them, by rank of the process: tests/sim/engine/engine.cpp.
  std::map<int, std::string> scripts = {};
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
};

/// The members that one process has.
using Members = std::vector<ProcessGroup>;
using Process = std::function<void(int rank, const Members& members)>;

/// What each process threw, by its rank; null for nothing. It joins, and runs the function.
inline std::vector<std::exception_ptr> outcomes_of(const Processes& asked, const Process& run) {
  static std::atomic<int> number{0};
  const std::string hub = "hub" + std::to_string(number++);
  std::vector<std::exception_ptr> outcomes(static_cast<std::size_t>(asked.count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < asked.count; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        RuntimeOptions chosen = options({{"sim_engine_hub", hub},
                                         {"sim_engine_rank", std::to_string(rank)},
                                         {"sim_engine_size", std::to_string(asked.count)}});
        const auto script = asked.scripts.find(rank);
        if (script != asked.scripts.end()) {
          chosen.settings["sim_engine_script"] = script->second;
        }
        chosen.plugins.emplace_back("sim-engine");
        const Runtime runtime(chosen);
        std::vector<Device> devices;
        for (const std::string& name : asked.devices) devices.push_back(runtime.device(name));
        run(rank, ProcessGroup::join(devices, {.timeout = asked.timeout, .engine = "sim_engine"}));
      } catch (...) {
        outcomes[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  return outcomes;
}

/// Runs all processes; what one throws is thrown.
inline void run_all(const Processes& asked, const Process& run) {
  for (const std::exception_ptr& each : outcomes_of(asked, run)) {
    if (each != nullptr) std::rethrow_exception(each);
  }
}

/// Asks for an operation on all members of a process, and waits for it.
template <class Ask>
void on_all(const Members& members, const Ask& ask) {
  std::vector<Work> asked;
  for (std::size_t i = 0; i < members.size(); ++i) asked.push_back(ask(members[i], i));
  for (const Work& each : asked) each.wait();
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_DISTRIBUTED_PROCESSES_H_
