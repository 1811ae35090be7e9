// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* A driver that is new enough and has none of the entries. */
__attribute__((visibility("default"))) int cuDriverGetVersion(int* version);
int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
