// Recorded, altered and relayed sessions: none may bring a single frame through.
#include <gtest/gtest.h>
#include <sodium.h>

#include <random>

#include "libwm/wire/hello.h"
#include "libwm/wire/session.h"
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
using test::SessionEnd;

// One submit and its reply, as an eavesdropper has them.
Conversation record(const std::shared_ptr<FakeMunge>& munge) {
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  talk.initiator.start();
  talk.settle();
  talk.initiator.send(20, "submit");
  talk.settle();
  talk.acceptor.send(30, "Job <1>");
  talk.settle();
  return talk;
}

TEST(session_attack, a_recorded_session_means_nothing_to_a_fresh_server) {  // WIRE-8
  auto munge = FakeMunge::make();
  auto recorded = record(munge);
  ASSERT_EQ(recorded.acceptor.delivered.size(), 1u);
  SessionEnd fresh(master_options(0), munge->as(kMaster), 50);
  fresh.feed(recorded.to_acceptor);
  EXPECT_FALSE(fresh.peer);
  EXPECT_TRUE(fresh.delivered.empty());
}

TEST(session_attack, nor_after_the_identity_service_has_forgotten_it) {  // WIRE-8
  auto munge = FakeMunge::make();
  auto recorded = record(munge);
  munge->restart();
  SessionEnd fresh(master_options(0), munge->as(kMaster), 50);
  fresh.feed(recorded.to_acceptor);
  EXPECT_FALSE(fresh.peer);
  EXPECT_EQ(fresh.failed->text, "the peer does not have the key that its credential names");
  EXPECT_TRUE(fresh.delivered.empty());
}

TEST(session_attack, nor_at_a_second_host_with_the_same_key) {  // WIRE-8
  auto recorded = record(FakeMunge::make("one key"));
  SessionEnd other(master_options(0), FakeMunge::make("one key")->as(kMaster), 60);
  other.feed(recorded.to_acceptor);
  EXPECT_FALSE(other.peer);
  EXPECT_EQ(other.failed->text, "the peer does not have the key that its credential names");
  EXPECT_TRUE(other.delivered.empty());
}

// The live exchange with one byte towards the acceptor changed; true if anything got through.
bool request_survives(std::size_t at, unsigned char flip) {
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  std::size_t position = 0;
  auto carry = [&] {
    auto bytes = talk.initiator.take_written();
    if (at >= position && at < position + bytes.size())
      bytes[at - position] ^= static_cast<char>(flip);
    position += bytes.size();
    talk.acceptor.feed(bytes);
    talk.initiator.feed(talk.acceptor.take_written());
  };
  talk.initiator.start();
  carry();
  if (talk.initiator.session.is_open()) talk.initiator.send(20, "submit");
  carry();
  return !talk.acceptor.delivered.empty();
}

TEST(session_attack, every_byte_of_the_request_direction_altered_0_accepted) {  // WIRE-10
  auto length = record(FakeMunge::make()).to_acceptor.size();
  int accepted = 0;
  for (std::size_t at = 0; at < length; ++at) {
    for (unsigned char flip : {0x01, 0x80, 0xff}) accepted += request_survives(at, flip);
  }
  EXPECT_EQ(accepted, 0);
  EXPECT_TRUE(request_survives(length, 0x01)) << "unaltered, it must work";
}

bool reply_survives(std::size_t at, unsigned char flip) {
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  std::size_t position = 0;
  auto carry = [&] {
    talk.acceptor.feed(talk.initiator.take_written());
    if (talk.acceptor.session.is_open()) talk.acceptor.send(30, "Job <1>");
    auto bytes = talk.acceptor.take_written();
    if (at >= position && at < position + bytes.size())
      bytes[at - position] ^= static_cast<char>(flip);
    position += bytes.size();
    talk.initiator.feed(bytes);
  };
  talk.initiator.start();
  carry();
  carry();
  return !talk.initiator.delivered.empty();
}

