// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Everything of libpatchbay-nn: docs/modules.md, docs/data.md, docs/files.md.
#ifndef PATCHBAY_NN_H_
#define PATCHBAY_NN_H_

#include "patchbay/nn/activation.h"
#include "patchbay/nn/arrays.h"
#include "patchbay/nn/attention.h"
#include "patchbay/nn/checkpoint.h"
#include "patchbay/nn/containers.h"
#include "patchbay/nn/convolution.h"
#include "patchbay/nn/data.h"
#include "patchbay/nn/data_parallel.h"
#include "patchbay/nn/init.h"
#include "patchbay/nn/linear.h"
#include "patchbay/nn/loss.h"
#include "patchbay/nn/loss_scaler.h"
#include "patchbay/nn/module.h"
#include "patchbay/nn/normalization.h"
#include "patchbay/nn/optimizer.h"
#include "patchbay/nn/parameter.h"
#include "patchbay/nn/pooling.h"
#include "patchbay/nn/recurrent.h"
#include "patchbay/nn/safetensors.h"
#include "patchbay/nn/schedule.h"
#include "patchbay/nn/trainer.h"

#endif  // PATCHBAY_NN_H_
