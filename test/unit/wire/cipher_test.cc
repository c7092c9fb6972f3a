#include "libwm/wire/cipher.h"

#include <gtest/gtest.h>

namespace wm::wire {
namespace {

// Both ends of an agreement over fixed keys.
struct Ends {
  explicit Ends(std::string_view binding = "same") {
    WM_CHECK(a.agree(Side::Initiator, a_key, b_key.public_key()).has_value());
    WM_CHECK(b.agree(Side::Acceptor, b_key, a_key.public_key()).has_value());
    a.begin(transcript_of("same", ""));
    b.begin(transcript_of(binding, ""));
  }
  SessionKey a_key{{1}}, b_key{{2}};
  Cipher a, b;
};

std::string_view sealed_part(const std::string& frame) {
  return std::string_view(frame).substr(kHeaderBytes);
}

TEST(cipher, what_one_end_seals_the_other_opens) {
  Ends ends;
  for (const auto& payload : {std::string(), std::string("x"), std::string(100'000, 'y')}) {
    auto there = ends.b.open(sealed_part(ends.a.seal(0xfedc, payload)));
    ASSERT_TRUE(there) << there.error().text;
    EXPECT_EQ(*there, (Frame{0xfedc, payload}));
    EXPECT_TRUE(ends.a.open(sealed_part(ends.b.seal(16, payload))));
  }
}

TEST(cipher, sealing_adds_what_it_says) {
  Ends ends;
  EXPECT_EQ(ends.a.seal(16, "12345").size(), kHeaderBytes + 5 + kSealBytes);
}

TEST(cipher, directions_have_keys_of_their_own) {
  Ends ends;
  EXPECT_FALSE(ends.a.open(sealed_part(ends.a.seal(16, "to myself"))));
}

TEST(cipher, another_binding_is_another_key) {
  Ends ends("other");
  EXPECT_FALSE(ends.b.open(sealed_part(ends.a.seal(16, "x"))));
}

TEST(cipher, too_short_to_be_sealed_is_damage) {
  Ends ends;
  for (std::size_t n = 0; n < kSealBytes; ++n) {
    EXPECT_EQ(ends.b.open(std::string(n, 'x')).error().code, Code::Damaged);
  }
}

// cipher.cc starts sending streams with init_pull: libsodium must go on treating both alike.
TEST(cipher, a_stream_is_the_same_whichever_way_libsodium_started_it) {
  unsigned char key[32] = {7}, header[24], one[17 + 3], two[17 + 3];
  crypto_secretstream_xchacha20poly1305_state pushed, pulled;
  crypto_secretstream_xchacha20poly1305_init_push(&pushed, header, key);
  crypto_secretstream_xchacha20poly1305_init_pull(&pulled, header, key);
  const unsigned char text[] = {'a', 'b', 'c'};
  crypto_secretstream_xchacha20poly1305_push(&pushed, one, nullptr, text, 3, nullptr, 0, 0);
  crypto_secretstream_xchacha20poly1305_push(&pulled, two, nullptr, text, 3, nullptr, 0, 0);
  EXPECT_EQ(std::string(one, one + 20), std::string(two, two + 20));
}

}  // namespace
}  // namespace wm::wire
