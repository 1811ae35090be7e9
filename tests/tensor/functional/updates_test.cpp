// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Updates of parameters, against the published formulas in f64, and limits for gradients.
#include "support/device_test.h"
#include "tensor/functional/functional_values.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(UpdatesTest);

/// Wide enough for sums of three steps.
void expect_close(const Tensor& got, const Doubles& expected, const std::string& what) {
  expect_near(got, expected, what.c_str());
}

Doubles gradient_of_step(std::size_t count, std::int64_t step) {
  return some_values(count, static_cast<int>(step));
}

struct Sgd {
  const char* name;
  SgdOptions options;
};

TEST_P(UpdatesTest, SgdFollowsItsFormulas) {
  const Sgd cases[] = {
      {"plain", {.learning_rate = 0.1}},
      {"decay", {.learning_rate = 0.1, .weight_decay = 0.01}},
      {"momentum", {.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.01}},
      {"dampening", {.learning_rate = 0.1, .momentum = 0.9, .dampening = 0.5}},
      {"nesterov",
       {.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.01, .nesterov = true}}};
  for (const DType dtype : {DType::f32, DType::f64}) {
    if (dtype == DType::f64 && !device_.properties().f64) continue;
    for (const auto& [name, o] : cases) {
      const bool has_velocity = o.momentum != 0;
      const Tensor p = tensor_of(some_values(6), {2, 3}, dtype, device_).requires_grad_();
      const Tensor v = full({2, 3}, NAN, {dtype, device_});  // not read in step 1
      Doubles wanted = values_of(p.detach()), velocity(6);
      for (std::int64_t step = 1; step <= 3; ++step) {
        const Tensor g = tensor_of(gradient_of_step(6, step), {2, 3}, dtype, device_);
        const Doubles slope = values_of(g);
        for (std::size_t i = 0; i < 6; ++i) {
          double s = slope[i] + o.weight_decay * wanted[i];
          if (has_velocity) {
            velocity[i] = step == 1 ? s : o.momentum * velocity[i] + (1 - o.dampening) * s;
            s = o.nesterov ? s + o.momentum * velocity[i] : velocity[i];
          }
          wanted[i] -= o.learning_rate * s;
        }
        sgd_update({p}, {g}, has_velocity ? TensorList{v} : TensorList{}, step, o);
      }
      expect_close(p.detach(), wanted, name);
      if (has_velocity) expect_close(v, velocity, name);
    }
  }
}

TEST_P(UpdatesTest, AdamFollowsItsFormulas) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    if (dtype == DType::f64 && !device_.properties().f64) continue;
    for (const bool decoupled : {false, true}) {
      const AdamOptions o{.learning_rate = 0.05, .weight_decay = 0.1, .decoupled = decoupled};
      const Tensor p = tensor_of(some_values(6), {6}, dtype, device_).requires_grad_();
      const Tensor m = zeros({6}, {dtype, device_}), s = zeros({6}, {dtype, device_});
      Doubles wanted = values_of(p.detach()), mean(6), second(6);
      for (int step = 1; step <= 4; ++step) {
        const Tensor g = tensor_of(gradient_of_step(6, step), {6}, dtype, device_);
        const Doubles given = values_of(g);
        for (std::size_t i = 0; i < 6; ++i) {
          double slope = given[i];
          if (decoupled) {
            wanted[i] *= 1 - o.learning_rate * o.weight_decay;
          } else {
            slope += o.weight_decay * wanted[i];
          }
          mean[i] = o.beta1 * mean[i] + (1 - o.beta1) * slope;
          second[i] = o.beta2 * second[i] + (1 - o.beta2) * slope * slope;
          const double size = std::sqrt(second[i] / (1 - std::pow(o.beta2, step))) + o.epsilon;
          wanted[i] -= o.learning_rate * mean[i] / (1 - std::pow(o.beta1, step)) / size;
        }
        adam_update({p}, {g}, {m}, {s}, step, o);
      }
      expect_close(p.detach(), wanted, "parameters");
      expect_close(m, mean, "means");
      expect_close(s, second, "squares");
    }
  }
}

