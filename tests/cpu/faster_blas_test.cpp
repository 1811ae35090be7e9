// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// When OpenBLAS multiplies instead of the CPU's own loops, if the user leaves the choice.
#include "cpu-openblas/products/faster_blas.hpp"

#include <clocale>
#include <ctime>
#include <locale>
#include <map>
#include <stdexcept>
#include <thread>

#include "support/text.h"

/// What the plugin's host is given here.
struct patchbay_host_context {
  std::map<std::string, std::string> settings, cache;
  bool keeps = true;  // what is put into the cache
  std::vector<std::string> log;
};

namespace patchbay::cpu {
namespace {

using plugin::from_abi;

std::uint32_t give(const std::map<std::string, std::string>& values, patchbay_string name,
                   patchbay_bytes_callback callback, void* user) {
  const auto found = values.find(std::string(from_abi(name)));
  if (found == values.end()) return 0;
  callback(user, found->second.data(), found->second.size());
  return 1;
}

patchbay_host make_host(patchbay_host_context& context) {
  patchbay_host host{};
  host.size = sizeof host;
  host.context = &context;
  host.option = [](patchbay_host_context* here, patchbay_string name,
                   patchbay_bytes_callback callback,
                   void* user) { return give(here->settings, name, callback, user); };
  host.cache_get = [](patchbay_host_context* here, patchbay_string key,
                      patchbay_bytes_callback callback,
                      void* user) { return give(here->cache, key, callback, user); };
  host.cache_put = [](patchbay_host_context* here, patchbay_string key, const void* data,
                      std::uint64_t size) {
    if (!here->keeps) return;
    here->cache[std::string(from_abi(key))] = std::string(static_cast<const char*>(data), size);
  };
  host.log = [](patchbay_host_context* here, std::int32_t, patchbay_string message) {
    here->log.emplace_back(from_abi(message));
  };
  return host;
}

constexpr ProductKind kAll[] = {ProductKind::kLarge, ProductKind::kMedium, ProductKind::kFlat};

class FasterBlasTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    blas_ = Blas::open({}, why);
    if (blas_ == nullptr) GTEST_SKIP() << why;
    num_threads_ = blas_->get_num_threads();
  }

  /// What computes that kind. A product by the own loops takes the time `own`.
  const Blas* choose(FasterBlas& faster, ProductKind kind, std::uint8_t dtype = PATCHBAY_F32,
                     std::chrono::microseconds own = {}) {
    return faster.of(kind, dtype, num_threads_, [&](const GemmProblem&, ScalarCell, ScalarCell) {
      ++num_own_;
      std::this_thread::sleep_for(own);
    });
  }
  std::unique_ptr<FasterBlas> make(const std::string& processor = "Some Processor, avx2") {
    return std::make_unique<FasterBlas>(plugin::Host(&host_), processor, gate_);
  }
  /// Fills the cache, as a process does that measures.
  void measure() {
    choose(*make(), ProductKind::kLarge);
    ASSERT_EQ(context_.cache.size(), 1u);
  }
  std::string kept() const { return context_.cache.empty() ? "" : context_.cache.begin()->second; }

  patchbay_host_context context_;
  const patchbay_host host_ = make_host(context_);
  CallGate gate_;
  std::unique_ptr<Blas> blas_;
  int num_threads_ = 0, num_own_ = 0;
};

