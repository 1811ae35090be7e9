// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Who is in a group of processes, and with which devices; then a sum over all of them.
//   mpirun -n 2 ranks [DEVICE...]
#include <cstdio>
#include <exception>
#include <vector>

#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::ProcessGroup;
using patchbay::Tensor;
using patchbay::Work;

int main(int argc, char** argv) try {
  std::vector<Device> devices;
  for (int i = 1; i < argc; ++i) devices.emplace_back(argv[i]);
  if (devices.empty()) devices.emplace_back("cpu:0");

  const std::vector<ProcessGroup> members = ProcessGroup::join(devices);
  if (members[0].rank() == 0) {
    for (const patchbay::MemberHealth& each : members[0].health()) {
      std::printf("rank %d of %d: %s", each.rank, members[0].size(), each.device.c_str());
      if (!each.host.empty()) {
        std::printf(" of process %lld on %s", static_cast<long long>(each.process),
                    each.host.c_str());
      }
      std::printf("\n");
    }
  }

  // Each member has its rank plus 1 in a tensor on its device. All of a process ask before one
  // waits.
  std::vector<Tensor> tensors;
  std::vector<Work> asked;
  for (const ProcessGroup& each : members) {
    tensors.push_back(patchbay::full({3}, each.rank() + 1.0, each.device()));
    asked.push_back(each.all_reduce(tensors.back()));
  }
  for (const Work& each : asked) each.wait();
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::printf("rank %d has the sum %g on %s\n", members[i].rank(),
                static_cast<double>(tensors[i].to_vector<float>()[0]),
                tensors[i].device().name().c_str());
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
