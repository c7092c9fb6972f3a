#include "libwm/wire/spec_signature.h"

#include <gtest/gtest.h>

#include "libwm/wire/shared_key.h"
#include "test/support/fake_munge.h"

namespace wm::wire {
namespace {

using test::FakeMunge;
const std::string kKey(16, 'k');

TEST(spec_signature, names_the_submitter_as_often_as_it_is_asked) {
  auto munge = FakeMunge::make();
  auto signature = sign_spec(*munge->as(1001), "spec", kKey);
  ASSERT_TRUE(signature);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(*signer_of_spec(*munge->as(0), *signature, "spec", kKey), 1001u);
  EXPECT_EQ(*signer_of_spec(*FakeMunge::make()->as(0), *signature, "spec", kKey), 1001u);
}

TEST(spec_signature, a_sessions_proof_that_signed_it_as_well_is_as_good) {
  auto munge = FakeMunge::make()->as(1001);
  auto proof = *munge->encode(std::string(32, 'p') + spec_digest("spec", kKey), Duration(0));
  EXPECT_EQ(*signer_of_spec(*munge, proof, "spec", kKey), 1001u);
  EXPECT_FALSE(signer_of_spec(*munge, proof, "spek", kKey));
  for (auto front : {31, 33, 64}) {
    auto other = *munge->encode(std::string(front, 'p') + spec_digest("spec", kKey), Duration(0));
    EXPECT_FALSE(signer_of_spec(*munge, other, "spec", kKey)) << front;
  }
}

TEST(spec_signature, does_not_fit_another_specification_or_key) {
  auto munge = FakeMunge::make()->as(1001);
  auto signature = *sign_spec(*munge, "spec", kKey);
  for (auto [spec, key] : {std::pair(std::string("spek"), kKey),
                           {"spec", std::string(16, 'j')},
                           {"spe", "c" + kKey.substr(1)},
                           {"spec" + kKey, ""}}) {
    EXPECT_EQ(signer_of_spec(*munge, signature, spec, key).error().code, Code::Denied);
  }
  EXPECT_EQ(signer_of_spec(*munge, "nonsense", "spec", kKey).error().code, Code::Stale);
}

TEST(spec_signature, a_jobs_key_signs_for_nobody) {
  auto key = shared_key_credentials({});
  EXPECT_EQ(signer_of_spec(*key, *sign_spec(*key, "spec", kKey), "spec", kKey).error().code,
            Code::Denied);
}

TEST(spec_signature, a_request_key_of_another_length_is_refused) {
  auto munge = FakeMunge::make()->as(1001);
  EXPECT_EQ(sign_spec(*munge, "spec", "short").error().code, Code::BadArgument);
}

}  // namespace
}  // namespace wm::wire
