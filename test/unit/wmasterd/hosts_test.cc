// Sessions with hosts: registration and what it settles, silence, the orders that follow the
// state, acknowledgements after the commit only.
#include <gtest/gtest.h>

#include <set>

#include "daemons/wmasterd/verbs/views.h"
#include "test/support/builders.h"
#include "test/unit/wmasterd/hosts_desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;
using namespace std::chrono_literals;

TEST(hosts, a_host_that_registers_is_welcomed_and_part_of_the_cluster) {
  HostsDesk desk;
  desk.start();
  auto& peer = desk.enrol(desk.words("n1"));
  auto welcome = peer.all<HostWelcome>(NodeVerb::Welcome);
  ASSERT_EQ(welcome.size(), 1u);
  const Host* host = find_host(desk.state(), "n1");
  ASSERT_TRUE(host);
  EXPECT_EQ(welcome[0].host, host->id);
  EXPECT_TRUE(desk.hosts->connected(host->id));
}

// The master was away: what its outage added is not the job's to pay.
TEST(hosts, an_end_from_before_the_session_counts_from_when_it_was) {
  HostsDesk desk;
  BudgetConf all;
  all.name = "/", all.cpu_hours = 100;
  desk.past.config.budgets.list = {all};
  desk.past.reconfigure();
  auto h = desk.past.host(2);
  auto early = desk.past.submit({}), late = desk.past.submit({});
  for (auto id : {early, late}) desk.past.run(id, {h});
  desk.start();
  desk.pass(60s);
  auto r = desk.again(h);
  for (auto id : {early, late}) r.attempts.push_back({id, Attempt{1}, {{TaskNumber{1}, 100}}});
  auto& peer = desk.enrol(r);
  auto end = [&](std::uint64_t number, JobId id, WallTime at) {
    FactEnded fact{id, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, "", at};
    desk.say(peer, NodeVerb::Fact, HostFact{number, fact});
    desk.pass(100ms);
  };
  end(1, early, test::at(20));
  auto refunded = find_budget(desk.state(), "/")->refunded.cpu;
  EXPECT_GE(refunded, 40'000'000);
  EXPECT_LE(refunded, 41'000'000);
  end(2, late, desk.env->wall());
  EXPECT_EQ(find_budget(desk.state(), "/")->refunded.cpu, refunded);
  EXPECT_EQ(desk.job(late).state, JobState::Finished);
}

// Lost otherwise, as often as the agent's word was slower than the answer to the end.
TEST(hosts, a_trials_last_report_is_durable_with_its_end) {
  HostsDesk desk;
  auto h = desk.past.host(2);
  auto id = desk.past.submit({});
  desk.past.run(id, {h});
  desk.start();
  auto r = desk.again(h);
  r.attempts.push_back({id, Attempt{1}, {{TaskNumber{1}, 100}}});
  auto& peer = desk.enrol(r);
  auto before = desk.disk.events.size();
  FactEnded fact{id, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, "", {}, "{\"a\":1}"};
  for (std::uint64_t number : {1, 2}) {  // the second time nothing is new, and it is acknowledged
    desk.say(peer, NodeVerb::Fact, HostFact{number, fact});
    desk.pass(100ms);
    EXPECT_EQ(peer.all<HostAck>(NodeVerb::Ack).back().number, number);
  }
  ASSERT_EQ(desk.disk.events.size(), before + 2);
  EXPECT_TRUE(std::holds_alternative<TrialReported>(desk.disk.events[before].body));
  EXPECT_TRUE(std::holds_alternative<TaskEnded>(desk.disk.events[before + 1].body));
  EXPECT_EQ(desk.job(id).trial.report, "{\"a\":1}");
  EXPECT_EQ(desk.job(id).state, JobState::Finished);
  // Said before the end, and again as its acknowledgement was lost.
  AgentReport older{id, Attempt{1}, h, TrialSaid{"{\"a\":2}"}};
  desk.say(peer, NodeVerb::Fact, HostFact{3, older});
  desk.pass(100ms);
  EXPECT_EQ(peer.all<HostAck>(NodeVerb::Ack).back().number, 3u);
  EXPECT_EQ(desk.job(id).trial.report, "{\"a\":1}");
}

TEST(hosts, one_that_is_not_configured_is_sent_away) {
  HostsDesk desk;
  desk.past.config.hosts = {{.name = "n1"}};
  desk.past.reconfigure();
  desk.start();
  auto& peer = desk.enrol(desk.words("n2"));
  EXPECT_TRUE(peer.closed);
  EXPECT_TRUE(peer.all<HostWelcome>(NodeVerb::Welcome).empty());
  EXPECT_FALSE(find_host(desk.state(), "n2"));
  EXPECT_EQ(desk.hosts->strangers(), (std::vector<Stranger>{{"n2", "127.0.0.1"}}));
  desk.enrol(desk.words("n1"));
  EXPECT_EQ(desk.hosts->strangers().size(), 1u) << "one that is configured is none";
}