/// Parameters and gradients in one storage each, with one that has no gradient between them, one of
/// another layout and one that is alone.
TEST_P(UpdatesTest, NeighboursAreUpdatedTogether) {
  const Tensor storage = tensor_of(some_values(12), {12}, DType::f32, device_);
  const Tensor slopes = tensor_of(some_values(12, 3), {12}, DType::f32, device_);
  const Doubles before = values_of(storage), slope = values_of(slopes);
  const auto part = [](const Tensor& all, int begin, int end, const Shape& shape) {
    return all.slice(0, begin, end).view(shape);
  };
  const TensorList parameters = {part(storage, 0, 4, {2, 2}), part(storage, 4, 6, {2}),
                                 part(storage, 6, 7, {}), part(storage, 7, 8, {1}),
                                 part(storage, 8, 12, {2, 2})};
  const TensorList gradients = {part(slopes, 0, 4, {2, 2}), part(slopes, 4, 6, {2}), Tensor(),
                                part(slopes, 7, 8, {1}), part(slopes, 8, 12, {2, 2}).t()};
  sgd_update(parameters, gradients, {}, 1, {.learning_rate = 1});
  Doubles expected;
  for (std::size_t i = 0; i < 12; ++i) expected.push_back(before[i] - (i == 6 ? 0 : slope[i]));
  expected[9] = before[9] - slope[10];  // transposed
  expected[10] = before[10] - slope[9];
  expect_close(storage, expected, "all");
}

/// Parameters, gradients and moments in storages of their own.
struct Strangers {
  explicit Strangers(const Device& device) {
    for (int i = 0; i < 40; ++i) {
      const auto count = static_cast<std::size_t>(1 + 37 * i % 300);
      const Shape shape = {static_cast<std::int64_t>(count)};
      parameters.push_back(tensor_of(some_values(count, i), shape, DType::f32, device));
      gradients.push_back(tensor_of(some_values(count, i + 1), shape, DType::f32, device));
      means.push_back(zeros(shape, device));
      squares.push_back(zeros(shape, device));
    }
  }

  TensorList parameters, gradients, means, squares;
};

TEST_P(UpdatesTest, StrangersAreUpdatedByOneLaunch) {
  const Strangers together(device_), alone(device_);
  const AdamOptions options{.learning_rate = 0.1, .weight_decay = 0.01};
  const SgdOptions sgd{.learning_rate = 0.1, .momentum = 0.9};
  Profile profile(test_runtime());
  adam_update(together.parameters, together.gradients, together.means, together.squares, 1,
              options);
  sgd_update(together.parameters, together.gradients, together.means, 2, sgd);
  profile.stop();
  for (std::size_t i = 0; i < alone.parameters.size(); ++i) {
    adam_update({alone.parameters[i]}, {alone.gradients[i]}, {alone.means[i]}, {alone.squares[i]},
                1, options);
    sgd_update({alone.parameters[i]}, {alone.gradients[i]}, {alone.means[i]}, 2, sgd);
  }
  for (const ProfileRow& row : profile.rows()) EXPECT_EQ(row.calls, 1u) << row.name;
  EXPECT_EQ(profile.rows().size(), 2u);
  for (std::size_t i = 0; i < alone.parameters.size(); ++i) {
    EXPECT_EQ(values_of(together.parameters[i]), values_of(alone.parameters[i])) << i;
    EXPECT_EQ(values_of(together.means[i]), values_of(alone.means[i])) << i;
    EXPECT_EQ(values_of(together.squares[i]), values_of(alone.squares[i])) << i;
  }
}

TEST_P(UpdatesTest, AParameterGivenTwiceIsUpdatedTwice) {
  const Tensor p = full({3}, 10, device_), q = full({2}, 1, device_);
  const Tensor g = full({3}, 2, device_), slope = full({2}, 0.5, device_);
  sgd_update({p, q, p}, {g, slope, g}, {}, 1, {.learning_rate = 1, .weight_decay = 0.5});
  expect_near(p, {-0.5, -0.5, -0.5}, "10 - (2 + 5) = 3, 3 - (2 + 1.5) = -0.5");
  expect_near(q, {0, 0}, "1 - (0.5 + 0.5)");
}

TEST_P(UpdatesTest, OfSmallFloats) {
  if (!device_.properties().bf16) GTEST_SKIP() << "no bf16";
  const Tensor p = ones({4}, {DType::bf16, device_}), g = full({4}, 2, {DType::bf16, device_});
  sgd_update({p}, {g}, {}, 1, {.learning_rate = 0.25});
  expect_near(p, {0.5, 0.5, 0.5, 0.5}, "parameters");
}

