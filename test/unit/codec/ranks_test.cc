// Bytes of what agents say to each other for their ranks: the format is append-only.
#include "libwm/model/ranks.h"

#include <gtest/gtest.h>

#include "libwm/codec/codec.h"

namespace wm {
namespace {

void comes_back(const RankWords& words) {
  auto back = codec::decode<RankWords>(codec::encode(words));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, words);
}

TEST(ranks_codec, words_come_back_as_they_were) {
  comes_back(RankHello{3});
  comes_back(FencePart{{{0, 5, 7}, 2}, std::string("a\0b", 3)});
  comes_back(FenceDone{{{}, 0}, ""});
  comes_back(ModexAsk{1, 9, 4});
  comes_back(ModexAnswer{1, 9, -46, "data"});
  comes_back(RankLeft{6});
  comes_back(RanksBroken{"rank 6 ended"});
  comes_back(RankOutput{6, 2, "err"});
  comes_back(RankTaken{6, 3});
  comes_back(RankSilent{6});
  comes_back(FencePart{{{0, 5}, 2, Meeting::Disconnect}, ""});
  comes_back(NameAsk{1, 9, NameAsk::What::LookUp, 4, {{"port", 3, "a", 2}}, true, true});
  comes_back(NameAnswer{1, 9, false, {{"port", 3, "a", 2}, {"b", 27, "", 0}}});
}

TEST(ranks_codec, the_bytes_of_a_question_are_these) {
  EXPECT_EQ(codec::encode(RankWords{ModexAsk{1, 2, 3}}),
            std::string("\x22\x06\x08\x01\x10\x02\x18\x03", 8));
}

}  // namespace
}  // namespace wm