TEST(hosts, a_host_that_has_obeyed_a_newer_state_is_given_nothing_and_told_of) {
  HostsDesk desk;
  desk.start();
  std::vector<std::pair<std::string, MasterRank>> met;
  desk.hosts->on_outranked(
      [&](const std::string& host, const MasterRank& rank) { met.emplace_back(host, rank); });
  auto r = desk.words("n1");
  auto own = desk.journal->rank();
  r.obeyed = {own.store, own.term, Seq{own.seq.value + 1}, 7};
  auto& newer = desk.enrol(r);
  EXPECT_TRUE(newer.closed);
  EXPECT_TRUE(newer.all<HostWelcome>(NodeVerb::Welcome).empty());
  EXPECT_FALSE(find_host(desk.state(), "n1"));
  ASSERT_EQ(met.size(), 1u);
  EXPECT_EQ(met[0].first, "n1");
  EXPECT_EQ(met[0].second, r.obeyed);
  r.obeyed = own;
  auto& known = desk.enrol(r);
  EXPECT_FALSE(known.closed);
  EXPECT_EQ(known.all<HostWelcome>(NodeVerb::Welcome).at(0).master.store, own.store);
  EXPECT_EQ(met.size(), 1u);
}

TEST(hosts, heartbeats_are_answered_with_how_far_the_store_is) {
  HostsDesk desk;
  desk.start();
  auto& peer = desk.enrol(desk.words("n1"));
  desk.say(peer, NodeVerb::Heartbeat, HostHeartbeat{});
  desk.pass(100ms);
  auto told = peer.all<MasterRank>(NodeVerb::Heartbeat);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0], desk.journal->rank());
}

TEST(hosts, memory_that_was_plugged_in_is_heard_of_once_and_hosts_conf_goes_before_it) {
  HostsDesk desk;
  desk.start();
  auto& peer = desk.enrol(desk.words("n1"));
  auto mem = [&] { return find_host(desk.state(), "n1")->capacity.mem; };
  HostHeartbeat words;
  desk.say(peer, NodeVerb::Heartbeat, words);
  desk.pass(50ms);
  EXPECT_EQ(mem(), Bytes{0}) << "a host of before tells none";
  words.mem = Bytes{126LL << 30};
  desk.say(peer, NodeVerb::Heartbeat, words);
  desk.pass(50ms);
  EXPECT_EQ(mem(), Bytes{126LL << 30});
  auto seq = desk.state().seq;
  desk.say(peer, NodeVerb::Heartbeat, words);
  desk.pass(50ms);
  EXPECT_EQ(desk.state().seq, seq) << "nothing new";
}

TEST(hosts, a_task_beyond_its_gmem_is_ended_where_the_site_says_so) {
  HostsDesk desk;
  auto h = desk.past.host(2);
  auto id = desk.past.submit({});
  desk.past.run(id, {h});
  desk.start();
  auto words = desk.again(h);
  words.attempts = {{id, Attempt{1}, {{TaskNumber{1}, 100}}, "", {}}};
  auto& peer = desk.enrol(words);
  FactGpuOveruse fact{id, Attempt{1}, {TaskNumber{1}, "GPU-a", Bytes{5LL << 30}, Bytes{4LL << 30}}};
  auto say = [&] {
    desk.say(peer, NodeVerb::Fact, HostFact{0, fact});
    desk.pass(50ms);
    return find_job(desk.state(), id)->tasks[0];
  };
  EXPECT_FALSE(say().kill) << "tell is the default";
  Config config = *desk.state().config;
  config.cluster.limits.gpu_memory_overuse = "end";
  desk.journal->propose({{ConfigLoaded{std::make_shared<const Config>(config)}}, {}, {}, nullptr});
  desk.pass(50ms);
  auto task = say();
  EXPECT_TRUE(task.kill);
  EXPECT_EQ(task.term, Term::GpuMemLimit);
  EXPECT_EQ(find_job(desk.state(), id)->outcome.text, "task 1 used 5G of a GPU, its gmem is 4G");
  auto seq = desk.state().seq;
  say();
  EXPECT_EQ(desk.state().seq, seq) << "once";
}

