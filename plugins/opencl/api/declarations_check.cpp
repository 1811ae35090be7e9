// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Compares our declarations with the vendor's. Compiled if <CL/cl.h> is found; never linked.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <type_traits>

#include "opencl/api/symbols.hpp"

namespace patchbay::opencl {
namespace {

#define PATCHBAY_CL_SAME(ours, theirs, value) \
  static_assert(ours == static_cast<std::int64_t>(theirs), #theirs);
PATCHBAY_CL_CONSTANTS(PATCHBAY_CL_SAME)

/// Types that a call passes in the same way are equal: opaque objects are pointers to classes.
template <class T>
struct Plain {
  using type =
      std::conditional_t<std::is_same_v<T, long long> || std::is_same_v<T, long>, std::int64_t, T>;
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
struct Plain<const T*> {
  using type = const std::remove_const_t<std::remove_pointer_t<typename Plain<T*>::type>>*;
};
template <class R, class... A>
struct Plain<R(A...)> {
  using type = typename Plain<R>::type(typename Plain<A>::type...);
};

#define PATCHBAY_CL_SAME_ENTRY(name, result, parameters)                                         \
  static_assert(std::is_same_v<typename Plain<result parameters>::type,                          \
                               typename Plain<std::remove_reference_t<decltype(::name)>>::type>, \
                #name);
PATCHBAY_CL_SYMBOLS(PATCHBAY_CL_SAME_ENTRY)

}  // namespace
}  // namespace patchbay::opencl
