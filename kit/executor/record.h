// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* What the executor hands to a compiled kernel. Part of both sides: this plugin includes it, and
 * the text that is compiled begins with it. */
#ifndef PATCHBAY_KIT_EXECUTOR_RECORD_H_
#define PATCHBAY_KIT_EXECUTOR_RECORD_H_

struct patchbay_launch {
  const void* const* arguments; /* a buffer's address, or where a value is */
  __INT32_TYPE__ num_groups[3], group_size[3];
  __INT64_TYPE__ begin, end; /* groups, axis 0 running fastest */
  char* stacks;              /* with barriers: a stack for each work-item of a group */
  __INT64_TYPE__ stack_bytes;
  __INT32_TYPE__ failure; /* set by the kernel */
};

enum { PATCHBAY_UNEVEN_BARRIER = 1 };

/* How a kernel describes an argument: the boundary's number of the dtype, and these. What has no
 * dtype says how many bytes it has. */
enum {
  PATCHBAY_HAS_NO_DTYPE = 255,
  PATCHBAY_IS_BUFFER = 256,
  PATCHBAY_IS_CONSTANT = 512,
  PATCHBAY_SIZE_SHIFT = 16
};

#endif /* PATCHBAY_KIT_EXECUTOR_RECORD_H_ */
