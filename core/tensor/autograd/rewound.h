// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Backward steps that repeat the random draws of their forward.
#ifndef PATCHBAY_CORE_TENSOR_AUTOGRAD_REWOUND_H_
#define PATCHBAY_CORE_TENSOR_AUTOGRAD_REWOUND_H_

#include "patchbay/random.h"

namespace patchbay::tensor {

/// Sets a generator back to an earlier state for a scope.
class Rewound {
 public:
  Rewound(const Generator& generator, Generator::State state)
      : generator_(generator), now_(generator.state()) {
    generator_.set_state(state);
  }
  ~Rewound() { generator_.set_state(now_); }
  Rewound(const Rewound&) = delete;
  Rewound& operator=(const Rewound&) = delete;

 private:
  const Generator& generator_;
  const Generator::State now_;
};

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_AUTOGRAD_REWOUND_H_
