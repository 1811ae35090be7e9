// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* A driver of either vendor that is new enough and has none of the entries. */
__attribute__((visibility("default"))) int cuDriverGetVersion(int* version);
__attribute__((visibility("default"))) int hipRuntimeGetVersion(int* version);

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

int hipRuntimeGetVersion(int* version) {
  *version = 60200000;
  return 0;
}
