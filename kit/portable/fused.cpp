// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/fused.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "kit/expression/walk.hpp"
#include "kit/portable/dtypes.hpp"
#include "kit/portable/text.hpp"

namespace patchbay::portable {
namespace {

using expression::kMaxTensors;
using expression::Program;
using expression::Walk;

constexpr std::uint64_t kGroupItems = 256;

/// How many elements of the last dimension a work-item takes: a CPU's are threads.
std::int64_t chunk_of(const Traits& traits) { return traits.is_cpu ? 64 : 1; }

/// The text compiled for one type of indices.
struct Compiled {
  Compiled(Backend& backend, const std::string& text)
      : program(backend.build(text)),
        dense(program->function("dense")),
        strided(program->function("strided")) {}

  const std::unique_ptr<portable::Program> program;
  const std::unique_ptr<Function> dense, strided;
};

/// The text's struct of that name; it ends after the tensors that there are.
template <class Index>
struct Nest {
  Index rank, chunks, items, unused;
  Index shape[PATCHBAY_MAX_RANK];
  Index strides[kMaxTensors][PATCHBAY_MAX_RANK];

  static std::size_t size_bytes(std::size_t num_tensors) {
    return sizeof(Index) * (4 + PATCHBAY_MAX_RANK * (1 + num_tensors));
  }
};

template <class Index>
Nest<Index> nest_of(const Walk& walk, std::int64_t chunk) {
  Nest<Index> nest{};
  const std::size_t rank = std::max<std::size_t>(walk.rank, 1);
  const std::int64_t length = walk.rank > 0 ? walk.dims[rank - 1].size : 1;
  nest.rank = static_cast<Index>(rank);
  nest.chunks = static_cast<Index>(pieces(length, chunk));
  nest.items = static_cast<Index>(walk.num_elements() / length * pieces(length, chunk));
  nest.shape[0] = 1;
  for (std::size_t d = 0; d < walk.rank; ++d) {
    nest.shape[d] = static_cast<Index>(walk.dims[d].size);
    for (std::size_t t = 0; t < walk.num_tensors; ++t) {
      nest.strides[t][d] = static_cast<Index>(walk.dims[d].strides[t]);
    }
  }
  return nest;
}

/// Whether every place of every tensor fits in 31 bits, rounded up to groups and chunks.
bool is_small(const Walk& walk) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / 2;
  if (walk.num_elements() > kMost) return false;
  for (std::size_t t = 0; t < walk.num_tensors; ++t) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < walk.rank; ++d) {
      last += (walk.dims[d].size - 1) * walk.dims[d].strides[t];
    }
    if (last > kMost) return false;
  }
  return true;
}

Grid grid_of(std::int64_t items, const Function& function) {
  return {{static_cast<std::uint64_t>(items), 1, 1},
          {std::min(kGroupItems, function.max_group_size()), 1, 1}};
}

class FusedKernel final : public plugin::Kernel {
 public:
  FusedKernel(Backend& backend, Program program)
      : backend_(backend), program_(std::move(program)), small_(backend, text("i32")) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    expression::check_arguments(program_, arguments);
    const Walk walk(arguments.first(program_.num_tensors()));
    if (walk.num_elements() == 0) return;
    Arguments to;
    for (const patchbay_argument& argument : arguments) {
      if (argument.kind == PATCHBAY_TENSOR) {
        to.memory(argument.value.memory);
      } else {
        to.bytes(&argument.value.bits, element_bytes(argument.dtype));
      }
    }
    const std::string_view shown = name.empty() ? std::string_view(PATCHBAY_FUSED_KERNEL) : name;
    if (is_small(walk)) {
      enqueue<std::int32_t>(stream, shown, small_, walk, to);
    } else {
      enqueue<std::int64_t>(stream, shown, large(), walk, to);
    }
  }

 private:
  std::string text(std::string_view index) const {
    return alias("INDEX", index) + define("CHUNK", chunk_of(backend_.traits())) +
           fused_text(program_);
  }

  const Compiled& large() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (large_ == nullptr) large_ = std::make_unique<Compiled>(backend_, text("i64"));
    return *large_;
  }

  template <class Index>
  void enqueue(plugin::Stream& stream, std::string_view name, const Compiled& code,
               const Walk& walk, Arguments& to) const {
    if (walk.is_dense()) {
      to.value(static_cast<Index>(walk.num_elements()));
      return code.dense->launch(stream, name, grid_of(walk.num_elements(), *code.dense), to);
    }
    const auto nest = nest_of<Index>(walk, chunk_of(backend_.traits()));
    to.bytes(&nest, Nest<Index>::size_bytes(walk.num_tensors));
    code.strided->launch(stream, name, grid_of(nest.items, *code.strided), to);
  }

  Backend& backend_;
  const Program program_;
  const Compiled small_;
  std::mutex mutex_;
  std::unique_ptr<Compiled> large_;  // built when a tensor needs wide indices
};

class FusedModule final : public plugin::Module {
 public:
  FusedModule(Backend& backend, Program program)
      : backend_(backend), program_(std::move(program)) {}

  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override {
    expression::check_kernel(program_, name, arguments);
    return std::make_unique<FusedKernel>(backend_, program_);
  }

 private:
  Backend& backend_;
  const Program program_;
};

}  // namespace

std::unique_ptr<plugin::Module> load_fused(Backend& backend, std::string_view code) {
  expression::Program program = expression::parse(code);
  for (const expression::Value& value : program.values) {
    const bool is_half = value.dtype == PATCHBAY_F16 || value.dtype == PATCHBAY_BF16;
    if (!is_half && (value.dtype != PATCHBAY_F64 || backend.traits().has_f64)) continue;
    plugin::unsupported("a fused expression: this device (" + backend.traits().name + ") has no " +
                        dtype_name(value.dtype));
  }
  return std::make_unique<FusedModule>(backend, std::move(program));
}

}  // namespace patchbay::portable
