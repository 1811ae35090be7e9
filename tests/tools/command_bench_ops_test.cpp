// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/process.h"

namespace patchbay::tests {
namespace {

/// With small operands.
Finished bench(std::vector<std::string> words) {
  words.insert(words.begin(), {"bench", "ops", "--quick"});
  return run_command(words, {"PATCHBAY_CPU_DEVICES=1"});
}

TEST(BenchOps, MeasuresOperatorsBesideTheLimits) {
  const auto json = bench({"--device", "cpu:0", "--json"}).exits(0).json();
  EXPECT_EQ(json["device"], "cpu:0");
  EXPECT_FALSE(json["processor"].get<std::string>().empty());
  EXPECT_EQ(json["version"], run_command({"version", "--json"}).json()["version"]);
  const auto& limits = json["limits"];
  EXPECT_EQ(limits["tensor_bytes"], 4 << 16);
  const double read_rate = limits["bytes_read_per_second"],
               write_rate = limits["bytes_written_per_second"],
               copy_rate = limits["bytes_copied_per_second"], flops = limits["flops_per_second"];
  for (const double rate : {read_rate, write_rate, copy_rate, flops}) EXPECT_GT(rate, 0);
  EXPECT_TRUE(json["left_out"].empty()) << json["left_out"];
  std::set<std::string> names;
  for (const auto& row : json["operators"]) {
    const std::string name = row["name"];
    EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
    const double seconds = row["seconds"], read = row["bytes_read"], written = row["bytes_written"];
    EXPECT_GT(seconds, 0) << name;
    EXPECT_DOUBLE_EQ(row["flops_per_second"], row["flops"].get<double>() / seconds) << name;
    EXPECT_DOUBLE_EQ(row["bytes_per_second"], (read + written) / seconds) << name;
    const double alone =
        read > written ? (read - written) / read_rate : (written - read) / write_rate;
    const double memory = 2 * std::min(read, written) / copy_rate + alone,
                 compute = row["flops"].get<double>() / flops;
    EXPECT_NEAR(row["share"], std::max(memory, compute) / seconds, 1e-9) << name;
    EXPECT_EQ(row["bound"], memory > compute ? "memory" : "compute") << name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"add", "exp", "gelu", "fused chain", "sum", "row sums",
                                          "column sums", "softmax", "layer_norm", "matrix x vector",
                                          "matmul 32", "matmul 128", "conv2d 3x3",
                                          "conv2d 7x7 stride 2", "attention"}));
}

TEST(BenchOps, CountsOperationsAndBytes) {
  const auto json = bench({"--device", "cpu:0", "--json"}).json();
  using Counts = std::array<double, 3>;  // operations, bytes read, bytes written
  const auto find = [&](const std::string& name) {
    for (const auto& row : json["operators"]) {
      if (row["name"] == name) {
        return Counts{row["flops"], row["bytes_read"], row["bytes_written"]};
      }
    }
    return Counts();
  };
  EXPECT_EQ(find("add"), (Counts{65536, 2 * 4 * 65536, 4 * 65536}));
  EXPECT_EQ(find("exp"), (Counts{65536, 4 * 65536, 4 * 65536}));
  EXPECT_EQ(find("fused chain"), (Counts{5 * 65536, 2 * 4 * 65536, 4 * 65536}));
  EXPECT_EQ(find("sum"), (Counts{65536, 4 * 65536, 4}));
  EXPECT_EQ(find("row sums"), (Counts{65536, 4 * 65536, 4 * 64}));
  EXPECT_EQ(find("matmul 128"), (Counts{2.0 * 128 * 128 * 128, 2 * 4 * 128 * 128, 4 * 128 * 128}));
  EXPECT_EQ(find("matrix x vector"), (Counts{2.0 * 512 * 512, 4 * (512 * 512 + 512), 4 * 512}));
  EXPECT_EQ(find("conv2d 3x3"), (Counts{2.0 * 64 * 56 * 56 * 64 * 9,
                                        4 * (64 * 56 * 56 + 64 * 64 * 9), 4 * 64 * 56 * 56}));
  EXPECT_EQ(find("conv2d 7x7 stride 2"),
            (Counts{2.0 * 64 * 112 * 112 * 3 * 49, 4 * (3 * 224 * 224 + 64 * 3 * 49),
                    4 * 64 * 112 * 112}));
  EXPECT_EQ(find("attention"),
            (Counts{8.0 * 64 * 64 * (4 * 64 + 5), 3 * 4 * 8 * 64 * 64.0, 4 * 8 * 64 * 64}));
}

TEST(BenchOps, PrintsATable) {
  const Finished finished = bench({"--device", "cpu:0"}).exits(0);
  EXPECT_TRUE(finished.out.starts_with("cpu:0 (")) << finished.out;
  for (const char* words :
       {"), f32. Limits: ", " read, ", " written, ",
        " copied (read and written) in tensors of 256.0 KiB; ", "FLOP/s in products of ",
        "OPERATOR", "GFLOP/s", "GB/s", "BOUND", "SHARE", "SHAPE", "\nadd ", " memory ", " compute ",
        " %", "  64 x 1024\n", "  65536\n", "8 heads x 64 x 64"}) {
    EXPECT_HAS(finished.out, words) << words << '\n' << finished.out;
  }
}

TEST(BenchOps, DrawsARoofline) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "operators.svg").string();
  EXPECT_EQ(bench({"--device", "cpu:0", "--plot", path}).exit_status, 0);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const std::string svg = text.str();
  EXPECT_EQ(svg.rfind("<svg xmlns=", 0), 0u) << svg.substr(0, 80);
  for (const char* words : {"Operators of cpu:0 (", "limits: ", "FLOP per byte", "<polyline",
                            ">add<", ">conv2d 7x7 stride 2<", ">attention<", "</svg>"}) {
    EXPECT_HAS(svg, words) << words;
  }
}

TEST(BenchOps, RefusesWhatCanNotBe) {
  const Finished device = bench({"--device", "nothing:3"}).exits(1);
  EXPECT_HAS(device.err, "no backend 'nothing' for device 'nothing:3'");
  EXPECT_EQ(device.err.find('\n'), device.err.size() - 1) << "one line: " << device.err;
  const Finished plot = bench({"--device", "cpu:0", "--plot", "/nowhere/operators.svg"}).exits(1);
  EXPECT_EQ(plot.err,
            "patchbay: [bench ops] can't write '/nowhere/operators.svg': No such file or "
            "directory. Name another file.\n");
  EXPECT_EQ(bench({"--plot", "/nowhere/operators.svg", "--json"}).json()["error"]["code"], "io");
  EXPECT_EQ(run_command({"bench", "ops", "--sizes", "1"}).err,
            "patchbay: unknown option '--sizes'; `patchbay bench ops --help` lists them\n");
}

TEST(BenchOps, NamesOperatorsThatTheDeviceCanNotRun) {
  // Memory for the small operands, but not for the large ones.
  const Finished finished =
      run_command({"bench", "ops", "--quick", "--plugin", fake_plugin(), "--device", "fake:0"},
                  {"PATCHBAY_FAKE_MEMORY_BYTES=3000000"})
          .exits(0);
  EXPECT_HAS(finished.out, "\nconv2d 7x7 stride 2 is left out: ");
  EXPECT_HAS(finished.out, "\nadd ");
}

}  // namespace
}  // namespace patchbay::tests