/// In f16 the usual epsilon is 0: a gradient of 0 must not become 0 / 0. The step is that of f32.
TEST_P(UpdatesTest, AdamOfSmallFloatsIsComputedInF32) {
  for (const DType dtype : float_dtypes(device_)) {
    if (dtype == DType::f32 || dtype == DType::f64) continue;
    for (const bool decoupled : {false, true}) {
      const AdamOptions options{.learning_rate = 0.01, .weight_decay = 0.1, .decoupled = decoupled};
      const Doubles slopes{0, 0, 1e-3, -0.5}, starts{1, 0, 1, 2};
      const auto made = [&](DType of) {
        return std::array{tensor_of(starts, {4}, dtype, device_).cast(of),
                          tensor_of(slopes, {4}, dtype, device_).cast(of),
                          zeros({4}, {of, device_}), zeros({4}, {of, device_})};
      };
      const auto small = made(dtype), wide = made(DType::f32);
      for (std::int64_t step = 1; step <= 3; ++step) {
        adam_update({small[0]}, {small[1]}, {small[2]}, {small[3]}, step, options);
        adam_update({wide[0]}, {wide[1]}, {wide[2]}, {wide[3]}, step, options);
        if (step > 1) continue;  // states are rounded after it
        for (const std::size_t i : {0U, 2U, 3U}) {
          EXPECT_EQ(values_of(small[i]), values_of(wide[i].cast(dtype))) << to_string(dtype) << i;
        }
      }
      for (const double value : values_of(small[0])) EXPECT_TRUE(std::isfinite(value));
      EXPECT_EQ(values_of(small[0])[1], 0);
    }
  }
}

TEST_P(UpdatesTest, ClipsByValue) {
  const Tensor g = tensor_of({-3, 0.5, NAN, 3}, {4}, DType::f32, device_);
  clip_by_value({g, Tensor()}, 1);
  expect_near(g, {-1, 0.5, NAN, 1}, "gradient");
  EXPECT_INVALID(clip_by_value({g}, -1), "[clip_by_value] bad limit");
  EXPECT_INVALID(clip_by_value({g}, NAN), "[clip_by_value] bad limit");
  if (!device_.properties().f16) return;
  const Tensor half = ones({1}, {DType::f16, device_});
  clip_by_value({g, half}, INFINITY);
  EXPECT_INVALID(clip_by_value({g, half}, 70000), "[clip_by_value] a literal takes the tensor's",
                 "a value that f16 can hold, got 70000. Use such a value, or cast the tensor.");
}

TEST_P(UpdatesTest, ClipsByTheCommonNorm) {
  const Tensor a = tensor_of({3, 0}, {2}, DType::f32, device_);
  const Tensor b = tensor_of({0, -4}, {2, 1}, DType::f32, device_);
  expect_near(clip_by_norm({a, Tensor(), b}, 10), {5}, "norm");
  expect_near(a, {3, 0}, "below the limit nothing changes");
  expect_near(clip_by_norm({a, b}, 2.5), {5}, "norm");
  expect_near(a, {1.5, 0}, "a");
  expect_near(b, {0, -2}, "b");
  const Tensor zero = zeros({2}, device_);
  expect_near(clip_by_norm({zero}, 1), {0}, "norm");
  expect_near(zero, {0, 0}, "zero");
  if (device_.properties().f16) {  // whose squares overflow
    const Tensor half = full({4}, 30000, {DType::f16, device_});
    expect_near(clip_by_norm({half}, 2), {60000}, "norm");
    expect_near(half, {1, 1, 1, 1}, "half");
  }
  EXPECT_INVALID(clip_by_norm({a}, 0), "[clip_by_norm]", "more than 0, got 0");
  EXPECT_INVALID(clip_by_norm({Tensor()}, 1), "[clip_by_norm] no gradients");
  EXPECT_ERROR(clip_by_norm({a, zeros({2}, other_)}, 1), kDeviceMismatch,
               "[clip_by_norm] operands are on different devices (gradients[0]: f32 [2]" + on_ +
                   "; gradients[1]: f32 [2] on " + other_.name() +
                   "). Copy gradients[1] first: gradients[1].to(gradients[0].device()).");
}

