// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* Tables that a plugin may have beyond its own, found by name and version with `get_extension`. */
#ifndef PATCHBAY_PLUGIN_EXTENSIONS_H_
#define PATCHBAY_PLUGIN_EXTENSIONS_H_

#include "patchbay/plugin/tables.h"

/* "adopt-context", version 1: a device in a context that the application made. */
#define PATCHBAY_EXTENSION_ADOPT_CONTEXT "adopt-context"

typedef struct patchbay_adopt_context_table {
  uint64_t size;
  /* As the plugin's own open_device, but in the context behind that handle. The context stays the
   * application's; a plugin that can counts itself among its holders until close_device. */
  patchbay_status* (*open_device)(patchbay_driver*, uint32_t index, uint64_t native_context,
                                  patchbay_device**);
} patchbay_adopt_context_table;

/* "exit", version 1: for libraries that do not survive the end of the process. */
#define PATCHBAY_EXTENSION_EXIT "exit"

typedef struct patchbay_exit_table {
  uint64_t size;
  /* The process has begun to end; called from any thread, and more than
   * once. Waits until no call of such a library is
   * running, until the deadline at most, and lets none begin. Work that is submitted later ends
   * with right results or an error. */
  void (*stop)(patchbay_driver*, uint64_t deadline_ns);
} patchbay_exit_table;

#endif /* PATCHBAY_PLUGIN_EXTENSIONS_H_ */
