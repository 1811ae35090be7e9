// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files that fit a module by other names or in part, tied weights, and dtypes that Patchbay lacks.
#include <fstream>

#include <patchbay/nn/activation.h>
#include <patchbay/nn/checkpoint.h>
#include <patchbay/nn/containers.h>
#include <patchbay/nn/safetensors.h>

#include "nn/nets.h"
#include "support/device_test.h"
#include "support/scratch_directory.h"

namespace patchbay::test {
namespace {

using nn::Safetensors;

class LoadingTest : public DeviceTest {
 protected:
  std::string path() const { return folder_.folder("files") + "/model.safetensors"; }
  /// Two layers of 12 elements.
  nn::Sequential model() const {
    return nn::Sequential(nn::Linear(2, 2, {.tensor = device_}),
                          nn::Linear(2, 2, {.tensor = device_}));
  }
  Tensor two(float value) const { return full({2}, value, device_); }
  Tensor four(float value) const { return full({2, 2}, value, device_); }

  const ScratchDirectory folder_;
};
PATCHBAY_ON_EACH_DEVICE(LoadingTest);

TEST_P(LoadingTest, WhatFitsNothingIsAnError) {
  nn::Sequential net = model();
  const Floats before = net.parameter("0.weight")->to_vector<float>();
  nn::save_safetensors(path(), {{"module.0.weight", four(1)}, {"module.0.bias", two(2)}});
  EXPECT_INVALID(nn::load(net, path(), {.allow_missing = true, .allow_superfluous = true}),
                 "[load] none of the 2 tensors of '" + path() +
                     "' fits the module: expected '0.weight', '0.bias', '1.weight', '1.bias', got "
                     "'module.0.bias', 'module.0.weight'. Give LoadOptions::rename, which makes "
                     "names of the module of those in the file.");
  EXPECT_EQ(net.parameter("0.weight")->to_vector<float>(), before);
  nn::save_safetensors(path(), {});
  EXPECT_INVALID(nn::load(net, path(), {.allow_missing = true}),
                 "[load] none of the 0 tensors of '" + path() + "' fits the module: expected ");
  nn::ReLU none;
  EXPECT_EQ(nn::load(none, path(), {}).missing, Names{})
      << "nothing is wanted, and nothing is there";
}

TEST_P(LoadingTest, NamesOfTheFileAreChanged) {
  nn::Sequential net = model();
  nn::save_safetensors(path(), {{"module.0.weight", four(1)},
                                {"module.0.bias", two(2)},
                                {"last.w", four(3)},
                                {"module.1.bias", two(4)}});
  const auto rename = [](const std::string& name) {
    constexpr std::string_view kPrefix = "module.";
    return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
  };
  nn::load(net, path(), {.names = {{"last.w", "1.weight"}}, .rename = rename});
  EXPECT_EQ(net.parameter("0.weight")->to_vector<float>(), Floats(4, 1));
  EXPECT_EQ(net.parameter("0.bias")->to_vector<float>(), Floats(2, 2));
  EXPECT_EQ(net.parameter("1.weight")->to_vector<float>(), Floats(4, 3));
  EXPECT_EQ(net.parameter("1.bias")->to_vector<float>(), Floats(2, 4));

  const nn::LoadReport report =
      nn::load(net, path(), {.allow_missing = true, .allow_superfluous = true, .rename = rename});
  EXPECT_EQ(report.missing, Names{"1.weight"}) << "as the module calls it";
  EXPECT_EQ(report.superfluous, Names{"last.w"}) << "as the file calls it";
  EXPECT_INVALID(nn::load(net, path(), {.names = {{"last.x", "1.weight"}}, .rename = rename}),
                 "[load] a wrong name in LoadOptions::names: expected one of '" + path() +
                     "', got 'last.x', the nearest is 'last.w'. Put the names of the file first.");
  EXPECT_INVALID(
      nn::load(net, path(), {.names = {{"last.w", "1.weights"}}, .rename = rename}),
      "[load] a wrong name in LoadOptions::names: expected one of the module for 'last.w', got "
      "'1.weights', the nearest is '1.weight'. named_parameters() lists them.");
  EXPECT_INVALID(nn::load(net, path(), {.names = {{"last.w", "0.weight"}}, .rename = rename}),
                 "[load] two tensors get one name: '0.weight' for ");
}

TEST_P(LoadingTest, TiedWeightsLoadWithEitherNameOrBoth) {
  const auto tensors = [&](const Names& names) {
    nn::TensorMap all = {{"hidden.bias", zeros({3}, device_)},
                         {"out.bias", zeros({3}, device_)},
                         {"count", zeros({}, device_)}};
    for (const std::string& name : names) all[name] = full({3, 3}, 7, device_);
    return all;
  };
  for (const Names& names :
       {Names{"hidden.weight"}, Names{"out.weight"}, Names{"hidden.weight", "out.weight"}}) {
    for (const bool allows : {false, true}) {
      Net net(device_, /*tied=*/true);
      nn::save_safetensors(path(), tensors(names));
      const nn::LoadReport report =
          nn::load(net, path(), {.allow_missing = allows, .allow_superfluous = allows});
      EXPECT_EQ(report.missing, Names{});
      EXPECT_EQ(report.superfluous, Names{});
      EXPECT_EQ(net.out.weight->to_vector<float>(), Floats(9, 7));
      EXPECT_EQ(net.hidden.weight, net.out.weight) << "still tied";
    }
  }
  Net net(device_, /*tied=*/true);
  nn::TensorMap differing = tensors({"hidden.weight"});
  differing["out.weight"] = full({3, 3}, 8, device_);
  nn::save_safetensors(path(), differing);
  EXPECT_INVALID(nn::load(net, path()),
                 "[load] '" + path() +
                     "' has two tensors for one parameter of the module: expected equal ones, got "
                     "'hidden.weight' and 'out.weight', which differ. Give the module a parameter "
                     "for each, or leave one out.");
  differing["out.weight"] = full({3}, 7, device_);
  nn::save_safetensors(path(), differing);
  EXPECT_INVALID(nn::load(net, path()), "which differ.");
  nn::save_safetensors(path(), tensors({}));
  EXPECT_INVALID(nn::load(net, path()), "missing are 'hidden.weight'");
}

/// What is saved of tied weights says so, and a module that does not tie them has both.
TEST_P(LoadingTest, TiedWeightsLoadIntoAModuleThatDoesNotTieThem) {
  Net tied(device_, /*tied=*/true), separate(device_);
  nn::save(tied, path());
  EXPECT_EQ(Safetensors(path()).metadata(),
            (std::map<std::string, std::string>{{"out.weight", "hidden.weight"}}));
  nn::load(separate, path());
  EXPECT_EQ(separate.hidden.weight->to_vector<float>(), tied.hidden.weight->to_vector<float>());
  EXPECT_EQ(separate.out.weight->to_vector<float>(), tied.hidden.weight->to_vector<float>());
  nn::save(separate, path());
  EXPECT_TRUE(Safetensors(path()).metadata().empty());
  nn::load(tied, path());
}

TEST_P(LoadingTest, ACheckpointOfAModelThatIsTiedTheOtherWayRound) {
  Net tied(device_, /*tied=*/true), other(device_, /*tied=*/true);
  nn::save_safetensors(path(), {});
  nn::save_checkpoint(path(), {.model = &tied});
  // As a model would write it whose members come in another order.
  const Safetensors file(path());
  nn::TensorMap tensors = nn::load_safetensors(path(), device_);
  const auto metadata = file.metadata();
  tensors["model.out.weight"] = tensors.at("model.hidden.weight");
  tensors.erase("model.hidden.weight");
  nn::save_safetensors(path(), tensors, metadata);
  nn::Checkpoint parts{.model = &other};
  nn::load_checkpoint(path(), parts);
  EXPECT_EQ(other.hidden.weight->to_vector<float>(), tied.hidden.weight->to_vector<float>());
}

/// One tensor of a dtype that Patchbay lacks.
class ForeignDType : public LoadingTest {
 protected:
  void write() const {
    const std::string header = R"({"0.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                               R"("scale":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[16,19]},)"
                               R"("wave":{"dtype":"C128","shape":[1],"data_offsets":[19,27]}})";
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
    bytes += header;
    for (int i = 0; i < 4; ++i) bytes += std::string("\0\0\x80\x3f", 4);
    std::ofstream(path(), std::ios::binary) << bytes << "abcdefghijk";
  }
};
INSTANTIATE_TEST_SUITE_P(, ForeignDType, PATCHBAY_EACH_DEVICE, device_test_name);

TEST_P(ForeignDType, IsListedAndRefusedAlone) {
  write();
  for (const bool map : {false, true}) {
    const Safetensors file(path(), {.map = map});
    ASSERT_EQ(file.entries().size(), 3u);
    const Safetensors::Entry& scale = file.entry("scale");
    EXPECT_EQ(scale.dtype_name, "F8_E4M3");
    EXPECT_EQ(to_string(scale.dtype), "no dtype");
    EXPECT_FALSE(scale.is_readable);
    EXPECT_EQ(scale.shape, Shape{3});
    EXPECT_EQ(scale.size_bytes, 3u);
    EXPECT_EQ(file.entry("wave").dtype_name, "C128");
    EXPECT_EQ(file.entry("0.weight").dtype_name, "F32");
    EXPECT_TRUE(file.entry("0.weight").is_readable);
    EXPECT_EQ(file.read("0.weight", device_).to_vector<float>(), Floats(4, 1));
    const auto refused = [&](const std::string& name, const std::string& dtype) {
      return "[Safetensors] can't read tensor '" + name + "' of '" + path() +
             "': Patchbay has no dtype '" + dtype +
             "'. Read the others, or save it with another dtype.";
    };
    EXPECT_INVALID(file.read("scale", device_), refused("scale", "F8_E4M3"));
    EXPECT_INVALID(file.read_into("wave", zeros({1}, device_)), refused("wave", "C128"));
  }
  Ledger& ledger = device_.runtime().ledger();
  const std::uint64_t copied = ledger.total("host", device_.name()).bytes;
  EXPECT_INVALID(nn::load_safetensors(path(), device_),
                 "[load_safetensors] can't read tensor 'scale' of '");
  EXPECT_EQ(ledger.total("host", device_.name()).bytes, copied) << "the others were read before";
}

TEST_P(ForeignDType, IsRefusedWhereAModuleNeedsIt) {
  write();
  nn::Sequential net = model();
  const nn::LoadReport report =
      nn::load(net, path(), {.allow_missing = true, .allow_superfluous = true});
  EXPECT_EQ(report.superfluous, (Names{"scale", "wave"}));
  EXPECT_EQ(net.parameter("0.weight")->to_vector<float>(), Floats(4, 1));
  EXPECT_ERROR(
      nn::load(net, path(),
               {.allow_missing = true, .allow_superfluous = true, .names = {{"scale", "0.bias"}}}),
      ErrorCode::kDtypeMismatch,
      "[load] 'scale' of '" + path() +
          "' has another dtype: expected f32, got F8_E4M3. Save it as f32.");
}

}  // namespace
}  // namespace patchbay::test
