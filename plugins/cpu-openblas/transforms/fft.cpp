// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fourier transforms: each thread takes strips of columns, one after the other.
#include "cpu-openblas/transforms/fft.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "kit/fft.hpp"

namespace patchbay::cpu {
namespace {

/// Elements below which a fork and join costs more than it saves.
constexpr std::int64_t kWorthSharing = 1 << 13;

/// The turns of a length, and those between two transforms.
struct Tables {
  std::vector<std::byte> turns, turned;
  std::size_t size_bytes() const { return turns.size() + turned.size(); }
};

/// Those of the last lengths.
class KeptTables {
 public:
  explicit KeptTables(const FftLoops& loops, std::int64_t element_bytes)
      : loops_(loops), element_bytes_(element_bytes) {}

  /// `work`: the memory of a strip.
  std::shared_ptr<const Tables> of(const FftSizes& sizes, void* work) {
    const Key key{sizes.n, sizes.turned == 0 ? 0 : FftPlan::turned_columns(sizes)};
    const std::scoped_lock lock(mutex_);
    if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
    const auto made = std::make_shared<Tables>();
    made->turns.resize(static_cast<std::size_t>(2 * FftPlan::num_turns(sizes) * element_bytes_));
    made->turned.resize(static_cast<std::size_t>(FftPlan::num_turned(sizes)) * 2 * sizeof(double));
    loops_.fill_tables(made->turns.data(), made->turned.data(), work, sizes);
    if (size_bytes_ + made->size_bytes() > kMostBytes) {
      kept_.clear();
      size_bytes_ = 0;
    }
    size_bytes_ += made->size_bytes();
    return kept_.emplace(key, made).first->second;
  }

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  const FftLoops& loops_;
  const std::int64_t element_bytes_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Tables>> kept_;
  std::size_t size_bytes_ = 0;
};

class FftKernel final : public plugin::Kernel {
 public:
  explicit FftKernel(const Context& context)
      : workers_(context.workers),
        libraries_(context.libraries),
        plan_(context.spec),
        element_bytes_(element_bytes(context.dtype(0))),
        loops_(context.simd().fft[index_of(context.dtype(0))]),
        tables_(loops_, element_bytes_) {
    if (loops_.transform == nullptr) refuse(context, context.dtype(0));
  }

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    FftSizes sizes = plan_.sizes_of(arguments);
    if (sizes.count == 0 || sizes.m == 0) return;
    sizes.groups = FftPlan::num_strips(sizes);
    static_cast<Stream&>(stream).submit(arguments, name, [this, sizes](plugin::Arguments kept) {
      workers_.run([&] { compute(sizes, kept); });
    });
  }

 private:
  void compute(const FftSizes& sizes, plugin::Arguments arguments) {
    const bool is_small = sizes.count * sizes.n * sizes.m < kWorthSharing;
    const auto threads =
        is_small ? 1
                 : static_cast<int>(std::min<std::int64_t>(sizes.groups, workers_.num_threads()));
    const ScratchRooms rooms(libraries_.scratch(), FftPlan::work_numbers(sizes) * element_bytes_,
                             threads);
    const std::shared_ptr<const Tables> tables = tables_.of(sizes, rooms.of(0));
    const auto table = [](const std::vector<std::byte>& of) {
      return const_cast<std::byte*>(of.data());
    };
    workers_.for_units(sizes.groups, threads, [&](int thread, std::int64_t strip) {
      void* const operands[] = {data_of(arguments[1]), data_of(arguments[0]), table(tables->turns),
                                table(tables->turned), rooms.of(thread)};
      loops_.transform(operands, &arguments[2].value.bits, sizes, strip);
    });
  }

  Workers& workers_;
  Libraries& libraries_;
  const FftPlan plan_;
  const std::int64_t element_bytes_;
  const FftLoops& loops_;
  KeptTables tables_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_fft(const Context& context) {
  return std::make_unique<FftKernel>(context);
}

}  // namespace patchbay::cpu
