// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Sorts keys with their indices. A key and its index make an entry, and no two entries are equal,
// so every method gives the same order.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "patchbay/plugin/kit/attributes.hpp"
#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/kernels/context.hpp"
#include "cpu-openblas/kernels/index.hpp"
#include "cpu-openblas/kernels/sort_key.hpp"
#include "cpu-openblas/operands/loop_nest.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/threads/stream.hpp"

namespace patchbay::cpu {
namespace {

constexpr int kDigitBits = 8, kDigits = 1 << kDigitBits;
constexpr std::int64_t kFew = 192;                 // this many or fewer are compared
constexpr std::int64_t kWorthSharing = 128 << 10;  // elements of a line
constexpr std::int64_t kCandidates = 512;          // read before some are dropped; the first time
constexpr std::int64_t kFewCandidates = 64;        // only these, which give a limit to the others
constexpr std::int64_t kGroup = 32;
constexpr int kMostParts = 16;

/// For keys of up to 32 bits and fewer than 2^32 elements.
struct NarrowEntry {
  std::uint64_t bits;  // the key, then the index

  static NarrowEntry of(std::uint64_t key, std::int64_t index) {
    return {key << 32 | static_cast<std::uint64_t>(index)};
  }
  std::uint64_t key() const { return bits >> 32; }
  std::int64_t index() const { return static_cast<std::int64_t>(bits & 0xffffffffU); }
  bool operator<(const NarrowEntry& other) const { return bits < other.bits; }
};
struct WideEntry {
  std::uint64_t key_bits;
  std::int64_t place;

  static WideEntry of(std::uint64_t key, std::int64_t index) { return {key, index}; }
  std::uint64_t key() const { return key_bits; }
  std::int64_t index() const { return place; }
  bool operator<(const WideEntry& other) const {
    return key_bits != other.key_bits ? key_bits < other.key_bits : place < other.place;
  }
};

template <class Entry>
int digit_of(const Entry& entry, int digit) {
  return static_cast<int>(entry.key() >> digit * kDigitBits & (kDigits - 1));
}

/// Equal parts of n entries for the threads.
struct Parts {
  std::int64_t n;
  int count = 1;
  std::int64_t begin(int part) const { return n * part / count; }
};

/// Sorts by the digits of the keys, the lowest first; the entries are in the order of their
/// indices. Returns which of the two rooms has the result.
template <class Entry>
Entry* sort_digits(Workers* workers, Parts parts, int num_digits, Entry* from, Entry* to) {
  const auto for_parts = [&](const auto& body) {
    if (parts.count == 1) return body(0);
    workers->parallel_for(parts.count, body);
  };
  std::int64_t places[kMostParts][kDigits];
  for (int digit = 0; digit < num_digits; ++digit) {
    for_parts([&](int part) {
      std::int64_t* const counts = places[part];
      std::fill(counts, counts + kDigits, 0);
      const std::int64_t end = parts.begin(part + 1);
      for (std::int64_t i = parts.begin(part); i < end; ++i) ++counts[digit_of(from[i], digit)];
    });
    std::int64_t total = 0;
    bool is_sorted = false;  // all have the same digit
    for (int value = 0; value < kDigits; ++value) {
      const std::int64_t before = total;
      for (int part = 0; part < parts.count; ++part) {
        total += std::exchange(places[part][value], total);
      }
      is_sorted = is_sorted || total - before == parts.n;
    }
    if (is_sorted) continue;
    for_parts([&](int part) {
      std::int64_t* const next = places[part];
      const std::int64_t end = parts.begin(part + 1);
      for (std::int64_t i = parts.begin(part); i < end; ++i) {
        to[next[digit_of(from[i], digit)]++] = from[i];
      }
    });
    std::swap(from, to);
  }
  return from;
}

/// The elements along the dimension. Bits: an unsigned integer of an element's size.
template <class Bits>
struct Line {
  Bits* out;
  std::int64_t* index;
  const Bits* a;
  std::int64_t count, kept, out_step, index_step, a_step;
  bool descending;

