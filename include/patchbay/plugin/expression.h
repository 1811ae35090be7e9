// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGIN_EXPRESSION_H_
#define PATCHBAY_PLUGIN_EXPRESSION_H_
#define PATCHBAY_FORMAT_EXPRESSION "patchbay-expr/1"
#define PATCHBAY_FUSED_KERNEL "fused"
#endif
