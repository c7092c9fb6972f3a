// Digests are those of RFC 7693; texts come back as the bytes they were; what is none is refused.
#include "libwm/base/hash.h"

#include <gtest/gtest.h>

#include <set>

namespace wm {
namespace {

TEST(hash, is_blake2b) {
  EXPECT_EQ(hex(hash_of("abc", 64)),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
  EXPECT_EQ(hex(hash_of("")), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

TEST(hash, has_the_length_that_was_asked_for) {
  EXPECT_EQ(hash_of("x").size(), 32u);
  EXPECT_EQ(hash_of("x", 16).size(), 16u);
  EXPECT_NE(hash_of("x", 16), hash_of("x").substr(0, 16)) << "the length is hashed, too";
}

TEST(hash, parts_are_hashed_as_one_text) {
  EXPECT_EQ(Hasher().add("ab").add("").add("c").finish(), hash_of("abc"));
  EXPECT_EQ(Hasher().add(std::string_view("a\0b", 3)).finish(), hash_of(std::string("a\0b", 3)));
}

TEST(hash, sized_parts_differ_by_where_they_begin) {
  auto one = Hasher().add_sized("ab").add_sized("c").finish();
  EXPECT_EQ(one, Hasher().add_sized("ab").add_sized("c").finish());
  EXPECT_NE(one, Hasher().add_sized("a").add_sized("bc").finish());
  EXPECT_NE(one, Hasher().add_sized("abc").finish());
  EXPECT_NE(one, Hasher().add_sized("ab").add_sized("c").add_sized("").finish());
}

TEST(hash, depends_on_its_key) {
  auto one = Hasher(32, std::string(32, 'k')).add("x").finish();
  EXPECT_NE(one, Hasher(32, std::string(32, 'l')).add("x").finish());
  EXPECT_NE(one, hash_of("x"));
}

TEST(hash, a_copy_goes_on_by_itself) {
  Hasher first;
  first.add("a");
  Hasher second = first;
  EXPECT_EQ(second.add("c").finish(), hash_of("ac"));
  EXPECT_EQ(first.add("b").finish(), hash_of("ab"));
}

TEST(hash_death, a_digest_of_one_byte_is_a_mistake_of_ours) {
  EXPECT_DEATH(Hasher(1), "bytes");
}

TEST(hex, comes_back) {
  std::string bytes("\x00\x7f\xff", 3);
  EXPECT_EQ(hex(bytes), "007fff");
  EXPECT_EQ(*unhex("007fFF"), bytes);
  EXPECT_EQ(*unhex(""), "");
}

TEST(hex, what_is_none_is_refused) {
  for (const char* text : {"0", "0g", "00 ", " 00", "0x00", "00:00", "000"})
    EXPECT_EQ(unhex(text).error().code, Code::BadArgument) << text;
}

TEST(base64, comes_back_in_both_alphabets) {
  std::string bytes("\xfb\xff\x00\x01", 4);
  EXPECT_EQ(base64(bytes), "+/8AAQ==");
  EXPECT_EQ(base64_url(bytes), "-_8AAQ");
  EXPECT_EQ(*from_base64("+/8AAQ=="), bytes);
  EXPECT_EQ(*from_base64_url("-_8AAQ"), bytes);
  EXPECT_EQ(base64(""), "");
}

TEST(base64, the_other_alphabet_and_what_is_cut_short_is_refused) {
  for (const char* text : {"-_8AAQ==", "+/8AAQ", "+/8AAQ=", "+", "+/8A AQ==", "+/8AAQ==x"})
    EXPECT_EQ(from_base64(text).error().code, Code::BadArgument) << text;
  for (const char* text : {"+/8AAQ", "-_8AAQ==", "-_8A\n", "-"})
    EXPECT_EQ(from_base64_url(text).error().code, Code::BadArgument) << text;
}

TEST(random, names_are_not_made_twice) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) names.insert(random_hex(16));
  EXPECT_EQ(names.size(), 100u);
  EXPECT_EQ(names.begin()->size(), 32u);
  EXPECT_EQ(random_bytes(0), "");
  EXPECT_NE(random_number(), random_number());
}

TEST(same_secret, tells_equal_from_other) {
  EXPECT_TRUE(same_secret("wmkey_1", "wmkey_1"));
  EXPECT_TRUE(same_secret("", ""));
  EXPECT_FALSE(same_secret("wmkey_1", "wmkey_2"));
  EXPECT_FALSE(same_secret("wmkey_1", "wmkey_1 ")) << "one begins as the other";
  EXPECT_FALSE(same_secret("", "x"));
}

}  // namespace
}  // namespace wm