  /// Smaller for elements that come earlier.
  template <class Key>
  Bits order(const Key& key, std::int64_t i) const {
    const Bits found = key(a[i * a_step]);
    return descending ? static_cast<Bits>(~found) : found;
  }
  template <class Entry, class Key>
  Entry entry(const Key& key, std::int64_t i) const {
    return Entry::of(order(key, i), i);
  }
  /// Whether one of the elements comes before those of the same order as `limit`.
  template <class Key>
  bool has_before(Bits limit, const Key& key, std::int64_t begin, std::int64_t end) const {
    bool found = false;
    for (std::int64_t i = begin; i < end; ++i) found |= order(key, i) < limit;
    return found;
  }
  template <class Entry>
  void write(const Entry* entries, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t i = entries[k].index();
      out[k * out_step] = a[i * a_step];
      index[k * index_step] = i;
    }
  }
};

template <class Entry, class Bits, class Key>
void sort_line(const Line<Bits>& line, const Key& key, Entry* room) {
  for (std::int64_t i = 0; i < line.count; ++i) room[i] = line.template entry<Entry>(key, i);
  if (line.count <= kFew) {
    std::sort(room, room + line.count);
  } else {
    room =
        sort_digits(nullptr, {line.count}, static_cast<int>(sizeof(Bits)), room, room + line.count);
  }
  line.write(room, 0, line.kept);
}

/// A line that the threads share.
template <class Entry, class Bits, class Key>
void sort_long_line(Workers& workers, const Line<Bits>& line, const Key& key, Entry* room) {
  const Parts parts{line.count, std::min(workers.num_threads(), kMostParts)};
  workers.parallel_for(parts.count, [&](int part) {
    const std::int64_t end = parts.begin(part + 1);
    for (std::int64_t i = parts.begin(part); i < end; ++i) {
      room[i] = line.template entry<Entry>(key, i);
    }
  });
  const Entry* const sorted =
      sort_digits(&workers, parts, static_cast<int>(sizeof(Bits)), room, room + line.count);
  workers.parallel_for(parts.count, [&](int part) {
    line.write(sorted, std::min(line.kept, parts.begin(part)),
               std::min(line.kept, parts.begin(part + 1)));
  });
}

/// Keeps the first entries of those read so far, and drops the others when there is no more room.
template <class Entry, class Bits, class Key>
void choose_from_line(const Line<Bits>& line, const Key& key, Entry* room) {
  const std::int64_t kept = line.kept, full = 2 * kept + kFewCandidates / 2;
  std::int64_t size = 0, piece = kFewCandidates;
  Entry limit{};
  bool has_limit = false;
  for (std::int64_t i = 0; i < line.count;) {
    const std::int64_t end = std::min(line.count, i + piece);
    piece = std::min(2 * piece, kCandidates);
    while (i < end) {
      // Most of the others come after the limit: whole groups of them are passed by.
      const std::int64_t group = std::min(end, i + kGroup);
      if (has_limit && !line.has_before(static_cast<Bits>(limit.key()), key, i, group)) {
        i = group;
        continue;
      }
      for (; i < group; ++i) {
        const Entry one = line.template entry<Entry>(key, i);
        room[size] = one;
        size += !has_limit || one < limit ? 1 : 0;
      }
    }
    if (size < full) continue;
    std::nth_element(room, room + kept - 1, room + size);
    limit = room[kept - 1];
    has_limit = true;
    size = kept;
  }
  std::nth_element(room, room + kept - 1, room + size);
  std::sort(room, room + kept);
  line.write(room, 0, kept);
}

/// sort.1: out, index, a.
class SortKernel final : public plugin::Kernel {
 public:
  explicit SortKernel(const Context& context)
      : workers_(context.workers),
        scratch_(context.libraries.scratch()),
        dim_(dim_of(context.spec)),
        descending_(plugin::Attributes(context.spec).integer("descending") != 0) {
    with_key(context.dtype(2), [](auto) {});
  }

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    check_shapes(arguments);
    static_cast<Stream&>(stream).submit(arguments, name, [this](plugin::Arguments kept) {
      if (num_elements(kept[0]) != 0) workers_.run([&] { compute(kept); });
    });
  }