/// Step, rate and condition from elements of the device, for parameters of different counts.
TEST_P(UpdatesTest, NumbersMayBeElementsOfTheDevice) {
  const DType wide = device_.properties().f64 ? DType::f64 : DType::f32;
  const Tensor steps = from_host<std::int64_t>({1, 40, 2000000}, {3}, device_);
  const Tensor rate = full({}, 0.05, {wide, device_}), no = zeros({}, {DType::boolean, device_});
  const AdamOptions adam{.learning_rate = 0.05, .weight_decay = 0.1, .decoupled = true};
  const SgdOptions sgd{.learning_rate = 0.05, .momentum = 0.9, .dampening = 0.2, .nesterov = false};
  for (std::int64_t i = 0; i < 3; ++i) {
    const UpdateNumbers numbers{steps[i], rate, Tensor()}, never{steps[i], rate, no};
    const std::int64_t step = steps[i].item<std::int64_t>();
    const auto start = [&](int seed) {
      return tensor_of(some_values(4, seed), {4}, DType::f32, device_);
    };
    const Tensor g = start(1);
    std::vector<std::vector<Floats>> results;
    for (const bool by_elements : {false, true}) {
      const Tensor p = start(2), m = start(3), s = square(start(4)), q = start(5), v = start(6);
      const auto all = [&] {
        std::vector<Floats> values;
        for (const Tensor& each : {p, m, s, q, v}) values.push_back(each.to_vector<float>());
        return values;
      };
      if (by_elements) {
        const auto before = all();
        adam_update({p}, {g}, {m}, {s}, std::span(&never, 1), adam);
        sgd_update({q}, {g}, {v}, std::span(&never, 1), sgd);
        EXPECT_EQ(all(), before);
        adam_update({p}, {g}, {m}, {s}, std::span(&numbers, 1), adam);
        sgd_update({q}, {g}, {v}, std::span(&numbers, 1), sgd);
      } else {
        adam_update({p}, {g}, {m}, {s}, step, adam);
        sgd_update({q}, {g}, {v}, step, sgd);
      }
      results.push_back(all());
    }
    EXPECT_EQ(results[1], results[0]) << "step " << step;
  }
}

TEST_P(UpdatesTest, ElementsThatAreNoNumbersAreNamed) {
  const Tensor p = ones({2}, device_), g = ones({2}, device_);
  const Tensor step = ones({}, {DType::i64, device_}), rate = ones({}, device_);
  const auto update = [&](const UpdateNumbers& numbers) {
    sgd_update({p}, {g}, {}, std::span(&numbers, 1));
  };
  EXPECT_INVALID(sgd_update({p}, {g}, {}, std::span<const UpdateNumbers>()),
                 "[sgd_update] wrong number", "expected 1, those of each parameter, got 0");
  EXPECT_INVALID(update({Tensor(), rate, {}}), "[sgd_update] step[0] is undefined");
  EXPECT_ERROR(update({rate, rate, {}}), kDtypeMismatch, "[sgd_update] step[0]", "i64, got f32");
  EXPECT_ERROR(update({step, step, {}}), kDtypeMismatch,
               "[sgd_update] learning_rate[0] has another dtype: expected f32 or f64, got i64");
  EXPECT_ERROR(update({step, rate, rate}), kDtypeMismatch,
               "[sgd_update] applies[0] has another dtype: expected bool, got f32");
  EXPECT_ERROR(update({step, ones({2}, device_), {}}), kShapeMismatch,
               "[sgd_update] learning_rate[0] has another shape: expected [], got [2]");
  EXPECT_ERROR(update({step, ones({}, other_), {}}), kDeviceMismatch,
               "[sgd_update] operands are on different devices");
  EXPECT_ERROR(clip_by_norm({g}, ones({2}, device_)), kShapeMismatch,
               "[clip_by_norm] most has another shape: expected [], got [2]");
  EXPECT_ERROR(clip_by_norm({g}, step), kDtypeMismatch, "[clip_by_norm]");
  EXPECT_ERROR(clip_by_norm({g}, ones({}, other_)), kDeviceMismatch,
               "[clip_by_norm] operands are on different devices");
  expect_near(p, {1, 1}, "nothing was written");
}