TEST(hosts, what_runs_there_uses_is_kept_beside_the_state) {
  HostsDesk desk;
  desk.start();
  auto& peer = desk.enrol(desk.words("n1"));
  auto id = find_host(desk.state(), "n1")->id;
  auto before = desk.state().seq;
  AttemptUse use;
  use.job = {7, 0}, use.attempt = Attempt{1}, use.mem = Bytes{80 << 20};
  desk.say(peer, static_cast<NodeVerb>(kUsesFrame), HostUses{{use}});
  desk.pass(100ms);
  auto kept = desk.hosts->readings().freeze().find(id.value)->uses;
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->of({7, 0}, Attempt{1})->mem, Bytes{80 << 20});
  EXPECT_EQ(desk.state().seq, before) << "no event of it";
  desk.say(peer, static_cast<NodeVerb>(kUsesFrame), HostUses{});
  desk.pass(100ms);
  EXPECT_EQ(desk.hosts->readings().freeze().find(id.value)->uses->of({7, 0}, Attempt{1}), nullptr);
}

TEST(hosts, what_a_job_uses_on_two_hosts_is_shown_together) {
  HostsDesk desk;
  desk.start();
  auto& first = desk.enrol(desk.words("n1"));
  auto& second = desk.enrol(desk.words("n2"));
  test::ClusterBuilder c;
  auto h1 = c.host(4), h2 = c.host(4);
  ASSERT_EQ(h1, find_host(desk.state(), "n1")->id);
  ASSERT_EQ(h2, find_host(desk.state(), "n2")->id);
  auto id = c.submit(test::SpecBuilder().tasks(2, 2));
  c.run(id, {h1, h2});
  AttemptUse use;
  use.job = id, use.attempt = Attempt{1}, use.mem = Bytes{10}, use.gpu_energy_mj = 4000;
  desk.say(first, static_cast<NodeVerb>(kUsesFrame), HostUses{{use}});
  use.gpu_energy_mj = 500;
  desk.say(second, static_cast<NodeVerb>(kUsesFrame), HostUses{{use}});
  desk.pass(100ms);
  ViewSource source{std::make_shared<const Cluster>(c.state), std::make_shared<const PendReasons>(),
                    desk.hosts->readings().freeze(), desk.hosts->progress(),
                    desk.hosts->meetings()};
  auto view = view_of(source, c.job(id), id, JobInfo::All);
  ASSERT_TRUE(view.use);
  EXPECT_EQ(view.use->gpu_energy_mj, 4500);
  EXPECT_EQ(view.use->mem, Bytes{20});
}

TEST(hosts, a_second_session_of_a_host_takes_the_firsts_place) {
  HostsDesk desk;
  desk.start();
  auto& first = desk.enrol(desk.words("n1"));
  auto& second = desk.enrol(desk.words("n1"));
  auto id = find_host(desk.state(), "n1")->id;
  EXPECT_TRUE(first.closed);
  desk.hosts->on_left(first.id);
  EXPECT_TRUE(desk.hosts->connected(id)) << "the end of the old session is not the new one's";
  desk.hosts->on_left(second.id);
  EXPECT_FALSE(desk.hosts->connected(id));
}

TEST(hosts, words_before_registration_and_damaged_words_end_the_session) {
  HostsDesk desk;
  desk.start();
  auto& early = desk.connect();
  desk.say(early, NodeVerb::Fact, HostFact{1, FactStarted{}});
  auto& damaged = desk.connect();
  desk.hosts->on_frame(damaged.id, static_cast<std::uint16_t>(NodeVerb::Register), "\xff\xff");
  desk.pass(100ms);
  EXPECT_TRUE(early.closed);
  EXPECT_TRUE(damaged.closed);
}

TEST(hosts, a_fact_is_acknowledged_when_it_is_durable_and_not_before) {
  HostsDesk desk;
  auto h = desk.past.host(2);
  auto id = desk.past.submit({});
  desk.past.dispatch(id, {h});
  desk.start();
  auto r = desk.again(h);
  r.attempts = {{id, Attempt{1}, {{TaskNumber{1}, 0}}, ""}};
  auto& peer = desk.enrol(r);
  desk.disk.failing = true;
  desk.say(peer, NodeVerb::Fact, HostFact{7, FactStarted{id, Attempt{1}, TaskNumber{1}, 42}});
  desk.pass(200ms);
  EXPECT_TRUE(peer.all<HostAck>(NodeVerb::Ack).empty());
  EXPECT_TRUE(peer.closed) << "the host says it again when it registers";
  desk.disk.failing = false;
  desk.pass(2s);
  auto& next = desk.enrol(r);
  desk.say(next, NodeVerb::Fact, HostFact{7, FactStarted{id, Attempt{1}, TaskNumber{1}, 42}});
  desk.pass(200ms);
  auto acks = next.all<HostAck>(NodeVerb::Ack);
  ASSERT_EQ(acks.size(), 1u);
  EXPECT_EQ(acks[0].number, 7u);
  EXPECT_EQ(desk.job(id).tasks[0].pid, 42);
}

