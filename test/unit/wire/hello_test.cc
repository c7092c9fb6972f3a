#include "libwm/wire/hello.h"

#include <gtest/gtest.h>

namespace wm::wire {
namespace {

Hello some_hello() {
  Hello hello{kVersion, Method::SharedKey, Role::Host, {}, {}};
  hello.key.fill(3);
  hello.nonce.fill(4);
  return hello;
}

TEST(hello, survives_the_trip) {
  auto back = decode_hello(encode_hello(some_hello()), kVersion);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, some_hello());
}

TEST(hello, magic_and_version_stand_where_every_version_has_them) {  // WIRE-3
  auto bytes = encode_hello(some_hello());
  EXPECT_EQ(bytes.substr(0, 6), std::string("WMhi\x02\x00", 6));
  EXPECT_EQ(bytes.size(), 72u);
}

TEST(hello, every_other_length_is_damage) {
  auto bytes = encode_hello(some_hello());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_EQ(decode_hello(bytes.substr(0, n), kVersion).error().code, Code::Damaged) << n;
  }
  EXPECT_EQ(decode_hello(bytes + "x", kVersion).error().code, Code::Damaged);
}

TEST(hello, a_later_version_may_have_another_length_and_is_still_named) {  // WIRE-3
  auto refused = decode_hello(std::string("WMhi\x09\x00", 6), kVersion);
  EXPECT_EQ(refused.error().code, Code::Version);
  EXPECT_NE(refused.error().text.find("version 9"), std::string::npos);
}

TEST(hello, side_role_and_key_all_change_the_proof) {  // WIRE-5
  std::array<std::uint8_t, 32> a{1}, b{2};
  auto proof = proof_payload(Side::Initiator, Role::Host, a);
  EXPECT_EQ(proof.size(), 32u);
  EXPECT_NE(proof, proof_payload(Side::Acceptor, Role::Host, a));
  EXPECT_NE(proof, proof_payload(Side::Initiator, Role::Client, a));
  EXPECT_NE(proof, proof_payload(Side::Initiator, Role::Host, b));
}

TEST(hello, hellos_and_proofs_all_change_the_binding) {  // WIRE-9
  auto a = transcript_of("one", "two"), b = transcript_of("two", "one");
  auto binding = binding_of(a, "x", "yz");
  EXPECT_NE(binding, binding_of(b, "x", "yz"));
  EXPECT_NE(binding, binding_of(a, "yz", "x"));
  EXPECT_NE(binding, binding_of(a, "xy", "z"));
}

TEST(refusal, keeps_code_and_words_within_its_bound) {
  auto back = decode_refusal(encode_refusal(fail(Code::Version, "install another")));
  EXPECT_EQ(back, fail(Code::Version, "refused by the peer: install another"));
  EXPECT_LE(encode_refusal(fail(Code::Denied, std::string(9000, 'x'))).size(), 1001u);
}

TEST(refusal, from_a_stranger_is_never_success_and_never_controls_the_terminal) {
  EXPECT_EQ(decode_refusal("").code, Code::Denied);
  EXPECT_EQ(decode_refusal(std::string("\0all is well", 12)).code, Code::Denied);
  EXPECT_EQ(decode_refusal("\xffunknown").code, Code::Denied);
  EXPECT_EQ(decode_refusal("\x03\x1b[2Jboo").text, "refused by the peer:  [2Jboo");
}

}  // namespace
}  // namespace wm::wire
