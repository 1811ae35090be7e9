// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The data that the executor passes to a compiled kernel. The executor includes this file, and each
 * source that it compiles begins with it. */
#ifndef PATCHBAY_KIT_EXECUTOR_RECORD_H_
#define PATCHBAY_KIT_EXECUTOR_RECORD_H_

struct patchbay_launch {
  const void* const* arguments; /* pointers to buffers and values */
  __INT32_TYPE__ num_groups[3], group_size[3];
  __INT64_TYPE__ begin, end; /* groups; axis 0 varies fastest */
  char* stacks;              /* with barriers: a stack for each work-item of a group */
  __INT64_TYPE__ stack_bytes;
  char* shared; /* with barriers: the shared memory of a group */
  __INT64_TYPE__ shared_bytes;
  __INT32_TYPE__ failure; /* set by the kernel */
};

enum { PATCHBAY_UNEVEN_BARRIER = 1, PATCHBAY_TOO_MUCH_SHARED = 3 };

/* A kernel describes an argument by the number of its dtype (patchbay_dtype) and these bits. An
 * argument without a dtype contains its size in bytes. */
enum {
  PATCHBAY_HAS_NO_DTYPE = 255,
  PATCHBAY_IS_BUFFER = 256,
  PATCHBAY_IS_CONSTANT = 512,
  PATCHBAY_IS_ADDRESSES = 1024, /* of buffers, 8 bytes each; has no dtype */
  PATCHBAY_SIZE_SHIFT = 16
};

#endif /* PATCHBAY_KIT_EXECUTOR_RECORD_H_ */
