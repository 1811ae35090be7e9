// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files of npz: the arrays, and hostile zip files.
#include "data/file_test.h"

namespace patchbay::test {
namespace {

/// One file in a zip file, whose fields can be made to lie.
struct Member {
  std::string name, content;
  bool is_deflated = false;
  int flags = 0;
  int method = -1;  // that of is_deflated
  std::uint32_t crc_change = 0;
  std::int64_t size_change = 0, header_change = 0;
  bool is_wide = false;  // zip64 in both headers
  bool sizes_follow = false;
};

class Zip {
 public:
  explicit Zip(const std::vector<Member>& members) {
    for (const Member& member : members) add(member);
  }

  std::string bytes(const std::string& comment = "", bool is_wide = false) const {
    const auto count = static_cast<std::uint16_t>(num_members_);
    std::string result = data_ + directory_;
    const std::uint64_t end = result.size();
    if (is_wide) {
      result += bytes_of(0x06064b50u) + bytes_of(std::uint64_t{44}) + bytes_of(0x002d002du) +
                bytes_of(std::uint64_t{0}) + bytes_of(std::uint64_t{count}) +
                bytes_of(std::uint64_t{count}) + bytes_of(std::uint64_t{directory_.size()}) +
                bytes_of(std::uint64_t{data_.size()});
      result += bytes_of(0x07064b50u) + bytes_of(0u) + bytes_of(end) + bytes_of(1u);
    }
    const std::uint16_t shown = is_wide ? 0xffff : count;
    result += bytes_of(0x06054b50u) + bytes_of(0u) + bytes_of(shown) + bytes_of(shown);
    result += is_wide ? std::string(8, '\xff')
                      : bytes_of(static_cast<std::uint32_t>(directory_.size())) +
                            bytes_of(static_cast<std::uint32_t>(data_.size()));
    return result + bytes_of(static_cast<std::uint16_t>(comment.size())) + comment;
  }

 private:
  void add(const Member& member) {
    const std::string packed = member.is_deflated ? deflated(member.content) : member.content;
    const std::uint64_t at = data_.size() + static_cast<std::uint64_t>(member.header_change);
    const int method = member.method >= 0 ? member.method : member.is_deflated ? 8 : 0;
    const std::uint64_t size =
        member.content.size() + static_cast<std::uint64_t>(member.size_change);
    const std::uint64_t stored =
        member.is_deflated ? packed.size()
                           : packed.size() + static_cast<std::uint64_t>(member.size_change);
    const int flags = member.flags | (member.sizes_follow ? 8 : 0);
    std::string common = bytes_of(static_cast<std::uint16_t>(flags)) +
                         bytes_of(static_cast<std::uint16_t>(method)) + bytes_of(0u);
    const std::string sizes = member.is_wide ? std::string(8, '\xff')
                                             : bytes_of(static_cast<std::uint32_t>(stored)) +
                                                   bytes_of(static_cast<std::uint32_t>(size));
    const std::string crc = bytes_of(crc_of(member.content) ^ member.crc_change);
    const std::string extra = member.is_wide
                                  ? bytes_of(std::uint16_t{1}) + bytes_of(std::uint16_t{16}) +
                                        bytes_of(size) + bytes_of(stored)
                                  : "";
    const std::string lengths = bytes_of(static_cast<std::uint16_t>(member.name.size())) +
                                bytes_of(static_cast<std::uint16_t>(extra.size()));
    const std::string version = bytes_of(std::uint16_t{20});
    data_ += bytes_of(0x04034b50u) + version + common +
             (member.sizes_follow ? std::string(12, '\0') : crc + sizes) + lengths + member.name +
             extra + packed;
    if (member.sizes_follow) data_ += crc + sizes;
    directory_ += bytes_of(0x02014b50u) + version + version + common + crc + sizes + lengths +
                  std::string(10, '\0') + bytes_of(static_cast<std::uint32_t>(at)) + member.name +
                  extra;
    ++num_members_;
  }

