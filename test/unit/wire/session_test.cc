// Sessions between honest peers, and peers that may not be here. Attacks: session_attack_test.cc.
#include "libwm/wire/session.h"

#include <gtest/gtest.h>

#include "libwm/wire/cipher.h"
#include "libwm/wire/shared_key.h"
#include "test/support/fake_munge.h"
#include "test/support/session_pair.h"

namespace wm::wire {
namespace {

using test::client_and_master;
using test::client_options;
using test::Conversation;
using test::FakeMunge;
using test::kAlice;
using test::kMaster;
using test::master_options;

Conversation alice_and_master() {
  auto munge = FakeMunge::make();
  return client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
}

TEST(session, both_ends_learn_who_the_other_is) {
  auto talk = alice_and_master();
  talk.initiator.start();
  talk.settle();
  ASSERT_TRUE(talk.initiator.peer && talk.acceptor.peer);
  EXPECT_EQ(*talk.acceptor.peer, (Identity{Role::Client, kAlice, kAlice, 0}));
  EXPECT_EQ(*talk.initiator.peer, (Identity{Role::Master, kMaster, kMaster, 0}));
}

TEST(session, frames_arrive_whole_in_order_both_ways) {
  auto talk = alice_and_master();
  talk.initiator.start();
  talk.settle();
  talk.initiator.send(20, "submit");
  talk.initiator.send(21, std::string(1 << 20, 'z'));
  talk.acceptor.send(30, "");
  talk.settle();
  EXPECT_EQ(talk.acceptor.delivered,
            (std::vector<Frame>{{20, "submit"}, {21, std::string(1 << 20, 'z')}}));
  EXPECT_EQ(talk.initiator.delivered, (std::vector<Frame>{{30, ""}}));
}

TEST(session, nothing_said_in_an_open_session_is_readable) {  // WIRE-9
  auto talk = alice_and_master();
  talk.initiator.start();
  talk.settle();
  talk.initiator.send(20, "a secret environment");
  talk.settle();
  EXPECT_EQ(talk.to_acceptor.find("secret"), std::string::npos);
}

TEST(session, what_the_proof_signs_besides_reaches_the_acceptor_with_the_credential) {  // WIRE-5
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  talk.initiator.also_sign = std::string(32, 's');
  talk.initiator.start();
  talk.settle();
  ASSERT_TRUE(talk.acceptor.peer);
  EXPECT_EQ(talk.acceptor.proof.also_signed, talk.initiator.also_sign);
  auto signer = munge->as(kMaster)->verify_signature(talk.acceptor.proof.credential);
  ASSERT_TRUE(signer);
  EXPECT_EQ(signer->uid, kAlice);
  EXPECT_EQ(signer->payload.substr(32), talk.initiator.also_sign);
}

TEST(session, signs_32_bytes_besides_or_none) {
  auto munge = FakeMunge::make();
  for (std::size_t n : {1u, 31u, 33u, 64u}) {
    auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
    talk.initiator.also_sign = std::string(n, 's');
    talk.initiator.start();
    talk.settle();
    EXPECT_FALSE(talk.acceptor.peer) << n;
  }
}

// A master with a key and a proof that were made ahead, the proof for this session.
HelloSecrets kept_secrets(Credentials& credentials, std::shared_ptr<const SessionKey> key,
                          std::uint8_t nonce) {
  auto proof = credentials.encode(proof_payload(Side::Acceptor, Role::Master, key->public_key()),
                                  Duration(0));
  HelloSecrets secrets;
  secrets.kept = std::make_shared<const KeptKey>(KeptKey{key, *proof});
  secrets.nonce.fill(nonce);
  return secrets;
}

TEST(session, a_kept_key_answers_at_once_and_serves_many) {  // WIRE-4
  auto munge = FakeMunge::make();
  auto key = std::make_shared<const SessionKey>(std::array<std::uint8_t, 32>{9});
  std::string first_request;
  for (std::uint8_t round = 0; round < 3; ++round) {
    auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
    talk.initiator = {client_options(kMaster), munge->as(kAlice), static_cast<std::uint8_t>(3)};
    talk.acceptor.session =
        Session(master_options(0), kept_secrets(*munge->as(kMaster), key, round));
    talk.initiator.start();
    talk.acceptor.feed(talk.initiator.take_written());
    talk.initiator.feed(talk.acceptor.take_written());
    ASSERT_TRUE(talk.initiator.session.is_open()) << "hello and proof come in one flight";
    talk.initiator.send(20, "submit");
    auto sealed = talk.initiator.written;
    EXPECT_NE(sealed, first_request) << "every session has keys of its own";
    first_request = sealed;
    talk.settle();
    EXPECT_EQ(talk.acceptor.delivered.size(), 1u);
  }
}

TEST(session, proof_and_first_request_share_a_flight) {  // WIRE-7
  auto talk = alice_and_master();
  talk.initiator.start();
  talk.acceptor.feed(talk.initiator.take_written());
  talk.initiator.feed(talk.acceptor.take_written());
  talk.initiator.send(20, "submit");
  talk.acceptor.feed(talk.initiator.take_written());
  EXPECT_EQ(talk.acceptor.delivered.size(), 1u);
}

TEST(session, works_byte_by_byte) {
  auto talk = alice_and_master();
  talk.initiator.start();
  for (int round = 0; round < 2; ++round) {
    for (char c : talk.initiator.take_written()) talk.acceptor.feed({&c, 1});
    for (char c : talk.acceptor.take_written()) talk.initiator.feed({&c, 1});
  }
  talk.initiator.send(20, "submit");
  for (char c : talk.initiator.take_written()) talk.acceptor.feed({&c, 1});
  EXPECT_EQ(talk.acceptor.delivered, (std::vector<Frame>{{20, "submit"}}));
}

TEST(session, a_server_of_another_user_gets_no_proof_and_no_request) {  // WIRE-6
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(1002), kMaster);
  talk.initiator.start();
  talk.settle();
  EXPECT_FALSE(talk.initiator.peer);
  EXPECT_EQ(talk.initiator.failed->code, Code::Denied);
  EXPECT_NE(talk.initiator.failed->text.find("1002"), std::string::npos);
  EXPECT_EQ(talk.acceptor.checks, 0);
}

TEST(session, a_user_who_claims_to_be_a_host_is_refused_with_the_reason) {
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  auto options = client_options(kMaster);
  options.role = Role::Host;
  talk.initiator = {options, munge->as(kAlice), 3};
  talk.initiator.start();
  talk.settle();
  EXPECT_FALSE(talk.acceptor.peer);
  EXPECT_EQ(talk.acceptor.failed->text, "host with uid 1001 is not accepted by this master");
  EXPECT_EQ(talk.initiator.failed->code, Code::Denied);
  EXPECT_NE(talk.initiator.failed->text.find("uid 1001"), std::string::npos);
}

TEST(session, a_role_that_no_rule_names_is_refused_before_the_identity_service_is_asked) {
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  auto options = client_options(kMaster);
  options.role = Role::Agent;
  talk.initiator = {options, munge->as(kAlice), 3};
  talk.initiator.start();
  talk.settle();
  EXPECT_EQ(talk.acceptor.failed->text, "role agent is not accepted by this master");
  EXPECT_EQ(talk.acceptor.checks, 0);
}

TEST(session, another_version_gets_a_message_naming_both) {  // WIRE-3
  auto talk = alice_and_master();
  auto options = client_options(kMaster);
  options.version = 7;
  talk.initiator = {options, FakeMunge::make()->as(kAlice), 3};
  talk.initiator.start();
  talk.settle();
  for (auto* end : {&talk.initiator, &talk.acceptor}) {
    ASSERT_TRUE(end->failed);
    EXPECT_EQ(end->failed->code, Code::Version);
    EXPECT_NE(end->failed->text.find("version 7"), std::string::npos);
    EXPECT_NE(end->failed->text.find("version 2"), std::string::npos);
  }
}

TEST(session, a_stranger_that_speaks_another_protocol_is_told_nothing_but_a_refusal) {
  auto talk = alice_and_master();
  talk.acceptor.feed("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(talk.acceptor.failed);
  talk.acceptor = {master_options(0), FakeMunge::make()->as(kMaster), 2};
  talk.acceptor.feed(frame_bytes(1, "SSH-2.0"));
  EXPECT_EQ(talk.acceptor.failed->code, Code::Damaged);
}

TEST(session, before_it_is_open_all_frames_together_keep_to_the_hello_limit) {  // WIRE-2
  auto talk = alice_and_master();
  talk.initiator.start();
  auto hello = talk.initiator.take_written();
  talk.acceptor.feed(hello);
  auto left = (8 << 10) - (hello.size() - kHeaderBytes);
  talk.acceptor.feed(frame_header(3, static_cast<std::uint32_t>(left + 1)));
  ASSERT_TRUE(talk.acceptor.failed);
  EXPECT_EQ(talk.acceptor.failed->code, Code::Limit);
}

TEST(session, a_message_above_the_limit_is_refused_by_the_sender_and_the_session_goes_on) {
  auto munge = FakeMunge::make();
  auto options = client_options(kMaster);
  options.frame_limit = 100;
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  talk.initiator = {options, munge->as(kAlice), 3};
  talk.initiator.start();
  talk.settle();
  EXPECT_EQ(talk.initiator.session.seal(20, std::string(101, 'x')).error().code, Code::Limit);
  talk.initiator.send(20, std::string(100, 'x'));
  talk.settle();
  EXPECT_EQ(talk.acceptor.delivered.size(), 1u);
}

TEST(session, a_sealed_frame_above_the_limit_ends_the_receivers_session) {
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  auto options = master_options(0);
  options.frame_limit = 100;
  talk.acceptor = {options, munge->as(kMaster), 3};
  talk.initiator.start();
  talk.settle();
  talk.initiator.send(20, std::string(100, 'x'));
  talk.initiator.send(20, std::string(101, 'x'));
  talk.settle();
  EXPECT_EQ(talk.acceptor.delivered.size(), 1u);
  EXPECT_EQ(talk.acceptor.failed->code, Code::Limit);
}

TEST(session, an_identity_service_that_is_down_fails_it_with_its_words) {
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  munge->stop();
  talk.initiator.start();
  talk.settle();
  EXPECT_EQ(talk.acceptor.failed->code, Code::Unavailable);
  EXPECT_EQ(talk.initiator.failed->code, Code::Unavailable);
}

TEST(session, agents_prove_themselves_by_the_jobs_key) {
  SharedKey key{};
  key.fill(7);
  SessionOptions dials{
      .role = Role::Agent, .method = Method::SharedKey, .peers = {{Role::Agent, {}}}};
  auto answers = dials;
  answers.side = Side::Acceptor;
  std::shared_ptr<Credentials> ours = shared_key_credentials(key);
  Conversation talk{{dials, ours, 1}, {answers, ours, 2}, {}, {}};
  talk.initiator.start();
  talk.settle();
  ASSERT_TRUE(talk.acceptor.peer && talk.initiator.peer);
  EXPECT_EQ(talk.acceptor.peer->uid, std::nullopt);

  key[0] = 8;
  Conversation stranger{{dials, shared_key_credentials(key), 1}, {answers, ours, 2}, {}, {}};
  stranger.initiator.start();
  stranger.settle();
  EXPECT_FALSE(stranger.acceptor.peer);
  EXPECT_FALSE(stranger.initiator.peer);
}

TEST(session, a_rule_with_a_uid_never_fits_a_peer_without_one) {
  std::shared_ptr<Credentials> key = shared_key_credentials({});
  SessionOptions dials{
      .role = Role::Agent, .method = Method::SharedKey, .peers = {{Role::Agent, {}}}};
  auto answers = dials;
  answers.side = Side::Acceptor;
  answers.peers = {{Role::Agent, 0}};
  Conversation talk{{dials, key, 1}, {answers, key, 2}, {}, {}};
  talk.initiator.start();
  talk.settle();
  EXPECT_EQ(talk.acceptor.failed->code, Code::Denied);
}

TEST(session, methods_never_mix) {
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  auto options = client_options(kMaster);
  options.method = Method::SharedKey;
  talk.initiator = {options, munge->as(kAlice), 3};
  talk.initiator.start();
  talk.settle();
  EXPECT_EQ(talk.acceptor.failed->text, "the peer proves itself by shared key, required is munge");
}

TEST(session, on_a_unix_socket_the_kernel_names_the_peer) {  // WIRE-12
  SessionOptions dials{
      .method = Method::Local, .peers = {{Role::Host, 0}}, .local = LocalPeer{0, 0, 1}};
  SessionOptions answers{.side = Side::Acceptor,
                         .role = Role::Host,
                         .method = Method::Local,
                         .peers = {{Role::Client, kAlice}},
                         .local = LocalPeer{kAlice, 100, 42}};
  Conversation talk{{dials, {}, 1}, {answers, {}, 2}, {}, {}};
  talk.initiator.start();
  talk.settle();
  EXPECT_EQ(*talk.acceptor.peer, (Identity{Role::Client, kAlice, 100, 42}));
  talk.initiator.send(20, "hello");
  talk.settle();
  EXPECT_EQ(talk.acceptor.delivered, (std::vector<Frame>{{20, "hello"}}));

  answers.local->uid = 1002;
  Conversation other{{dials, {}, 1}, {answers, {}, 2}, {}, {}};
  other.initiator.start();
  other.settle();
  EXPECT_FALSE(other.acceptor.peer);
  EXPECT_NE(other.initiator.failed->text.find("uid 1002"), std::string::npos);
}

TEST(session, takes_no_bytes_while_the_identity_service_is_asked) {
  Session session(master_options(0), HelloSecrets{});
  EXPECT_TRUE(session.wants_bytes());
  auto talk = alice_and_master();
  talk.initiator.start();
  session.on_bytes(talk.initiator.take_written());
  EXPECT_FALSE(session.wants_bytes());
  session.on_proof_made(std::string("credential"));
  EXPECT_TRUE(session.wants_bytes());
}

TEST(session, the_initiators_proof_is_made_while_the_acceptors_comes_and_is_checked) {
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  Session session(client_options(kMaster), HelloSecrets{});
  auto begin = session.start();
  ASSERT_EQ(begin.size(), 2u);
  auto payload = std::get<MakeProof>(begin[1]).payload;
  EXPECT_TRUE(session.wants_bytes());
  talk.acceptor.feed(std::get<Write>(begin[0]).bytes);
  auto asked = session.on_bytes(talk.acceptor.take_written());
  ASSERT_EQ(asked.size(), 1u);
  auto check = std::get<CheckProof>(asked[0]);
  EXPECT_TRUE(session.on_proof_checked(munge->as(kAlice)->decode(check.credential)).empty())
      << "nothing is sent before both are there";
  EXPECT_FALSE(session.wants_bytes());
  auto opened = session.on_proof_made(munge->as(kAlice)->encode(payload, Duration(0)));
  ASSERT_EQ(opened.size(), 2u);
  talk.acceptor.feed(std::get<Write>(opened[0]).bytes);
  EXPECT_TRUE(talk.acceptor.peer);
}

}  // namespace
}  // namespace wm::wire
