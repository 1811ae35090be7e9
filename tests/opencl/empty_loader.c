// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* An ICD loader without a single entry of OpenCL. */
int patchbay_test_nothing(void);
int patchbay_test_nothing(void) { return 0; }
