// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* Defines the functions by which the executor calls a kernel. Follows work_items.h and fibers.h in
 * the source; the user's text comes next, inside `struct patchbay_text`. Never included. */

#if !PATCHBAY_HAS_BARRIERS
template <class Item, class Body>
inline PATCHBAY_INLINE_KERNEL void patchbay_run_groups(patchbay_launch& launch, Body body) {
  for (i64 group = launch.begin; group < launch.end; ++group) {
    Item like{};
    patchbay_set_group(like, launch, group);
    patchbay_loop(like, 0, body);
  }
}
#endif

/* The code of a parameter for patchbay_describe_<name>. */
template <class T>
struct patchbay_code {
  /* other types, in a plugin's own kernels */
  static constexpr i32 value = PATCHBAY_HAS_NO_DTYPE | ((i32)sizeof(T) << PATCHBAY_SIZE_SHIFT);
};
#define PATCHBAY_CODE(T, dtype)         \
  template <>                           \
  struct patchbay_code<T> {             \
    static constexpr i32 value = dtype; \
  }
PATCHBAY_CODE(f32, 1);
PATCHBAY_CODE(f64, 2);
PATCHBAY_CODE(i32, 5);
PATCHBAY_CODE(i64, 6);
PATCHBAY_CODE(u8, 7);
PATCHBAY_CODE(i8, 9);
PATCHBAY_CODE(i16, 10);
PATCHBAY_CODE(u16, 11);
PATCHBAY_CODE(u32, 12);
PATCHBAY_CODE(u64, 13);
template <class T>
struct patchbay_code<T*> {
  static constexpr i32 value = patchbay_code<T>::value | PATCHBAY_IS_BUFFER;
};
template <class T>
struct patchbay_code<const T*> {
  static constexpr i32 value = patchbay_code<T*>::value | PATCHBAY_IS_CONSTANT;
};
template <i32 count>
struct patchbay_code<patchbay_addresses<count>> {
  static constexpr i32 value =
      PATCHBAY_HAS_NO_DTYPE | PATCHBAY_IS_ADDRESSES | (8 * count << PATCHBAY_SIZE_SHIFT);
};

template <class T>
struct patchbay_argument_at {
  static T get(const void* at) { return *static_cast<const T*>(at); }
};
template <class T>
struct patchbay_argument_at<T*> {
  static T* get(const void* at) { return static_cast<T*>(const_cast<void*>(at)); }
};

template <i32 count>
struct patchbay_argument_at<patchbay_addresses<count>> {
  static patchbay_addresses<count> get(const void* at) { return {static_cast<const u64*>(at)}; }
};

template <i32... k>
struct patchbay_places {};
template <i32 n, i32... k>
struct patchbay_make_places : patchbay_make_places<n - 1, n - 1, k...> {};
template <i32... k>
struct patchbay_make_places<0, k...> {
  typedef patchbay_places<k...> type;
};

template <class Item, class... Values, i32... k, class Call>
inline PATCHBAY_INLINE_KERNEL void patchbay_unpack(patchbay_launch& launch,
                                                   void (Item::*)(Values...), patchbay_places<k...>,
                                                   Call call) {
  call(patchbay_argument_at<Values>::get(launch.arguments[k])...);
}
template <class Item, class... Values, class Call>
inline PATCHBAY_INLINE_KERNEL void patchbay_unpack(patchbay_launch& launch,
                                                   void (Item::*kernel)(Values...), Call call) {
  patchbay_unpack(launch, kernel, typename patchbay_make_places<sizeof...(Values)>::type(), call);
}
/* Writes at most `size` codes and returns the number of parameters. */
template <class Item, class... Values>
inline i32 patchbay_describe(void (Item::*)(Values...), i32* codes, i32 size) {
  const i32 all[] = {patchbay_code<Values>::value..., 0};
  const i32 count = sizeof...(Values);
  for (i32 i = 0; i < count && i < size; ++i) codes[i] = all[i];
  return count;
}

/* The executor looks up these two functions by name. */
#define PATCHBAY_ENTRY(name)                                                                   \
  __attribute__((used, visibility("default"))) static void patchbay_run_##name(                \
      patchbay_launch& launch) {                                                               \
    patchbay_unpack(launch, &patchbay_text::name, [&](auto... values) {                        \
      patchbay_run_groups<patchbay_text>(                                                      \
          launch, [=](patchbay_text& item) PATCHBAY_INLINE_KERNEL { item.name(values...); });  \
    });                                                                                        \
  }                                                                                            \
  __attribute__((used, visibility("default"))) static i32 patchbay_describe_##name(i32* codes, \
                                                                                   i32 size) { \
    return patchbay_describe(&patchbay_text::name, codes, size);                               \
  }
