// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "bench/peers/triad.h"

#include <atomic>
#include <thread>
#if defined(__AVX512F__) || defined(__AVX__)
#include <immintrin.h>
#endif

namespace bench {
namespace {

constexpr float kScale = 3.0F;

void plain(float* a, const float* b, const float* c, std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + kScale * c[i];
}

void non_temporal(float* a, const float* b, const float* c, std::size_t count) {
#if defined(__AVX512F__)
  const __m512 scale = _mm512_set1_ps(kScale);
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    _mm512_stream_ps(a + i, _mm512_fmadd_ps(scale, _mm512_loadu_ps(c + i), _mm512_loadu_ps(b + i)));
  }
  plain(a + i, b + i, c + i, count - i);
  _mm_sfence();
#elif defined(__AVX__)
  const __m256 scale = _mm256_set1_ps(kScale);
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    _mm256_stream_ps(
        a + i, _mm256_add_ps(_mm256_loadu_ps(b + i), _mm256_mul_ps(scale, _mm256_loadu_ps(c + i))));
  }
  plain(a + i, b + i, c + i, count - i);
  _mm_sfence();
#else
  plain(a, b, c, count);
#endif
}

}  // namespace

/// One helper that spins for its next turn: waking it would be in the measurement.
class Triad::Pair {
 public:
  Pair() : helper_([this] { work(); }) {}
  ~Pair() {
    turn_.store(-1);
    helper_.join();
  }

  template <class Half>
  void run(Half&& half) {
    call_ = [](void* user) { (*static_cast<Half*>(user))(1); };
    user_ = &half;
    const long mine = turn_.load() + 1;
    turn_.store(mine, std::memory_order_release);
    half(0);
    while (done_.load(std::memory_order_acquire) != mine) {
    }
  }

 private:
  void work() {
    long last = 0;
    for (;;) {
      const long turn = turn_.load(std::memory_order_acquire);
      if (turn < 0) return;
      if (turn == last) {
        std::this_thread::yield();
        continue;
      }
      last = turn;
      call_(user_);
      done_.store(turn, std::memory_order_release);
    }
  }

  void (*call_)(void*) = nullptr;
  void* user_ = nullptr;
  std::atomic<long> turn_{0}, done_{0};
  std::thread helper_;
};

Triad::Triad() : pair_(std::make_unique<Pair>()) {}
Triad::~Triad() = default;

void Triad::run(Stores stores, float* a, const float* b, const float* c, std::size_t count) {
  const auto kernel = stores == Stores::kPlain ? plain : non_temporal;
  const std::size_t middle = count / 2 / 16 * 16;
  pair_->run([&](int which) {
    const std::size_t begin = which == 0 ? 0 : middle;
    kernel(a + begin, b + begin, c + begin, (which == 0 ? middle : count) - begin);
  });
}

}  // namespace bench
