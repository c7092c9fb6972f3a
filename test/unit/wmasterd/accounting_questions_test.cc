// What bacct and bhist are told, on real files: jobs that fit every condition, sums, portions.
#include <map>
#include <numeric>

#include "daemons/wmasterd/verbs/portion.h"
#include "test/unit/wmasterd/acct_desk.h"

namespace wm::master {
namespace {

using test::at;
using test::SpecBuilder;

using Found = std::vector<std::uint32_t>;
using Ids = std::vector<JobId>;

TEST(accounting, a_report_has_the_rows_of_all_that_was_taken_before) {
  AcctDesk desk;
  desk.cluster.host(4);
  auto id = desk.ended({});
  desk.commit();
  AcctRequest request;
  request.jobs.ids = {id, {99, 0}};
  auto reply = desk.accounting->history(request);
  ASSERT_TRUE(reply) << reply.error().text;
  ASSERT_EQ(reply->jobs.size(), 1u);
  EXPECT_EQ(reply->jobs[0].state, "finished");
  EXPECT_EQ(reply->jobs[0].events.front().event, "SUBMIT");
  EXPECT_EQ(reply->jobs[0].events.back().event, "END");
  EXPECT_EQ(reply->missing, (std::vector<JobId>{{99, 0}}));
}

TEST(accounting, bacct_gets_finished_jobs_that_fit_every_condition) {
  AcctDesk desk;
  desk.cluster.host(4);
  SpecBuilder named;
  named.spec.name = "train-1";
  named.spec.service_class = "gold";
  named.spec.reservation = "u1#0";
  auto done = desk.ended(named), failed = desk.ended({}, 3 << 8);
  auto others = desk.ended(SpecBuilder().user("u2", 1002));
  desk.cluster.submit({});  // pending: not accounted
  desk.commit();
  EXPECT_EQ(desk.found({}), (Found{done.job, failed.job, others.job}));
  AcctRequest request;
  request.exited = false;
  EXPECT_EQ(desk.found(request), (Found{done.job, others.job}));
  request = {};
  request.done = false;
  EXPECT_EQ(desk.found(request), (Found{failed.job}));
  request = {};
  request.jobs.user = "u2";
  EXPECT_EQ(desk.found(request), (Found{others.job}));
  request = {};
  request.jobs.service_class = "gold";
  request.sums = AcctBy::All;  // single jobs have to be looked at for that
  EXPECT_EQ(desk.found(request), (Found{done.job}));
  request.jobs.reservation = "u2#0";
  EXPECT_EQ(desk.found(request), Found{});
  request = {};
  request.jobs.name = "train*";
  EXPECT_EQ(desk.found(request), (Found{done.job}));
  request = {};
  request.jobs.host = "h1";
  EXPECT_EQ(desk.found(request).size(), 3u);
  request.jobs.host = "h";
  EXPECT_EQ(desk.found(request).size(), 0u);
  request = {};
  request.jobs.ids = {failed, {77, 0}};
  EXPECT_EQ(desk.found(request), (Found{failed.job}));
}

TEST(accounting, bacct_gets_jobs_of_a_time) {
  AcctDesk desk;
  desk.cluster.host(4);
  auto first = desk.ended({}), second = desk.ended({});
  auto border = desk.cluster.job(second).times.ended;
  desk.commit();
  AcctRequest request;
  request.ended_from = border;
  EXPECT_EQ(desk.found(request), (Found{second.job}));
  request = {};
  request.ended_to = border;
  EXPECT_EQ(desk.found(request), (Found{first.job}));
  request = {};
  request.dispatched_to = border + std::chrono::hours(1);
  EXPECT_EQ(desk.found(request).size(), 2u);
  request.dispatched_from = border + std::chrono::minutes(1);
  EXPECT_EQ(desk.found(request).size(), 0u);
}

TEST(accounting, bacct_is_told_how_far_a_start_was_from_its_first_promise) {
  AcctDesk desk;
  desk.cluster.host(4);
  desk.ended({});  // nothing was promised
  auto promised = desk.cluster.submit({});
  desk.cluster.step(StartPromised{promised, at(30)});
  desk.cluster.step(StartPromised{promised, at(45)});  // slipped: the first one counts
  desk.cluster.run(promised, {HostId{1}});
  desk.cluster.step(TaskEnded{promised, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""}, 60);
  desk.commit();
  AcctRequest request;
  request.jobs.user = "all";
  auto reply = desk.accounting->account(request);
  ASSERT_TRUE(reply) << reply.error().text;
  ASSERT_EQ(reply->jobs.size(), 2u);
  EXPECT_EQ(reply->jobs[0].promise_error, std::nullopt);
  auto late = desk.cluster.job(promised).times.dispatched - at(30);
  EXPECT_EQ(reply->jobs[1].promise_error, std::chrono::duration_cast<std::chrono::seconds>(late));
}

// What bacct would add up itself.
std::map<std::string, AcctSum> added_up(const std::vector<AcctJob>& jobs, AcctBy by) {
  std::map<std::string, AcctSum> sums;
  for (const auto& job : jobs) {
    auto key = by == AcctBy::User ? job.user : by == AcctBy::Plan ? job.plan : std::string();
    add(sums[key], {job.submitted, job.dispatched, job.started, job.ended, job.cpu, job.slot_time,
                    job.gpu_time, job.state == "finished", job.promise_error});
  }
  return sums;
}

TEST(accounting, bacct_gets_the_same_sums_as_it_would_make_of_the_jobs) {
  AcctDesk desk;
  desk.cluster.host(4);
  std::vector<WallTime> ends;
  for (int i = 0; i < 12; ++i) {
    auto id = desk.ended(i % 3 ? SpecBuilder() : SpecBuilder().user("u2", 1002), i % 4 ? 0 : 256);
    ends.push_back(desk.cluster.job(id).times.ended);
    desk.clock += 20'000;
  }
  desk.commit();
  for (int edge = 0; edge < 12; edge += 3)
    for (auto by : {AcctBy::All, AcctBy::User, AcctBy::Plan})
      for (bool done : {true, false}) {
        AcctRequest request;
        request.jobs.user = "all", request.done = done, request.plan = "/";
        request.ended_from = ends[static_cast<std::size_t>(edge)];
        if (edge == 6) request.ended_to = ends[9];
        auto jobs = desk.accounting->account(request);
        request.sums = by;
        auto reply = desk.accounting->account(request);
        ASSERT_TRUE(reply && jobs);
        EXPECT_TRUE(reply->jobs.empty());
        std::map<std::string, AcctSum> sums;
        for (const auto& row : reply->sums) merge(sums[row.key], row.sum);
        EXPECT_EQ(sums, added_up(jobs->jobs, by)) << "from " << edge;
      }
}

TEST(accounting, sums_by_month_are_cut_at_the_months_of_who_asks) {
  AcctDesk desk;
  desk.cluster.host(4);
  auto first = desk.ended({}), second = desk.ended({});
  desk.commit();
  auto border = desk.cluster.job(second).times.ended;
  AcctRequest request;
  request.jobs.user = "all", request.sums = AcctBy::Month;
  request.months = {desk.cluster.job(first).times.ended, border};
  auto reply = desk.accounting->account(request);
  ASSERT_TRUE(reply) << reply.error().text;
  ASSERT_EQ(reply->sums.size(), 2u);
  EXPECT_EQ(reply->sums[0].key, "1");
  EXPECT_EQ(reply->sums[1].key, "2");
  EXPECT_EQ(reply->sums[1].sum.jobs, 1);
}

TEST(accounting, of_what_sums_cannot_tell_jobs_come) {
  AcctDesk desk;
  desk.cluster.host(4);
  desk.ended({});
  desk.commit();
  AcctRequest request;
  request.jobs.user = "all", request.sums = AcctBy::Host;
  EXPECT_EQ(desk.found(request).size(), 1u);
  request.sums = AcctBy::All, request.jobs.host = "h1";
  EXPECT_EQ(desk.found(request).size(), 1u);
}

TEST(accounting, a_long_list_comes_in_portions) {
  AcctDesk desk;
  desk.cluster.host(4);
  for (int i = 0; i < 2500; ++i) {
    auto id = desk.cluster.submit({});
    desk.cluster.step(KillRequested{id, {Term::Owner, "u1", "", at(1)}});
  }
  desk.commit();
  AcctRequest request;
  request.jobs.user = "all";
  request.jobs.finished = true;
  auto all_of = [&](auto ask) {
    std::vector<std::uint32_t> numbers;
    for (auto part = request;;) {
      auto reply = ask(part);
      EXPECT_TRUE(reply) << reply.error().text;
      for (const auto& job : reply->jobs) numbers.push_back(job.id.job);
      EXPECT_LE(reply->jobs.size(), kMostInAnswer);
      if (!reply->rest) return numbers;
      part.jobs = *reply->rest;
    }
  };
  Found all(2500);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(all_of([&](auto& part) { return desk.accounting->account(part); }), all);
  EXPECT_EQ(all_of([&](auto& part) { return desk.accounting->history(part); }), all);
  request.jobs.ids = {{2500, 0}, {7, 0}};
  EXPECT_EQ(all_of([&](auto& part) { return desk.accounting->account(part); }), (Found{2500, 7}));
}

TEST(accounting, bhist_gets_jobs_that_fit_every_condition) {
  AcctDesk desk;
  auto host = desk.cluster.host(4);
  SpecBuilder named;
  named.spec.name = "train-1";
  auto done = desk.ended(named), failed = desk.ended({}, 3 << 8);
  auto waits = desk.cluster.submit({}), runs = desk.cluster.submit(named);
  desk.cluster.run(runs, {host});
  desk.commit();
  auto found = [&](auto set, Ids ids = {}) {
    AcctRequest request;
    request.jobs.user = "all";
    request.jobs.ids = std::move(ids);
    set(request);
    auto reply = desk.accounting->history(request);
    EXPECT_TRUE(reply) << reply.error().text;
    Found numbers;
    for (const auto& job : reply->jobs) numbers.push_back(job.id.job);
    return numbers;
  };
  EXPECT_EQ(found([](auto&) {}), (Found{waits.job, runs.job})) << "those that have not ended";
  EXPECT_EQ(found([](auto& r) { r.jobs.finished = true; }),
            (Found{done.job, failed.job, waits.job, runs.job}));
  EXPECT_EQ(found([](auto& r) { r.jobs.finished = true, r.jobs.unfinished = r.done = false; }),
            (Found{failed.job}));
  EXPECT_EQ(found([](auto& r) { r.jobs.pending_only = true; }), (Found{waits.job}));
  EXPECT_EQ(found([](auto& r) { r.jobs.running_only = true; }), (Found{runs.job}));
  EXPECT_EQ(found([](auto& r) { r.jobs.name = "train*"; }), (Found{runs.job}));
  EXPECT_EQ(found([](auto& r) { r.jobs.host = "h1"; }), (Found{runs.job}));
  EXPECT_EQ(found([](auto&) {}, {failed, waits}), (Found{failed.job, waits.job}))
      << "ids mean jobs in every state";
}

}  // namespace
}  // namespace wm::master
