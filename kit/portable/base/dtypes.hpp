// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Names of dtypes in kernel texts, and the check that a device supports them.
#ifndef PATCHBAY_KIT_PORTABLE_BASE_DTYPES_HPP_
#define PATCHBAY_KIT_PORTABLE_BASE_DTYPES_HPP_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"

#include "kit/dtypes.hpp"
#include "kit/portable/base/backend.hpp"

namespace patchbay::portable {

using Specs = std::span<const patchbay_argument_spec>;

/// The type of an element in memory: a bool is a u8, a 16-bit float its bits.
std::string element_type(std::uint8_t dtype);
/// The type that texts compute in: f32 for 16-bit floats.
std::string value_type(std::uint8_t dtype);
/// The type in which sums and products wrap around on overflow.
std::string wrapping_type(std::uint8_t dtype);

/// Converts an element to a value, and a value to an element. Any byte but 0 is true.
std::string loaded(std::uint8_t dtype, const std::string& element);
std::string stored(std::uint8_t dtype, const std::string& value);
/// The conversion functions that these two call; empty if the dtype needs none.
std::string conversions_of(std::uint8_t dtype, const Traits& device);
/// The least and the greatest value of an integer dtype (a bool is a u8), as expressions of its
/// element type or of int.
std::string least_text(std::uint8_t dtype);
std::string most_text(std::uint8_t dtype);
/// A literal of a value with exactly these bits.
std::string constant_text(std::uint8_t dtype, std::uint64_t bits);

/// Throws unless the texts and the device support the dtypes of a checked spec.
void check_device(std::string_view op, Specs specs, const Traits& device);
/// Throws unsupported: "add.1: no kernel for (f32, f32, scalar i32)".
[[noreturn]] void refuse(std::string_view op, Specs specs);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_BASE_DTYPES_HPP_
