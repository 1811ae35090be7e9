// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Converts an operation on one element to a Row, with a loop for each layout of its inputs.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_LOOPS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_LOOPS_HPP_

#include "target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

template <class T>
struct Contiguous {
  const T* data;
  T operator[](std::int64_t i) const { return data[i]; }
  Contiguous from(std::int64_t i) const { return {data + i}; }
};

template <class T>
struct Repeated {
  T value;
  T operator[](std::int64_t) const { return value; }
  Repeated from(std::int64_t) const { return *this; }
};

/// Calls body with the operand's elements, or with the one for all if its step is 0.
template <class T, class Body>
PATCHBAY_INLINE void with_operand(const void* operand, std::int64_t step, const Body& body) {
  const T* const x = static_cast<const T*>(operand);
  if (step == 0) {
    body(Repeated<T>{*x});
  } else {
    body(Contiguous<T>{x});
  }
}

template <class Op, class Out, class... In>
inline void plain_loop(std::int64_t n, Out* out, In... in) {
  PATCHBAY_VECTORISE
  for (std::int64_t i = 0; i < n; ++i) out[i] = Op::apply(in[i]...);
}

/// Computes as many lines at once as keep the vector units busy, and combines them in registers or
/// the first-level cache.
template <class Op, class Out, class... In>
inline void stream_loop(std::int64_t n, Out* out, In... in) {
  constexpr std::int64_t kLines = 2;
  constexpr std::int64_t kStep = kLines * kLineBytes / static_cast<std::int64_t>(sizeof(Out));
  const auto misaligned =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) % kLineBytes);
  const std::int64_t wanted =
      misaligned == 0 ? 0 : (kLineBytes - misaligned) / std::int64_t{sizeof(Out)};
  const std::int64_t head = wanted < n ? wanted : n;
  plain_loop<Op>(head, out, in...);
  std::int64_t i = head;
  for (; i + kStep <= n; i += kStep) {
    alignas(kLineBytes) Out lines[kStep];
    plain_loop<Op>(kStep, lines, in.from(i)...);
    char* to = reinterpret_cast<char*>(out + i);
    const char* from = reinterpret_cast<const char*>(lines);
    for (std::int64_t line = 0; line < kLines; ++line) {
      stream_line(to + line * kLineBytes, from + line * kLineBytes);
    }
  }
  plain_loop<Op>(n - i, out + i, in.from(i)...);
  stream_fence();
}

/// Specialised for an Op whose `apply` branches or is slow: `takes(operands...)` tells which
/// operands its own `apply` computes without a branch, with the same result.
template <class Op, class T>
struct Ordinary {
  static constexpr bool kExists = false;
};

template <class Op, class Out, class... In>
inline void loop(bool stream, std::int64_t n, Out* out, In... in);

/// Tests a tile of operands before it computes them. Tiles with others are slow.
template <class Op, class Fast, class Out, class... In>
inline void ordinary_loop(bool stream, std::int64_t n, Out* out, In... in) {
  constexpr std::int64_t kTile = 4096 / static_cast<std::int64_t>(sizeof(Out));
  for (std::int64_t i = 0; i < n; i += kTile) {
    const std::int64_t count = n - i < kTile ? n - i : kTile;
    Bits<Out> others = 0;
    for (std::int64_t k = 0; k < count; ++k) others |= Fast::takes(in[i + k]...) ? 0 : 1;
    if (others == 0) {
      loop<Fast>(stream, count, out + i, in.from(i)...);
    } else {
      plain_loop<Op>(count, out + i, in.from(i)...);
    }
  }
}

template <class Op, class Out, class... In>
inline void loop(bool stream, std::int64_t n, Out* out, In... in) {
  if constexpr (Ordinary<Op, Out>::kExists) {
    ordinary_loop<Op, Ordinary<Op, Out>>(stream, n, out, in...);
  } else if (stream) {
    stream_loop<Op>(n, out, in...);
  } else {
    plain_loop<Op>(n, out, in...);
  }
}

template <class Op, class Out, class A, class B>
void binary_row(std::int64_t n, void* out, const void* a, const void* b, const Steps& steps) {
  Out* o = static_cast<Out*>(out);
  const A* x = static_cast<const A*>(a);
  const B* y = static_cast<const B*>(b);
  if (steps.out == 1 && steps.a == 1 && steps.b == 1) {
    loop<Op>(steps.stream, n, o, Contiguous<A>{x}, Contiguous<B>{y});
  } else if (steps.out == 1 && steps.a == 1 && steps.b == 0) {
    loop<Op>(steps.stream, n, o, Contiguous<A>{x}, Repeated<B>{*y});
  } else if (steps.out == 1 && steps.a == 0 && steps.b == 1) {
    loop<Op>(steps.stream, n, o, Repeated<A>{*x}, Contiguous<B>{y});
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      o[i * steps.out] = Op::apply(x[i * steps.a], y[i * steps.b]);
    }
  }
}

template <class Op, class Out, class A>
void unary_row(std::int64_t n, void* out, const void* a, const void*, const Steps& steps) {
  Out* o = static_cast<Out*>(out);
  const A* x = static_cast<const A*>(a);
  if (steps.out == 1 && steps.a == 1) {
    loop<Op>(steps.stream, n, o, Contiguous<A>{x});
  } else if (steps.out == 1 && steps.a == 0) {
    loop<Op>(steps.stream, n, o, Repeated<A>{*x});
  } else {
    for (std::int64_t i = 0; i < n; ++i) o[i * steps.out] = Op::apply(x[i * steps.a]);
  }
}

template <class Op, class Out, class A, class B, class C>
void ternary_row(std::int64_t n, void* out, const void* a, const void* b, const void* c,
                 const Steps& steps) {
  Out* o = static_cast<Out*>(out);
  const A* x = static_cast<const A*>(a);
  const B* y = static_cast<const B*>(b);
  const C* z = static_cast<const C*>(c);
  const bool b_goes_on = steps.b == 1, c_goes_on = steps.c == 1;
  const bool b_repeats = steps.b == 0, c_repeats = steps.c == 0;
  if (steps.out == 1 && steps.a == 1 && b_goes_on && c_goes_on) {
    loop<Op>(steps.stream, n, o, Contiguous<A>{x}, Contiguous<B>{y}, Contiguous<C>{z});
  } else if (steps.out == 1 && steps.a == 1 && b_goes_on && c_repeats) {
    loop<Op>(steps.stream, n, o, Contiguous<A>{x}, Contiguous<B>{y}, Repeated<C>{*z});
  } else if (steps.out == 1 && steps.a == 1 && b_repeats && c_goes_on) {
    loop<Op>(steps.stream, n, o, Contiguous<A>{x}, Repeated<B>{*y}, Contiguous<C>{z});
  } else if (steps.out == 1 && steps.a == 1 && b_repeats && c_repeats) {
    loop<Op>(steps.stream, n, o, Contiguous<A>{x}, Repeated<B>{*y}, Repeated<C>{*z});
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      o[i * steps.out] = Op::apply(x[i * steps.a], y[i * steps.b], z[i * steps.c]);
    }
  }
}

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_LOOPS_HPP_
