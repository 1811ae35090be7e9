// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Random draws of a batch that several threads compute in parts: docs/data-parallel.md.
#ifndef PATCHBAY_SPLIT_DRAWS_H_
#define PATCHBAY_SPLIT_DRAWS_H_

#include <cstdint>
#include <memory>

#include "patchbay/export.h"

namespace patchbay {

namespace tensor {
struct SplitGenerators;
struct DrawPart;
}  // namespace tensor

/// Gives each element of the parts of a batch the random number that it would have in the whole
/// one. Every generator that a part uses starts, in each part, at the position that it had at its
/// first use, and a draw of a part counts its elements from where they are in the whole batch.
/// Thread-safe.
class PATCHBAY_API SplitDraws {
 public:
  SplitDraws();
  ~SplitDraws();
  SplitDraws(const SplitDraws&) = delete;
  SplitDraws& operator=(const SplitDraws&) = delete;

  /// Until the scope ends, this thread draws for the rows [first_row, first_row + num_rows) of the
  /// batch. A tensor whose first extent is a multiple of num_rows has the numbers of these rows;
  /// any other one, and each permutation, is the same in all parts. `draws` outlives the scope.
  /// Errors: kInvalidArgument for a negative first row, or fewer rows than one.
  class PATCHBAY_API Scope {
   public:
    Scope(SplitDraws& draws, std::int64_t first_row, std::int64_t num_rows);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const std::unique_ptr<tensor::DrawPart> part_;
    tensor::DrawPart* const previous_;
  };

  /// Takes from each generator what the part that drew most has taken. Call it once, when all
  /// scopes have ended; without it, the generators stay where they were.
  void finish();

 private:
  const std::unique_ptr<tensor::SplitGenerators> generators_;
};

}  // namespace patchbay

#endif  // PATCHBAY_SPLIT_DRAWS_H_
