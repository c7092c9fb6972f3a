// The key that a listener's sessions share for a while, with its proof made ahead.
#include "libwm/wire/key_keeper.h"

#include <gtest/gtest.h>

#include "libwm/wire/cipher.h"
#include "test/support/fake_munge.h"
#include "test/support/loop.h"
#include "test/support/session_pair.h"

namespace wm::wire {
namespace {

using test::FakeMunge;

struct Desk {
  test::Loop loop;
  Prover prover{loop.context, 1};
  std::shared_ptr<FakeMunge> munge = FakeMunge::make();
  LinkOptions link;
  Desk() {
    link.session = test::master_options(0);
    link.credentials = munge->as(990);
  }
};

TEST(key_keeper, has_a_key_soon_whose_proof_names_it_and_its_holder) {  // WIRE-5
  Desk desk;
  KeyKeeper keeper(desk.loop.context, desk.prover, desk.link);
  EXPECT_EQ(keeper.current(), nullptr) << "not before the identity service has answered";
  ASSERT_TRUE(desk.loop.until([&] { return keeper.current() != nullptr; }));
  auto kept = keeper.current();
  auto proof = desk.munge->as(1)->decode_shown(kept->proof);
  ASSERT_TRUE(proof) << proof.error().text;
  EXPECT_EQ(proof->uid, 990u);
  EXPECT_EQ(proof->payload, proof_payload(Side::Acceptor, Role::Master, kept->key->public_key()));
  EXPECT_EQ(keeper.current(), kept) << "many sessions share it";
}

TEST(key_keeper, two_listeners_never_share_a_key) {  // WIRE-4
  Desk desk;
  KeyKeeper one(desk.loop.context, desk.prover, desk.link);
  KeyKeeper two(desk.loop.context, desk.prover, desk.link);
  ASSERT_TRUE(desk.loop.until([&] { return one.current() && two.current(); }));
  EXPECT_NE(one.current()->key->public_key(), two.current()->key->public_key());
}

TEST(key_keeper, without_the_identity_service_there_is_none_and_sessions_make_their_own) {
  Desk desk;
  desk.munge->stop();
  KeyKeeper keeper(desk.loop.context, desk.prover, desk.link);
  for (int i = 0; i < 20; ++i) desk.loop.context.run_one_for(std::chrono::milliseconds(2));
  EXPECT_EQ(keeper.current(), nullptr);
}

TEST(key_keeper, an_answer_that_comes_after_its_end_harms_nothing) {
  Desk desk;
  { KeyKeeper keeper(desk.loop.context, desk.prover, desk.link); }
  for (int i = 0; i < 20; ++i) desk.loop.context.run_one_for(std::chrono::milliseconds(2));
}

}  // namespace
}  // namespace wm::wire
