// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One of several processes that an mpirun has started: check_mpi.py does so and reads what they
// print. The first argument says what to do, the second how many CPU devices each process has.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <patchbay/patchbay.h>

namespace {

using namespace patchbay;
using Members = std::vector<ProcessGroup>;

/// In one piece, so that lines of several processes are not mixed.
void say(const ProcessGroup& member, const std::string& text) {
  const std::string line = "rank " + std::to_string(member.rank()) + ": " + text + "\n";
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

/// Says what the call throws.
void tell(const ProcessGroup& member, const std::function<Work()>& ask) {
  try {
    ask().wait();
    say(member, "ok");
  } catch (const Error& error) {
    say(member, std::string(to_string(error.code())) + ": " + error.what());
  }
}

template <class Ask>
void on_all(const Members& members, const Ask& ask) {
  std::vector<Work> asked;
  for (std::size_t i = 0; i < members.size(); ++i) asked.push_back(ask(members[i], i));
  for (const Work& each : asked) each.wait();
}

std::vector<float> pattern(int rank, std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(rank + i % 7));
  }
  return values;
}

/// Small and large, so that they travel in one message and in pieces.
void check_values(const Members& members) {
  const int size = members[0].size();
  int wrong = 0;
  for (const std::int64_t count : {1, 5, 300, 70'001, 3'000'017}) {
    std::vector<Tensor> sums, sent, all, parts;
    for (const ProcessGroup& each : members) {
      const Device device = each.device();
      sums.push_back(from_host(pattern(each.rank(), count), {count}, device));
      sent.push_back(sums.back().clone());
      all.push_back(zeros({size * count}, device));
      parts.push_back(zeros({count}, device));
    }
    on_all(members, [&](auto& member, auto i) { return member.all_reduce(sums[i]); });
    on_all(members, [&](auto& member, auto i) { return member.all_gather(all[i], sent[i]); });
    on_all(members, [&](auto& member, auto i) { return member.reduce_scatter(parts[i], all[i]); });
    on_all(members, [&](auto& member, auto i) { return member.broadcast(sent[i], size - 1); });
    std::vector<float> sum(static_cast<std::size_t>(count)), gathered;
    for (int rank = 0; rank < size; ++rank) {
      const std::vector<float> values = pattern(rank, count);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
      gathered.insert(gathered.end(), values.begin(), values.end());
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      std::vector<float> part = pattern(members[i].rank(), count);
      for (float& each : part) each *= static_cast<float>(size);
      wrong += sums[i].to_vector<float>() != sum;
      wrong += all[i].to_vector<float>() != gathered;
      wrong += parts[i].to_vector<float>() != part;
      wrong += sent[i].to_vector<float>() != pattern(size - 1, count);
    }
  }
  for (const ProcessGroup& each : members) {
    say(each, "of " + std::to_string(size) + ", wrong: " + std::to_string(wrong));
  }
}

int run(const std::string& what, int num_devices) {
  std::vector<Device> devices;
  for (int i = 0; i < num_devices; ++i) devices.emplace_back("cpu:" + std::to_string(i));
  static Members members;
  members = ProcessGroup::join(devices, {.timeout = std::chrono::seconds(20)});
  const ProcessGroup& own = members[0];
  const Tensor tensor = ones({1000});
  const CollectiveOptions hurried{.timeout = std::chrono::seconds(3)};
  const bool is_bad = own.rank() == 1;
  if (what == "values") {
    check_values(members);
  } else if (what == "mismatch") {
    tell(own, [&] { return own.all_reduce(is_bad ? ones({7}) : tensor); });
  } else if (what == "abort") {
    own.barrier().wait();
    if (is_bad) own.abort("enough");
    tell(own, [&] { return own.all_reduce(tensor); });
  } else if (what == "leave") {
    own.barrier().wait();
    if (is_bad) own.leave("enough");
    tell(own, [&] { return own.all_reduce(tensor); });
  } else if (what == "late") {
    if (is_bad) std::this_thread::sleep_for(std::chrono::seconds(5));
    tell(own, [&] { return own.all_reduce(tensor, ReduceOp::kSum, hurried); });
  } else if (what == "stop") {
    if (is_bad) {
      say(own, "stops as " + std::to_string(getpid()));
      kill(getpid(), SIGSTOP);
    }
    tell(own, [&] { return own.all_reduce(tensor, ReduceOp::kSum, hurried); });
  } else if (what == "exit") {
    tell(own, [&] { return own.all_reduce(tensor); });
    std::exit(0);  // with a group that lives
  } else {
    std::printf("unknown: %s\n", what.c_str());
    return 2;
  }
  members.clear();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "values", argc > 2 ? std::atoi(argv[2]) : 1);
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
}