TEST_F(FasterBlasTest, IsMeasuredOnceAndKept) {
  const auto first = make();
  EXPECT_NE(choose(*first, ProductKind::kFlat, PATCHBAY_F32, std::chrono::milliseconds(200)),
            nullptr);
  const int num_measured = num_own_;
  EXPECT_GT(num_measured, 3);
  ASSERT_EQ(context_.cache.size(), 1u);
  const auto& [key, kept] = *context_.cache.begin();
  EXPECT_TRUE(key.starts_with("products-")) << key;
  EXPECT_TRUE(kept.starts_with("large ")) << kept;
  EXPECT_HAS(kept, "\nmedium ");
  EXPECT_HAS(kept, "\nflat ");
  EXPECT_TRUE(kept.ends_with("\n" + blas_->name() + "\n")) << kept;
  ASSERT_EQ(context_.log.size(), 1u);
  EXPECT_EQ(context_.log[0], "f32 products (large, medium, flat) by " + blas_->name() +
                                 ", which was measured to be faster here than the own loops");

  const auto second = make();
  for (const ProductKind kind : kAll) EXPECT_NE(choose(*second, kind), nullptr);
  EXPECT_EQ(num_own_, num_measured) << "measured again";
}

TEST_F(FasterBlasTest, OwnLoopsThatAreAsFastStay) {
  const auto faster = make();
  for (const ProductKind kind : kAll) EXPECT_EQ(choose(*faster, kind), nullptr);  // take no time
  EXPECT_EQ(context_.cache.size(), 1u);
  EXPECT_TRUE(context_.log.empty()) << context_.log[0];
}

TEST_F(FasterBlasTest, EachKindAndDtypeHasItsOwn) {
  measure();
  context_.cache.begin()->second =
      "large 2.0e-3 1.9e-3\nmedium 2.0e-3 1.7e-3\nflat 1.0e-3 1.0e-1\n" + blas_->name() + "\n";
  num_own_ = 0;
  const auto faster = make();
  EXPECT_EQ(choose(*faster, ProductKind::kLarge), nullptr) << "5 % do not pay";
  EXPECT_NE(choose(*faster, ProductKind::kMedium), nullptr);
  EXPECT_EQ(choose(*faster, ProductKind::kFlat), nullptr);
  EXPECT_EQ(num_own_, 0);
  EXPECT_EQ(choose(*faster, ProductKind::kMedium, PATCHBAY_F64), nullptr);
  EXPECT_GT(num_own_, 0) << "f64 was not measured";
  EXPECT_EQ(context_.cache.size(), 2u);
}

TEST_F(FasterBlasTest, WhatIsKeptHoldsForOneProcessorAndOneLibrary) {
  measure();
  num_own_ = 0;
  choose(*make("Another Processor, avx2"), ProductKind::kLarge);
  EXPECT_GT(num_own_, 0);
  EXPECT_EQ(context_.cache.size(), 2u);

  for (const std::string text :
       {"large 1e-3 1e-4\nmedium 1e-3 1e-4\nflat 1e-3 1e-4\nOpenBLAS 0.0.1\n",
        "large 1e-3 1e-4\nmedium 1e-3 1e-4\nflat 1e-3 1e-4\n",
        "large 1e-3 1e-4\nmedium 1e-3\nflat 1e-3 1e-4\nOpenBLAS 0.0.1\n",
        "large -1 1e-4\nmedium 1e-3 1e-4\nflat 1e-3 1e-4\nOpenBLAS 0.0.1\n",
        "large nan 1e-4\nmedium 1e-3 1e-4\nflat 1e-3 1e-4\nOpenBLAS 0.0.1\n", "", "\n", "large"}) {
    for (auto& [key, value] : context_.cache) value = text;
    num_own_ = 0;
    EXPECT_EQ(choose(*make(), ProductKind::kLarge), nullptr) << text;
    EXPECT_GT(num_own_, 0) << text;
  }
}

/// Of the C library and of C++, such as those of a German program.
TEST_F(FasterBlasTest, LocalesDoNotChangeWhatIsKept) {
  struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    std::string do_grouping() const override { return "\1"; }
  };
  const std::locale before_cpp = std::locale::global(std::locale(std::locale(), new Commas));
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.utf8", "fr_FR.utf8"}) std::setlocale(LC_NUMERIC, name);
  measure();
  num_own_ = 0;
  choose(*make(), ProductKind::kLarge);
  EXPECT_EQ(num_own_, 0) << kept();
  EXPECT_EQ(kept().find(','), std::string::npos) << kept();
  std::setlocale(LC_ALL, before.c_str());
  std::locale::global(before_cpp);
}