TEST(session_attack, every_byte_of_the_reply_direction_altered_0_accepted) {  // WIRE-10
  auto length = record(FakeMunge::make()).to_initiator.size();
  int accepted = 0;
  for (std::size_t at = 0; at < length; ++at) {
    for (unsigned char flip : {0x01, 0x80, 0xff}) accepted += reply_survives(at, flip);
  }
  EXPECT_EQ(accepted, 0);
  EXPECT_TRUE(reply_survives(length, 0x01)) << "unaltered, it must work";
}

TEST(session_attack, one_in_the_middle_who_relays_credentials_with_its_own_keys_is_refused) {
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  talk.initiator.start();
  auto hello = talk.initiator.take_written();
  talk.acceptor.feed(hello);
  auto answer = talk.acceptor.take_written();
  // The middle replaces the server's key by its own and passes the server's credential on.
  std::array<std::uint8_t, 32> own_public, own_secret, seed{};
  crypto_kx_seed_keypair(own_public.data(), own_secret.data(), seed.data());
  std::copy(own_public.begin(), own_public.end(), answer.begin() + kHeaderBytes + 8);
  talk.initiator.feed(answer);
  EXPECT_FALSE(talk.initiator.peer);
  EXPECT_EQ(talk.initiator.failed->code, Code::Denied);
}

TEST(session_attack, a_proof_reflected_to_its_maker_is_refused) {
  auto munge = FakeMunge::make();
  SessionOptions host{.role = Role::Host, .peers = {{Role::Host, {}}}};
  SessionEnd victim(host, munge->as(0), 5);
  victim.start();
  auto own = victim.take_written();
  victim.feed(own);  // its own hello comes back, then its own proof would
  ASSERT_FALSE(victim.failed);
  auto proof =
      munge->as(0)->encode(proof_payload(Side::Initiator, Role::Host,
                                         decode_hello(own.substr(kHeaderBytes, 72), kVersion)->key),
                           Duration(0));
  victim.feed(frame_bytes(3, *proof));
  EXPECT_FALSE(victim.peer);
}

// Mallory has an account. She passes Alice's hello and sealed request on, under her own name.
TEST(session_attack, a_proof_of_another_account_in_place_of_the_initiators_opens_nothing) {
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  talk.initiator.start();
  auto hello = talk.initiator.take_written();
  talk.acceptor.feed(hello);
  talk.initiator.feed(talk.acceptor.take_written());
  talk.initiator.send(20, "submit");
  auto flight = talk.initiator.take_written();
  FrameDecoder decoder(1 << 20);
  decoder.add(flight);
  ASSERT_EQ((*decoder.next())->type, 3u);
  auto sealed = flight.substr(flight.size() - decoder.buffered());
  auto key = decode_hello(hello.substr(kHeaderBytes), kVersion)->key;
  auto hers =
      munge->as(1002)->encode(proof_payload(Side::Initiator, Role::Client, key), Duration(0));
  talk.acceptor.feed(frame_bytes(3, *hers) + sealed);
  EXPECT_FALSE(talk.acceptor.peer);
  EXPECT_TRUE(talk.acceptor.delivered.empty());
  EXPECT_EQ(talk.acceptor.failed->code, Code::Denied);
}

TEST(session_attack, who_shows_a_servers_proof_without_its_key_reads_and_answers_nothing) {
  auto munge = FakeMunge::make();
  auto recorded = record(munge);
  munge->restart();  // as at another host: its munged has not seen them
  // The server's hello and proof are shown again.
  SessionEnd client(client_options(kMaster), munge->as(kAlice), 70);
  client.start();
  FrameDecoder decoder(1 << 20);
  decoder.add(recorded.to_initiator);
  ASSERT_EQ((*decoder.next())->type, 1u);
  ASSERT_EQ((*decoder.next())->type, 3u);
  auto shown = recorded.to_initiator.size() - decoder.buffered();
  client.feed(recorded.to_initiator.substr(0, shown));
  ASSERT_TRUE(client.session.is_open());
  client.send(20, "a secret environment");
  EXPECT_EQ(client.written.find("secret"), std::string::npos);
  client.feed(recorded.to_initiator.substr(shown));
  EXPECT_TRUE(client.delivered.empty());
  EXPECT_TRUE(client.failed);
}

