// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// uniform, normal, integers, mask, permutation: a draw at a time, with the functions of <cmath>.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "patchbay/plugin/kit/error.hpp"

#include "fake/kernels/dtypes.hpp"

namespace fake {
namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t integer_of(const View& scalar) { return *scalar.elements<std::uint64_t>(); }

/// The draws of one call: element i of the whole takes word or draw i.
class Draws {
 public:
  /// The arguments: out, seed, offset, and the number of the first element.
  explicit Draws(Views views)
      : seed_(integer_of(views[1])), offset_(integer_of(views[2])), next_(integer_of(views[3])) {}
  Draws(std::uint64_t seed, std::uint64_t offset) : seed_(seed), offset_(offset) {}

  std::uint32_t word(std::uint64_t index) const { return block(index / 4)[index % 4]; }
  std::uint64_t draw(std::uint64_t index) const {
    const Block words = block(index / 2);
    return words[2 * (index % 2)] | std::uint64_t{words[2 * (index % 2) + 1]} << 32;
  }
  /// The number of the next element.
  std::uint64_t next() { return next_++; }

 private:
  using Block = std::array<std::uint32_t, 4>;

  Block block(std::uint64_t counter) const {
    std::array<std::uint64_t, 2> halves{counter, offset_};
    std::uint64_t key = seed_;
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = std::uint64_t{0xd2511f53} * static_cast<std::uint32_t>(halves[0]);
      const std::uint64_t c = std::uint64_t{0xcd9e8d57} * static_cast<std::uint32_t>(halves[1]);
      // Each half: its odd word, the key and a product's upper half, then a lower half.
      halves = {((halves[0] >> 32 ^ c >> 32 ^ key) & 0xffffffff) | c << 32,
                ((halves[1] >> 32 ^ a >> 32 ^ key >> 32) & 0xffffffff) | a << 32};
      key = ((key >> 32) + 0xbb67ae85) << 32 | ((key + 0x9e3779b9) & 0xffffffff);
    }
    return {static_cast<std::uint32_t>(halves[0]), static_cast<std::uint32_t>(halves[0] >> 32),
            static_cast<std::uint32_t>(halves[1]), static_cast<std::uint32_t>(halves[1] >> 32)};
  }

  const std::uint64_t seed_, offset_;
  std::uint64_t next_ = 0;
};

/// In [0, 1).
template <class T>
double fraction(const Draws& draws, std::uint64_t index) {
  if constexpr (sizeof(T) == 4)
    return static_cast<double>(draws.word(index) >> 8) * 0x1p-24;
  else
    return static_cast<double>(draws.draw(index) >> 11) * 0x1p-53;
}

template <class T>
void uniform(Views views) {
  T* const out = views[0].elements<T>();
  const T low = *views[4].elements<T>(), width = *views[5].elements<T>();
  const T most = *views[6].elements<T>();
  Draws draws(views);
  for_each<1>({&views[0]}, [&](const auto& at) {
    out[at[0]] = std::min(low + static_cast<T>(fraction<T>(draws, draws.next())) * width, most);
  });
}

template <class T>
void normal(Views views) {
  T* const out = views[0].elements<T>();
  const T mean = *views[4].elements<T>(), deviation = *views[5].elements<T>();
  Draws draws(views);
  for_each<1>({&views[0]}, [&](const auto& at) {
    const std::uint64_t index = draws.next(), first = index & ~std::uint64_t{1};
    const double radius = std::sqrt(-2 * std::log(1 - fraction<T>(draws, first)));
    // What is near a multiple of half pi is nearer without it.
    const double turns = 4 * fraction<T>(draws, first + 1), quarter = std::nearbyint(turns);
    const double angle = (turns - quarter) * 1.5707963267948966;
    const int quarters = static_cast<int>(quarter) + (index == first ? 0 : 3);
    const double side = quarters % 2 == 0 ? std::cos(angle) : std::sin(angle);
    const double sign = quarters % 4 == 1 || quarters % 4 == 2 ? -1 : 1;
    out[at[0]] = static_cast<T>(mean + deviation * (sign * radius * side));
  });
}

