// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "schedules/schedule.h"

#include <array>
#include <barrier>
#include <exception>
#include <stdexcept>
#include <thread>

#include "schedules/actor.h"
#include "support/paths.h"

namespace patchbay::schedules {
namespace {

template <std::size_t N>
const char* one_of(Random& random, const std::array<const char*, N>& values) {
  return values[random.below(N)];
}

RuntimeOptions options_of(std::uint64_t seed, Random& random) {
  RuntimeOptions options;
  options.plugin_directories = {test::test_plugin_folder()};
  options.plugins = {"fake", "cpu-openblas"};
  auto& set = options.settings;
  set["cpu_devices"] = "2";
  set["fake_devices"] = "3";
  set["fake_seed"] = std::to_string(seed);
  set["fake_late_us"] = one_of<4>(random, {"0", "100", "2000", "50000"});
  set["fake_link_bytes_per_s"] = one_of<4>(random, {"0", "0", "0", "200000000"});
  set["fake_workspace_bytes"] = one_of<3>(random, {"0", "0", "700"});
  set["memory_cache"] = one_of<4>(random, {"on", "on", "on", "off"});
  set["fake_peers"] = one_of<4>(random, {"", "0>1,1>2,2>0", "0>1,1>0", "2>0"});
  if (random.one_in(3)) set.erase("fake_peers");  // each reaches each
  return options;
}

Stage make_stage(const Runtime& runtime, Random& random) {
  Stage stage;
  stage.constant_values.resize(kLargest);
  for (auto& value : stage.constant_values) value = static_cast<std::int32_t>(random.below(9));
  const ArgumentSpec in = ArgumentSpec::tensor(DType::i32, Access::kRead);
  const KernelSpec add = {
      "add.1", {ArgumentSpec::tensor(DType::i32, Access::kWrite), in, in}, {}, SIZE_MAX};
  for (const char* name : {"cpu:0", "cpu:1", "fake:0", "fake:1", "fake:2"}) {
    stage.devices.push_back(runtime.device(name));
    stage.add.push_back(Kernel::prepare(stage.devices.back(), add));
    stage.constants.push_back(
        from_host(stage.constant_values, {std::int64_t{kLargest}}, stage.devices.back()));
    // Those who launch by hand are not to wait for it.
    stage.devices.back().synchronize();
  }
  runtime.ledger().reset();
  return stage;
}

/// The threads of one schedule. After each round an actor gives items to the next one.
class Play {
 public:
  Play(const Stage& stage, std::uint64_t seed, Random& random)
      : num_actors_(1 + random.below(3)),
        num_rounds_(1 + random.below(3)),
        num_steps_(5 + random.below(15)),
        boxes_(num_rounds_, std::vector<std::vector<Item>>(num_actors_)),
        failures_(num_actors_),
        barrier_(static_cast<std::ptrdiff_t>(num_actors_)) {
    for (std::size_t i = 0; i < num_actors_; ++i) actors_.emplace_back(stage, seed * 16 + i + 1);
  }

  void run() {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < num_actors_; ++i) threads.emplace_back([this, i] { act(i); });
    for (auto& thread : threads) thread.join();
  }

  std::string failures() const {
    std::string text;
    for (std::size_t i = 0; i < num_actors_; ++i) {
      if (failures_[i].empty()) continue;
      text += "thread " + std::to_string(i) + " of " + std::to_string(num_actors_) + ": " +
              failures_[i] + ", after\n" + actors_[i].history();
    }
    return text;
  }

  Traffic traffic() const {
    Traffic total;
    for (const Actor& actor : actors_) {
      for (const auto& [way, bytes] : actor.traffic()) total[way] += bytes;
    }
    return total;
  }

 private:
  void act(std::size_t i) {
    try {
      for (std::size_t round = 0; round < num_rounds_; ++round) {
        for (std::size_t step = 0; step < num_steps_; ++step) actors_[i].step();
        boxes_[round][(i + 1) % num_actors_] = actors_[i].give_away();
        barrier_.arrive_and_wait();
        actors_[i].adopt(std::move(boxes_[round][i]));
      }
      actors_[i].finish();
    } catch (const std::exception& error) {
      failures_[i] = error.what();
      barrier_.arrive_and_drop();
    }
  }

  const std::size_t num_actors_, num_rounds_, num_steps_;
  std::vector<Actor> actors_;
  std::vector<std::vector<std::vector<Item>>> boxes_;  // by round and receiver
  std::vector<std::string> failures_;
  std::barrier<> barrier_;
};

std::string check_traffic(const Runtime& runtime, const Traffic& expected) {
  Traffic counted;
  for (const LedgerEntry& entry : runtime.ledger().entries()) {
    if (entry.from != entry.to) counted[{entry.from, entry.to}] += entry.bytes;
  }
  if (counted == expected) return {};
  std::string text = "the ledger is not the model's:\n";
  for (const auto& [way, bytes] : expected) {
    text += "  " + way.first + " to " + way.second + ": " + std::to_string(bytes) + " bytes\n";
  }
  return text + "counted:\n" + runtime.ledger().to_text();
}

std::string check_memory(const Stage& stage) {
  std::string text;
  for (const Device& device : stage.devices) {
    device.synchronize();
    device.trim_memory();
    const DeviceMemory memory = device.memory();
    if (memory.live_bytes == 0 && memory.reserved_bytes == 0) continue;
    text += device.name() + " ends with " + std::to_string(memory.live_bytes) + " bytes live and " +
            std::to_string(memory.reserved_bytes) + " reserved\n";
  }
  return text;
}

}  // namespace

std::string run_schedule(std::uint64_t seed) {
  Random random(seed);
  const Runtime runtime(options_of(seed, random));
  Stage stage = make_stage(runtime, random);
  std::string failures;
  Traffic traffic;
  {
    Play play(stage, seed, random);
    play.run();
    failures = play.failures();
    traffic = play.traffic();
  }
  if (!failures.empty()) return failures;
  stage.constants.clear();
  return check_traffic(runtime, traffic) + check_memory(stage);
}

}  // namespace patchbay::schedules