TEST(session_attack, a_weak_key_is_refused) {
  auto munge = FakeMunge::make();
  SessionEnd master(master_options(0), munge->as(kMaster), 50);
  master.feed(frame_bytes(1, encode_hello(Hello{})));  // the all-zero point
  ASSERT_TRUE(master.failed);
  EXPECT_EQ(master.failed->code, Code::Damaged);
}

TEST(session_attack, sealed_frames_doubled_swapped_or_left_out_end_the_session) {
  for (int kind = 0; kind < 3; ++kind) {
    auto talk = record(FakeMunge::make());
    talk.initiator.send(20, "one");
    auto one = talk.initiator.take_written();
    talk.initiator.send(20, "two");
    auto two = talk.initiator.take_written();
    talk.acceptor.delivered.clear();
    talk.acceptor.feed(kind == 0 ? one + one : kind == 1 ? two + one : two);
    EXPECT_EQ(talk.acceptor.delivered.size(), kind == 0 ? 1u : 0u);
    EXPECT_EQ(talk.acceptor.failed->code, Code::Damaged);
  }
}

TEST(session_attack, frames_in_the_clear_are_not_taken_in_a_sealed_session) {
  auto talk = record(FakeMunge::make());
  talk.acceptor.delivered.clear();
  talk.acceptor.feed(frame_bytes(20, "kill job 1"));
  EXPECT_TRUE(talk.acceptor.delivered.empty());
  EXPECT_EQ(talk.acceptor.failed->code, Code::Damaged);
}

TEST(session_attack, a_refusal_in_the_clear_cannot_speak_for_an_answering_server) {
  auto talk = record(FakeMunge::make());
  talk.initiator.feed(frame_bytes(2, encode_refusal(fail(Code::NotFound, "no such job"))));
  EXPECT_EQ(talk.initiator.failed->code, Code::Damaged);
}

TEST(session_attack, a_request_before_the_proof_is_not_even_decrypted) {  // WIRE-6
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  talk.initiator.start();
  talk.acceptor.feed(talk.initiator.take_written());
  talk.initiator.feed(talk.acceptor.take_written());
  auto proof = talk.initiator.take_written();
  talk.initiator.send(20, "submit");
  auto request = talk.initiator.take_written();
  talk.acceptor.feed(request + proof);
  EXPECT_TRUE(talk.acceptor.delivered.empty());
  EXPECT_TRUE(talk.acceptor.failed);
}

// A stream of bytes that is noise, or starts like a session and goes on as noise.
std::string noise(std::mt19937& random, std::string begin) {
  auto length = random() % 2000;
  while (begin.size() < length) begin.push_back(static_cast<char>(random() >> 24));
  return begin;
}

TEST(session_attack, noise_in_any_phase_is_refused_and_harms_nothing) {
  auto munge = FakeMunge::make();
  auto talk = client_and_master(munge->as(kAlice), munge->as(kMaster), kMaster);
  talk.initiator.start();
  auto hello = talk.initiator.take_written();
  std::mt19937 random(4711);
  for (int round = 0; round < 2000; ++round) {
    SessionEnd master(master_options(0), munge->as(kMaster), 50);
    auto stream =
        noise(random, round % 3 == 0 ? "" : hello.substr(0, random() % (hello.size() + 1)));
    while (!stream.empty()) {
      auto n = std::min<std::size_t>(stream.size(), 1 + random() % 700);
      master.feed(stream.substr(0, n));
      stream.erase(0, n);
    }
    ASSERT_FALSE(master.peer);
    ASSERT_TRUE(master.delivered.empty());
  }
}

}  // namespace
}  // namespace wm::wire
