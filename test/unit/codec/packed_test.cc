// Bytes made smaller for the way: they come back as they were, or not at all.
#include "libwm/codec/packed.h"

#include <gtest/gtest.h>

#include <random>

namespace wm {
namespace {

constexpr Bytes kMost{1 << 20};

std::string alike(std::size_t length) {
  std::string bytes;
  while (bytes.size() < length)
    bytes += "job " + std::to_string(bytes.size()) + " of ann in normal\n";
  return bytes;
}

std::string noise(std::size_t length) {
  std::mt19937 random(7);
  std::string bytes(length, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

TEST(packed, bytes_come_back_as_they_were) {
  for (const auto& bytes : {std::string(), std::string("a\0b", 3), alike(300'000), noise(70'000)}) {
    auto back = codec::unpacked(codec::packed(bytes), kMost);
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(*back, bytes);
  }
}

TEST(packed, what_is_alike_needs_a_quarter_of_its_room_and_less) {
  auto bytes = alike(300'000);
  EXPECT_LT(codec::packed(bytes).size(), bytes.size() / 4);
}

TEST(packed, more_than_the_caller_takes_is_refused_before_it_is_unpacked) {
  auto bytes = alike(2000);
  auto back = codec::unpacked(codec::packed(bytes), Bytes{1999});
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().code, Code::Limit);
  EXPECT_NE(back.error().text.find("at most 1999"), std::string::npos) << back.error().text;
}

TEST(packed, each_cut_and_each_changed_byte_is_noticed) {
  auto bytes = alike(400);
  auto good = codec::packed(bytes);
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(codec::unpacked(good.substr(0, length), kMost)) << length;
  EXPECT_FALSE(codec::unpacked(good + "x", kMost));
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    auto back = codec::unpacked(bad, kMost);
    EXPECT_FALSE(back && *back != bytes) << at;
  }
}

}  // namespace
}  // namespace wm
