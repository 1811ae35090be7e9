// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* Optional tables of a plugin, found by name and version: `get_device_extension` gives them for one
 * device, `get_extension` for all. A plugin's own names contain a '.' ("mine.counters"); all others
 * belong to the interface. */
#ifndef PATCHBAY_PLUGIN_EXTENSIONS_H_
#define PATCHBAY_PLUGIN_EXTENSIONS_H_

#include "patchbay/plugin/tables.h"

/* "adopt-context", version 1: opens a device in a context that the application created. */
#define PATCHBAY_EXTENSION_ADOPT_CONTEXT "adopt-context"

typedef struct patchbay_adopt_context_table {
  uint64_t size;
  /* Like the plugin's open_device, but in the context of that handle. The application owns the
   * context. If the driver counts references, the plugin holds one until close_device. */
  patchbay_status* (*open_device)(patchbay_driver*, uint32_t index, uint64_t native_context,
                                  patchbay_device**);
} patchbay_adopt_context_table;

/* "exit", version 1: for libraries that cannot be called while the process exits. */
#define PATCHBAY_EXTENSION_EXIT "exit"

typedef struct patchbay_exit_table {
  uint64_t size;
  /* Called when the process begins to exit; from any thread, and possibly more than once. Prevents
   * new calls of such a library and waits until running calls have returned or the deadline has
   * passed. Work that is submitted later ends with correct results or an error. */
  void (*stop)(patchbay_driver*, uint64_t deadline_ns);
} patchbay_exit_table;

/* Reserved, each with version 1, for tables that a later minor version defines. A table that a
 * plugin gives under such a name before that is ignored, and the log says so. */
#define PATCHBAY_EXTENSION_GRAPH "graph"               /* recorded work, replayed by the driver */
#define PATCHBAY_EXTENSION_EVENT_EXPORT "event-export" /* events for other plugins */
#define PATCHBAY_EXTENSION_IPC "ipc"                   /* memory for other processes */
#define PATCHBAY_EXTENSION_COLLECTIVE "collective"     /* operations over several devices */

#endif /* PATCHBAY_PLUGIN_EXTENSIONS_H_ */
