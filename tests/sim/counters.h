// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What lives in the simulated driver: all zeros when a program has cleaned up.
#ifndef PATCHBAY_TESTS_SIM_COUNTERS_H_
#define PATCHBAY_TESTS_SIM_COUNTERS_H_

#include <stdint.h>

struct patchbay_sim_counters {
  uint64_t contexts, allocations, host_allocations, streams, events, modules, blas_handles;
  uint64_t blas_lt_objects;                        /* descriptors; handles are among the others */
  uint64_t blas_lt_searches;                       /* since the initialisation */
  uint64_t dnn_objects;                            /* handles and descriptors */
  uint64_t graphs;                                 /* recorded, and able to run */
  uint64_t graphs_made, graph_updates, graph_runs; /* since the initialisation */
  uint64_t peer_accesses;                          /* enabled since the initialisation */
  uint64_t launches;                               /* since the initialisation */
};

/* Of a simulated driver. */
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((visibility("default"))) void patchbay_sim_count(
    struct patchbay_sim_counters* counters);
/* Every call gives this code from now on, as in a forked child (3) or when the process ends (4); 0
 * puts an end to it. */
__attribute__((visibility("default"))) void patchbay_sim_set_gone(int code);
#ifdef __cplusplus
}
#endif

#endif  // PATCHBAY_TESTS_SIM_COUNTERS_H_
