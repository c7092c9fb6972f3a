// What owners are told of, and how it is sent.
#include "daemons/wmasterd/acct/notices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "daemons/wmasterd/rim/notifier.h"
#include "test/support/builders.h"
#include "test/support/folder.h"

namespace wm::master {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

SpecBuilder asking(NotifyAt notify, const std::string& to = "") {
  SpecBuilder spec;
  spec.spec.name = "train";
  spec.spec.mail.notify = notify;
  spec.spec.mail.to = to;
  return spec;
}

constexpr NotifyAt kAll{true, true, true, true};

/// The notices of one step.
std::vector<Notice> told(ClusterBuilder& c, const EventBody& body, double seconds = 0) {
  auto before = c.history.size();
  c.step(body, seconds);
  return notices_of({c.history.begin() + static_cast<std::ptrdiff_t>(before), c.history.end()},
                    c.state);
}

nlohmann::json only(const std::vector<Notice>& notices) {
  EXPECT_EQ(notices.size(), 1u);
  return notices.empty() ? nlohmann::json() : nlohmann::json::parse(notices[0].json);
}

TaskStarted started(JobId id, std::uint32_t task = 1) {
  return {id, Attempt{1}, TaskNumber{task}, 77};
}
TaskEnded ended(JobId id, std::int32_t status) {
  return {id, Attempt{1}, TaskNumber{1}, status, Term::None, {}, ""};
}

TEST(notices, start_suspend_and_end_of_a_job) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto id = c.submit(asking(kAll));
  c.dispatch(id, {host});
  auto start = only(told(c, started(id), 5));
  EXPECT_EQ(start["event"], "start");
  EXPECT_EQ(start["state"], "RUN");
  EXPECT_EQ(start["job"], to_string(id));
  EXPECT_EQ(start["name"], "train");
  EXPECT_EQ(start["user"], "u1");
  EXPECT_EQ(start["hosts"], nlohmann::json({"h1"}));
  EXPECT_FALSE(start.contains("exit_code"));
  EXPECT_EQ(only(told(c, JobSuspended{id, "u1"}, 6))["state"], "USUSP");
  EXPECT_TRUE(told(c, JobResumed{id, "u1"}, 7).empty());
  auto end = only(told(c, ended(id, 3 << 8), 8));
  EXPECT_EQ(end["event"], "exit");
  EXPECT_EQ(end["state"], "EXIT");
  EXPECT_EQ(end["exit_code"], 3);
  EXPECT_EQ(end["finish_time"].get<int>() - end["start_time"].get<int>(), 3);
}

TEST(notices, only_what_was_asked_for) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto id = c.submit(asking({.done = true})), other = c.submit(SpecBuilder());
  c.dispatch(id, {host});
  EXPECT_TRUE(told(c, started(id), 5).empty());
  EXPECT_EQ(only(told(c, ended(id, 0), 6))["event"], "done");
  c.dispatch(other, {host});
  EXPECT_TRUE(told(c, started(other), 7).empty());
  EXPECT_TRUE(told(c, ended(other, 0), 8).empty());
}

TEST(notices, a_job_that_is_queued_again_starts_twice_and_ends_once) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto spec = asking(kAll);
  spec.spec.requeue_exits.codes = {7};
  auto id = c.submit(spec);
  c.dispatch(id, {host});
  EXPECT_EQ(told(c, started(id), 5).size(), 1u);
  EXPECT_TRUE(told(c, ended(id, 7 << 8), 6).empty()) << "it waits again";
  c.dispatch(id, {host});
  auto again = started(id);
  again.attempt = Attempt{2};
  EXPECT_EQ(only(told(c, again, 7))["event"], "start");
}