template <class T>
void integers(Views views) {
  T* const out = views[0].elements<T>();
  const std::uint64_t low = integer_of(views[4]), range = integer_of(views[5]);
  Draws draws(views);
  for_each<1>({&views[0]}, [&](const auto& at) {
    const std::uint64_t index = draws.next();
    const std::uint64_t chosen =
        range > std::uint64_t{1} << 32
            ? static_cast<std::uint64_t>(Wide{draws.draw(index)} * range >> 64)
            : draws.word(index) * range >> 32;
    out[at[0]] = static_cast<T>(low + chosen);
  });
}

void mask(Views views) {
  Boolean* const out = views[0].elements<Boolean>();
  const std::uint64_t threshold = integer_of(views[4]);
  Draws draws(views);
  for_each<1>({&views[0]}, [&](const auto& at) {
    out[at[0]] = {static_cast<std::uint8_t>(draws.word(draws.next()) < threshold)};
  });
}

void permutation(Views views) {
  const Draws draws(integer_of(views[2]), integer_of(views[3]));
  std::vector<std::int64_t> indices(static_cast<std::size_t>(views[0].shape[0]));
  std::vector<std::uint64_t> keys(indices.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = draws.draw(i);
  std::iota(indices.begin(), indices.end(), 0);
  std::stable_sort(indices.begin(), indices.end(), [&](std::int64_t a, std::int64_t b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  std::int64_t* const out = views[0].elements<std::int64_t>();
  auto index = indices.begin();
  for_each<1>({&views[0]}, [&](const auto& at) { out[at[0]] = *index++; });
}

/// Scalars from `first` on are of `dtype`, those before of i64.
bool have_dtypes(Specs specs, std::size_t first, std::uint8_t dtype) {
  return all_have_dtype(specs.subspan(1, first - 1), PATCHBAY_I64) &&
         all_have_dtype(specs.subspan(first), dtype);
}

Function choose_uniform(Specs specs) {
  if (!have_dtypes(specs, 4, specs[0].dtype)) return nullptr;
  return for_floats(specs[0].dtype, [](auto x) -> Function { return uniform<decltype(x)>; });
}
Function choose_normal(Specs specs) {
  if (!have_dtypes(specs, 4, specs[0].dtype)) return nullptr;
  return for_floats(specs[0].dtype, [](auto x) -> Function { return normal<decltype(x)>; });
}
Function choose_integers(Specs specs) {
  if (!have_dtypes(specs, 4, PATCHBAY_I64)) return nullptr;
  return for_numbers(specs[0].dtype, [](auto x) -> Function {
    if constexpr (std::is_floating_point_v<decltype(x)>)
      return nullptr;
    else
      return integers<decltype(x)>;
  });
}
Function choose_mask(Specs specs) {
  const bool fits = specs[0].dtype == PATCHBAY_BOOL && have_dtypes(specs, 4, PATCHBAY_I64);
  return fits ? mask : nullptr;
}
Function choose_permutation(Specs specs) {
  return all_have_dtype(specs, PATCHBAY_I64) ? permutation : nullptr;
}

void check_permutation(Views views) {
  if (views[0].rank != 1 || views[1].rank != 1 || views[1].strides[0] != 1 ||
      views[1].shape[0] < 2 * views[0].shape[0] + 64) {
    patchbay::plugin::invalid_argument("permutation.1: expected out [n], scratch [2 n + 64]");
  }
}

constexpr std::array<Operator, 5> kOperators = {
    {{"uniform.1", "ossssss", choose_uniform, check_same_shapes},
     {"normal.1", "osssss", choose_normal, check_same_shapes},
     {"integers.1", "osssss", choose_integers, check_same_shapes},
     {"mask.1", "ossss", choose_mask, check_same_shapes},
     {"permutation.1", "ooss", choose_permutation, check_permutation}}};

}  // namespace

std::span<const Operator> random_operators() { return kOperators; }

}  // namespace fake