TEST(hosts, a_task_that_the_host_does_not_know_any_more_has_ended) {
  HostsDesk desk;
  auto h = desk.past.host(2);
  auto id = desk.past.submit({});
  desk.past.run(id, {h});
  desk.start();
  desk.enrol(desk.again(h));
  EXPECT_TRUE(is_over(desk.job(id).state));
  EXPECT_EQ(desk.job(id).outcome.term, Term::ShepherdLost);
}

TEST(hosts, what_started_unheard_is_learnt_at_registration) {
  HostsDesk desk;
  auto h = desk.past.host(2);
  auto id = desk.past.submit({});
  desk.past.dispatch(id, {h});
  desk.start();
  auto r = desk.again(h);
  r.attempts = {{id, Attempt{1}, {{TaskNumber{1}, 99}}, ""}};
  desk.enrol(r);
  EXPECT_EQ(desk.job(id).state, JobState::Running);
  EXPECT_EQ(desk.job(id).tasks[0].pid, 99);
}

TEST(hosts, a_reboot_ends_even_what_was_only_ordered) {
  HostsDesk desk;
  auto [h, id, r] = desk.rebooted();
  desk.enrol(r);
  EXPECT_TRUE(is_over(desk.job(id).state));
  EXPECT_EQ(desk.job(id).outcome.term, Term::HostLost);
}

TEST(hosts, nothing_decided_before_a_registration_is_durable_is_ordered) {
  HostsDesk desk;
  auto [h, id, r] = desk.rebooted();
  auto& peer = desk.connect();
  desk.say(peer, NodeVerb::Register, r);
  desk.hosts->ordering().order({h, id});  // as another commit would have it meanwhile
  desk.pass(100ms);
  EXPECT_TRUE(peer.all<HostOrder>(NodeVerb::Order).empty()) << "it would begin a lost task again";
  desk.hosts->ordering().order({h, id});
  desk.pass(100ms);
  EXPECT_EQ(peer.all<HostForget>(NodeVerb::Forget).size(), 1u) << "from now on it is told";
}

TEST(hosts, orders_with_files_wait_while_a_host_has_much_to_read) {
  HostsDesk desk;
  auto h = desk.past.host(8);
  std::vector<JobId> ids;
  for (int i = 0; i < 6; ++i) ids.push_back(desk.past.submit(SpecBuilder()));
  for (JobId id : ids) desk.past.dispatch(id, {h});
  desk.start();
  desk.env->unsent_bytes = 17 << 20;
  auto& peer = desk.enrol(desk.again(h));
  for (JobId id : ids) desk.hosts->ordering().order({h, id});
  desk.pass(500ms);
  EXPECT_TRUE(peer.all<HostOrder>(NodeVerb::Order).empty());
  EXPECT_FALSE(peer.closed);
  desk.env->unsent_bytes = 0;
  desk.pass(500ms);
  std::set<JobId> told;
  for (const auto& order : peer.all<HostOrder>(NodeVerb::Order)) told.insert(order.job);
  EXPECT_EQ(told, std::set<JobId>(ids.begin(), ids.end()));
}

TEST(hosts, what_nobody_wants_any_more_is_to_be_forgotten) {
  HostsDesk desk;
  auto h = desk.past.host(2);
  desk.start();
  auto r = desk.again(h);
  r.attempts = {{{77, 0}, Attempt{3}, {{TaskNumber{1}, 5}}, ""}};
  auto& peer = desk.enrol(r);
  auto forgotten = peer.all<HostForget>(NodeVerb::Forget);
  ASSERT_EQ(forgotten.size(), 1u);
  EXPECT_EQ(forgotten[0].job, (JobId{77, 0}));
  EXPECT_EQ(forgotten[0].attempt, Attempt{3});
}

TEST(hosts, one_that_says_nothing_is_silent_and_heard_again_by_its_first_word) {
  HostsDesk desk;
  desk.start();
  auto& peer = desk.enrol(desk.words("n1"));
  auto id = find_host(desk.state(), "n1")->id;
  auto tick = [&](Duration time) {
    desk.listen(time);
    desk.pass(50ms);
    return desk.state().hosts.find(id.value)->state;
  };
  EXPECT_EQ(tick(9s), HostState::Ok);
  EXPECT_EQ(tick(2s), HostState::Silent);
  desk.say(peer, NodeVerb::Heartbeat, HostHeartbeat{});
  desk.pass(50ms);
  EXPECT_EQ(desk.state().hosts.find(id.value)->state, HostState::Ok);
  desk.hosts->on_left(peer.id);
  EXPECT_EQ(tick(2s), HostState::Ok) << "a short break is none";
  EXPECT_EQ(tick(2s), HostState::Silent);
}

