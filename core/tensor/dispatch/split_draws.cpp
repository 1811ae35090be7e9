// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/split_draws.h"

#include <utility>

#include "core/base/error.h"
#include "core/tensor/dispatch/draw_scope.h"

namespace patchbay {

namespace tensor {

constinit thread_local DrawPart* current_part = nullptr;

namespace {

constexpr char kParts = 0;
constexpr DrawKind kAllParts{&kParts};  // what the parts of a batch draw together

}  // namespace

SplitGenerators::SplitGenerators()
    : scope(draw_scope != nullptr ? draw_scope->shared_from_this() : nullptr) {}

Generator::State SplitGenerators::first_of(const GeneratorPtr& generator) {
  const std::scoped_lock lock(mutex);
  const auto [known, is_new] = ranges.try_emplace(generator);
  if (!is_new) return known->second.first;
  std::optional<Generator::State> repeated;
  if (DrawReplay* const replay = scope != nullptr ? scope->source() : nullptr) {
    repeated = replay->peek(generator, kAllParts);
  }
  if (!repeated) {
    const std::scoped_lock own(runtime::generators_mutex());
    repeated = Generator::State{generator->seed, generator->offset};
  }
  known->second.first = known->second.last = *repeated;
  return *repeated;
}

void SplitGenerators::take(const GeneratorPtr& generator, const Range& range) const {
  const bool is_drawn = range.last.seed == range.first.seed;
  const std::uint64_t num_calls = is_drawn ? range.last.offset - range.first.offset : 0;
  if (scope != nullptr) {
    scope->note(generator, {kAllParts, range.first});
    DrawReplay* const replay = scope->source();
    if (replay != nullptr && replay->take(generator, num_calls, kAllParts)) {
      static_cast<void>(is_drawn || replay->set_state(generator, range.last));
      return;
    }
  }
  const std::scoped_lock own(runtime::generators_mutex());
  if (is_drawn) {
    generator->offset += num_calls;
  } else {
    generator->seed = range.last.seed;
    generator->offset = range.last.offset;
  }
}

void SplitGenerators::note_last(const GeneratorPtr& generator, Generator::State state) {
  const std::scoped_lock lock(mutex);
  Range& range = ranges.at(generator);
  if (state.seed != range.last.seed || state.offset > range.last.offset) range.last = state;
}

Generator::State DrawPart::advance(const GeneratorPtr& generator, std::uint64_t num_calls) {
  auto known = positions.find(generator);
  if (known == positions.end()) {
    known = positions.emplace(generator, shared->first_of(generator)).first;
  }
  const Generator::State before = known->second;
  known->second.offset += num_calls;
  return before;
}

std::int64_t DrawPart::base_of(const TensorImpl& drawn) const {
  if (drawn.is_empty() || drawn.shape.rank() == 0 || drawn.shape[0] % rows.num != 0) return 0;
  std::int64_t base = 0;
  if (__builtin_mul_overflow(drawn.num_elements / rows.num, rows.first, &base)) {
    base::raise(ErrorCode::kOverflow,
                "[random] the batch is too large: expected an index that 64 bits hold, got row "
                "{} of {} elements each. Split it into smaller ones.",
                rows.first, drawn.num_elements / rows.num);
  }
  return base;
}

}  // namespace tensor

SplitDraws::SplitDraws() : generators_(std::make_unique<tensor::SplitGenerators>()) {}

SplitDraws::~SplitDraws() = default;

void SplitDraws::finish() {
  const std::scoped_lock lock(generators_->mutex);
  for (const auto& [generator, range] : generators_->ranges) generators_->take(generator, range);
}

namespace {

std::unique_ptr<tensor::DrawPart> make_part(tensor::SplitGenerators& shared, std::int64_t first_row,
                                            std::int64_t num_rows) {
  if (first_row < 0 || num_rows < 1) {
    base::raise(ErrorCode::kInvalidArgument,
                "[SplitDraws] no part of a batch: expected a first row from 0 and at least one "
                "row, got row {} and {} rows. Leave out empty parts.",
                first_row, num_rows);
  }
  return std::make_unique<tensor::DrawPart>(
      tensor::DrawPart{&shared, {first_row, num_rows}, {}, tensor::draw_scope});
}

}  // namespace

SplitDraws::Scope::Scope(SplitDraws& draws, std::int64_t first_row, std::int64_t num_rows)
    : part_(make_part(*draws.generators_, first_row, num_rows)),
      previous_(std::exchange(tensor::current_part, part_.get())) {
  tensor::draw_scope = nullptr;
}

SplitDraws::Scope::~Scope() {
  tensor::draw_scope = part_->previous_scope;
  tensor::current_part = previous_;
  for (const auto& [generator, state] : part_->positions)
    part_->shared->note_last(generator, state);
}

}  // namespace patchbay
