// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/elementwise/elementwise.hpp"

#include <algorithm>
#include <limits>

#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/elementwise/elementwise_text.hpp"

namespace patchbay::portable {
namespace {

using expression::kMaxTensors;
using expression::Nest;

constexpr std::uint64_t kGroupItems = 256;
/// With at most so many elements, an accelerator gains nothing from packs, and a short kernel
/// starts sooner.
constexpr std::int64_t kFewElements = std::int64_t{1} << 14;

/// The number of elements along the last dimension per work-item; CPUs vectorise the loop. On
/// accelerators 0: `spread` decides.
std::int64_t chunk_of(const Traits& traits) { return traits.is_cpu ? 64 : 0; }

/// How the work-items of an accelerator share rows: 2^width_bits of them take a chunk, each `held`
/// elements.
struct Spread {
  std::int64_t held, width_bits;

  std::int64_t chunk() const { return held << width_bits; }
};
/// Where there are enough elements to keep the device busy, a work-item takes several, so that the
/// address of the row is computed once for them. If more than a fifth of the work-items would be
/// idle, each takes one element.
Spread spread(const Nest& nest) {
  constexpr std::int64_t kLeastElements = std::int64_t{1} << 18;
  if (nest.num_elements() >= kLeastElements) {
    for (const Spread wide : {Spread{4, 6}, Spread{4, 5}, Spread{4, 4}}) {
      const std::int64_t covered = pieces(nest.inner_size(), wide.chunk()) * wide.chunk();
      if (covered - nest.inner_size() <= nest.inner_size() / 4) return wide;
    }
  }
  return {1, 0};
}

/// The number of rows per work-item of a CPU. Several rows let the reads of transposed tensors
/// share cache lines; other tensors are read in sequence with one row.
std::int64_t band_of(const Nest& nest) {
  constexpr std::int64_t kBand = 16;
  bool is_turned = false;
  for (int t = 0; t < nest.num_operands; ++t) is_turned = is_turned || nest.inner_stride(t) > 1;
  return is_turned ? kBand : 1;
}

std::string whole_text(const std::string& text, bool is_small, bool is_turned,
                       const Traits& traits) {
  return alias("INDEX", is_small ? "i32" : "i64") + define("CHUNK", chunk_of(traits)) +
         define("TURNED", is_turned ? 1 : 0) + define("GROUPS", 0) + text;
}

constexpr std::int64_t kTile = 32;  // of the kernel `turned`, whose groups have kGroupItems

/// Brings the dimension along which operand 1 is contiguous next to the last. Returns false if the
/// kernel `turned` would not help: if there is none, or a tile would be mostly empty.
bool can_turn(Nest& nest) {
  const int last = nest.rank - 1;
  if (nest.num_operands != 2 || last < 1 || nest.inner_stride(0) != 1 ||
      nest.inner_stride(1) == 1 || nest.inner_size() < kTile / 2) {
    return false;
  }
  for (int d = 0; d < last; ++d) {
    if (nest.strides[1][d] != 1 || nest.shape[d] < kTile / 2) continue;
    nest.exchange(d, last - 1);
    return true;
  }
  return false;
}

Grid grid_of(std::int64_t items, const Function& function) {
  return {{static_cast<std::uint64_t>(items), 1, 1},
          {std::min(kGroupItems, function.max_group_size()), 1, 1}};
}

/// The struct Nest of the text, which ends after the last tensor.
template <class Index>
struct NestArgument {
  Index rank, band, bands, chunks, items, width_bits;
  Index shape[PATCHBAY_MAX_RANK];
  Index strides[kMaxTensors][PATCHBAY_MAX_RANK];

  static std::size_t size_bytes(std::size_t num_tensors) {
    return sizeof(Index) * (6 + PATCHBAY_MAX_RANK * (1 + num_tensors));
  }
};

/// With `band` rows and `chunk` columns for each work-item, or group. The rank is at least 2.
template <class Index>
NestArgument<Index> to_argument(const Nest& nest, std::int64_t band, std::int64_t chunk) {
  NestArgument<Index> argument{};
  const std::int64_t length = nest.shape[nest.rank - 1], height = nest.shape[nest.rank - 2];
  const std::int64_t bands = pieces(height, band), chunks = pieces(length, chunk);
  argument.rank = static_cast<Index>(nest.rank);
  argument.band = static_cast<Index>(band);
  argument.bands = static_cast<Index>(bands);
  argument.chunks = static_cast<Index>(chunks);
  argument.items = static_cast<Index>(nest.num_elements() / length / height * bands * chunks);
  for (int d = 0; d < nest.rank; ++d) {
    argument.shape[d] = static_cast<Index>(nest.shape[d]);
    for (int t = 0; t < nest.num_operands; ++t) {
      argument.strides[t][d] = static_cast<Index>(nest.strides[t][d]);
    }
  }
  return argument;
}

/// Whether all offsets in all tensors fit in 31 bits.
bool is_small(const Nest& nest) {
  // Half the range: items are rounded up to groups, and chunks to the length of a row.
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / 2;
  bool fits = nest.num_elements() <= kMost;
  for (int t = 0; t < nest.num_operands; ++t) fits = fits && nest.last_offset(t) <= kMost;
  return fits;
}

/// In the order of the text: tensors, then scalars.
void set_arguments(Arguments& to, plugin::Arguments arguments) {
  for (const patchbay_argument& argument : arguments) {
    if (argument.kind == PATCHBAY_TENSOR) to.memory(argument.value.memory);
  }
  for (const patchbay_argument& argument : arguments) {
    if (argument.kind == PATCHBAY_TENSOR) continue;
    to.bytes(&argument.value.bits, element_bytes(argument.dtype));
  }
}

}  // namespace

struct ElementwiseKernel::Code {
  /// `has_few`: whether to load the kernel `few`. Only texts with packs have it.
  Code(Backend& backend, const std::string& text, bool has_few)
      : program(backend.build(text)),
        dense(program("dense")),
        few(has_few ? program("few") : nullptr),
        strided(program("strided")) {}