  std::string data_, directory_;
  int num_members_ = 0;
};

using Floats = std::vector<float>;

std::string ones_npy(std::size_t count) {
  return npy("<f4", '(' + std::to_string(count) + ",)", bytes_of_all(Floats(count, 1)));
}

class NpzTest : public FileTest {
 protected:
  std::map<std::string, Tensor> read(const std::string& bytes) const {
    write(bytes);
    return nn::read_npz(path(), options());
  }
  void expect_refused(const std::string& bytes, const std::string& reason) const {
    EXPECT_INVALID(read(bytes), "[read_npz] no valid file of npz: '" + path() + "': " + reason);
  }
  void expect_member_refused(const Member& member, const std::string& reason) const {
    expect_refused(Zip({member}).bytes(), "'" + member.name + "': " + reason);
  }
};

TEST_F(NpzTest, ReadsStoredAndDeflatedArrays) {
  for (const bool is_deflated : {false, true}) {
    for (const bool is_wide : {false, true}) {
      for (const bool sizes_follow : {false, true}) {
        const auto member = [&](const char* name, const std::string& content) {
          Member result{name, content, is_deflated};
          result.is_wide = is_wide;
          result.sizes_follow = sizes_follow && !is_wide;
          return result;
        };
        const Zip zip({member("x.npy", ones_npy(100'000)),
                       member("a/b c.npy", npy("<i4", "(2,)", bytes_of(1) + bytes_of(2))),
                       member("empty.npy", npy("<i4", "(0, 4)", ""))});
        for (const std::string& bytes :
             {zip.bytes(), zip.bytes("a comment PK\5\6"), zip.bytes("", true)}) {
          const auto arrays = read(bytes);
          ASSERT_EQ(arrays.size(), 3u);
          EXPECT_EQ(arrays.at("x").to_vector<float>(), Floats(100'000, 1));
          EXPECT_EQ(arrays.at("a/b c").to_vector<std::int32_t>(),
                    (std::vector<std::int32_t>{1, 2}));
          EXPECT_EQ(arrays.at("empty").shape(), (Shape{0, 4}));
        }
      }
    }
  }
  EXPECT_TRUE(read(Zip({}).bytes()).empty());
}

/// As scipy.sparse.save_npz writes: one member is a text.
TEST_F(NpzTest, OtherMembersDoNotHideTheArrays) {
  for (const bool is_deflated : {false, true}) {
    write(Zip({{"indices.npy", npy("<i4", "(2,)", bytes_of(1) + bytes_of(2)), is_deflated},
               {"format.npy", npy("|S3", "()", "csr"), is_deflated},
               {"names.npy", npy("|O", "(1,)", "pickled"), is_deflated},
               {"wave.npy", npy("<c32", "(1,)", std::string(32, 'x')), is_deflated},
               {"readme.txt", "text", is_deflated},
               {"data.npy", ones_npy(3), is_deflated}})
              .bytes());
    const auto arrays = nn::read_npz(path(), options());
    EXPECT_EQ(arrays.size(), 2u);
    EXPECT_EQ(arrays.at("data").to_vector<float>(), Floats(3, 1));
    EXPECT_EQ(arrays.at("indices").to_vector<std::int32_t>(), (std::vector<std::int32_t>{1, 2}));

    const nn::Npz file(path(), options());
    EXPECT_EQ(file.names(), (std::vector<std::string>{"indices", "format", "names", "wave",
                                                      "readme.txt", "data"}));
    EXPECT_TRUE(file.has("format"));
    EXPECT_FALSE(file.has("formats"));
    EXPECT_EQ(file.read("data").to_vector<float>(), Floats(3, 1));
    const auto expect_refusal = [&](const char* name, const std::string& why) {
      EXPECT_INVALID(file.read(name), "[Npz] no valid file of npz: '" + path() + "': " + why);
    };
    expect_refusal("format", "'format.npy': Patchbay has no dtype for '|S3'. Save it with another");
    expect_refusal("names", "'names.npy': Patchbay has no dtype for '|O'. Save it with another");
    expect_refusal("wave", "'wave.npy': Patchbay has no dtype for '<c32'. Save it with another");
    expect_refusal("readme.txt", "'readme.txt': no array: expected a name that ends with .npy.");
    EXPECT_INVALID(file.read("dat"),
                   "[Npz] no such array in '" + path() +
                       "': expected one of its 6 names, got 'dat'. names() lists them.");
  }
  expect_refused(Zip({{"a.npy", npy("|S3", "()", "csr")}}).bytes(),
                 "'a.npy': Patchbay has no dtype for '|S3'");
  EXPECT_INVALID(read(Zip({{"a.npy", ones_npy(1)}, {"b.npy", npy("<f4", "(2,)", "abcd")}}).bytes()),
                 "'b.npy': expected 8 bytes of elements");
}

TEST_F(NpzTest, RefusesWrongMembers) {
  const std::string good = ones_npy(50);
  const auto with = [&](bool is_deflated, auto change) {
    Member member{"a.npy", good, is_deflated};
    change(member);
    return member;
  };
  for (const bool is_deflated : {false, true}) {
    expect_member_refused(with(is_deflated, [](Member& m) { m.crc_change = 1; }),
                          "a wrong checksum: expected ");
    expect_member_refused(with(is_deflated, [](Member& m) { m.flags = 1; }), "it is encrypted");
    expect_member_refused(with(is_deflated, [](Member& m) { m.flags = 1 << 13; }),
                          "unknown flags: 0x2000");
    expect_member_refused(with(is_deflated, [](Member& m) { m.method = 12; }),
                          "compressed by method 12: expected 0 (none) or 8 (deflate)");
    expect_member_refused(with(is_deflated, [](Member& m) { m.content += "x"; }),
                          is_deflated ? "expected 200 bytes of elements, got more"
                                      : "expected 200 bytes of elements for f32 [50], got 201");
    expect_member_refused(with(is_deflated, [](Member& m) { m.content = "no array"; }),
                          "it does not begin as an array of NumPy");
    expect_member_refused(with(is_deflated, [](Member& m) { m.name = "a.txt"; }),
                          "no array: expected a name that ends with .npy");
    expect_member_refused(with(is_deflated, [](Member& m) { m.header_change = 1 << 20; }),
                          "it begins at byte 1048576: expected it before the directory");
    expect_member_refused(with(is_deflated, [](Member& m) { m.header_change = 1; }),
                          is_deflated ? "" : "its ");
  }
  expect_member_refused(with(true, [](Member& m) { m.size_change = 1; }),
                        "expected the 329 bytes that are stated, got 328");
  expect_member_refused(with(true, [](Member& m) { m.size_change = -1; }),
                        "more bytes than the 327 that are stated");
  expect_member_refused(with(false, [](Member& m) { m.size_change = 1; }),
                        "its 329 bytes reach into the directory");
  expect_member_refused(with(false, [](Member& m) { m.size_change = -1; }),
                        "expected 200 bytes of elements for f32 [50], got 199");
  expect_refused(Zip({{std::string("a\0.npy", 6), good}}).bytes(),
                 "'a\\x00.npy': its name contains NUL");
  std::string damaged = Zip({{"a.npy", good, true}}).bytes();
  damaged[40] = static_cast<char>(damaged[40] ^ 0x55);
  EXPECT_INVALID(read(damaged), "'a.npy': ");
}

TEST_F(NpzTest, RefusesWrongDirectories) {
  const Member a{"a.npy", ones_npy(1)}, b{"b.npy", ones_npy(1)};
  const std::string whole = Zip({a, b}).bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_INVALID(read(whole.substr(0, size)),
                   size < 22 ? "it has " + std::to_string(size) + " bytes, too few for a zip file"
                             : "it has no directory: it is cut off, or no zip file");
  }
  expect_refused(Zip({a, a}).bytes(), "'a.npy': it occurs twice");
  expect_refused(whole + "x", "it has no directory");
  expect_refused("x" + whole, "its directory has ");
  // A file behind something else, which all offsets count.
  Member later = a;
  later.header_change = 3;
  std::string behind = "xyz" + Zip({later}).bytes();
  const auto begin = static_cast<std::uint32_t>(3 + 30 + 5 + a.content.size());
  behind.replace(behind.size() - 6, 4, bytes_of(begin));
  EXPECT_EQ(read(behind).at("a").to_vector<float>(), Floats{1});
  Member over = b;
  over.header_change = -static_cast<std::int64_t>(30 + 5 + a.content.size());
  expect_refused(Zip({a, over}).bytes(), "'b.npy': it overlaps with the entry before it");
  over.name = "a.npy";  // the same place twice, under another name in one of the directories
  expect_refused(Zip({a, over}).bytes(), "'a.npy': it occurs twice");
  const auto changed = [&](std::size_t from_end, char value) {
    std::string bytes = whole;
    bytes[bytes.size() - from_end] = value;
    return bytes;
  };
  expect_refused(changed(18, 1), "it is one of several disks");
  expect_refused(changed(14, 3), "it is one of several disks");
  expect_refused(changed(10, 1), "its directory has ");
  std::string fewer = changed(14, 1);
  fewer[fewer.size() - 12] = 1;
  expect_refused(fewer, "expected 1 entries in its directory, got more");
  fewer[fewer.size() - 12] = fewer[fewer.size() - 14] = 3;
  expect_refused(fewer, "it ends within its directory: expected 46 bytes, got 0");
}

/// Files within each other, which make a small file large.
TEST_F(NpzTest, RefusesOverlappingMembers) {
  // A stored member whose content is a whole member.
  const Member inner{"b.npy", ones_npy(1)};
  const std::string local = Zip({inner}).bytes().substr(0, 30 + 5 + inner.content.size());
  const Member outer{"a.npy", local};
  Member listed = inner;
  std::string bytes = Zip({outer, listed}).bytes();
  // The directory's second entry points into the first one.
  const std::size_t end = bytes.size() - 22, second = end - (46 + 5);
  bytes.replace(second + 42, 4, bytes_of(std::uint32_t{35}));
  expect_refused(bytes, "'b.npy': it overlaps with the entry before it");
}

TEST_F(NpzTest, FewBytesDoNotStandForManyUnlessAsked) {
  const Zip zip({{"a.npy", ones_npy(300'000), true}, {"b.npy", ones_npy(300'000), true}});
  EXPECT_EQ(read(zip.bytes()).size(), 2u);
  EXPECT_LT(zip.bytes().size(), 20'000u);
  nn::ReadOptions small = options();
  small.most_bytes = 2'000'000;
  EXPECT_INVALID(nn::read_npz(path(), small),
                 "its arrays have more than 2000000 bytes. Raise the option most_bytes.");
}

}  // namespace
}  // namespace patchbay::test
