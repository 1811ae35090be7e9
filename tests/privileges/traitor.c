/* Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0 */
/* Says that code of this file has run. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void leave_trace(void) {
  const char* path = getenv("PATCHBAY_TEST_TRACE");
  FILE* file = path != NULL ? fopen(path, "a") : NULL;
  if (file == NULL) return;
  fputs("the traitor ran\n", file);
  fclose(file);
}
