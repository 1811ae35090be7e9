// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What users' functions throw, as errors of the library.
#ifndef PATCHBAY_CORE_NN_DATA_FOREIGN_ERRORS_H_
#define PATCHBAY_CORE_NN_DATA_FOREIGN_ERRORS_H_

#include <cxxabi.h>

#include <exception>
#include <new>
#include <string>

#include "core/base/error.h"

namespace patchbay::nn::data {

/// In a handler: what the exception says. Error and std::bad_alloc are thrown again.
inline std::string text_of_foreign() {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return base::one_line(error.what());
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

/// Calls body(). Error and std::bad_alloc pass as they are; everything else becomes an Error of
/// kInvalidArgument that begins with what(): "[Dataset] sample 3 can't be read".
///
/// The reference to a forced unwinding is null, which the compiler allows there and the undefined
/// behaviour sanitizer reports. The attribute has no effect on a function that is inlined.
template <class Body, class What>
__attribute__((noinline, no_sanitize("null"))) auto with_own_errors(const Body& body,
                                                                    const What& what) {
  try {
    return body();
  } catch (const abi::__forced_unwind&) {  // pthread_cancel
    throw;
  } catch (...) {
    base::raise(ErrorCode::kInvalidArgument, "{}: {}", what(), text_of_foreign());
  }
}

}  // namespace patchbay::nn::data

#endif  // PATCHBAY_CORE_NN_DATA_FOREIGN_ERRORS_H_
