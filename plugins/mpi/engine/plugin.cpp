// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Groups of processes on MPI: docs/several-machines.md.
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "patchbay/plugin/kit/collective.hpp"

#include "kit/library/library.hpp"
#include "mpi/engine/network.hpp"
#include "mpi/library/mpi.hpp"

namespace patchbay::mpi {
namespace {

class MpiWork final : public plugin::Work {
 public:
  MpiWork(std::shared_ptr<Network> network, std::shared_ptr<CallState> call)
      : network_(std::move(network)), call_(std::move(call)) {}

  bool is_unused() override { return network_->is_unused(*call_); }
  void check() override { network_->check(*call_); }
  bool wait(std::uint64_t deadline_ns) override { return network_->wait(call_, deadline_ns); }

 private:
  const std::shared_ptr<Network> network_;
  const std::shared_ptr<CallState> call_;
};

class MpiGroup final : public plugin::Group {
 public:
  MpiGroup(std::shared_ptr<Network> network, const std::vector<int>& processes)
      : network_(std::move(network)), group_(network_->make_group(processes)) {}

  /// Blocks until all members have made it.
  void meet(std::uint64_t deadline_ns) {
    patchbay_transfer barrier{};
    barrier.kind = PATCHBAY_BARRIER;
    patchbay_call call{};
    call.size = sizeof(call);
    call.transfers = &barrier;
    call.num_transfers = 1;
    call.text = plugin::to_abi("join");
    call.deadline_ns = deadline_ns;
    network_->wait(network_->start(group_, call), PATCHBAY_NO_DEADLINE);
  }

  std::unique_ptr<plugin::Work> start(const patchbay_call& call) override {
    return std::make_unique<MpiWork>(network_, network_->start(group_, call));
  }
  std::unique_ptr<plugin::Group> split(std::span<const std::uint32_t> ranks,
                                       std::uint64_t deadline_ns) override {
    std::vector<int> processes;
    bool is_member = false;
    for (const std::uint32_t rank : ranks) {
      if (rank >= group_->members.size()) plugin::invalid_argument("no such member");
      processes.push_back(group_->members[rank].process);
      is_member = is_member || rank == group_->own;
    }
    if (!is_member) plugin::invalid_argument("this process is not among the members");
    auto made = std::make_unique<MpiGroup>(network_, processes);
    made->meet(deadline_ns);
    return made;
  }
  void leave(std::string_view reason) noexcept override {
    try {
      network_->leave(group_, reason);
    } catch (...) {  // NOLINT(bugprone-empty-catch): the others see it by their deadlines
    }
  }
  void abort(std::string_view reason) noexcept override {
    try {
      network_->abort(group_, reason);
    } catch (...) {  // NOLINT(bugprone-empty-catch): as above
    }
  }
  void health(const std::function<void(const plugin::MemberInfo&)>& found) override {
    for (const plugin::MemberInfo& each : network_->health(*group_)) found(each);
  }

 private:
  const std::shared_ptr<Network> network_;
  const std::shared_ptr<GroupState> group_;
};

/// The one of this process, for all runtimes: MPI can't begin again. It ends with the process,
/// after everything that was set up before it.
std::shared_ptr<Network> network_of_process(plugin::Host host) {
  static std::mutex mutex;
  static std::shared_ptr<Network>& network = *new std::shared_ptr<Network>();
  const std::scoped_lock lock(mutex);
  if (network == nullptr) {
    network = Network::make(open_mpi(host));
    stay_loaded(reinterpret_cast<const void*>(&network_of_process));
    static const pid_t process = getpid();
    std::atexit([] {
      if (getpid() == process) network->close();
    });
  }
  return network;
}

class MpiEngine final : public plugin::Engine {
 public:
  explicit MpiEngine(plugin::Host host)
      : network_(network_of_process(host)), library_(network_->library()) {}

  patchbay_collective_properties describe() override {
    patchbay_collective_properties properties{};
    properties.size = sizeof(properties);
    properties.capabilities = PATCHBAY_COLLECTIVE_SEES_LOSS;
    for (const int kind : {PATCHBAY_ALL_GATHER, PATCHBAY_BROADCAST, PATCHBAY_ALL_TO_ALL,
                           PATCHBAY_SEND, PATCHBAY_RECEIVE, PATCHBAY_BARRIER}) {
      properties.kinds |= std::uint64_t{1} << kind;
    }
    if (const auto found = launched()) {
      properties.launched_rank = found->rank;
      properties.launched_size = found->size;
    }
    properties.library = plugin::to_abi(library_);
    return properties;
  }

  std::unique_ptr<plugin::Group> join(const patchbay_join& join) override {
    network_->connect(join.deadline_ns);
    const auto rank = static_cast<std::uint32_t>(network_->rank());
    const auto size = static_cast<std::uint32_t>(network_->size());
    if (rank != join.rank || size != join.num_members) {
      plugin::unsupported(library_ + " has rank " + std::to_string(rank) + " of " +
                          std::to_string(size) + ", and the launcher gave rank " +
                          std::to_string(join.rank) + " of " + std::to_string(join.num_members) +
                          ": start the processes with the mpirun of this library");
    }
    std::vector<int> processes;
    for (int i = 0; i < network_->size(); ++i) processes.push_back(i);
    auto made = std::make_unique<MpiGroup>(network_, processes);
    made->meet(join.deadline_ns);
    return made;
  }

 private:
  const std::shared_ptr<Network> network_;
  const std::string library_;
};

}  // namespace
}  // namespace patchbay::mpi

PATCHBAY_PLUGIN_SETTINGS("mpi_library");
PATCHBAY_DEFINE_COLLECTIVE("mpi", "mpi", "0.1", patchbay::mpi::MpiEngine);
