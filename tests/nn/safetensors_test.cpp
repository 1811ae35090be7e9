// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files of safetensors: what is read and written, what is refused, and that a failed save leaves
// the old file.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include <patchbay/nn/checkpoint.h>
#include <patchbay/nn/convolution.h>
#include <patchbay/nn/normalization.h>
#include <patchbay/nn/safetensors.h>

#include "nn/nets.h"
#include "support/device_test.h"
#include "support/scratch_directory.h"

namespace patchbay::test {
namespace {

using nn::Safetensors;

/// Length, header and data.
std::string file_of(const std::string& header, const std::string& data = "") {
  std::string text;
  for (int i = 0; i < 8; ++i) text += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return text + header + data;
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void open_file(const std::filesystem::path& path) { const Safetensors file(path); }

void read(const Safetensors& file, std::string_view name, const Device& device) {
  static_cast<void>(file.read(name, device));
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class SafetensorsTest : public DeviceTest {
 protected:
  std::string path(const std::string& name = "model.safetensors") const {
    return folder_.folder("files") + "/" + name;
  }
  const ScratchDirectory folder_;
};
PATCHBAY_ON_EACH_DEVICE(SafetensorsTest);

TEST_P(SafetensorsTest, EveryDtypeAndShapeComesBack) {
  nn::TensorMap tensors;
  for (const DType dtype : kDTypes) {
    if (dtype == DType::f64 && !device_.properties().f64) continue;
    if (dtype == DType::c128) continue;  // not in the format
    tensors[std::string("of ") + std::string(to_string(dtype))] =
        arange(0, 6, 1, {DType::i32, device_}).cast(dtype).reshape({2, 3});
  }
  tensors["transposed"] = arange(0, 6, 1, {DType::f32, device_}).reshape({2, 3}).t();
  tensors["number"] = full({}, 2.5, device_);
  tensors["empty"] = zeros({0, 7}, device_);
  tensors["\"quoted\" \u00e9\n"] = ones({1}, device_);
  // More than the staging memory.
  tensors["large"] = rand({700'001}, device_, Generator(1));
  if (device_.properties().f64) {
    const nn::TensorMap wide{{"w", zeros({2}, {DType::c128, device_})}};
    EXPECT_ERROR(
        nn::save_safetensors(path(), wide), ErrorCode::kDtypeMismatch,
        "[save_safetensors] tensor 'w' has the dtype c128, which the format lacks. Cast it "
        "to c64, or save view_as_real of it.");
  }
  nn::save_safetensors(path(), tensors, {{"format", "pt"}, {"who", "a \"test\""}});

  const Safetensors file(path());
  EXPECT_EQ(file.entries().size(), tensors.size());
  EXPECT_EQ(file.metadata().at("who"), "a \"test\"");
  EXPECT_EQ(file.entries().front().offset_bytes % 8, 0u);
  const nn::TensorMap loaded = nn::load_safetensors(path(), device_);
  ASSERT_EQ(loaded.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const Tensor& got = loaded.at(name);
    EXPECT_EQ(got.dtype(), tensor.dtype()) << name;
    EXPECT_EQ(got.shape(), tensor.shape()) << name;
    EXPECT_EQ(got.device(), device_) << name;
    EXPECT_TRUE(got.is_contiguous()) << name;
    if (tensor.num_elements() != 0) {
      EXPECT_TRUE(all(eq(got, tensor)).item<bool>()) << name;
    }
    const Safetensors::Entry& entry = file.entry(name);
    EXPECT_EQ(entry.offset_bytes % size_bytes(entry.dtype), 0u) << name;
  }
}

TEST_P(SafetensorsTest, ReadsWhatAnotherProgramWrote) {
  write(path(), file_of(R"( {)", ""));
  const std::string data("\0\0\x80\x3f\0\0\0\x40\1\0\1", 11);
  write(path(), file_of(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BOOL","shape":[3],)"
                        R"("data_offsets":[8,11]},"a":{"shape":[2],"data_offsets":[0,8],)"
                        R"("dtype":"F32"}}   )",
                        data));
  const Safetensors file(path());
  ASSERT_EQ(file.entries().size(), 2u);
  EXPECT_EQ(file.entries()[0].name, "a");
  EXPECT_EQ(file.read("a", device_).to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(file.read("b", device_).to_vector<bool>(), (std::vector<bool>{true, false, true}));
  EXPECT_INVALID(read(file, "c", device_),
                 "[Safetensors] no such tensor in '" + path() +
                     "': expected one of its 2 names, got 'c'. entries() lists them.");
  const Tensor to = zeros({2}, device_);
  file.read_into("a", to);
  EXPECT_EQ(to.to_vector<float>(), (Floats{1, 2}));
  EXPECT_ERROR(file.read_into("a", zeros({3}, device_)), ErrorCode::kShapeMismatch,
               "[Safetensors] tensor 'a' has another shape: expected [3], got [2]. Use read for a "
               "new tensor.");
  EXPECT_ERROR(file.read_into("b", to), ErrorCode::kDtypeMismatch,
               "[Safetensors] tensor 'b' has another dtype: expected f32, got bool. Use read for a "
               "new tensor, and cast it.");
}

TEST_P(SafetensorsTest, AWrongBoolIsAnError) {
  write(path(), file_of(R"({"b":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", "\1\2"));
  const Safetensors file(path());
  EXPECT_INVALID(read(file, "b", device_),
                 "[Safetensors] tensor 'b' of '" + path() +
                     "' has a wrong bool: expected 0 or 1, got 2. Save or download it again.");
}

TEST_P(SafetensorsTest, ModulesAreSavedAndLoaded) {
  Net net(device_), other(test_device("cpu:0"));
  nn::save(net, path());
  nn::load(other, path());
  EXPECT_EQ(other.hidden.weight.device().name(), "cpu:0");
  EXPECT_EQ(other.hidden.weight->to_vector<float>(), net.hidden.weight->to_vector<float>());
  EXPECT_EQ(other.out.bias->to_vector<float>(), net.out.bias->to_vector<float>());
  EXPECT_TRUE(other.out.bias->requires_grad());
  nn::LazyLinear lazy(3, {.tensor = device_});
  nn::save(net.hidden, path("hidden"));
  nn::load(lazy, path("hidden"));
  EXPECT_EQ(lazy.weight->to_vector<float>(), net.hidden.weight->to_vector<float>());
  EXPECT_EQ(lazy.weight.device(), device_);

  EXPECT_INVALID(nn::load(net.hidden, path()),
                 "[load] '" + path() +
                     "' has other tensors than the module: missing are 'weight', 'bias'; "
                     "superfluous are 'count', ");
  EXPECT_INVALID(nn::load(net.hidden, path()),
                 "load(module, file, {.allow_missing = true, .allow_superfluous = true}).");
  nn::Linear wide(4, 3, {.tensor = device_});
  const Floats before = wide.bias->to_vector<float>();
  EXPECT_ERROR(nn::load(wide, path("hidden")), ErrorCode::kShapeMismatch,
               "[load] 'weight' of '" + path("hidden") +
                   "' has another shape: expected [3, 4], got [3, 3]. Make the module with the "
                   "sizes that it had when it was saved.");
  EXPECT_EQ(wide.bias->to_vector<float>(), before) << "nothing was written";
  nn::Linear half(3, 3, {.tensor = {device_, DType::bf16}});
  EXPECT_ERROR(
      nn::load(half, path("hidden")), ErrorCode::kDtypeMismatch,
      "[load] 'weight' of '" + path("hidden") +
          "' has another dtype: expected bf16, got f32. Call module.cast(DType::f32) before.");
}

TEST_P(SafetensorsTest, FilesThatFitInPartAreLoaded) {
  Net net(device_), other(test_device("cpu:0"));
  nn::TensorMap tensors = {{"hidden.weight", net.hidden.weight},
                           {"hidden.bias", net.hidden.bias},
                           {"out.weight", net.out.weight},
                           {"num_batches_tracked", ones({}, device_)}};
  nn::save_safetensors(path(), tensors);
  const Floats bias = other.out.bias->to_vector<float>();
  const nn::LoadReport report =
      nn::load(other, path(), {.allow_missing = true, .allow_superfluous = true});
  EXPECT_EQ(report.missing, (Names{"out.bias", "count"}));
  EXPECT_EQ(report.superfluous, Names{"num_batches_tracked"});
  EXPECT_EQ(other.hidden.weight->to_vector<float>(), net.hidden.weight->to_vector<float>());
  EXPECT_EQ(other.out.bias->to_vector<float>(), bias);
  EXPECT_INVALID(nn::load(other, path(), {.allow_missing = true}),
                 "[load] '" + path() +
                     "' has other tensors than the module: superfluous are 'num_batches_tracked'.");
  EXPECT_INVALID(nn::load(other, path(), {.allow_superfluous = true}),
                 "[load] '" + path() +
                     "' has other tensors than the module: missing are 'out.bias', 'count'. Make "
                     "the module as it was when it was saved, or allow them: load(module, file, "
                     "{.allow_missing = true, .allow_superfluous = true}).");
  // The advice keeps the option that was given.
  nn::save_safetensors(path("other"),
                       {{"weight", ones({3, 3}, device_)}, {"x", ones({}, device_)}});
  for (const nn::LoadOptions& options :
       {nn::LoadOptions{.allow_missing = true}, nn::LoadOptions{.allow_superfluous = true}}) {
    EXPECT_INVALID(nn::load(net.hidden, path("other"), options),
                   "load(module, file, {.allow_missing = true, .allow_superfluous = true}).");
  }
  nn::LazyLinear lazy(3, {.tensor = device_});
  nn::save_safetensors(path("bias"), {{"bias", ones({3}, device_)}});
  EXPECT_EQ(nn::load(lazy, path("bias"), {.allow_missing = true}).missing, Names{"weight"});
  EXPECT_FALSE(lazy.weight.defined()) << "still learnt from the first input";
  EXPECT_EQ(lazy(ones({2, 5}, device_)).shape(), (Shape{2, 3}));
  EXPECT_EQ(lazy.weight->shape(), (Shape{3, 5}));
  EXPECT_EQ(lazy.bias->to_vector<float>(), (Floats{1, 1, 1})) << "as it was loaded";
  tensors["out.weight"] = ones({2, 3}, device_);
  nn::save_safetensors(path(), tensors);
  EXPECT_ERROR(nn::load(other, path(), {.allow_missing = true, .allow_superfluous = true}),
               ErrorCode::kShapeMismatch, "[load] 'out.weight' of '" + path() + "' has another");
}

/// PyTorch's half() converts buffers too; here they stay f32.
TEST_P(SafetensorsTest, BuffersAreConverted) {
  nn::BatchNorm norm(2, {.tensor = device_});
  norm.cast(DType::f16);
  nn::TensorMap tensors = {{"weight", ones({2}, device_).cast(DType::f16)},
                           {"bias", zeros({2}, device_).cast(DType::f16)},
                           {"running_mean", full({2}, 0.5, device_).cast(DType::f16)},
                           {"running_var", full({2}, 3, device_).cast(DType::bf16)}};
  nn::save_safetensors(path(), tensors);
  nn::load(norm, path());
  EXPECT_EQ(norm.running_mean.dtype(), DType::f32);
  EXPECT_EQ(norm.running_mean->to_vector<float>(), (Floats{0.5F, 0.5F}));
  EXPECT_EQ(norm.running_var->to_vector<float>(), (Floats{3, 3}));
  tensors["running_mean"] = zeros({2}, {DType::i32, device_});
  nn::save_safetensors(path(), tensors);
  EXPECT_ERROR(nn::load(norm, path()), ErrorCode::kDtypeMismatch,
               "[load] 'running_mean' of '" + path() +
                   "' has another dtype: expected f32, got i32. Save it as f32.");
  tensors["running_mean"] = zeros({2}, device_).cast(DType::f16);
  tensors["bias"] = zeros({2}, device_);
  nn::save_safetensors(path(), tensors);
  EXPECT_ERROR(nn::load(norm, path()), ErrorCode::kDtypeMismatch,
               "[load] 'bias' of '" + path() + "' has another dtype: expected f16, got f32.");
  EXPECT_EQ(norm.running_mean->to_vector<float>(), (Floats{0.5F, 0.5F})) << "nothing was written";
}

TEST_P(SafetensorsTest, ErrorsNameTheCall) {
  nn::Linear module(2, 2, {.tensor = device_});
  const std::string absent = path("none/model");
  EXPECT_ERROR(nn::load(module, absent), ErrorCode::kIo,
               "[load] can't open the file: '" + absent + "': No such file or directory.");
  EXPECT_ERROR(nn::save(module, absent), ErrorCode::kIo,
               "[save] can't make a file beside: '" + absent + "': No such file or directory.");
  EXPECT_ERROR(nn::load_safetensors(absent), ErrorCode::kIo, "[load_safetensors] can't open");
  nn::save(module, path());
  const auto size = std::filesystem::file_size(path());
  std::filesystem::resize_file(path(), size - 1);
  EXPECT_INVALID(
      nn::load(module, path()),
      "[load] no valid file of safetensors: '" + path() + "': it is cut off at byte " +
          std::to_string(size - 1) +
          ": expected 24 bytes of data up to tensor 'weight', got 23. Save or download it again.");
}

/// They make what the file lacks at their first input, if that fits to what it had.
TEST_P(SafetensorsTest, LazyLayersMayBeLoadedInPart) {
  const auto load = [&](nn::Module& layer, const nn::TensorMap& tensors) {
    nn::save_safetensors(path(), tensors);
    static_cast<void>(nn::load(layer, path(), {.allow_missing = true}));
  };
  nn::LazyLinear linear(2, {.tensor = device_});
  load(linear, {{"weight", ones({2, 3}, device_)}});
  EXPECT_EQ(linear.details(), "3, 2");
  EXPECT_ERROR(linear(ones({1, 4}, device_)), ErrorCode::kShapeMismatch,
               "[LazyLinear] weight does not fit this input: expected [2, 4], got [2, 3]. Load "
               "values of the right shape, or give the layer another input. Layer: LazyLinear.");
  EXPECT_FALSE(linear.bias.defined());
  static_cast<void>(linear(ones({1, 3}, device_)));
  EXPECT_EQ(linear.weight->to_vector<float>(), Floats(6, 1));
  EXPECT_EQ(linear.bias->shape(), Shape{2});
  EXPECT_TRUE(linear.bias->requires_grad());
  nn::save(linear, path());

  nn::LazyConv2d convolution(4, 1, {.tensor = device_});
  load(convolution, {{"weight", ones({4, 3, 1, 1}, device_)}});
  EXPECT_EQ(convolution.details(), "3, 4, 1");
  EXPECT_ERROR(convolution(ones({1, 2, 5, 5}, device_)), ErrorCode::kShapeMismatch,
               "[Conv2d] weight does not fit this input: expected [4, 2, 1, 1], got [4, 3, 1, 1].");
  static_cast<void>(convolution(ones({1, 3, 5, 5}, device_)));
  EXPECT_EQ(convolution.weight->to_vector<float>(), Floats(12, 1));
  EXPECT_EQ(convolution.bias->shape(), Shape{4});

  nn::LazyBatchNorm norm({.tensor = device_});
  load(norm, {{"bias", full({3}, 2, device_)}, {"running_mean", full({3}, 4, device_)}});
  EXPECT_ERROR(norm(ones({2, 5}, device_)), ErrorCode::kShapeMismatch,
               "[LazyBatchNorm] bias does not fit this input: expected [5], got [3].");
  EXPECT_FALSE(norm.weight.defined());
  norm.eval();
  EXPECT_EQ(norm(zeros({1, 3}, device_)).shape(), (Shape{1, 3}));
  EXPECT_EQ(norm.weight->to_vector<float>(), Floats(3, 1));
  EXPECT_EQ(norm.bias->to_vector<float>(), Floats(3, 2));
  EXPECT_EQ(norm.running_mean->to_vector<float>(), Floats(3, 4));
  EXPECT_EQ(norm.running_var->to_vector<float>(), Floats(3, 1));

  nn::LazyBatchNorm whole({.tensor = device_}), copy = whole;
  nn::save(norm, path());
  nn::load(whole, path());
  EXPECT_EQ(whole.details(), "3");
  EXPECT_EQ(copy.details(), "3") << "the same parameters";
  EXPECT_ERROR(whole(ones({2, 5}, device_)), ErrorCode::kShapeMismatch,
               "[LazyBatchNorm] weight does not fit this input: expected [5], got [3].");
  EXPECT_EQ(whole(ones({2, 3}, device_)).shape(), (Shape{2, 3}));
}

TEST_P(SafetensorsTest, AMappedFileIsTheMemoryOfTensors) {
  const Tensor values = arange(0, 6, 1, {DType::f32, device_});
  nn::save_safetensors(path(),
                       {{"a", values}, {"b", gt(values, 2)}, {"empty", zeros({0, 3}, device_)}});
  const std::string before = bytes_of(path());
  Tensor a, same, empty;
  {
    const Safetensors file(path(), {.map = true});
    a = file.read("a", device_);
    same = file.read("a", device_);
    empty = file.read("empty", device_);
    EXPECT_EQ(file.read("b", device_).to_vector<bool>(), gt(values, 2).to_vector<bool>());
  }
  std::filesystem::remove(path());
  EXPECT_EQ(a.to_vector<float>(), values.to_vector<float>()) << "the tensor keeps the mapping";
  EXPECT_EQ(empty.shape(), (Shape{0, 3}));
  const bool is_mapped = device_.properties().host_addressable;
  a.fill_(7);
  EXPECT_EQ(same.to_vector<float>()[0], is_mapped ? 7 : 0);

  write(path(), before);
  const Safetensors file(path(), {.map = true});
  file.read("a", device_).fill_(7);
  EXPECT_EQ(bytes_of(path()), before) << "the file does not change";
}

TEST_P(SafetensorsTest, WhatIsNotAlignedIsReadInstead) {
  write(path(), file_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                        R"("b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}} )",
                        std::string("\1\0\0\x80\x3f", 5)));
  const Safetensors file(path(), {.map = true});
  EXPECT_EQ(file.read("b", device_).to_vector<float>(), (Floats{1}));
  EXPECT_EQ(file.read("a", device_).to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{1}));
}

TEST_P(SafetensorsTest, AWrongBoolOfAMappedFileIsAnError) {
  write(path(), file_of(R"({"b":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", "\1\2"));
  const Safetensors file(path(), {.map = true});
  EXPECT_INVALID(read(file, "b", device_), "expected 0 or 1, got 2");
}

TEST_P(SafetensorsTest, AFailedSaveLeavesTheOldFile) {
  nn::save_safetensors(path(), {{"a", ones({2}, device_)}});
  const std::string old = bytes_of(path());
  EXPECT_INVALID(nn::save_safetensors(path(), {{"__metadata__", ones({2}, device_)}}),
                 "[save_safetensors] no tensor may be called");
  EXPECT_INVALID(nn::save_safetensors(path(), {{"a", Tensor()}}),
                 "[save_safetensors] tensor 'a' is undefined: expected one with a value. Compute "
                 "it first, or leave it out.");
  EXPECT_INVALID(nn::save_safetensors(path(), {{"\xff", ones({2}, device_)}}),
                 "[save_safetensors] a wrong text: expected UTF-8 without NUL, got '\\xff'. Rename "
                 "or convert it.");
  {
    const Tensor large = ones({100'000}, device_);  // before: PoCL writes files, too
    // Files may not grow beyond 64 KiB here.
    struct rlimit before {};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small = {65536, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const Error error = error_of([&] { nn::save_safetensors(path(), {{"a", large}}); });
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    EXPECT_EQ(
        std::string(error.what()),
        "[save_safetensors] can't write the new file: '" + path() +
            "': File too large. Raise the limit on the size of files, or choose another disk.");
  }
  EXPECT_EQ(bytes_of(path()), old);
  std::size_t files = 0;
  for (const auto& each : std::filesystem::directory_iterator(folder_.folder("files"))) {
    files += each.exists() ? 1u : 0u;
  }
  EXPECT_EQ(files, 1u) << "nothing else stays";
  EXPECT_ERROR(nn::save_safetensors(folder_.folder("files") + "/none/model", {}), ErrorCode::kIo,
               "[save_safetensors] can't make a file beside: ");
}

/// Nothing of the module changes before all of the file was looked at.
class Flagged : public nn::Module {
 public:
  explicit Flagged(const TensorOptions& options)
      : weight(ones({2}, options)),
        flag(ones({1}, {DType::boolean, *options.device}), /*is_trained=*/false) {}
  Tensor forward(const Tensor& x) override { return x * weight; }
  void members(nn::Members& each) override {
    each("weight", weight);
    each.buffer("flag", flag);
  }
  nn::Parameter weight, flag;
};

TEST_P(SafetensorsTest, AWrongBoolLeavesTheModuleAsItIs) {
  const ScratchDirectory folder;
  const std::filesystem::path path = folder.path() / "flagged";
  Flagged saved{device_}, module{device_};
  saved.weight.set(full({2}, 5, device_));
  nn::save(saved, path);
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(-1, std::ios::end)
      .put('\x07');  // the bool, behind the wider elements
  EXPECT_INVALID(nn::load(module, path), "has a wrong bool: expected 0 or 1, got 7");
  EXPECT_EQ(module.weight->to_vector<float>(), (Floats{1, 1}));
}

TEST_P(SafetensorsTest, ABiasThatCanNotBeWrittenLeavesTheModuleAsItIs) {
  nn::Linear saved(2, 2, {.tensor = device_}), module(2, 2, {.tensor = device_});
  nn::save(saved, path());
  nn::save_checkpoint(path("checkpoint"), {.model = &saved});
  const Floats before = module.weight->to_vector<float>();
  module.bias.set(zeros({1}, device_).expand({2}));
  const std::string text =
      "] 'bias' repeats elements: expected a place of its own for each, got strides [0] (f32 [2] "
      "on " +
      device_.name() + "). Use a clone of it.";
  EXPECT_INVALID(nn::load(module, path()), "[load" + text);
  nn::Checkpoint parts{.model = &module};
  EXPECT_INVALID(nn::load_checkpoint(path("checkpoint"), parts), "[load_checkpoint" + text);
  EXPECT_EQ(module.weight->to_vector<float>(), before);
}

TEST(AtomicFiles, ABiasThatWasLentToBeReadLeavesTheModuleAsItIs) {
  const ScratchDirectory folder;
  const Device cpu = test_device("cpu:0");
  nn::Linear saved(2, 2, {.tensor = cpu}), module(2, 2, {.tensor = cpu});
  nn::save(saved, folder.path() / "model");
  const Floats before = module.weight->to_vector<float>();
  module.bias.set(read_only(zeros({2}, cpu)));
  EXPECT_INVALID(nn::load(module, folder.path() / "model"),
                 "[load] 'bias' is read-only: its owner lent the memory to be read (cpu:0). Write "
                 "to a clone or a copy of it.");
  EXPECT_EQ(module.weight->to_vector<float>(), before);
}

TEST(AtomicFiles, KeepTheModeOfTheOldFileAndReplaceNothingElse) {
  const ScratchDirectory folder;
  const std::filesystem::path file = folder.path() / "file", pipe = folder.path() / "pipe";
  const nn::TensorMap tensors = {{"a", ones({1})}};
  nn::save_safetensors(file, tensors);
  using std::filesystem::perms;
  std::filesystem::permissions(file, perms::owner_read | perms::owner_write);
  nn::save_safetensors(file, tensors);
  EXPECT_EQ(std::filesystem::status(file).permissions(), perms::owner_read | perms::owner_write);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_ERROR(nn::save_safetensors(pipe, tensors), ErrorCode::kIo,
               "[save_safetensors] can't replace '" + pipe.string() +
                   "': expected a regular file, got a pipe. Choose another path.");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  const std::string cut = file.string() + std::string(1, '\0') + "x";
  EXPECT_INVALID(nn::save_safetensors(cut, tensors),
                 "[save_safetensors] a file name with NUL: '" + file.string() + "\\x00x'");
  EXPECT_INVALID(nn::Safetensors{cut}, "[Safetensors] a file name with NUL: ");
  // Messages are one line, and nothing in them controls a terminal.
  const std::filesystem::path odd = folder.path() / "a\x1b[31m\nb\xc2\x9bm\xff\xc3\xa4";
  EXPECT_ERROR(nn::Safetensors{odd}, ErrorCode::kIo,
               "a\\x1b[31m\\x0ab\\xc2\\x9bm\\xff\xc3\xa4': No such file");
}

/// What the reader would refuse must not replace a file that it reads.
TEST(AtomicFiles, AHeaderThatIsTooLongLeavesTheOldFile) {
  const ScratchDirectory folder;
  const std::filesystem::path file = folder.path() / "file";
  nn::save_safetensors(file, {{"a", ones({1})}});
  EXPECT_INVALID(nn::save_safetensors(file, {}, {{"long", std::string(100'000'000, 'x')}}),
                 "[save_safetensors] names and metadata are too long: expected a header of at most "
                 "100000000 bytes, got 1000000");
  EXPECT_TRUE(nn::Safetensors(file).has("a"));
}

TEST_P(SafetensorsTest, ALinkIsReplacedNotFollowed) {
  write(path("victim"), "precious");
  std::filesystem::create_symlink(path("victim"), path());
  nn::save_safetensors(path(), {{"a", ones({2}, device_)}});
  EXPECT_EQ(bytes_of(path("victim")), "precious");
  EXPECT_FALSE(std::filesystem::is_symlink(path()));
  EXPECT_EQ(nn::load_safetensors(path()).at("a").to_vector<float>(), (Floats{1, 1}));
}

TEST_P(SafetensorsTest, ALazyModuleCantBeSaved) {
  nn::LazyLinear lazy(2);
  EXPECT_INVALID(nn::save(lazy, path()),
                 "[save] weight has no shape yet: expected a batch before, from which its lazy "
                 "layer learns its sizes. Run the model on a batch first.");
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_P(SafetensorsTest, ALinkToNoRegularFileStays) {
  // The second is what /dev/stdout is, here of a regular file.
  const int opened = open(path("opened").c_str(), O_WRONLY | O_CREAT, 0600);
  for (const std::string& to :
       {std::string("/dev/null"), "/proc/self/fd/" + std::to_string(opened)}) {
    std::filesystem::create_symlink(to, path());
    EXPECT_ERROR(nn::save_safetensors(path(), {{"a", ones({2}, device_)}}), ErrorCode::kIo,
                 "[save_safetensors] can't replace '" + path() +
                     "': expected a regular file, got a link to something else. Choose ");
    EXPECT_TRUE(std::filesystem::is_symlink(path()));
    std::filesystem::remove(path());
  }
  close(opened);
}

TEST_P(SafetensorsTest, ALinkToNothingIsReplaced) {
  std::filesystem::create_symlink(path("nothing"), path());
  nn::save_safetensors(path(), {{"a", ones({2}, device_)}});
  EXPECT_FALSE(std::filesystem::is_symlink(path()));
  EXPECT_FALSE(std::filesystem::exists(path("nothing")));
}

class SafetensorsFiles : public testing::Test {
 protected:
  std::string path() const { return folder_.folder("files") + "/model"; }
  void expect_refused(const std::string& bytes, const std::string& reason) const {
    write(path(), bytes);
    EXPECT_INVALID(open_file(path()),
                   "[Safetensors] no valid file of safetensors: '" + path() + "': " + reason);
    const std::string text = error_of([&] { open_file(path()); }).what();
    EXPECT_TRUE(text.ends_with(". Save or download it again.") || reason.ends_with('.')) << text;
  }
  const ScratchDirectory folder_;
};

TEST_F(SafetensorsFiles, WhatTheFormatDoesNotAllowIsRefused) {
  const auto entry = [](const std::string& fields) { return file_of("{\"a\":{" + fields + "}}"); };
  expect_refused("", "expected 8 bytes with the length of the header, got 0");
  expect_refused("1234567", "expected 8 bytes with the length of the header, got 7");
  expect_refused(std::string(8, '\xff'),
                 "a header of 18446744073709551615 bytes: expected at most 100000000. Check that "
                 "it is a file of safetensors.");
  expect_refused(file_of("{}").substr(0, 9),
                 "it is cut off at byte 9: expected a header of 2 bytes, got 1");
  expect_refused(
      file_of(""),
      "the header does not begin with an object. Check that it is a file of safetensors.");
  expect_refused(
      file_of(" {}"),
      "the header does not begin with an object. Check that it is a file of safetensors.");
  expect_refused(
      file_of("[]"),
      "the header does not begin with an object. Check that it is a file of safetensors.");
  expect_refused(file_of("{"), "the header is no JSON at byte ");
  expect_refused(file_of("{}x"), "the header is no JSON at byte ");
  expect_refused(file_of("{} {}"), "the header is no JSON at byte ");
  expect_refused(file_of("{\"a\xff\":1}"), "the header is no JSON at byte ");
  expect_refused(file_of("{\"a\":[[[[]]]]}"), "'a': expected an object, got a list");
  expect_refused(file_of("{\"a\":1}"), "'a': expected an object, got a number");
  expect_refused(file_of("{\"a\":null}"), "'a': expected an object, got null");
  expect_refused(file_of("{\"a\":{},\"a\":{}}"),
                 "tensor 'a': expected dtype, shape and data_offsets");
  expect_refused(file_of("{\"a\\u0000\":1}"), "the header: a text contains NUL");
  using std::string_literals::operator""s;
  expect_refused(file_of("{}\0{garbage\xff"s), "the header has NUL at byte 10");
  expect_refused(file_of("{}\0"s), "the header has NUL at byte 10");
  expect_refused(file_of("{\"a\0\":1}"s), "the header has NUL at byte 11");
  expect_refused(file_of(R"({"__metadata__":{"a":1}})"), "metadata: expected a text, got a number");
  expect_refused(file_of(R"({"__metadata__":{"a":{}}})"),
                 "metadata: expected a text, got an object");
  expect_refused(file_of(R"({"__metadata__":{"a":"1","a":"2"}})"), "metadata: 'a' occurs twice");
  expect_refused(entry(R"("dtype":"F32")"), "tensor 'a': expected dtype, shape and data_offsets");
  expect_refused(entry(R"("dtype":"F8_E5M2","shape":[2],"data_offsets":[2,0])"),
                 "tensor 'a': it ends at 0, before it begins at 2");
  expect_refused(entry(R"("dtype":"F32","dtype":"F32")"), "tensor 'a': 'dtype' occurs twice");
  expect_refused(entry(R"("other":1)"), "tensor 'a': no field 'other'");
  expect_refused(entry(R"("shape":[1.5])"), "tensor 'a': no integer of 64 bits: '1.5'");
  expect_refused(entry(R"("shape":[-1])"), "tensor 'a': expected a number of 0 or more, got -1");
  expect_refused(entry(R"("shape":[-0])"), "tensor 'a': expected a number of 0 or more, got -0");
  expect_refused(entry(R"("shape":[[1]])"), "tensor 'a': expected a number, got a list");
  expect_refused(entry(R"("shape":["1"])"), "tensor 'a': expected a number, got a text");
  expect_refused(entry(R"("dtype":1)"), "tensor 'a': expected a text, got a number");
  expect_refused(entry(R"("shape":"1")"), "tensor 'a': expected a list of numbers, got a text");
  expect_refused(entry(R"("data_offsets":true)"),
                 "tensor 'a': expected a list of numbers, got true or false");
  expect_refused(entry(R"("shape":[99999999999999999999999])"),
                 "tensor 'a': no integer of 64 bits: '99999999999999999999999'");
  expect_refused(
      entry(R"("shape":[9223372036854775808])"),
      "tensor 'a': an extent is too large: expected at most 2^63 - 1, got 9223372036854775808");
  expect_refused(entry(R"("shape":[1,1,1,1,1,1,1,1,1])"),
                 "tensor 'a': expected at most 8 dimensions, got more. Reshape it before saving.");
  expect_refused(entry(R"("data_offsets":[0,1,2])"),
                 "tensor 'a': expected 2 data_offsets, got more");
  expect_refused(entry(R"("data_offsets":[0])"), "tensor 'a': expected 2 data_offsets, got 1");
  expect_refused(entry(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"),
                 "tensor 'a': it ends at 0, before it begins at 4");
  expect_refused(entry(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])"),
                 "tensor 'a': shape [4294967296, 4294967296] has more than 2^63 - 1 bytes");
  expect_refused(entry(R"("dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0])"),
                 "tensor 'a': shape [0, 4294967296, 4294967296] has more than 2^63 - 1 bytes");
  expect_refused(entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])"),
                 "tensor 'a': expected 8 bytes for f32 [2], got 4");
  expect_refused(entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])"),
                 "it is cut off at byte 62: expected 8 bytes of data up to tensor 'a', got 0");
}

TEST_F(SafetensorsFiles, TensorsFollowEachOther) {
  const auto two = [](const std::string& a, const std::string& b, std::size_t data) {
    return file_of(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)" + a +
                       R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + b + "}}",
                   std::string(data, 'x'));
  };
  expect_refused(
      two("[0,2]", "[3,5]", 5),
      "tensor 'b' begins at byte 3 of the data: expected 2, where the one before ends (a hole)");
  expect_refused(two("[0,2]", "[1,3]", 3),
                 "tensor 'b' begins at byte 1 of the data: expected 2, where the one before ends "
                 "(they overlap)");
  expect_refused(two("[1,3]", "[3,5]", 5), "tensor 'a' begins at byte 1 of the data: expected 0");
  expect_refused(two("[0,2]", "[2,4]", 5), "1 bytes behind the last tensor");
  write(path(), two("[2,4]", "[0,2]", 4));
  EXPECT_EQ(Safetensors(path()).entries()[0].name, "b");
  write(path(), file_of(R"({"z":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                        R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                        "x"));
  EXPECT_EQ(Safetensors(path()).entries().size(), 2u);
}

TEST_F(SafetensorsFiles, WhatIsNoFileIsRefused) {
  EXPECT_ERROR(open_file("/no/such/file"), ErrorCode::kIo,
               "[Safetensors] can't open the file: '/no/such/file': No such file or directory.");
  EXPECT_ERROR(open_file(folder_.folder("files")), ErrorCode::kIo,
               "expected a regular file, got a folder.");
  const std::string pipe = folder_.folder("files") + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_ERROR(open_file(pipe), ErrorCode::kIo, "expected a regular file");
}

/// A header that spans several blocks.
TEST_F(SafetensorsFiles, ManyTensors) {
  std::string header = "{", data;
  for (int i = 0; i < 5000; ++i) {
    header += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[1],"data_offsets":[)" + std::to_string(i) + ',' +
              std::to_string(i + 1) + "]}";
    data += static_cast<char>(i);
  }
  write(path(), file_of(header + '}', data));
  const Safetensors file(path());
  EXPECT_EQ(file.entries().size(), 5000u);
  EXPECT_EQ(file.read("4711", test_device("cpu:0")).item<std::uint8_t>(), 4711 % 256);
}

TEST_F(SafetensorsFiles, AFileThatShrinksIsAnError) {
  write(path(), file_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "abcd"));
  const Safetensors file(path());
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) - 1);
  EXPECT_ERROR(read(file, "a", test_device("cpu:0")), ErrorCode::kIo,
               "[Safetensors] the file has become shorter: '" + path() + "' had ");
}