 private:
  void check_shapes(plugin::Arguments arguments) const {
    const patchbay_argument &out = arguments[0], &index = arguments[1], &a = arguments[2];
    bool fits = dim_ < a.rank && out.rank == a.rank && same_shape(out, index);
    for (int d = 0; fits && d < a.rank; ++d) {
      fits = out.shape[d] == a.shape[d] || (d == dim_ && out.shape[d] < a.shape[d]);
    }
    if (!fits) plugin::invalid_argument("sort.1: the shapes do not fit along dim");
  }

  void compute(plugin::Arguments arguments) const {
    with_key(arguments[2].dtype, [&](auto key) {
      using Bits = decltype(key(0));
      const bool is_narrow = sizeof(Bits) <= 4 && arguments[2].shape[dim_] < std::int64_t{1} << 32;
      if (is_narrow)
        compute_lines<NarrowEntry, Bits>(arguments, key);
      else
        compute_lines<WideEntry, Bits>(arguments, key);
    });
  }

  template <class Entry, class Bits, class Key>
  void compute_lines(plugin::Arguments arguments, const Key& key) const {
    const patchbay_argument &out = arguments[0], &index = arguments[1], &a = arguments[2];
    patchbay_argument rests[] = {out, index, a};
    for (patchbay_argument& rest : rests) rest.shape[dim_] = 1;
    const patchbay_argument* const operands[] = {&rests[0], &rests[1], &rests[2]};
    const LoopNest rest = make_loop_nest(operands, 3);
    const std::int64_t inner = rest.inner_size(), lines = rest.num_rows() * inner;
    const auto line_of = [&](std::int64_t number) {
      std::int64_t offsets[LoopNest::kMaxOperands];
      offsets_of(rest, number / inner, offsets);
      for (int op = 0; op < 3; ++op) offsets[op] += number % inner * rest.inner_stride(op);
      return Line<Bits>{reinterpret_cast<Bits*>(data_of(out)) + offsets[0],
                        reinterpret_cast<std::int64_t*>(data_of(index)) + offsets[1],
                        reinterpret_cast<const Bits*>(data_of(a)) + offsets[2],
                        a.shape[dim_],
                        out.shape[dim_],
                        out.strides[dim_],
                        index.strides[dim_],
                        a.strides[dim_],
                        descending_};
    };
    const std::int64_t count = a.shape[dim_], kept = out.shape[dim_];
    const bool chooses = kept * 4 <= count;
    const std::int64_t room = chooses ? 3 * kept + 2 * kCandidates : 2 * count;
    const std::int64_t entry_bytes = room * std::int64_t{sizeof(Entry)};
    if (!chooses && lines < workers_.num_threads() && count >= kWorthSharing) {
      const ScratchRooms rooms(scratch_, entry_bytes, 1);
      for (std::int64_t i = 0; i < lines; ++i) {
        sort_long_line(workers_, line_of(i), key, reinterpret_cast<Entry*>(rooms.of(0)));
      }
      return;
    }
    const std::int64_t worth = lines * count * 32;  // bytes of comparable work
    const int parts = static_cast<int>(
        worth < kWorthSharing ? 1 : std::min<std::int64_t>(lines, workers_.num_threads()));
    const ScratchRooms rooms(scratch_, entry_bytes, parts);
    const auto compute_part = [&](int part) {
      auto* const own = reinterpret_cast<Entry*>(rooms.of(part));
      for (std::int64_t i = lines * part / parts; i < lines * (part + 1) / parts; ++i) {
        if (chooses)
          choose_from_line(line_of(i), key, own);
        else
          sort_line(line_of(i), key, own);
      }
    };
    if (parts == 1) return compute_part(0);
    workers_.parallel_for(parts, compute_part);
  }

  Workers& workers_;
  ScratchPool& scratch_;
  const int dim_;
  const bool descending_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_sort(const Context& context) {
  return std::make_unique<SortKernel>(context);
}

}  // namespace patchbay::cpu
