// Every kind of event in one course: the master may die after each of them, and with any of them as
// its newest snapshot; it goes on as if nothing had been. A kind that is not in the course fails
// the first test: add it.
#include <gtest/gtest.h>

#include <set>

#include "daemons/wmasterd/state/core.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/conf/load.h"
#include "test/support/builders.h"
#include "test/support/sim_env.h"

namespace wm {
namespace {

using test::at;
using test::SpecBuilder;

constexpr Attempt kFirst{1};

Task task_on(std::uint32_t number, HostId host, bool has_process = true) {
  Task task;
  task.number = TaskNumber{number};
  task.host = host;
  task.has_process = has_process;
  return task;
}

/// See the head of this file.
class Course : public test::ClusterBuilder {
 public:
  Course() {
    reconfigure();
    h1_ = host(16, 2);
    h2_ = host(16, 2);
    of_hosts();
    of_a_rigid_job();
    of_jobs_that_make_way();
    of_an_elastic_job();
    of_a_job_that_is_told();
    of_groups();
    of_tasks_that_meet();
    of_an_open_array();
    of_a_signature();
    of_what_people_arrange();
    of_what_a_job_leaves();
    of_the_clock();
    of_a_take_over();
  }

 private:
  void end(JobId id, std::uint32_t task, std::int32_t status = 0, Term term = Term::None) {
    step(TaskEnded{id, job(id).attempt, TaskNumber{task}, status, term, {}, ""});
  }

  void of_hosts() {
    step(HostClosed{h2_, "root", "its disk"});
    step(HostOpened{h2_, "root"});
    step(QueueChanged{"normal", QueueStandingChange::Close, "root", "full"});
    step(QueueChanged{"normal", QueueStandingChange::Open, "root", ""});
    GpuMark sick;
    sick.sick = true;
    sick.sick_why = "XID 79";
    step(GpuMarked{h1_, "gpu1", sick});
    step(GpuMarked{h1_, "gpu1", {}});
    step(HostSilent{h2_});
    step(HostHeard{h2_});
    step(HostSilent{h2_});
    step(HostFenceBegan{h2_, "off h2"});
    step(HostFenceFailed{h2_, "no answer"});
    step(HostHeard{h2_});
    step(HostMemoryChanged{h2_, Bytes{9LL << 30}});
    step(HostSilent{h2_});
    step(HostDied{h2_, "root", "its power supply"});
    auto capacity = host_of(h2_).capacity;
    step(HostRegistered{h2_, "h2", "127.0.0.2", "boot2", "LINUX", "x86", capacity});
  }

  void of_a_rigid_job() {
    auto id = submit({});
    step(JobHeld{id, "ann"});
    step(JobReleased{id, "ann"});
    step(JobMoved{id, -1, "root"});
    step(StartPromised{id, at(50)});
    step(WaitRecorded{{id}, {{PendCode::New, "it is new", 0, ""}}});
    step(JobModified{id, SpecBuilder().plan("/x").sealed(), "ann", "plan / -> /x"});
    run(id, {h1_});
    step(MemoryReleased{id, kFirst});
    step(JobSuspended{id, "ann"}, 10);
    step(JobResumed{id, "ann"}, 20);
    step(TaskStuck{id, kFirst, TaskNumber{1}, "processes survive SIGKILL"});
    end(id, 1, 9);
    step(JobRequeued{id, "ann", true});
    step(JobReleased{id, "ann"});
    step(KillRequested{id, {}});
    step(JobPurged{id});
  }

  void of_jobs_that_make_way() {
    auto first = submit({}), goes = submit(SpecBuilder().rerunnable()), stops = submit({});
    run(goes, {h1_});
    step(JobPreempted{goes, kFirst, {first, at(30), true, "makes way", false}});
    end(goes, 1, 15);
    run(stops, {h2_});
    step(JobParked{stops, kFirst, {first, "stops for it"}});
    step(JobUnparked{stops, kFirst});
  }

  void of_an_elastic_job() {
    auto id = submit(SpecBuilder().elastic().tasks(1, 4));
    run(id, {h1_, h1_});
    enter_epoch(id, 1);
    step(LeadAppointed{id, kFirst, LeadNumber{job(id).membership.lead.value + 1}, h1_});
    step(TasksAdded{id, kFirst, {task_on(3, h2_)}, "free"});
    step(TaskStarted{id, kFirst, TaskNumber{3}, 33});
    enter_epoch(id, 2);
    StepReport report;
    report.step = std::chrono::milliseconds(200);
    step(StepsMeasured{id, kFirst, report});
    step(CapChanged{id, 2, false, "ann", ""});
    step(TasksLeaving{id, kFirst, {TaskNumber{3}}, at(60), "its limit was lowered"});
    end(id, 3, 0, Term::Left);
    step(TaskCondemned{id, kFirst, TaskNumber{2}, Term::Hung, "hangs"});
    end(id, 2, 9, Term::Hung);
  }

