// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_PORTABLE_ELEMENTWISE_ELEMENTWISE_TEXT_HPP_
#define PATCHBAY_KIT_PORTABLE_ELEMENTWISE_ELEMENTWISE_TEXT_HPP_

#include <cstddef>
#include <cstdint>
#include <string>

#include "kit/expression/program.hpp"
#include "kit/portable/base/backend.hpp"

namespace patchbay::portable {

/// The number of elements that are computed at once, as an OpenCL C vector; else 1.
std::int64_t vector_of(const expression::Program& program, const Traits& traits);

/// The number of elements that a work-item reads and writes at once; else 1.
std::int64_t pack_of(const expression::Program& program, const Traits& traits);
/// Whether the text has the kernel `turned`, for the transpose of the one input.
bool can_turn(const expression::Program& program, const Traits& traits);

/// The kernels `dense` and `strided` of elementwise.pbk for a program. The arguments are its
/// outputs, inputs and scalars. The caller defines INDEX, CHUNK, TURNED and GROUPS before the text;
/// with TURNED 1 the only kernel is `turned`. Throws `unsupported` for an operator without an
/// expression for its dtype.
std::string elementwise_text(const expression::Program& program, const Traits& traits);

inline constexpr std::size_t kMostGroups = 512;
/// How many groups of contiguous tensors a kernel may take: kMostGroups, or as many as the
/// arguments of a launch allow.
std::size_t num_groups_of(const expression::Program& program, const Traits& traits);
/// The whole text of the kernel `groups` for so many groups, 2 or more. Its arguments are the
/// tensors of all groups, or their addresses as one value (Traits::has_addresses), scalars, and the
/// struct Groups of the text, of i32.
std::string groups_text(const expression::Program& program, const Traits& traits,
                        std::size_t num_groups);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_ELEMENTWISE_ELEMENTWISE_TEXT_HPP_
