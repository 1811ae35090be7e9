// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Starts tools/probe, which opens a plugin in a process of its own.
#ifndef PATCHBAY_CORE_RUNTIME_PROBE_PROBE_PROCESS_H_
#define PATCHBAY_CORE_RUNTIME_PROBE_PROBE_PROCESS_H_

#include <filesystem>
#include <string>
#include <vector>

namespace patchbay::runtime {

/// libexec/patchbay/patchbay-probe of the tree that the library is in.
std::filesystem::path installed_probe();

/// Starts the program that is the first argument, with that environment alone. Returns what it
/// wrote, up to the line "end"; nothing if that had not come 2 s after the deadline, when it is
/// killed. Of this process it inherits no descriptor, signal state, working directory or terminal.
/// Errors: kIo if it can't be started.
std::string run_probe(std::vector<std::string> arguments, std::vector<std::string> environment,
                      double deadline_seconds);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PROBE_PROBE_PROCESS_H_