  void of_a_job_that_is_told() {
    auto spec = SpecBuilder().elastic().app("batch").tasks(1, 4);
    spec.spec.side.notify = "tell";
    auto id = submit(spec);
    run(id, {h1_});
    step(TasksAdded{id, kFirst, {task_on(2, h2_, false)}, "free"});
    step(ResizeAnswered{id, kFirst, 1, false, "no room"});
  }

  void of_groups() {
    TaskGroup kernels{.name = "kernel", .min_tasks = 0, .max_tasks = 4};
    kernels.restart = Restart::Independent;
    auto base = submit(SpecBuilder().group({.name = "driver"}).group(kernels));
    JobId driver{base.job, 1}, kernel{base.job, 2};
    run(driver, {h1_});
    run(kernel, {h1_, h2_});
    step(TasksServing{kernel, kFirst, {TaskNumber{1}}});
    step(HostClosed{h2_, "root", "its disk", false, true});  // and with it TasksMoving
    step(HostOpened{h2_, "root"});
    end(kernel, 2, 1 << 8);  // it comes back after a pause
    CapChanged none{kernel, 0, false, "ann", ""};
    none.none = true;
    step(none);
    step(JobPreempted{kernel, kFirst, {{}, at(70), true, "no task for now", false}});
    end(kernel, 1, 15);
    end(driver, 1);  // and with it the job: the others are ended
  }

  void of_tasks_that_meet() {
    auto id = submit(SpecBuilder().app("training").tasks(1, 4).elastic());
    run(id, {h1_});
    step(TasksMet{id, kFirst});
    end(id, 1);
  }

  void of_what_a_job_leaves() {
    auto id = submit({});
    run(id, {h1_});
    TaskEnded last{id, kFirst, TaskNumber{1}, 0, Term::None, {}, ""};
    last.delivers = true;
    step(last);
    step(JobDelivered{id, kFirst, "the copy of 'made' exited with 1"});
  }

  void of_a_take_over() { step(TakenOver{1, state.last_job + 100, "root", "restored"}); }

  void of_the_clock() {
    auto id = submit({});
    run(id, {h1_});
    step(ClockStepped{-std::chrono::hours(2), true}, -7200);
    step(ClockTrusted{"root", "the battery was empty"}, -7200);
    end(id, 1);
  }

  void of_an_open_array() {
    auto base = submit(SpecBuilder().array(1, 9).open());
    JobId one{base.job, 1}, two{base.job, 2};
    step(ElementGiven{one, "first data"});
    step(ElementGiven{two, "second data"});
    run(one, {h1_});
    step(TrialReported{one, kFirst, R"({"loss":{"min":1}})"});
    step(TrialReported{one, kFirst, R"({"loss":{"min":0}})"});
    end(one, 1);
    step(JobRequeued{one, "ann", false});
    step(ArrayClosed{base, "ann"});
    run(two, {h2_});
  }

  // The key of the site's identity service was changed while it waited.
  void of_a_signature() {
    auto id = submit({});
    dispatch(id, {h1_});
    end(id, 1, 0, Term::NotSigned);
    step(JobModified{id, SpecBuilder().sealed(), "ann", "signed anew"});
    step(JobReleased{id, "wm"});
    run(id, {h2_});
  }

  void of_what_people_arrange() {
    Reservation kept;
    kept.name = "ann#0";
    kept.users = {"ann"};
    kept.begin = at(500);
    kept.end = at(900);
    kept.places = {{h1_, 2}};
    step(ReservationSet{kept, "ann"});
    step(JobGroupSet{"/risk", {}, "ann"});
    auto id = submit({});
    JobNote note;
    note.text = "look at this";
    step(JobNoted{id, note});
    step(JobRelocated{id, {h2_}, "ann"});
    step(RunDescribed{id, {.name = "the good one", .tags = {"best"}, .starred = true}, "ann"});
    step(RunDeleted{JobId{id.job + 900, 0}, "ann"});
    run(id, {h2_});
    step(ReservationRemoved{"ann#0", "ann"});
    step(JobGroupRemoved{"/risk", "ann"});
    step(TokensRevoked{"ann", "token-1", at(900), "root", "lost"});
  }

