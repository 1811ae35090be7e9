// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/distributed/launcher.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/base/environment.h"
#include "core/base/error.h"

namespace patchbay::distributed {
namespace {

/// Whether the variable holds a number above 0.
bool is_count(const char* text) {
  if (text == nullptr) return false;
  const std::string_view view(text);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(view.begin(), view.end(), number);
  return error == std::errc() && end == view.end() && number > 0;
}

}  // namespace

Launch find_launch(bool reads_variables) {
  if (!reads_variables || base::has_raised_privileges()) return {};
  using enum Launch::By;
  for (const auto& [variable, by] :
       {std::pair("OMPI_COMM_WORLD_SIZE", kMpi), std::pair("PMI_SIZE", kMpi),
        std::pair("WORLD_SIZE", kTorchrun), std::pair("SLURM_NTASKS", kSlurm)}) {
    const char* const value = std::getenv(variable);
    if (!is_count(value)) continue;
    // A shell within an allocation of SLURM has the number of tasks, and was not started by srun.
    if (by == kSlurm && std::getenv("SLURM_PROCID") == nullptr) continue;
    return {by, fmt::format("{}={}", variable, value)};
  }
  return {};
}

}  // namespace patchbay::distributed
