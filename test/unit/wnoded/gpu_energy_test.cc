// The energy of GPUs: which task has it, what is lost, what is kept over a restart.
#include "daemons/wnoded/gpu_energy.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "daemons/wnoded/core.h"
#include "test/support/fake_env.h"

namespace wm::node {
namespace {

using std::chrono::seconds;

launch::AttemptKey job(std::uint32_t number) { return {{number, 0}, Attempt{1}}; }

gpu::GpuReading reading(const std::string& uuid, std::uint64_t joules, std::uint64_t watts = 0) {
  gpu::GpuReading made;
  made.uuid = uuid, made.energy_mj = joules * 1000, made.power_mw = watts * 1000;
  return made;
}

/// GPU-a and GPU-b, looked at when the test says.
class gpu_energy : public ::testing::Test {
 protected:
  static TimePoint at(std::int64_t s) { return TimePoint(seconds(s)); }
  GpuHold hold(std::uint32_t number, std::int64_t since, TimePoint until = TimePoint::max(),
               std::uint32_t task = 1) {
    return {job(number), TaskNumber{task}, at(since), until};
  }
  /// Joules of task 1 of that job.
  double closed(GpuHold hold, std::int64_t until, std::vector<std::string> uuids = {"GPU-a"}) {
    hold.until = at(until);
    return static_cast<double>(energy_.close(hold, uuids)) / 1000;
  }
  GpuEnergy energy_;
};

TEST_F(gpu_energy, what_a_gpu_used_between_two_looks_is_its_holders) {
  energy_.look({reading("GPU-a", 500), reading("GPU-b", 70)}, {{"GPU-a", {hold(7, 100)}}}, at(100));
  energy_.look({reading("GPU-a", 900), reading("GPU-b", 90)}, {{"GPU-a", {hold(7, 100)}}}, at(110));
  EXPECT_EQ(energy_.running(), (std::map<launch::AttemptKey, std::int64_t>{{job(7), 400'000}}));
  energy_.look({reading("GPU-a", 1000)}, {{"GPU-a", {hold(7, 100, at(115))}}}, at(115));
  EXPECT_EQ(closed(hold(7, 100), 115), 500);
  EXPECT_TRUE(energy_.running().empty()) << "its end tells it";
}

TEST_F(gpu_energy, a_task_of_two_gpus_has_both) {
  GpuHolds both{{"GPU-a", {hold(7, 100)}}, {"GPU-b", {hold(7, 100)}}};
  energy_.look({reading("GPU-a", 500), reading("GPU-b", 70)}, both, at(100));
  energy_.look({reading("GPU-a", 900), reading("GPU-b", 90)}, both, at(110));
  EXPECT_EQ(closed(hold(7, 100), 110, {"GPU-a", "GPU-b"}), 420);
}

TEST_F(gpu_energy, of_the_time_before_it_began_and_after_it_ended_nothing_is_its) {
  energy_.look({reading("GPU-a", 500)}, {}, at(100));
  energy_.look({reading("GPU-a", 600)}, {{"GPU-a", {hold(7, 102, at(107))}}}, at(110));
  EXPECT_EQ(closed(hold(7, 102), 107), 50);
}

TEST_F(gpu_energy, who_share_a_gpu_have_their_parts_of_the_time) {
  GpuHolds shared{{"GPU-a", {hold(7, 100), hold(8, 105)}}};
  energy_.look({reading("GPU-a", 500)}, {{"GPU-a", {hold(7, 100)}}}, at(100));
  energy_.look({reading("GPU-a", 650, 60)}, shared, at(110));
  auto running = energy_.running();
  EXPECT_EQ(running[job(7)], 100'000);
  EXPECT_EQ(running[job(8)], 50'000);
  EXPECT_EQ(closed(hold(8, 105), 114), 50 + 60.0 * 4 / 2) << "since the look by the power of then";
  EXPECT_EQ(closed(hold(8, 105), 114), 170) << "told again it is the same";
  energy_.look({reading("GPU-a", 950)}, {{"GPU-a", {hold(7, 100), hold(8, 105, at(114))}}},
               at(120));
  EXPECT_EQ(closed(hold(8, 105), 114), 170);
}

TEST_F(gpu_energy, a_counter_that_was_reset_adds_nothing_and_counts_on_from_there) {
  GpuHolds held{{"GPU-a", {hold(7, 100)}}};
  energy_.look({reading("GPU-a", 500)}, held, at(100));
  energy_.look({reading("GPU-a", 600)}, held, at(110));
  energy_.look({reading("GPU-a", 20)}, held, at(120));
  energy_.look({reading("GPU-a", 50)}, held, at(130));
  EXPECT_EQ(closed(hold(7, 100), 130), 130);
}

TEST_F(gpu_energy, where_no_driver_tells_it_nothing_is_known) {
  GpuHolds held{{"GPU-a", {hold(7, 100)}}, {"MIG-x", {hold(8, 100)}}};
  for (int s : {100, 110})
    energy_.look({reading("GPU-a", 0, 300), reading("MIG-x", static_cast<std::uint64_t>(s))}, held,
                 at(s));
  EXPECT_EQ(closed(hold(7, 100), 110), 0);
  EXPECT_EQ(closed(hold(8, 100), 110, {"MIG-x"}), 0) << "a slice has no counter of its own";
  EXPECT_TRUE(energy_.running().empty());
  EXPECT_FALSE(energy_.take_changed()) << "there is nothing to keep";
}

TEST_F(gpu_energy, a_driver_that_did_not_answer_takes_nothing_away) {
  GpuHolds held{{"GPU-a", {hold(7, 100)}}};
  energy_.look({reading("GPU-a", 500)}, held, at(100));
  auto lost = reading("GPU-a", 0);
  lost.trouble = 15;
  energy_.look({lost}, held, at(110));
  energy_.look({reading("GPU-a", 900)}, held, at(120));
  EXPECT_EQ(closed(hold(7, 100), 120), 400);
}

TEST_F(gpu_energy, a_wnoded_that_starts_again_goes_on_from_what_was_kept) {
  GpuHolds held{{"GPU-a", {hold(7, 100)}}};
  energy_.look({reading("GPU-a", 500)}, held, at(100));
  energy_.look({reading("GPU-a", 900)}, held, at(110));
  EXPECT_TRUE(energy_.take_changed());
  auto text = energy_.text("boot-1");
  GpuEnergy again, elsewhere;
  again.load(text, "boot-1");
  GpuHold adopted{job(7), TaskNumber{1}};
  again.look({reading("GPU-a", 1500)}, {{"GPU-a", {adopted}}}, at(200));
  EXPECT_EQ(again.running()[job(7)], 1'000'000) << "what it used meanwhile, too";
  elsewhere.load(text, "boot-2");
  elsewhere.look({reading("GPU-a", 1500)}, {{"GPU-a", {adopted}}}, at(200));
  EXPECT_EQ(elsewhere.running()[job(7)], 400'000) << "counters of another boot are others";
  EXPECT_EQ(closed(hold(7, 100), 110), 400);
  GpuEnergy late;
  late.load(energy_.text("boot-1"), "boot-1");
  late.look({reading("GPU-a", 1500)}, {{"GPU-a", {hold(7, 100, at(110))}}}, at(200));
  EXPECT_EQ(late.close(hold(7, 100, at(110)), {"GPU-a"}), 400'000) << "an end is told as before";
}

TEST_F(gpu_energy, of_a_damaged_file_what_can_be_read_is_taken) {
  energy_.load("boot b\ngpu GPU-a x\ntask 7 0 1 1 9000 0\ntask 7\n\xff\ngpu GPU-b 5 1 1 1\n", "b");
  EXPECT_EQ(energy_.running(), (std::map<launch::AttemptKey, std::int64_t>{{job(7), 9000}}));
}

TEST_F(gpu_energy, what_is_gone_is_kept_no_longer) {
  GpuHolds held{{"GPU-a", {hold(7, 100), hold(8, 100)}}};
  for (std::uint64_t j : {500u, 700u})
    energy_.look({reading("GPU-a", j)}, held, at(static_cast<std::int64_t>(j)));
  energy_.forget(job(7));
  EXPECT_EQ(energy_.running().size(), 1u);
  energy_.keep_only([](const auto&) { return false; });
  EXPECT_TRUE(energy_.running().empty());
}

/// A host with two GPUs, through the frames that it sends.
class gpu_energy_of_host : public ::testing::Test {
 protected:
  gpu_energy_of_host() { begin(); }
  static HostRegister card() {
    HostRegister words;
    words.name = "n", words.boot = "b";
    for (const char* uuid : {"GPU-a", "GPU-b"}) {
      Gpu gpu{uuid, "H200", Bytes{80LL << 30}};
      gpu.pci = "00000000:17:00.0";
      words.capacity.gpus.push_back(gpu);
    }
    return words;
  }
  void begin() {
    node_ = std::make_unique<Core>(env_, card(), launch::HostFacts{});
    node_->adopt({}, {});
    node_->on_session();
    look(100, 100);
  }
  static gpu::GpuReading whole(const std::string& uuid, std::uint64_t joules) {
    auto made = reading(uuid, joules, 100);
    made.total = Bytes{80LL << 30};
    return made;
  }
  /// The next tick begins a reading, which finds this; the one after tells and keeps it.
  void look(std::uint64_t a, std::uint64_t b, seconds later = seconds(10)) {
    env_.now += later;
    node_->on_tick(0, Bytes{0});
    ASSERT_EQ(env_.gpu_reads.size(), 1u);
    auto done = std::move(env_.gpu_reads.front());
    env_.gpu_reads.pop_front();
    done({whole("GPU-a", a), whole("GPU-b", b)});
    node_->on_tick(0, Bytes{0});
  }
  void start(bool shared = false) {
    HostOrder o;
    o.job = {7, 0}, o.attempt = {1}, o.generation = 1;
    o.resolved.task.gpu_shared = shared;
    OrderedTask task;
    task.task = {1}, task.gpu_uuids = {"GPU-a"};
    o.tasks.push_back(task);
    o.all.push_back({{1}, "n", "10.0.0.1"});
    memo_ = codec::encode(o);
    ASSERT_TRUE(node_->on_frame(static_cast<std::uint16_t>(NodeVerb::Order), memo_));
    env_.authorise_next();
    node_->on_word(job(7), launch::TaskStarted{{TaskNumber{1}, 4711, {}, false}});
    launch::Used used;
    used.now = true;
    node_->on_word(job(7), used);
    env_.take_facts();
  }
  void end() {
    launch::ExitRecord record;
    record.key = job(7), record.task = {1};
    node_->on_word(job(7), launch::TaskEnded{record});
  }
  std::optional<std::int64_t> told_at_its_end() {
    for (const auto& fact : env_.take_facts())
      if (auto* ended = std::get_if<FactEnded>(&fact.fact)) return ended->usage.gpu_energy_mj;
    return std::nullopt;
  }
  /// In the newest frame: they are a second apart.
  std::optional<std::int64_t> told_of_what_runs() {
    env_.now += seconds(1);
    node_->on_tick(0, Bytes{0});
    std::optional<std::int64_t> newest;
    for (const auto& [verb, payload] : env_.sent)
      if (verb == static_cast<NodeVerb>(kUsesFrame))
        if (auto uses = codec::decode<HostUses>(payload); uses && uses->of({7, 0}, Attempt{1}))
          newest = uses->of({7, 0}, Attempt{1})->gpu_energy_mj;
    return newest;
  }
  test::FakeEnv env_;
  std::unique_ptr<Core> node_;
  std::string memo_;
};

TEST_F(gpu_energy_of_host, what_runs_is_told_at_each_look_and_its_end_after_the_last) {
  start();
  look(400, 150);
  EXPECT_EQ(told_of_what_runs(), 300'000);
  end();
  EXPECT_FALSE(told_at_its_end());
  look(450, 160, seconds(0));
  EXPECT_EQ(told_at_its_end(), 350'000) << "the look that proves its GPU free counts";
  look(900, 170);
  EXPECT_EQ(told_of_what_runs(), 0) << "its end has told it";
}

TEST_F(gpu_energy_of_host, the_first_look_does_not_wait_for_its_turn) {
  env_.now += seconds(5);
  start();
  node_->on_tick(0, Bytes{0});
  EXPECT_EQ(env_.gpu_reads.size(), 1u) << "what was used until now is nobody's";
}

TEST_F(gpu_energy_of_host, the_end_of_who_shares_is_told_at_once_with_the_power_of_the_last_look) {
  start(true);
  look(400, 150);
  env_.now += seconds(2);
  end();
  EXPECT_EQ(told_at_its_end(), 300'000 + 2 * 100'000);
}

TEST_F(gpu_energy_of_host, over_a_restart_nothing_is_lost) {
  start();
  look(400, 150);
  launch::ShepherdUp up;
  up.key = job(7), up.memo = memo_, up.tasks = {{TaskNumber{1}, 4711, {}, false}};
  node_ = std::make_unique<Core>(env_, card(), launch::HostFacts{});
  node_->adopt({up}, {});
  env_.authorise_next();
  node_->on_session();
  look(1100, 200, seconds(60));
  env_.now += seconds(1);
  end();
  look(1200, 200, seconds(0));
  EXPECT_EQ(told_at_its_end(), 1'100'000);
}

}  // namespace
}  // namespace wm::node