TEST(notices, what_waits_and_is_killed_is_told_an_array_as_one) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto plain = c.submit(asking(kAll)), array = c.submit(asking(kAll).array(1, 3));
  auto wish = [](Term term) { return KillWish{term, "u1", "", at(5)}; };
  EXPECT_EQ(only(told(c, KillRequested{plain, wish(Term::Owner)}, 5))["exit_reason"], "TERM_OWNER");
  c.run({array.job, 1}, {host});
  auto rest = only(told(c, KillRequested{array, wish(Term::Owner)}, 6));
  EXPECT_EQ(rest["job"], to_string(array));
  EXPECT_EQ(rest["event"], "exit");
}

TEST(notices, go_to_the_owner_or_to_whom_u_names) {
  ClusterBuilder c;
  auto host = c.host(4);
  auto end_of = [&](const std::string& to) {
    auto id = c.submit(asking(kAll, to));
    c.run(id, {host});
    return told(c, ended(id, 0), 9).at(0);
  };
  auto own = end_of("");
  EXPECT_TRUE(own.mail.starts_with("To: u1\nSubject: Job <")) << own.mail;
  EXPECT_NE(own.mail.find("<train> is done"), std::string::npos);
  EXPECT_NE(own.mail.find("Message-ID: <wm-notice-" + std::to_string(own.seq.value)),
            std::string::npos);
  EXPECT_EQ(own.sendmail, "/usr/sbin/sendmail");
  auto both = end_of("ann,http://h/x");
  EXPECT_TRUE(both.mail.starts_with("To: ann\n")) << both.mail;
  EXPECT_EQ(both.urls, std::vector<std::string>{"http://h/x"});
  auto url = end_of("http://h/x");
  EXPECT_EQ(url.mail, "") << "a URL alone is told, nobody is mailed";
  EXPECT_EQ(url.urls.size(), 1u);
  c.config.cluster.scripts.notify_urls = {"https://hooks/"};
  c.config.cluster.scripts.notify = "tell";
  c.reconfigure();
  auto now = end_of("http://h/x");
  EXPECT_TRUE(now.urls.empty()) << "the site allows it no more";
  EXPECT_EQ(now.command, "tell");
}

// ---- how they are sent ----

Notice notice(std::uint64_t seq, const std::string& owner) {
  return {.seq = Seq{seq}, .job = {static_cast<std::uint32_t>(seq), 0}, .owner = owner};
}

/// A cluster, its newest events, which end jobs of several users, and where marks lie.
class Sent : public testing::Test {
 protected:
  void SetUp() override { host = c.host(100); }
  void end_job(const std::string& user) {
    auto spec = asking({.done = true});
    auto id = c.submit(spec.user(user, 1002));
    c.run(id, {host});
    auto before = c.history.size();
    c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}}, ++seconds);
    fresh.insert(fresh.end(), c.history.begin() + static_cast<std::ptrdiff_t>(before),
                 c.history.end());
  }
  std::uint64_t kept() const {
    std::uint64_t seq = 0;
    std::ifstream(mark) >> seq;
    return seq;
  }
  /// Notes down the notice's owner, and fails where told to.
  std::function<std::vector<Send>(const Notice&)> noting() {
    return [this](const Notice& n) {
      return std::vector<Send>{[this, owner = n.owner]() -> Result<void> {
        std::unique_lock lock(mutex);
        opened.wait(lock, [&] { return closed.count(owner) == 0; });
        got.push_back(owner);
        if (failing) return fail(Code::System, "no");
        return {};
      }};
    };
  }

  ClusterBuilder c;
  HostId host;
  double seconds = 10;
  test::OwnFolder folder;
  std::string mark = folder.path() + "/mark";
  std::vector<Event> fresh;
  std::mutex mutex;
  std::condition_variable opened;
  std::set<std::string> closed;  ///< owners with notices that hang
  std::vector<std::string> got;
  bool failing = false;
};

TEST_F(Sent, a_first_start_tells_nothing_of_before) {
  end_job("ann");
  Notifier notifier(mark, noting());
  notifier.begin(fresh, c.state);
  notifier.wait_until_idle();
  EXPECT_TRUE(got.empty());
  EXPECT_EQ(kept(), c.state.seq.value);
}