TEST_F(FasterBlasTest, FailureLeavesTheOwnLoops) {
  const auto faster = make();
  const auto fail = [](const GemmProblem&, ScalarCell, ScalarCell) {
    throw std::runtime_error("no memory");
  };
  EXPECT_EQ(faster->of(ProductKind::kLarge, PATCHBAY_F32, num_threads_, fail), nullptr);
  EXPECT_TRUE(kept().starts_with("begun ")) << kept();
  context_.cache.clear();
  gate_.close(0);  // the process is ending
  EXPECT_EQ(choose(*make(), ProductKind::kLarge, PATCHBAY_F32), nullptr);
  EXPECT_TRUE(kept().starts_with("begun ")) << kept();
}

TEST_F(FasterBlasTest, WithoutACacheNothingIsMeasured) {
  context_.keeps = false;
  EXPECT_EQ(choose(*make(), ProductKind::kLarge), nullptr);
  EXPECT_EQ(num_own_, 0);
}

TEST_F(FasterBlasTest, OneProcessMeasures) {
  measure();
  const auto measures_after = [&](const std::string& text) {
    context_.cache.begin()->second = text;
    num_own_ = 0;
    EXPECT_EQ(choose(*make(), ProductKind::kLarge), nullptr) << text;
    return num_own_ > 0;
  };
  const auto begun = [](std::time_t seconds_ago) {
    return "begun " + std::to_string(std::time(nullptr) - seconds_ago) + "\n";
  };
  EXPECT_FALSE(measures_after(begun(1))) << "another process measures, or has crashed";
  EXPECT_FALSE(measures_after(begun(3000)));
  EXPECT_TRUE(measures_after(begun(4000)));
  EXPECT_TRUE(measures_after(begun(-100))) << "the clock was set back";
  EXPECT_TRUE(measures_after("begun \n"));
  EXPECT_TRUE(measures_after("begun x\n"));
}

TEST_F(FasterBlasTest, NoneOrOneWithOtherThreadsIsNotMeasured) {
  ++num_threads_;
  EXPECT_EQ(choose(*make(), ProductKind::kLarge), nullptr);
  --num_threads_;
  context_.settings["openblas_path"] = "/nowhere/libopenblas.so.0";
  EXPECT_EQ(choose(*make(), ProductKind::kLarge), nullptr);
  EXPECT_EQ(num_own_, 0);
  EXPECT_TRUE(context_.cache.empty());
}

TEST(ProductKinds, AreThoseWhereACallMayPay) {
  const auto kind = [](std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t contents = 0) {
    GemmProblem problem{};
    problem.m = m, problem.n = n, problem.k = k, problem.a_contents = contents;
    return kind_of(problem);
  };
  EXPECT_EQ(kind(640, 640, 640), ProductKind::kLarge);
  EXPECT_EQ(kind(640, 639, 4096), ProductKind::kMedium);
  EXPECT_EQ(kind(256, 256, 256), ProductKind::kMedium);
  EXPECT_EQ(kind(4096, 255, 4096), std::nullopt);
  EXPECT_EQ(kind(640, 48, 640), ProductKind::kFlat);
  EXPECT_EQ(kind(640, 4, 640), ProductKind::kFlat);
  EXPECT_EQ(kind(640, 3, 640), std::nullopt);
  EXPECT_EQ(kind(639, 16, 4096), std::nullopt);
  EXPECT_EQ(kind(1024, 16, 1024, 7), std::nullopt) << "the weight stays packed";
  EXPECT_EQ(kind(1024, 1024, 1024, 7), ProductKind::kLarge);
  EXPECT_EQ(kind(1024, 1024, 0), std::nullopt);
}

}  // namespace
}  // namespace patchbay::cpu