  HostId h1_, h2_;
};

template <std::size_t... I>
std::vector<std::string> names_of(std::index_sequence<I...>) {
  return {std::string(event_name(EventBody(std::in_place_index<I>)))...};
}

class every_event : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { log::open("every_event", "", log::Level::Error); }
  every_event() {
    Cluster state;
    states_.push_back(codec::encode(state));
    for (auto& event : events_) {
      auto body = codec::decode<EventBody>(codec::encode(event.body));  // as a disk gives it back
      EXPECT_TRUE(body) << event_name(event.body);
      if (body) event.body = *std::move(body);
      fsm::apply(state, event);
      states_.push_back(codec::encode(state));
    }
  }
  // What is on the disk after so many events.
  test::SimDisk disk_after(std::size_t count) const {
    test::SimDisk disk;
    disk.events.assign(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(count));
    return disk;
  }
  static std::string restarted(test::SimDisk disk) {
    test::Sim sim(1);
    test::SimEnv env(sim, disk, {});
    master::Journal journal(env, env, [](const auto&) {});
    EXPECT_TRUE(journal.start());
    return codec::encode(journal.published());
  }
  std::string last(std::size_t count) const {
    return count ? std::string(event_name(events_[count - 1].body)) : "nothing";
  }

  std::vector<Event> events_ = Course().history;
  std::vector<std::string> states_;  // by the number of events that made them
};

TEST_F(every_event, is_in_the_course) {
  std::set<std::size_t> seen;
  for (const auto& event : events_) seen.insert(event.body.index());
  auto kinds = names_of(std::make_index_sequence<std::variant_size_v<EventBody>>());
  for (std::size_t i = 0; i < kinds.size(); ++i)
    EXPECT_TRUE(seen.contains(i)) << kinds[i] << ": no crash is tried around it";
}

TEST_F(every_event, may_be_the_last_before_a_crash) {
  for (std::size_t n = 0; n <= events_.size(); ++n)
    EXPECT_EQ(restarted(disk_after(n)), states_[n]) << n << ": " << last(n);
}

TEST_F(every_event, may_be_the_last_of_a_snapshot) {
  for (std::size_t n = 0; n <= events_.size(); ++n) {
    auto disk = disk_after(events_.size());
    disk.snapshot = states_[n];
    disk.snapshot_seq = Seq{n};
    EXPECT_EQ(restarted(std::move(disk)), states_.back()) << n << ": " << last(n);
  }
}

TEST_F(every_event, is_followed_by_the_same_from_what_a_restart_has_read) {
  for (std::size_t n = 0; n <= events_.size(); ++n) {
    auto state = codec::decode<Cluster>(states_[n]);
    ASSERT_TRUE(state) << last(n);
    for (std::size_t i = n; i < events_.size(); ++i) {
      auto legal = fsm::check(*state, events_[i].body);
      ASSERT_TRUE(legal) << last(i + 1) << " after a restart at " << n << ": "
                         << legal.error().text;
      fsm::apply(*state, events_[i]);
    }
    ASSERT_EQ(codec::encode(*state), states_.back()) << n << ": " << last(n);
  }
}

TEST_F(every_event, is_in_the_copy_that_readers_get) {
  for (std::size_t n = 0; n <= events_.size(); ++n) {
    auto state = codec::decode<Cluster>(states_[n]);
    ASSERT_TRUE(state) << last(n);
    EXPECT_EQ(codec::encode(state->freeze()), states_[n]) << last(n);
  }
}

// What a master does when it begins changes nothing, and it does the same again.
TEST_F(every_event, leaves_a_sound_state_to_react_to) {
  for (std::size_t n = 0; n <= events_.size(); ++n) {
    auto state = codec::decode<Cluster>(states_[n]);
    ASSERT_TRUE(state) << last(n);
    auto sound = fsm::check_invariants(*state);
    EXPECT_TRUE(sound) << last(n) << ": " << sound.error().text;
    auto touched = fsm::touch_everything(*state);
    EXPECT_EQ(fsm::react(*state, touched), fsm::react(*state, touched)) << last(n);
    EXPECT_EQ(codec::encode(*state), states_[n]) << last(n);
  }
}

TEST_F(every_event, may_be_where_a_master_begins) {
  Config config = *conf::parse({});
  config.hosts.clear();
  for (std::size_t n = 0; n <= events_.size(); ++n) {
    auto disk = disk_after(n);
    test::Sim sim(n + 1);
    test::SimEnv env(sim, disk, config);
    master::Core core(
        env, master::Rights{{0}}, [](const AcctRequest&) { return HistoryReply{}; },
        [](const std::vector<Event>&, const Cluster&) {});
    ASSERT_TRUE(core.start()) << last(n);
    sim.run(std::chrono::seconds(5));
    auto sound = fsm::check_invariants(core.journal().newest());
    EXPECT_TRUE(sound) << last(n) << ": " << sound.error().text;
    EXPECT_EQ(codec::encode(core.journal().published()), restarted(disk)) << last(n);
  }
}

}  // namespace
}  // namespace wm
