// The real identity service, where munged is installed.
#include "libwm/wire/munge.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "test/support/private_munged.h"
#include "test/support/session_pair.h"

namespace wm::wire {
namespace {

using test::client_and_master;
using test::master_options;
using test::PrivateMunged;
using test::SessionEnd;

constexpr Duration kTtl = std::chrono::seconds(30);

class munge : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!munged.missing().empty()) GTEST_SKIP() << munged.missing();
  }
  PrivateMunged munged;
  std::shared_ptr<Credentials> credentials = munge_credentials(munged.socket());
};

TEST_F(munge, names_the_signer_and_what_was_signed) {
  auto made = credentials->encode(std::string("\0binary\xff", 8), kTtl);
  ASSERT_TRUE(made) << made.error().text;
  auto read = credentials->decode(*made);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, (Signed{::getuid(), ::getgid(), std::string("\0binary\xff", 8)}));
}

TEST_F(munge, a_second_decode_is_refused_but_the_signature_still_holds) {
  auto made = credentials->encode("spec", kTtl);
  ASSERT_TRUE(credentials->decode(*made));
  auto again = credentials->decode(*made);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::Denied);
  auto stored = credentials->verify_signature(*made);
  ASSERT_TRUE(stored) << stored.error().text;
  EXPECT_EQ(stored->uid, ::getuid());
}

TEST_F(munge, a_signature_is_asked_of_the_service_once) {
  auto made = *credentials->encode("spec", kTtl);
  ASSERT_TRUE(credentials->verify_signature(made));
  munged.stop();
  auto again = credentials->verify_signature(made);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->payload, "spec");
}

TEST_F(munge, an_expired_credential_is_refused_but_the_signature_still_holds) {
  std::vector<std::string> made;
  for (int i = 0; i < 1000; ++i)
    made.push_back(*credentials->encode("key", std::chrono::seconds(1)));
  // munged goes by the wall clock, which no test can turn: one after another until one is too old.
  Result<Signed> last = credentials->decode(made.back());
  while (last && made.size() > 1) {
    made.pop_back();
    last = credentials->decode(made.back());
    ::usleep(10'000);
  }
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, Code::Denied);
  EXPECT_TRUE(credentials->verify_signature(made.back()));
}

// The library that tells one program another time, where it is installed.
std::string faketime() {
  for (std::string folder : {"x86_64-linux-gnu", "aarch64-linux-gnu"}) {
    auto path = "/usr/lib/" + folder + "/faketime/libfaketimeMT.so.1";
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

TEST_F(munge, a_credential_of_tomorrow_is_refused_but_the_signature_still_holds) {
  if (faketime().empty()) GTEST_SKIP() << "no libfaketime";
  munged.restart({"LD_PRELOAD=" + faketime(), "FAKETIME=+1d"});
  auto made = credentials->encode("spec", kTtl);  // the clock was a day ahead
  ASSERT_TRUE(made) << made.error().text;
  munged.restart();
  auto read = credentials->decode(*made);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::Denied);
  auto stored = credentials->verify_signature(*made);
  ASSERT_TRUE(stored) << stored.error().text;
  EXPECT_EQ(stored->uid, ::getuid());
}

TEST_F(munge, an_altered_credential_has_no_signature_either) {
  auto made = *credentials->encode("spec", kTtl);
  made[made.size() / 2] = made[made.size() / 2] == 'A' ? 'B' : 'A';
  EXPECT_EQ(credentials->decode(made).error().code, Code::Denied);
  EXPECT_EQ(credentials->verify_signature(made).error().code, Code::Denied);
  EXPECT_EQ(credentials->verify_signature("MUNGE:x:").error().code, Code::Denied);
}

TEST_F(munge, carries_a_session_and_its_recording_is_useless_after_a_restart) {  // WIRE-8
  auto talk = client_and_master(credentials, credentials, ::getuid());
  talk.initiator.start();
  talk.settle();
  ASSERT_TRUE(talk.acceptor.peer) << talk.acceptor.failed->text;
  EXPECT_EQ(talk.acceptor.peer->uid, ::getuid());
  talk.initiator.send(20, "submit");
  talk.settle();

  munged.restart();
  SessionEnd fresh(master_options(0), credentials, 50);
  fresh.feed(talk.to_acceptor);
  EXPECT_FALSE(fresh.peer);
  EXPECT_TRUE(fresh.delivered.empty());
  EXPECT_EQ(fresh.failed->text, "the peer does not have the key that its credential names");
}

TEST(munge_absent, a_service_that_is_not_there_is_unavailable_and_named) {
  auto made = munge_credentials("/nonexistent/munge.sock")->encode("x", kTtl);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::Unavailable);
  EXPECT_NE(made.error().text.find("/nonexistent/munge.sock"), std::string::npos);
}

}  // namespace
}  // namespace wm::wire
