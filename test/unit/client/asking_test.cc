#include "libwm/client/asking.h"

#include <gtest/gtest.h>

#include "libwm/model/verbs/acct.h"
#include "libwm/model/verbs/audit.h"
#include "libwm/model/verbs/change_verbs.h"
#include "libwm/model/verbs/watch_verbs.h"

namespace wm::client {
namespace {

using std::chrono::seconds;

TEST(asking, a_write_asked_again_has_another_key_and_a_question_has_none) {
  KillRequest kill;
  renew_key(kill);
  auto first = kill.request_key;
  EXPECT_EQ(first.size(), kKeySize);
  renew_key(kill);
  EXPECT_NE(kill.request_key, first);
  JobsRequest jobs;
  renew_key(jobs);
  EXPECT_EQ(jobs, JobsRequest{});
}

TEST(asking, an_answer_may_take_as_long_as_the_request_waits) {
  WatchRequest watch;
  watch.patience = seconds(30);
  EXPECT_EQ(patience_of(watch), seconds(30) + kAnswers);
  EXPECT_GT(patience_of(WaitRequest{}), seconds(24 * 3600));
  EXPECT_EQ(patience_of(JobsRequest{}), std::nullopt);
}

TEST(asking, what_an_answer_had_no_room_for_is_asked_next_and_leaves_the_answer) {
  KillRequest request;
  request.jobs.ids = {JobId{1, 0}, JobId{2, 0}};
  OutcomeReply all{{{JobId{1, 0}, 0, ""}}, JobSelection{{JobId{2, 0}}}};
  ASSERT_TRUE(go_on(request, all));
  EXPECT_EQ(request.jobs.ids, std::vector<JobId>{(JobId{2, 0})});
  EXPECT_FALSE(all.rest);
  OutcomeReply part{{{JobId{2, 0}, 0, ""}}, std::nullopt};
  append_reply(all, part);
  EXPECT_EQ(all.jobs.size(), 2u);
  EXPECT_FALSE(go_on(request, all));
}

TEST(asking, the_rest_of_the_hosts_is_the_whole_next_request) {
  HostsRequest request{{"a"}, "", true};
  HostsReply all{{HostView{}}, HostsRequest{{"a"}, "h1", true}, {}};
  ASSERT_TRUE(go_on(request, all));
  EXPECT_EQ(request.after, "h1");
  HostsReply part{{HostView{}}, std::nullopt, {{"stranger", "10.0.0.1"}}};
  append_reply(all, part);
  EXPECT_EQ(all.hosts.size(), 2u);
  EXPECT_EQ(all.strangers.size(), 1u);
}

TEST(asking, entries_of_administrators_go_on_behind_the_last_one_until_there_are_no_more) {
  AuditRequest request;
  AuditReply all{{AuditEntry{.number = 7}}, 7, "", true};
  ASSERT_TRUE(go_on(request, all));
  EXPECT_EQ(request.after, 7u);
  AuditReply part{{AuditEntry{.number = 8}}, 8, "broken at 8", false};
  append_reply(all, part);
  EXPECT_EQ(all.entries.size(), 2u);
  EXPECT_EQ(all.checked, 8u);
  EXPECT_EQ(all.broken, "broken at 8");
  EXPECT_FALSE(go_on(request, all));
  AuditReply none{{}, 0, "", true};
  EXPECT_FALSE(go_on(request, none)) << "more without an entry would be asked for without end";
}

TEST(asking, a_verb_that_has_one_answer_is_asked_once) {
  MoveRequest request;
  OutcomeReply reply{{}, JobSelection{}};
  EXPECT_FALSE(go_on(request, reply));
  EXPECT_NE(int(HistoryRequest::kVerb), int(AcctRequest::kVerb)) << "one request, two verbs";
}

}  // namespace
}  // namespace wm::client
