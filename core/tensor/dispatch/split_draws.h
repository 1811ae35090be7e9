// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The positions of generators in a thread that draws for a part of a batch.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_SPLIT_DRAWS_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_SPLIT_DRAWS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "patchbay/random.h"
#include "patchbay/split_draws.h"

#include "core/runtime/device/generator_state.h"
#include "core/tensor/base/tensor_impl.h"

namespace patchbay::tensor {

using GeneratorPtr = std::shared_ptr<runtime::GeneratorState>;

/// What the parts share: where each generator was, and where the part that drew most left it.
struct SplitGenerators {
  struct Range {
    Generator::State first, last;
  };

  /// Where the generator was when a part first used it.
  Generator::State first_of(const GeneratorPtr& generator);
  void note_last(const GeneratorPtr& generator, Generator::State state);

  std::mutex mutex;
  std::map<GeneratorPtr, Range> ranges;
};

/// One part, used by its thread alone.
struct DrawPart {
  SplitGenerators& shared;
  const std::int64_t first_row, num_rows;
  std::map<GeneratorPtr, Generator::State> positions;

  /// Those of Generator.
  Generator::State advance(const GeneratorPtr& generator, std::uint64_t num_calls);
  void set_state(const GeneratorPtr& generator, Generator::State state) {
    static_cast<void>(advance(generator, 0));
    positions[generator] = state;
  }
  /// The index of the tensor's first element in the whole batch.
  std::int64_t base_of(const TensorImpl& drawn) const;
};

/// The part that this thread draws for; null outside of a SplitDraws::Scope.
extern constinit thread_local DrawPart* current_part;

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_SPLIT_DRAWS_H_
