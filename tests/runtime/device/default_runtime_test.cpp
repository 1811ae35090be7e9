// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What is the process's own: the default runtime's options, the default device. Each case runs in a
// child, for neither goes back.
#include <stdlib.h>
#include <unistd.h>

#include "support/child.h"
#include "support/runtime_fixture.h"

namespace patchbay::test {
namespace {

std::string made_on() { return zeros({2}).device().name(); }

TEST(DefaultRuntime, TakesOptionsBeforeItsFirstUse) {
  EXPECT_EQ(answer_of([] {
              RuntimeOptions first;
              first.plugins = {"no-such-plugin"};
              Runtime::set_default_options(first);
              Runtime::set_default_options(options({{"cpu_devices", "3"}}));
              return Device("cpu:2").name() + " " + Device("fake:1").name();
            }),
            "cpu:2 fake:1");
}

TEST(DefaultRuntime, TakesNoOptionsAfterwards) {
  EXPECT_EQ(answer_of([] {
              Runtime::set_default_options(options());
              const std::string name = Device("cpu").name();
              Runtime::set_default_options(options());
              return name;
            }),
            "in_use [set_default_options] the default runtime exists already. Set its options "
            "before it is first used, at the start of main, or make a Runtime of your own.");
}

TEST(DefaultRuntime, OptionsMayBeCorrectedAfterAnErrorOfItsCreation) {
  EXPECT_EQ(answer_of([] {
              Runtime::set_default_options(options({{"sync", "maybe"}}));
              std::string text = "no error";
              try {
                text = Device("cpu").name();
              } catch (const Error&) {
                Runtime::set_default_options(options());
                text = Device("cpu").name();
              }
              return text;
            }),
            "cpu:0");
}

TEST(DefaultRuntime, IsThereForTheLinesOfItsCreation) {
  EXPECT_EQ(answer_of([] {
              alarm(60);
              static std::string answers;
              RuntimeOptions talkative = options({{"log", "info"}});
              talkative.log = [](LogLevel, std::string_view) {
                if (!answers.empty()) return;
                answers = std::to_string(num_gpus()) + "\n";
                answers += error_of([] { Runtime::set_default_options({}); }).what();
              };
              Runtime::set_default_options(talkative);
              const int num_found = num_gpus();
              return std::to_string(num_found) + " " + answers;
            }).find("2 2\n[set_default_options] the default runtime exists already"),
            0u);
}

TEST(DefaultDevice, IsTheCpuEvenWhereThereAreAccelerators) {
  EXPECT_EQ(answer_of([] {
              Runtime::set_default_options(options());
              return made_on() + " of " + std::to_string(num_gpus());
            }),
            "cpu:0 of 2");
}

TEST(DefaultDevice, IsSetByAVariable) {
  for (const auto& [value, name] : std::map<std::string, std::string>{
           {"cpu:1", "cpu:1"}, {"fake", "fake:0"}, {"gpu:1", "fake:1"}, {"", "cpu:0"}}) {
    EXPECT_EQ(answer_of([value = value] {
                setenv("PATCHBAY_DEVICE", value.c_str(), 1);
                Runtime::set_default_options(options());
                return made_on();
              }),
              name);
  }
}

TEST(DefaultDevice, IsSetByASetting) {
  EXPECT_EQ(answer_of([] {
              setenv("PATCHBAY_DEVICE", "cpu:1", 1);
              Runtime::set_default_options(options({{"device", "fake:1"}}));
              return made_on() + " " + rand({2}).device().name() + " " +
                     arange(0, 3).device().name();
            }),
            "fake:1 fake:1 fake:1");
}

TEST(DefaultDevice, ThatIsNotThereIsAnErrorWhereItIsWanted) {
  const auto with = [](const std::string& value) {
    return answer_of([&value] {
      setenv("PATCHBAY_DEVICE", value.c_str(), 1);
      Runtime::set_default_options(options());
      const Tensor named = zeros({2}, "cpu:0");  // asks for none
      return named.device().name() + " " + made_on();
    });
  };
  const std::string absent = with("fake:7");
  EXPECT_EQ(absent.find("unknown_device [Device] no device 'fake:7': backend 'fake' has 2"), 0u)
      << absent;
  EXPECT_TRUE(absent.ends_with(
      "It is asked for as the default device, by the setting 'device' (PATCHBAY_DEVICE)."))
      << absent;
  EXPECT_EQ(
      with("Fake"),
      "invalid_argument [Device] bad device name 'Fake': expected a backend that begins with a "
      "lower-case letter. A valid one is 'cpu:0'. Correct the setting 'device' (PATCHBAY_DEVICE).");
}

TEST(DefaultDevice, IsSetForAllThreads) {
  EXPECT_EQ(answer_of([] {
              setenv("PATCHBAY_DEVICE", "cpu:1", 1);
              Runtime::set_default_options(options());
              set_default_device("fake:1");
              std::string names = made_on();
              std::thread([&names] { names += " " + made_on(); }).join();
              set_default_device("cpu:0");
              return names + " " + made_on();
            }),
            "fake:1 fake:1 cpu:0");
}

TEST(DefaultDevice, OfAScopeEndsWithItAndAnExplicitOneWins) {
  EXPECT_EQ(answer_of([] {
              Runtime::set_default_options(options());
              set_default_device("fake:1");
              std::string names;
              try {
                const DefaultDeviceScope scope("fake:0");
                names = made_on() + " " + zeros({2}, "cpu:1").device().name();
                throw std::runtime_error("out of the scope");
              } catch (const std::runtime_error&) {
                names += " " + made_on();
              }
              return names;
            }),
            "fake:0 cpu:1 fake:1");
}

TEST(DefaultDevice, MayBeOfAnotherRuntime) {
  EXPECT_EQ(answer_of([] {
              set_default_device(Runtime(options()).device("fake:1"));
              const Tensor there = full({2}, 3);
              return there.device().name() + " " + there.to("cpu").device().name() + " " +
                     std::to_string(there.to_vector<float>()[1]);
            }),
            "fake:1 cpu:0 3.000000");
}

}  // namespace
}  // namespace patchbay::test