TEST_P(UpdatesTest, ErrorsComeBeforeAnyWork) {
  const Tensor p = ones({2}, device_), g = ones({2}, device_);
  EXPECT_INVALID(sgd_update({p, p}, {g}, {}, 1),
                 "[sgd_update] wrong number of tensors: expected 2 gradients, one for each "
                 "parameter, got 1. Pass an undefined gradient for a parameter without one.");
  EXPECT_INVALID(sgd_update({p}, {g}, {}, 1, {.momentum = 0.9}),
                 "[sgd_update] wrong number of tensors: expected 1 velocities, one for each "
                 "parameter, got 0. Give each parameter one: zeros_like(parameter).");
  EXPECT_INVALID(sgd_update({p}, {g}, {Tensor()}, 1, {.momentum = 0.9}),
                 "[sgd_update] velocities[0] is undefined. Create it first, for example "
                 "velocities[0] = zeros(shape).");
  EXPECT_ERROR(sgd_update({p, p}, {g, ones({3}, device_)}, {}, 1), kShapeMismatch,
               "[sgd_update] gradients[1] has the wrong shape: expected [2] like its parameter");
  EXPECT_ERROR(sgd_update({p}, {g.cast(DType::i32)}, {}, 1), kDtypeMismatch, "[sgd_update]",
               "expected gradients[0] of f32 like parameters[0], got i32");
  EXPECT_INVALID(sgd_update({Tensor()}, {g}, {}, 1), "[sgd_update] parameters[0] is undefined");
  EXPECT_INVALID(sgd_update({p}, {g}, {}, 0), "[sgd_update]", "1 or more, got 0");
  EXPECT_INVALID(sgd_update({p}, {g}, {}, 1, {.weight_decay = -1}),
                 "[sgd_update] bad weight_decay");
  EXPECT_INVALID(adam_update({p}, {g}, {p}, {p}, 1, {.beta1 = 1}),
                 "[adam_update] bad beta1: expected 0 or more and less than 1, got 1");
  EXPECT_INVALID(adam_update({p}, {g}, {p}, {Tensor()}, 1),
                 "[adam_update] squares[0] is undefined");
  EXPECT_INVALID(sgd_update({p}, {g}, {}, 1, {.nesterov = true}), "[sgd_update]",
                 "expected a momentum > 0 and no dampening, got 0 and 0. Choose others.");
  EXPECT_INVALID(
      sgd_update({p}, {g}, {p}, 1, {.momentum = 0.5, .dampening = 0.25, .nesterov = true}),
      "[sgd_update]", "expected a momentum > 0 and no dampening, got 0.5 and 0.25. Choose others.");
  EXPECT_INVALID(sgd_update({p}, {g}, {p}, 1, {.momentum = 0.5, .dampening = NAN}),
                 "[sgd_update] bad dampening: expected a finite number, got nan. Choose another.");
  const std::string bad = "_update] bad learning_rate: expected a number of 0 or more, got ";
  EXPECT_INVALID(sgd_update({p}, {g}, {}, 1, {.learning_rate = NAN}), "[sgd" + bad + "nan");
  EXPECT_INVALID(sgd_update({p}, {g}, {}, 1, {.learning_rate = -1}), "[sgd" + bad + "-1");
  EXPECT_INVALID(adam_update({p}, {g}, {p}, {p}, 1, {.learning_rate = INFINITY}),
                 "[adam" + bad + "inf");
  expect_near(p, {1, 1}, "nothing was written");
}

TEST_P(UpdatesTest, WhatCanNotBeWrittenIsNamed) {
  const Tensor p = ones({2}, device_), g = full({2}, 4, device_);
  const Tensor expanded = full({1}, 4, device_).expand({2});
  const auto text = [&](const std::string& what) {
    return what +
           " repeats elements: expected a place of its own for each, got strides [0] (f32 "
           "[2]" +
           on_ + "). Use a clone of it.";
  };
  EXPECT_INVALID(sgd_update({p, expanded}, {g, g}, {}, 1), text("[sgd_update] parameters[1]"));
  EXPECT_INVALID(adam_update({p, p.clone()}, {g, g}, {zeros({2}, device_), expanded},
                             {zeros({2}, device_), zeros({2}, device_)}, 1),
                 text("[adam_update] means[1]"));
  EXPECT_INVALID(clip_by_value({g, Tensor(), expanded}, 1), text("[clip_by_value] gradients[2]"));
  EXPECT_INVALID(clip_by_norm({g, expanded}, 1), text("[clip_by_norm] gradients[1]"));
  EXPECT_INVALID(check_writable("mine", Tensor(), "x"), "[mine] x is undefined");
  expect_near(p, {1, 1}, "nothing was written");
  expect_near(g, {4, 4}, "nothing was written");
  sgd_update({p}, {expanded}, {}, 1, {.learning_rate = 0.5});
  expect_near(p, {-1, -1}, "gradients are only read");
}

TEST_P(UpdatesTest, OverlapsAreNamedAsTheCallerGaveThem) {
  const Tensor all = ones({4}, device_), p = all.slice(0, 0, 2), g = ones({2}, device_);
  EXPECT_INVALID(sgd_update({g.clone(), p}, {g, all.slice(0, 1, 3)}, {}, 1),
                 "[sgd_update] parameters[1] and gradients[1] overlap in part (");
  EXPECT_INVALID(sgd_update({p}, {g}, {p}, 1, {.momentum = 0.9}),
                 "[sgd_update] parameters[0] and velocities[0] overlap (");
  EXPECT_INVALID(adam_update({p}, {g}, {all.slice(0, 2)}, {all.slice(0, 2)}, 1),
                 "[adam_update] means[0] and squares[0] overlap");
  expect_near(all, {1, 1, 1, 1}, "nothing was written");
  sgd_update({p}, {p}, {}, 1, {.learning_rate = 1});
  expect_near(all, {0, 0, 1, 1}, "a parameter may be its own gradient");
}

}  // namespace
}  // namespace patchbay::test
