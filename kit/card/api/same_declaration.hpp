// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Compares our declarations of a vendor's functions with the vendor's headers, when compiled.
#ifndef PATCHBAY_KIT_CARD_API_SAME_DECLARATION_HPP_
#define PATCHBAY_KIT_CARD_API_SAME_DECLARATION_HPP_

#include <cstdint>
#include <type_traits>

#include "kit/library/library.hpp"

namespace patchbay::card {

/// Types that a call passes in the same way are equal: enumerations are ints, opaque objects are
/// pointers to classes, and addresses are pointers or integers.
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
  using type = std::conditional_t<std::is_class_v<T> || std::is_void_v<T>, std::uint64_t,
                                  typename Plain<T>::type*>;
};
template <class T>
struct Plain<const T> {
  using type = typename Plain<T>::type;
};
template <class R, class... A>
struct Plain<R(A...)> {
  using type = typename Plain<R>::type(typename Plain<A>::type...);
};

/// The signature of an entry.
template <class T>
struct Signature;
template <class S>
struct Signature<Symbol<S>> {
  using type = S;
};
template <class T>
using SignatureOf = typename Signature<T>::type;

/// Whether a call by one type of function passes and returns the same as by the other.
template <class Ours, class Theirs>
inline constexpr bool is_same_call =
    std::is_same_v<typename Plain<Ours>::type,
                   typename Plain<std::remove_reference_t<Theirs>>::type>;

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_API_SAME_DECLARATION_HPP_
