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
struct DrawScope;

/// Rows of a batch.
struct DrawRows {
  std::int64_t first, num;
};

/// What the parts share: where each generator was, and where the part that drew most left it.
struct SplitGenerators {
  struct Range {
    Generator::State first, last;
  };

  SplitGenerators();

  /// Where the generator was when a part first used it.
  Generator::State first_of(const GeneratorPtr& generator);
  void note_last(const GeneratorPtr& generator, Generator::State state);
  /// Takes from the generator what the part that drew most has taken.
  void take(const GeneratorPtr& generator, const Range& range) const;

  const std::shared_ptr<DrawScope> scope;  // sees what all parts together draw; or null
  std::mutex mutex;
  std::map<GeneratorPtr, Range> ranges;
};

/// One part, used by its thread alone.
struct DrawPart {
  SplitGenerators* const shared;  // null if only the elements are counted from the rows
  const DrawRows rows;
  std::map<GeneratorPtr, Generator::State> positions;
  DrawScope* const previous_scope;  // the thread's, which sees nothing of a part

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
