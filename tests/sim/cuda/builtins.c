// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* What the simulated compiler opens and never calls. */
__attribute__((visibility("default"))) int patchbay_sim_builtins(void);
int patchbay_sim_builtins(void) { return 99; }
