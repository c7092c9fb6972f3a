// What bpeek is answered: the task's file, read as its user, or why not.
#include "daemons/wnoded/peeks.h"

#include <gtest/gtest.h>

#include "test/support/node_core.h"

namespace wm::node {
namespace {

class peeks : public test::NodeCore {
 protected:
  PeekReply replied() {
    EXPECT_FALSE(env_.sent.empty());
    EXPECT_EQ(env_.sent.back().first, NodeVerb::PeekReply);
    return *codec::decode<PeekReply>(env_.sent.back().second);
  }
};

TEST_F(peeks, peek_reads_the_tasks_own_file_as_its_user) {
  start(order());
  hear(NodeVerb::Peek, PeekRequest{5, {7, 0}, {1}, {1}, 1, 10, 100});
  ASSERT_EQ(env_.fake.reads.size(), 1u);
  auto& [read, done] = env_.fake.reads[0];
  EXPECT_EQ(read.account.uid, 1000u);
  EXPECT_EQ(read.offset, 10);
  EXPECT_EQ(read.file.path, "/run/n/7-0.1.d/stdout-1");
  done(launch::FileRead{"text", 14, ""});
  auto reply = codec::decode<PeekReply>(env_.sent.back().second);
  EXPECT_EQ(*reply, (PeekReply{5, "text", ""}));
  hear(NodeVerb::Peek, PeekRequest{6, {8, 0}, {1}, {1}, 1, 0, 100});
  EXPECT_FALSE(codec::decode<PeekReply>(env_.sent.back().second)->error.empty());
}

TEST_F(peeks, a_file_that_cannot_be_read_is_answered_with_why) {
  start(order());
  for (bool reader : {true, false}) {
    env_.fake.reads.clear();
    hear(NodeVerb::Peek, PeekRequest{5, {7, 0}, {1}, {1}, 1, 0, 100});
    ASSERT_EQ(env_.fake.reads.size(), 1u);
    auto done = env_.fake.reads[0].second;
    if (reader) done(launch::FileRead{"", 0, "no such file"});
    else done(fail(Code::System, "no reader"));
    EXPECT_EQ(replied(), (PeekReply{5, "", reader ? "no such file" : "no reader"}));
  }
}

TEST_F(peeks, before_its_account_is_known_nothing_is_read) {
  hear(NodeVerb::Order, order());
  hear(NodeVerb::Peek, PeekRequest{5, {7, 0}, {1}, {1}, 1, 0, 100});
  EXPECT_TRUE(env_.fake.reads.empty());
  EXPECT_EQ(replied().error, "job 7 does not run here");
}

TEST_F(peeks, the_error_stream_has_a_file_of_its_own) {
  start(order());
  hear(NodeVerb::Peek, PeekRequest{5, {7, 0}, {1}, {1}, 2, 0, 100});
  ASSERT_EQ(env_.fake.reads.size(), 1u);
  EXPECT_EQ(env_.fake.reads[0].first.file.path, "/run/n/7-0.1.d/stderr-1");
}

}  // namespace
}  // namespace wm::node
