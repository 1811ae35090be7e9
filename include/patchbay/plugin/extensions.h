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

/* "memory-info", version 1: the memory of a device that need not be open. */
#define PATCHBAY_EXTENSION_MEMORY_INFO "memory-info"

typedef struct patchbay_memory_info_table {
  uint64_t size;
  /* Like `info` of the memory table, without opening the device. If it answers that this is
   * unsupported, the library opens the device and asks `info`. */
  patchbay_status* (*info)(patchbay_driver*, uint32_t index, uint64_t* free_bytes,
                           uint64_t* total_bytes);
} patchbay_memory_info_table;

/* "exit", version 1: for libraries that cannot be called while the process exits. */
#define PATCHBAY_EXTENSION_EXIT "exit"

typedef struct patchbay_exit_table {
  uint64_t size;
  /* Called when the process begins to exit; from any thread, and possibly more than once. Prevents
   * new calls of such a library and waits until running calls have returned or the deadline has
   * passed. Work that is submitted later ends with correct results or an error. */
  void (*stop)(patchbay_driver*, uint64_t deadline_ns);
} patchbay_exit_table;

/* "graph", version 1: launches of one device that the driver replays as one submission. */
#define PATCHBAY_EXTENSION_GRAPH "graph"

typedef struct patchbay_graph patchbay_graph;
typedef struct patchbay_graph_table {
  uint64_t size;
  patchbay_status* (*create)(patchbay_device*, patchbay_graph**);
  /* No replay is pending. */
  void (*destroy)(patchbay_graph*);
  /* Begins a recording. The host then launches kernels on `*stream`, which the graph owns; they are
   * recorded and do not run. Nothing else is called for that stream. */
  patchbay_status* (*begin)(patchbay_graph*, patchbay_stream** stream);
  /* Ends the recording, which replaces an earlier one in later replays. After an error there is
   * none. The host calls it after each `begin`, also where a launch in between has failed. */
  patchbay_status* (*end)(patchbay_graph*);
  /* Queues the recorded launches, in order, with the arguments and the workspaces that they had. */
  patchbay_status* (*replay)(patchbay_graph*, patchbay_stream*, patchbay_string name);
} patchbay_graph_table;

/* "ranges", version 1: shows what the program does to a vendor's profiler. The library calls it
 * only where the program has asked for that. */
#define PATCHBAY_EXTENSION_RANGES "ranges"

typedef struct patchbay_ranges_table {
  uint64_t size;
  /* Begins a range on the calling thread, within those that it has begun before. */
  void (*begin)(patchbay_driver*, patchbay_string name);
  /* Ends the range that the calling thread has begun last. */
  void (*end)(patchbay_driver*);
} patchbay_ranges_table;

/* Reserved, each with version 1, for tables that a later minor version defines. A table that a
 * plugin gives under such a name before that is ignored, and the log says so. */
#define PATCHBAY_EXTENSION_EVENT_EXPORT "event-export" /* events for other plugins */
#define PATCHBAY_EXTENSION_IPC "ipc"                   /* memory for other processes */
#define PATCHBAY_EXTENSION_COLLECTIVE "collective"     /* operations over several devices */

#endif /* PATCHBAY_PLUGIN_EXTENSIONS_H_ */
