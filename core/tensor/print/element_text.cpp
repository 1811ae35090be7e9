// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elements as text, in one format for all elements printed together.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <type_traits>

#include "core/base/element.h"
#include "core/base/small_float.h"
#include "core/tensor/print/printer.h"

namespace patchbay::tensor {

namespace {

// Floats get exponents from kLarge on; fractions also if one is below kSmall or more than
// kMostUnlike times another.
constexpr double kLarge = 1e8, kSmall = 1e-4, kMostUnlike = 1e3;

/// A number in two parts: "-1.25" and "e+10", or "".
struct Parts {
  std::string mantissa, exponent;

  int digits() const {
    const std::size_t point = mantissa.find('.');
    return point == std::string::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
  }
  void remove_zeros() {
    while (digits() > 0 && mantissa.back() == '0') mantissa.pop_back();
    if (mantissa.ends_with('.')) mantissa.pop_back();
  }
  void add_zeros(int wanted) {
    if (digits() == 0 && wanted > 0) mantissa += '.';
    mantissa.append(static_cast<std::size_t>(wanted - digits()), '0');
  }
};

/// Writes floats of type T with the same number of digits after the point.
template <class T>
class FloatFormat {
 public:
  FloatFormat(std::span<const T> values, int precision) : format_(format_for(values)) {
    int most = 0;
    for (const T value : values) {
      if (std::isfinite(value)) most = std::max(most, rounded(value, precision).digits());
    }
    digits_ = most;
  }

  std::string text(T value) const {
    if (std::isnan(value)) return "nan";  // the sign of a NaN has no meaning
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    Parts parts = rounded(value, digits_);
    parts.add_zeros(digits_);
    return parts.mantissa + parts.exponent;
  }

 private:
  static std::chars_format format_for(std::span<const T> values) {
    double least = kLarge, most = 0;
    bool is_whole = true;
    for (const T value : values) {
      if (!std::isfinite(value) || value == 0) continue;
      const double magnitude = std::fabs(value);
      least = std::min(least, magnitude);
      most = std::max(most, magnitude);
      is_whole = is_whole && magnitude == std::trunc(magnitude);
    }
    const bool is_uneven = !is_whole && (least < kSmall || most > kMostUnlike * least);
    return most >= kLarge || is_uneven ? std::chars_format::scientific : std::chars_format::fixed;
  }

  /// The digits that distinguish the value, or fewer; without zeros at the end.
  Parts rounded(T value, int most_digits) const {
    std::array<char, 64> text;  // at most 27 characters in fixed format
    Parts parts = split(text, std::to_chars(text.begin(), text.end(), value, format_));
    if (parts.digits() <= most_digits) return parts;
    parts = split(text, std::to_chars(text.begin(), text.end(), value, format_, most_digits));
    parts.remove_zeros();
    return parts;
  }

  static Parts split(const std::array<char, 64>& text, std::to_chars_result written) {
    const char* const exponent =
        std::find(text.begin(), static_cast<const char*>(written.ptr), 'e');
    return {{text.begin(), exponent}, {exponent, static_cast<const char*>(written.ptr)}};
  }

  std::chars_format format_;
  int digits_ = 0;
};

template <class T>
std::vector<T> values_of(std::span<const char> elements) {
  std::vector<T> values(elements.size() / sizeof(T));
  std::memcpy(values.data(), elements.data(), elements.size());
  return values;
}

template <class T>
std::vector<std::string> float_texts(const std::vector<T>& values, int precision) {
  const FloatFormat<T> format(values, precision);
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const T value : values) texts.push_back(format.text(value));
  return texts;
}

std::vector<float> floats_of(base::SmallFloat format, std::span<const char> elements) {
  std::vector<float> floats;
  for (const std::uint16_t bits : values_of<std::uint16_t>(elements)) {
    floats.push_back(static_cast<float>(decode(format, bits)));
  }
  return floats;
}

template <class T>
std::vector<std::string> integer_texts(std::span<const char> elements) {
  std::vector<std::string> texts;
  for (const T value : values_of<T>(elements)) texts.push_back(std::to_string(value));
  return texts;
}

/// "1+2j": each part with the digits of all of them.
template <class T>
std::vector<std::string> complex_texts(std::span<const char> elements, int precision) {
  const std::vector<T> parts = values_of<T>(elements);
  const std::vector<std::string> texts = float_texts(parts, precision);
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
    const bool has_sign = texts[i + 1].starts_with('-');
    pairs.push_back(texts[i] + (has_sign ? "" : "+") + texts[i + 1] + "j");
  }
  return pairs;
}

std::vector<std::string> boolean_texts(std::span<const char> elements) {
  std::vector<std::string> texts;
  for (const char value : elements) texts.emplace_back(value != 0 ? "true" : "false");
  return texts;
}

}  // namespace

std::vector<std::string> element_texts(DType dtype, std::span<const char> elements, int precision) {
  switch (dtype) {
    case DType::f32: return float_texts(values_of<float>(elements), precision);
    case DType::f64: return float_texts(values_of<double>(elements), precision);
    case DType::f16: return float_texts(floats_of(base::kHalf, elements), precision);
    case DType::bf16: return float_texts(floats_of(base::kBrain, elements), precision);
    case DType::boolean: return boolean_texts(elements);
    case DType::c64: return complex_texts<float>(elements, precision);
    case DType::c128: return complex_texts<double>(elements, precision);
    case DType::i8:
    case DType::i16:
    case DType::i32:
    case DType::i64:
    case DType::u8:
    case DType::u16:
    case DType::u32:
    case DType::u64: break;
  }
  return with_element(dtype,
                      [&](auto element) { return integer_texts<decltype(element)>(elements); });
}

}  // namespace patchbay::tensor