/// All files that differ from a valid one in one byte, or end early, are read or refused with an
/// Error, and what is read fits the file.
TEST_F(SafetensorsFiles, EveryChangedByteIsReadOrRefused) {
  const std::string valid =
      file_of(R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
              R"("b":{"dtype":"BOOL","shape":[],"data_offsets":[8,9]}})",
              std::string("\0\0\x80\x3f\0\0\0\x40\1", 9));
  const int memory = memfd_create("patchbay-test", MFD_CLOEXEC);
  ASSERT_GE(memory, 0);
  const std::string name = "/proc/self/fd/" + std::to_string(memory);
  const Device device = test_device("cpu:0");
  std::size_t num_read = 0, num_refused = 0;
  const auto examine = [&](const std::string& bytes) {
    ASSERT_EQ(ftruncate(memory, static_cast<off_t>(bytes.size())), 0);
    ASSERT_EQ(pwrite(memory, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    try {
      const Safetensors file(name);
      for (const Safetensors::Entry& entry : file.entries()) {
        EXPECT_LE(entry.offset_bytes + entry.size_bytes, bytes.size());
        EXPECT_EQ(file.read(entry.name, device).size_bytes(), entry.size_bytes);
      }
      ++num_read;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      ++num_refused;
    }
  };
  examine(valid);
  EXPECT_EQ(num_read, 1u);
  for (std::size_t size = 0; size < valid.size(); ++size) examine(valid.substr(0, size));
  EXPECT_EQ(num_read, 1u);
  for (std::size_t at = 0; at < valid.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = valid;
      changed[at] = static_cast<char>(value);
      examine(changed);
    }
  }
  EXPECT_GT(num_read, 1000u);
  EXPECT_GT(num_refused, 30'000u);
  close(memory);
}

}  // namespace
}  // namespace patchbay::test
