// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Compares our declarations with the vendor's. Compiled if its headers are found; never linked.
#include <cublas_v2.h>
#include <cuda.h>
#include <nvrtc.h>

#include <type_traits>

#include "cuda-cublas/api/blas_api.hpp"
#include "cuda-cublas/api/driver_api.hpp"
#include "cuda-cublas/api/rtc_api.hpp"

namespace patchbay::cuda {
namespace {

#define PATCHBAY_SAME_CONSTANT(ours, theirs, value) \
  static_assert(ours == static_cast<int>(theirs), #theirs);
PATCHBAY_DRIVER_CONSTANTS(PATCHBAY_SAME_CONSTANT)
#if CUDA_VERSION >= 13000
PATCHBAY_NEW_DRIVER_CONSTANTS(PATCHBAY_SAME_CONSTANT)
#endif
PATCHBAY_BLAS_CONSTANTS(PATCHBAY_SAME_CONSTANT)
static_assert(kRtcSuccess == NVRTC_SUCCESS && kRtcErrorCompilation == NVRTC_ERROR_COMPILATION);
static_assert(sizeof(Uuid) == sizeof(CUuuid));

/// Types that a call passes in the same way are equal: opaque objects are pointers to classes.
template <class T, class = void>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<T, std::enable_if_t<std::is_enum_v<T>>> {
  using type = int;
};
template <>
struct Plain<unsigned long long> {
  using type = std::uint64_t;
};
template <class T>
struct Plain<T*> {
  using type = std::conditional_t<std::is_class_v<T>, void, typename Plain<T>::type>*;
};
template <class T>
struct Plain<const T> {
  using type = const typename Plain<T>::type;
};
template <class R, class... A>
struct Plain<R(A...)> {
  using type = typename Plain<R>::type(typename Plain<A>::type...);
};

#define PATCHBAY_SAME_ENTRY(member, symbol, parameters)                                            \
  static_assert(std::is_same_v<typename Plain<int parameters>::type,                               \
                               typename Plain<std::remove_reference_t<decltype(::symbol)>>::type>, \
                #symbol);
PATCHBAY_DRIVER_ENTRIES(PATCHBAY_SAME_ENTRY)
PATCHBAY_RTC_ENTRIES(PATCHBAY_SAME_ENTRY)
PATCHBAY_BLAS_ENTRIES(PATCHBAY_SAME_ENTRY)

}  // namespace
}  // namespace patchbay::cuda
