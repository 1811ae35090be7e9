// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The process that opens the plugin; supervisor.cpp watches it.
#ifndef PATCHBAY_TOOLS_PROBE_WORKER_H_
#define PATCHBAY_TOOLS_PROBE_WORKER_H_

#include <atomic>

namespace patchbay::probe {

/// Memory of both processes. What it has seen, the worker adds before it ends by itself.
struct Page {
  std::atomic<const char*> place{""};    // where the plugin's code runs, " in open"
  std::atomic<const char*> outcome{""};  // "sound", "answered" (it refuses itself) or "harm ..."
  char thrown[512] = "";                 // the text of an exception
  char changes[4096] = "";               // a line "change <setting>" for each
};

/// Opens the plugin and lists its devices. `words` are the program's arguments. Never returns.
[[noreturn]] void work(char** words, Page& page);

}  // namespace patchbay::probe

#endif  // PATCHBAY_TOOLS_PROBE_WORKER_H_
