// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_PORTABLE_ELEMENTWISE_ELEMENTWISE_TEXT_HPP_
#define PATCHBAY_KIT_PORTABLE_ELEMENTWISE_ELEMENTWISE_TEXT_HPP_

#include <cstdint>
#include <string>

#include "kit/expression/program.hpp"
#include "kit/portable/backend.hpp"

namespace patchbay::portable {

/// How many elements of a program are computed at once, as a vector of OpenCL C; else 1.
std::int64_t vector_of(const expression::Program& program, const Traits& traits);

/// The kernels `dense` and `strided` of elementwise.pbk for a program. The arguments are its
/// outputs, inputs and scalars. INDEX and CHUNK are to be defined before. Throws
/// `unsupported` for an operator without an expression for its dtype.
std::string elementwise_text(const expression::Program& program, const Traits& traits);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_ELEMENTWISE_ELEMENTWISE_TEXT_HPP_
