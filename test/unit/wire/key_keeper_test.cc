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
  // The next session's, waited for.
  std::shared_ptr<const KeptKey> next(KeyKeeper& keeper) {
    std::shared_ptr<const KeptKey> kept;
    EXPECT_TRUE(loop.until([&] { return (kept = keeper.take()) != nullptr; }));
    return kept;
  }
};

TEST(key_keeper, has_a_key_soon_whose_proof_names_it_and_its_holder) {  // WIRE-5
  Desk desk;
  KeyKeeper keeper(desk.loop.context, desk.prover, desk.link);
  EXPECT_EQ(keeper.take(), nullptr) << "not before the identity service has answered";
  auto kept = desk.next(keeper);
  auto proof = desk.munge->as(1)->decode(kept->proof);
  ASSERT_TRUE(proof) << proof.error().text;
  EXPECT_EQ(proof->uid, 990u);
  EXPECT_EQ(proof->payload, proof_payload(Side::Acceptor, Role::Master, kept->key->public_key()));
}

TEST(key_keeper, sessions_share_its_key_and_no_proof_is_decoded_twice) {  // WIRE-5
  Desk desk;
  KeyKeeper keeper(desk.loop.context, desk.prover, desk.link);
  auto first = desk.next(keeper);
  ASSERT_TRUE(desk.munge->as(1)->decode(first->proof));
  for (std::size_t i = 0; i < 3 * kProofsAhead; ++i) {
    auto kept = desk.next(keeper);
    EXPECT_EQ(kept->key, first->key);
    auto proof = desk.munge->as(1)->decode(kept->proof);
    ASSERT_TRUE(proof) << i << ": " << proof.error().text;
  }
}

TEST(key_keeper, when_all_proofs_are_taken_sessions_make_their_own) {
  Desk desk;
  KeyKeeper keeper(desk.loop.context, desk.prover, desk.link);
  desk.next(keeper);
  desk.munge->stop();
  std::size_t taken = 0;
  while (keeper.take()) ASSERT_LE(++taken, 2 * kProofsAhead);
  EXPECT_EQ(keeper.take(), nullptr);
}

TEST(key_keeper, two_listeners_never_share_a_key) {  // WIRE-4
  Desk desk;
  KeyKeeper one(desk.loop.context, desk.prover, desk.link);
  KeyKeeper two(desk.loop.context, desk.prover, desk.link);
  EXPECT_NE(desk.next(one)->key->public_key(), desk.next(two)->key->public_key());
}

TEST(key_keeper, without_the_identity_service_there_is_none_and_sessions_make_their_own) {
  Desk desk;
  desk.munge->stop();
  KeyKeeper keeper(desk.loop.context, desk.prover, desk.link);
  for (int i = 0; i < 20; ++i) desk.loop.context.run_one_for(std::chrono::milliseconds(2));
  EXPECT_EQ(keeper.take(), nullptr);
}

TEST(key_keeper, an_answer_that_comes_after_its_end_harms_nothing) {
  Desk desk;
  { KeyKeeper keeper(desk.loop.context, desk.prover, desk.link); }
  for (int i = 0; i < 20; ++i) desk.loop.context.run_one_for(std::chrono::milliseconds(2));
}

}  // namespace
}  // namespace wm::wire
