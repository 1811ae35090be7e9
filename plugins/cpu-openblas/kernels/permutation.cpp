// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/kernels/context.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::int64_t kBlocks = 256;  // Philox blocks at a time, two draws each
constexpr int kBuckets = 256;
constexpr int kFirstShift = 56;
constexpr int kMostParts = 16;
constexpr std::int64_t kFew = 48;                // this many or fewer are sorted by insertion
constexpr std::int64_t kWorthSharing = 1 << 14;  // fewer are sorted by one thread

struct Drawn {
  std::uint64_t draw;
  std::int64_t index;
};

bool comes_before(const Drawn& a, const Drawn& b) {
  return a.draw != b.draw ? a.draw < b.draw : a.index < b.index;
}

void sort_few(Drawn* begin, const Drawn* end) {
  for (Drawn* next = begin; next != end; ++next) {
    const Drawn one = *next;
    Drawn* to = next;
    for (; to != begin && comes_before(one, to[-1]); --to) *to = to[-1];
    *to = one;
  }
}

int byte_of(const Drawn& one, int shift) { return static_cast<int>(one.draw >> shift & 0xff); }

/// Sorts by the byte at `shift` and those below, in place (McIlroy, Bostic and McIlroy, Engineering
/// Radix Sort, 1993).
void sort(Drawn* all, std::int64_t n, int shift) {
  if (n <= kFew) return sort_few(all, all + n);
  if (shift < 0) {
    std::sort(all, all + n, comes_before);
    return;
  }
  std::int64_t ends[kBuckets] = {}, next[kBuckets];
  for (std::int64_t i = 0; i < n; ++i) ++ends[byte_of(all[i], shift)];
  std::int64_t total = 0;
  for (int byte = 0; byte < kBuckets; ++byte) {
    next[byte] = total;
    total += ends[byte];
    ends[byte] = total;
  }
  for (int byte = 0; byte < kBuckets; ++byte) {
    while (next[byte] < ends[byte]) {
      Drawn one = all[next[byte]];
      for (int its = byte_of(one, shift); its != byte; its = byte_of(one, shift)) {
        std::swap(one, all[next[its]++]);
      }
      all[next[byte]++] = one;
    }
  }
  for (int byte = 0; byte < kBuckets; ++byte) {
    const std::int64_t begin = byte == 0 ? 0 : ends[byte - 1];
    sort(all + begin, ends[byte] - begin, shift - 8);
  }
}

void check_shapes(plugin::Arguments arguments) {
  const patchbay_argument &out = arguments[0], &scratch = arguments[1];
  if (out.rank != 1 || scratch.rank != 1 || scratch.strides[0] != 1 ||
      scratch.shape[0] < 2 * out.shape[0] + 64) {
    plugin::invalid_argument("permutation.1: expected out [n], scratch [2 n + 64]");
  }
}

/// permutation.1: out, scratch, seed, offset. Distributes draws to buckets by their first byte,
/// then sorts each bucket.
class PermutationKernel final : public plugin::Kernel {
 public:
  PermutationKernel(Workers& workers, const SimdTable& simd) : workers_(workers), simd_(simd) {}
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    check_shapes(arguments);
    static_cast<Stream&>(stream).submit(
        arguments, name, [this](plugin::Arguments kept) { workers_.run([&] { compute(kept); }); });
  }

 private:
  void compute(plugin::Arguments arguments) const {
    const patchbay_argument& out = arguments[0];
    const std::int64_t n = out.shape[0], stride = out.strides[0];
    auto* const drawn = reinterpret_cast<Drawn*>(data_of(arguments[1]));
    auto* const to = reinterpret_cast<std::int64_t*>(data_of(out));
    const auto finish = [=](std::int64_t begin, std::int64_t end, int shift) {
      sort(drawn + begin, end - begin, shift);
      for (std::int64_t i = begin; i < end; ++i) to[i * stride] = drawn[i].index;
    };
    if (n <= kWorthSharing || workers_.num_threads() == 1) {
      for_draws(arguments, 0, n, [&](std::uint64_t draw, std::int64_t i) { drawn[i] = {draw, i}; });
      return finish(0, n, kFirstShift);
    }
    std::int64_t begins[kBuckets + 1];
    share_out(arguments, drawn, begins);
    constexpr std::int64_t kBytesADraw = 256;  // cost of sorting a draw
    workers_.split(kBuckets, 1, n * kBytesADraw, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t bucket = first; bucket < last; ++bucket) {
        finish(begins[bucket], begins[bucket + 1], kFirstShift - 8);
      }
    });
  }

  template <class Body>
  void for_draws(plugin::Arguments arguments, std::int64_t begin, std::int64_t end,
                 const Body& body) const noexcept {
    alignas(64) std::uint64_t draws[2 * kBlocks];
    for (std::int64_t i = begin; i < end; i += 2 * kBlocks) {
      const std::int64_t count = std::min(2 * kBlocks, end - i);
      simd_.philox(arguments[2].value.bits, arguments[3].value.bits,
                   static_cast<std::uint64_t>(i / 2), (count + 1) / 2, draws);
      for (std::int64_t k = 0; k < count; ++k) body(draws[k], i + k);
    }
  }

  void share_out(plugin::Arguments arguments, Drawn* drawn, std::int64_t* begins) const noexcept {
    const std::int64_t n = arguments[0].shape[0];
    const std::int64_t wanted = std::min<std::int64_t>(workers_.num_threads(), kMostParts);
    const std::int64_t piece = (n / wanted + 2) / 2 * 2;
    const auto parts = static_cast<int>((n + piece - 1) / piece);
    const auto for_part = [&](int part, const auto& body) {
      for_draws(arguments, part * piece, std::min(n, (part + 1) * piece), body);
    };
    // Counts per part and bucket, then positions.
    std::int64_t places[kMostParts][kBuckets] = {};
    workers_.parallel_for(parts, [&](int part) {
      for_part(part,
               [&](std::uint64_t draw, std::int64_t) { ++places[part][draw >> kFirstShift]; });
    });
    std::int64_t total = 0;
    for (int bucket = 0; bucket < kBuckets; ++bucket) {
      begins[bucket] = total;
      for (int part = 0; part < parts; ++part) total += std::exchange(places[part][bucket], total);
    }
    begins[kBuckets] = total;
    workers_.parallel_for(parts, [&](int part) {
      for_part(part, [&](std::uint64_t draw, std::int64_t index) {
        drawn[places[part][draw >> kFirstShift]++] = {draw, index};
      });
    });
  }

  Workers& workers_;
  const SimdTable& simd_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_permutation(const Context& context) {
  return std::make_unique<PermutationKernel>(context.workers, context.simd());
}

}  // namespace patchbay::cpu
