// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What has started this process beside others.
#ifndef PATCHBAY_CORE_DISTRIBUTED_LAUNCHER_H_
#define PATCHBAY_CORE_DISTRIBUTED_LAUNCHER_H_

#include <cstdint>
#include <string>

namespace patchbay::distributed {

struct Launch {
  enum class By : std::uint8_t {
    kNone,     // one process
    kMpi,      // an mpirun, or SLURM with PMI: the MPI library knows the rest
    kSlurm,    // srun without PMI
    kTorchrun  // variables of torchrun
  };
  By by = By::kNone;
  std::string variables;  // "OMPI_COMM_WORLD_SIZE=2": where that is from
};

/// Reads the variables of launchers; none with raised privileges, or if the runtime reads none.
Launch find_launch(bool reads_variables);

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_LAUNCHER_H_
