// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// All of Patchbay's public headers.
#ifndef PATCHBAY_PATCHBAY_H_
#define PATCHBAY_PATCHBAY_H_

#include "patchbay/attention.h"
#include "patchbay/autograd.h"
#include "patchbay/buffer.h"
#include "patchbay/concat.h"
#include "patchbay/copy.h"
#include "patchbay/device.h"
#include "patchbay/dlpack.h"
#include "patchbay/dtype.h"
#include "patchbay/error.h"
#include "patchbay/functional.h"
#include "patchbay/fuse.h"
#include "patchbay/graph.h"
#include "patchbay/indexing.h"
#include "patchbay/interop.h"
#include "patchbay/kernel.h"
#include "patchbay/kernel_module.h"
#include "patchbay/log.h"
#include "patchbay/normalization.h"
#include "patchbay/operators.h"
#include "patchbay/ops.h"
#include "patchbay/print.h"
#include "patchbay/random.h"
#include "patchbay/runtime.h"
#include "patchbay/scalar.h"
#include "patchbay/shape.h"
#include "patchbay/stream.h"
#include "patchbay/tensor.h"
#include "patchbay/tensor_or_scalar.h"
#include "patchbay/trace.h"
#include "patchbay/updates.h"
#include "patchbay/validation.h"
#include "patchbay/version.h"

#endif  // PATCHBAY_PATCHBAY_H_
