// Bytes of what agents say to each other for their ranks: the format is append-only.
#include "libwm/model/node/ranks.h"

#include <gtest/gtest.h>

#include "libwm/codec/codec.h"

namespace wm {
namespace {

void words_come_back(const RankWords& words) {
  auto back = codec::decode<RankWords>(codec::encode(words));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, words);
}

TEST(ranks_codec, words_come_back_as_they_were) {
  words_come_back(RankHello{3});
  words_come_back(FencePart{{{0, 5, 7}, 2}, std::string("a\0b", 3)});
  words_come_back(FenceDone{{{}, 0}, ""});
  words_come_back(ModexAsk{1, 9, 4});
  words_come_back(ModexAnswer{1, 9, -46, "data"});
  words_come_back(RankLeft{6});
  words_come_back(RanksBroken{"rank 6 ended"});
  words_come_back(RankOutput{6, 2, "err"});
  words_come_back(RankTaken{6, 3});
  words_come_back(RankSilent{6});
  words_come_back(FencePart{{{0, 5}, 2, Meeting::Disconnect}, ""});
  words_come_back(NameAsk{1, 9, NameAsk::What::LookUp, 4, {{"port", 3, "a", 2}}, true, true});
  words_come_back(NameAnswer{1, 9, false, {{"port", 3, "a", 2}, {"b", 27, "", 0}}});
}

TEST(ranks_codec, the_bytes_of_a_question_are_these) {
  EXPECT_EQ(codec::encode(RankWords{ModexAsk{1, 2, 3}}),
            std::string("\x22\x06\x08\x01\x10\x02\x18\x03", 8));
}

}  // namespace
}  // namespace wm
