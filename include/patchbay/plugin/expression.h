// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* Fused elementwise expressions: docs/plugin-abi.md, Fused expressions. */
#ifndef PATCHBAY_PLUGIN_EXPRESSION_H_
#define PATCHBAY_PLUGIN_EXPRESSION_H_

#include "patchbay/plugin/types.h"

/* The format that load_module receives, and the first word of the program. */
#define PATCHBAY_FORMAT_EXPRESSION "patchbay-expr/1"
/* The only kernel of such a module. */
#define PATCHBAY_FUSED_KERNEL "fused"

#endif /* PATCHBAY_PLUGIN_EXPRESSION_H_ */
