// Role: who may revoke tokens, how soon doors hear of it, and what of the web door is kept in the
// record of acts.
#include <gtest/gtest.h>

#include "libwm/model/verbs/token_verbs.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

struct TokenDesk : Desk {
  TokenDesk() {
    start();
    record();
  }
  void record() {
    core->clients().set_audit({[this](AuditEntry entry) { acts.push_back(std::move(entry)); },
                               [](const AuditRequest&) { return AuditReply{}; }});
  }
  void revoke(const std::string& user, const std::string& id, const Identity& who) {
    ask(Verb::Revoke, RevokeRequest{key("r" + std::to_string(++asked)), user, id, {}, "why", false},
        who);
  }
  void note(const std::string& act, const std::string& user, const Identity& who) {
    ask(Verb::Note,
        NoteRequest{key("n" + std::to_string(++asked)), {{{}, act, user, {"from 10.0.0.1"}, ""}}},
        who);
  }
  bool revoked(const std::string& id, const std::string& user = "u1") {
    return state().revoked->hold(id, user, 0);
  }
  std::vector<AuditEntry> acts;
  int asked = 0;
};

TEST(tokens, their_owner_and_administrators_revoke_them_and_it_is_kept) {
  TokenDesk desk;
  desk.revoke("u1", "t1", kUser);
  EXPECT_TRUE(desk.revoked("t1"));
  desk.revoke("u1", "", kOther);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
  EXPECT_FALSE(desk.revoked("t2"));
  desk.revoke("u1", "", kBoss);
  EXPECT_TRUE(desk.revoked("t2"));
  desk.revoke("", "", kBoss);
  EXPECT_EQ(desk.first.refusal().code, number(Code::BadArgument));
  ASSERT_EQ(desk.acts.size(), 4u) << "refusals, too";
  EXPECT_EQ(desk.acts[0].act, "token-revoke");
  EXPECT_EQ(desk.acts[0].by, "u1");
  EXPECT_EQ(desk.acts[0].objects, (std::vector<std::string>{"u1", "token t1"}));
  EXPECT_NE(desk.acts[1].outcome, "");
  desk.restart();
  EXPECT_TRUE(desk.revoked("t1"));
  EXPECT_TRUE(desk.revoked("t3"));
}

TEST(tokens, a_token_that_is_revoked_twice_is_no_fault) {
  TokenDesk desk;
  desk.revoke("u1", "t1", kUser);
  desk.revoke("u1", "t1", kUser);
  EXPECT_EQ(desk.first.frames.back().type, Verb::Revoke);
}

TEST(tokens, who_waits_hears_of_it_at_once) {
  TokenDesk desk;
  desk.ask(Verb::Revoked, RevokedRequest{});
  auto known = desk.first.last<RevokedReply>().revoked;
  EXPECT_TRUE(known.ids.empty());
  auto before = desk.first.frames.size();
  desk.ask(Verb::Revoked, RevokedRequest{known.changed, false, std::chrono::seconds(30)});
  EXPECT_EQ(desk.first.frames.size(), before) << "nothing has changed";
  RevokeRequest request{key("r"), "u1", "t1", {}, "", true};
  desk.send(desk.second, Verb::Revoke, codec::encode(request));
  desk.sim.run(desk.sim.now() + std::chrono::seconds(1));
  ASSERT_EQ(desk.first.frames.size(), before + 1);
  EXPECT_EQ(desk.first.last<RevokedReply>().revoked.ids.count("t1"), 1u);
}

TEST(tokens, doors_tell_what_happened_and_users_of_their_own_keys_alone) {
  TokenDesk desk;
  desk.note("logon", "u1", kUser);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied)) << "a log-on that was none";
  desk.note("key-create", "u2", kUser);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
  desk.note("hclose", "boss", kBoss);
  EXPECT_EQ(desk.first.refusal().code, number(Code::BadArgument));
  EXPECT_TRUE(desk.acts.empty());
  desk.note("key-create", "u1", kUser);
  desk.note("logon", "u1", kBoss);
  ASSERT_EQ(desk.acts.size(), 2u);
  EXPECT_EQ(desk.acts[1].act, "logon");
  EXPECT_EQ(desk.acts[1].by, "u1");
  EXPECT_EQ(desk.acts[1].objects, (std::vector<std::string>{"u1", "from 10.0.0.1"}));
}

}  // namespace
}  // namespace wm::master