  const Program program;
  const std::unique_ptr<Function> dense, few, strided;
};

struct ElementwiseKernel::TurnedCode {
  TurnedCode(Backend& backend, const std::string& text)
      : program(backend.build(text)), turned(program("turned")) {}

  const Program program;
  const std::unique_ptr<Function> turned;
};

ElementwiseKernel::ElementwiseKernel(Backend& backend, std::string name,
                                     const expression::Program& program, bool keeps_order)
    : backend_(backend),
      name_(std::move(name)),
      text_(elementwise_text(program, backend.traits())),
      at_once_(std::max(vector_of(program, backend.traits()), pack_of(program, backend.traits()))),
      can_turn_(portable::can_turn(program, backend.traits()) && !keeps_order),
      num_tensors_(program.num_tensors()),
      num_arguments_(program.num_tensors() + program.scalars.size()),
      keeps_order_(keeps_order),
      small_(std::make_unique<Code>(backend, whole_text(text_, true, false, backend.traits()),
                                    pack_of(program, backend.traits()) > 1)) {}

ElementwiseKernel::~ElementwiseKernel() = default;

void ElementwiseKernel::check_arguments(plugin::Arguments arguments) const {
  std::size_t num_tensors = 0;
  bool fit = arguments.size() == num_arguments_;
  for (const patchbay_argument& argument : arguments) {
    if (argument.kind != PATCHBAY_TENSOR) continue;
    ++num_tensors;
    if (argument.rank == arguments[0].rank &&
        std::equal(argument.shape, argument.shape + argument.rank, arguments[0].shape)) {
      continue;
    }
    plugin::invalid_argument(name_ +
                             ": the shapes of the tensors differ: broadcast with a stride of 0");
  }
  fit = fit && num_tensors == num_tensors_;
  if (!fit) plugin::invalid_argument(name_ + ": not the arguments that it was prepared for");
}

const ElementwiseKernel::Code& ElementwiseKernel::code_for(bool is_small) {
  if (is_small) return *small_;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (large_ == nullptr) {
    large_ =
        std::make_unique<Code>(backend_, whole_text(text_, false, false, backend_.traits()), false);
  }
  return *large_;
}

Function* ElementwiseKernel::turned() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (turned_ == nullptr) {
    turned_ =
        std::make_unique<TurnedCode>(backend_, whole_text(text_, true, true, backend_.traits()));
  }
  return turned_->turned->max_group_size() < kGroupItems ? nullptr : turned_->turned.get();
}

template <class Index>
void ElementwiseKernel::enqueue(plugin::Stream& stream, const Code& code, const Nest& nest,
                                Arguments& arguments, std::string_view name) const {
  if (nest.is_dense()) {
    const std::int64_t count = nest.num_elements();
    arguments.value(static_cast<Index>(count));
    if (code.few != nullptr && count <= kFewElements) {
      return code.few->launch(stream, name, grid_of(count, *code.few), arguments);
    }
    return code.dense->launch(stream, name, grid_of(pieces(count, at_once_), *code.dense),
                              arguments);
  }
  Nest padded = nest;
  padded.pad(2);
  const Traits& traits = backend_.traits();
  NestArgument<Index> argument;
  if (traits.is_cpu) {
    argument = to_argument<Index>(padded, band_of(padded), chunk_of(traits));
  } else {
    const Spread shared = spread(padded);
    argument = to_argument<Index>(padded, 1, shared.chunk());
    argument.band = static_cast<Index>(shared.held);
    argument.width_bits = static_cast<Index>(shared.width_bits);
    argument.items <<= shared.width_bits;
  }
  arguments.bytes(&argument, NestArgument<Index>::size_bytes(num_tensors_));
  code.strided->launch(stream, name, grid_of(argument.items, *code.strided), arguments);
}

bool ElementwiseKernel::enqueue_turned(plugin::Stream& stream, Nest nest, Arguments& arguments,
                                       std::string_view name) {
  if (!can_turn_ || !can_turn(nest)) return false;
  Function* const function = turned();
  if (function == nullptr) return false;
  const auto argument = to_argument<std::int32_t>(nest, kTile, kTile);
  arguments.bytes(&argument, NestArgument<std::int32_t>::size_bytes(num_tensors_));
  const auto groups = static_cast<std::uint64_t>(argument.items);
  function->launch(stream, name, {{groups * kGroupItems, 1, 1}, {kGroupItems, 1, 1}}, arguments);
  return true;
}

void ElementwiseKernel::launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
                               std::string_view name) {
  check_arguments(arguments);
  const Nest nest = expression::nest_of(arguments, keeps_order_);
  if (nest.num_elements() == 0) return;
  Arguments to;
  set_arguments(to, arguments);
  const std::string_view shown = name.empty() ? std::string_view(name_) : name;
  if (is_small(nest) && enqueue_turned(stream, nest, to, shown)) return;
  if (is_small(nest)) {
    enqueue<std::int32_t>(stream, code_for(true), nest, to, shown);
  } else {
    enqueue<std::int64_t>(stream, code_for(false), nest, to, shown);
  }
}

}  // namespace patchbay::portable