TEST(hosts, one_that_was_declared_dead_has_to_register_again) {
  HostsDesk desk;
  desk.start();
  auto& peer = desk.enrol(desk.words("n1"));
  auto id = find_host(desk.state(), "n1")->id;
  desk.journal->propose({{HostSilent{id}, HostDied{id, "boss", "off"}}, {}, {}, nullptr});
  desk.pass(50ms);
  desk.say(peer, NodeVerb::Heartbeat, HostHeartbeat{});
  desk.pass(50ms);
  EXPECT_EQ(desk.state().hosts.find(id.value)->state, HostState::Dead);
  desk.hosts->end_session(id);
  desk.pass(50ms);
  EXPECT_TRUE(peer.closed);
  desk.enrol(desk.words("n1"));
  EXPECT_EQ(desk.state().hosts.find(id.value)->state, HostState::Ok);
}

TEST(hosts, an_order_goes_to_a_connected_host_with_the_blobs_of_a_start) {
  HostsDesk desk;
  auto h = desk.past.host(2);
  SpecBuilder builder;
  builder.spec.program.env_hash = std::string(32, 'e');
  auto id = desk.past.submit(builder);
  desk.past.dispatch(id, {h});
  desk.disk.blobs[builder.spec.program.env_hash] = "A=1";
  desk.start();
  desk.hosts->ordering().order({h, id});  // not connected: nothing, and no harm
  auto r = desk.again(h);
  r.attempts = {{id, Attempt{1}, {{TaskNumber{1}, 0}}, ""}};
  auto& peer = desk.enrol(r);
  desk.hosts->ordering().order({h, id});
  desk.pass(50ms);
  auto orders = peer.all<HostOrder>(NodeVerb::Order);
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].job, id);
  EXPECT_EQ(orders[0].blobs.env, "A=1");
  ASSERT_EQ(orders[0].tasks.size(), 1u);
}

TEST(hosts, of_the_agents_only_the_leads_hears_of_every_task) {
  HostsDesk desk;
  auto h1 = desk.past.host(2), h2 = desk.past.host(2);
  auto id = desk.past.submit(SpecBuilder().elastic().tasks(1, 3));
  desk.past.run(id, {h1, h2, h2});
  desk.start();
  auto runs = [&](HostId h, std::vector<TaskStatus> tasks) {
    auto r = desk.again(h);
    r.attempts = {{id, Attempt{1}, std::move(tasks), ""}};
    return r;
  };
  auto& lead = desk.enrol(runs(h1, {{TaskNumber{1}, 1}}));
  auto& other = desk.enrol(runs(h2, {{TaskNumber{2}, 2}, {TaskNumber{3}, 3}}));
  desk.hosts->ordering().order_agents(id);
  desk.pass(50ms);
  auto all = lead.all<AgentOrder>(NodeVerb::Agent), some = other.all<AgentOrder>(NodeVerb::Agent);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(some.size(), 1u);
  EXPECT_EQ(all[0].lead_host, h1);
  EXPECT_EQ(all[0].tasks.size(), 3u);
  EXPECT_EQ(all[0].world, 3u);
  all[0].tasks.clear();
  EXPECT_EQ(some[0], all[0]);
}

TEST(hosts, a_peek_is_answered_or_fails_with_the_session) {
  HostsDesk desk;
  auto h = desk.past.host(2);
  desk.start();
  std::vector<Result<std::string>> told;
  auto peek = [&] {
    desk.hosts->peek(h, {}, [&](Result<std::string> bytes) { told.push_back(std::move(bytes)); });
    desk.pass(50ms);
  };
  peek();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].error().code, Code::Unavailable);
  auto& peer = desk.enrol(desk.again(h));
  peek();
  auto asked = peer.all<PeekRequest>(NodeVerb::Peek);
  ASSERT_EQ(asked.size(), 1u);
  desk.say(peer, NodeVerb::PeekReply, PeekReply{asked[0].id, "output", ""});
  desk.say(peer, NodeVerb::PeekReply, PeekReply{asked[0].id, "again", ""});
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(*told[1], "output");
  peek();
  desk.hosts->on_left(peer.id);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[2].error().code, Code::Unavailable);
}

}  // namespace
}  // namespace wm::master
