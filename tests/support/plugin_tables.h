/* Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0 */
/* A plugin's tables, which a plugin with a planted bug copies from a good one and changes. */
#ifndef PATCHBAY_TESTS_SUPPORT_PLUGIN_TABLES_H_
#define PATCHBAY_TESTS_SUPPORT_PLUGIN_TABLES_H_

#include "patchbay/plugin/abi.h"

typedef struct plugin_tables {
  patchbay_plugin plugin;
  patchbay_memory_table memory;
  patchbay_stream_table stream;
  patchbay_event_table event;
  patchbay_kernel_table kernel;
} plugin_tables;

/* The copy of the plugin's table leads to the other copies. */
static inline void copy_tables(const patchbay_plugin* from, plugin_tables* to) {
  to->plugin = *from;
  to->memory = *from->memory;
  to->stream = *from->stream;
  to->event = *from->event;
  to->kernel = *from->kernel;
  to->plugin.memory = &to->memory;
  to->plugin.stream = &to->stream;
  to->plugin.event = &to->event;
  to->plugin.kernel = &to->kernel;
}

#endif /* PATCHBAY_TESTS_SUPPORT_PLUGIN_TABLES_H_ */