TEST_F(Sent, a_start_tells_what_lies_behind_the_mark_and_no_more) {
  end_job("ann");
  { Notifier(mark, noting()).begin({}, c.state); }
  end_job("bob");
  end_job("eve");
  {
    Notifier notifier(mark, noting());
    notifier.begin(fresh, c.state);
    notifier.wait_until_idle();
  }
  EXPECT_EQ(std::set(got.begin(), got.end()), (std::set<std::string>{"bob", "eve"}));
  EXPECT_EQ(kept(), c.state.seq.value);
  Notifier again(mark, noting());
  again.begin(fresh, c.state);
  again.wait_until_idle();
  EXPECT_EQ(got.size(), 2u);
}

TEST_F(Sent, whose_receiver_hangs_holds_up_nobody_else_and_the_mark) {
  Notifier notifier(mark, noting());
  notifier.begin({}, c.state);
  auto start = kept();
  closed = {"ann"};
  end_job("ann");
  end_job("ann");
  end_job("bob");
  notifier.take(fresh, c.state);
  {
    std::unique_lock lock(mutex);
    while (got.empty()) {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
    EXPECT_EQ(got, std::vector<std::string>{"bob"});
    EXPECT_LT(kept(), fresh.front().seq.value) << "ann's is not sent yet";
    EXPECT_GE(kept(), start);
    closed.clear();
    opened.notify_all();
  }
  notifier.wait_until_idle();
  EXPECT_EQ(got, (std::vector<std::string>{"bob", "ann", "ann"}));
  EXPECT_EQ(kept(), fresh.back().seq.value);
}

TEST_F(Sent, what_fails_is_given_up) {
  failing = true;
  Notifier notifier(mark, noting());
  notifier.begin({}, c.state);
  end_job("ann");
  notifier.take(fresh, c.state);
  notifier.wait_until_idle();
  EXPECT_EQ(got.size(), 1u);
  EXPECT_EQ(kept(), fresh.back().seq.value);
}

TEST_F(Sent, a_flood_of_one_owner_is_cut_off) {
  Notifier notifier(mark, noting());
  notifier.begin({}, c.state);
  closed = {"ann"};
  for (int i = 0; i < 3; ++i) end_job("ann");
  for (int i = 0; i < 700; ++i) notifier.take(fresh, c.state);
  end_job("bob");
  notifier.take({fresh.back()}, c.state);
  {
    std::lock_guard lock(mutex);
    closed.clear();
  }
  opened.notify_all();
  notifier.wait_until_idle();
  auto of_ann = std::ranges::count(got, "ann");
  EXPECT_LE(of_ann, 1001);
  EXPECT_GE(of_ann, 1000);
  EXPECT_EQ(std::ranges::count(got, "bob"), 1);
}

TEST(notifier, ways_are_mail_urls_and_the_command) {
  test::OwnFolder own;
  const auto& folder = own.path();
  auto script = [&](const std::string& name, const std::string& text) {
    auto path = folder + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  };
  auto n = notice(7, "ann");
  EXPECT_TRUE(ways_of(n).empty());
  n.mail = "To: ann\n\nhello\n";
  n.json = "{\"job\":\"7\"}";
  n.sendmail = script("sendmail", "{ echo \"$@\"; cat; } >" + folder + "/mail");
  n.command = "cat >" + folder + "/json; exit 3";
  n.urls = {"http://127.0.0.1:1/x"};
  auto ways = ways_of(n);
  ASSERT_EQ(ways.size(), 3u);
  EXPECT_TRUE(ways[0]());
  auto refused = ways[2]();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("status 3"), std::string::npos) << refused.error().text;
  auto text_of = [&](const std::string& name) {
    std::ifstream in(folder + "/" + name);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(text_of("mail"), "-oi -t\n" + n.mail);
  EXPECT_EQ(text_of("json"), n.json);
}

}  // namespace
}  // namespace wm::master
