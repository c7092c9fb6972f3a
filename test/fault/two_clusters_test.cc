// Two clusters on one machine with equal job numbers: neither kills, stops nor bills what is the
// other's.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libwm/proc/tree.h"
#include "test/fault/attempt_runs.h"

namespace wm::test {
namespace {

using launch::AttemptEnded;
using launch::EndCause;
using launch::ShepherdUp;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kJob = 71;
constexpr const char* kWaits = "echo > up; while [ ! -e end ]; do sleep 0.02; done";

std::string marker_of(const std::string& cluster) {
  return launch::attempt_marker(cluster, "test", {{kJob, 0}, {1}});
}

/// The control groups both were given, and what each cluster's wnoded has for itself.
class TwoClusters : public testing::Test {
 protected:
  void SetUp() override {
    if (groups.roots.empty()) GTEST_SKIP() << "no control groups here";
  }
  static launch::AttemptSpec attempt(const Zygote& of, const std::string& cluster,
                                     const std::string& command) {
    auto spec = shell_attempt(of, kJob, command);
    spec.cluster = cluster;
    spec.tasks[0].env.back() = std::string(launch::kAttemptVariable) + "=" + marker_of(cluster);
    return spec;
  }
  static void sweep(Zygote& of, const std::string& cluster) {
    await<AttemptEnded>(of.fork_with(launch::Sweep{cluster, {{kJob, 0}, {1}}, {}, seconds(5)}));
  }
  static void let_end(const Zygote& of) { std::ofstream(of.folder + "/end"); }

  CgroupsForTests groups;
  Zygote red{groups.text()}, blue{groups.text()};
};

TEST_F(TwoClusters, a_job_whose_shepherd_was_killed_takes_no_other_clusters_with_it) {
  auto lives = blue.start(attempt(blue, "blue", kWaits));
  auto dies = red.start(attempt(red, "red", kWaits));
  await_file(red, "up");
  await_file(blue, "up");
  ::kill(await<ShepherdUp>(dies).pid, SIGKILL);
  sweep(red, "red");
  EXPECT_TRUE(proc::marked(marker_of("red"), {}).empty());
  EXPECT_FALSE(proc::marked(marker_of("blue"), {}).empty());
  let_end(blue);
  EXPECT_EQ(await<AttemptEnded>(lives).record.cause, EndCause::Exited);
}

TEST_F(TwoClusters, each_is_billed_its_own) {
  auto idle = blue.start(attempt(blue, "blue", kWaits));
  await_file(blue, "up");
  auto busy = run_to_end(red, attempt(red, "red",
                                      "exec python3 -c 'import time\n"
                                      "while time.process_time() < 1.5: pass'"));
  let_end(blue);
  auto idled = await<launch::TaskEnded>(idle).record;
  EXPECT_GE(busy.usage.cpu, milliseconds(1500));
  EXPECT_LT(idled.usage.cpu, milliseconds(1500));
}

/// A process of that environment in the group that an earlier release made for the attempt.
class OldGroup : public TwoClusters {
 protected:
  pid_t in_old_group(const std::string& entry) {
    std::string trouble;
    old_ = proc::Cgroup::make(groups.roots, "test-71-0.1", {}, trouble);
    auto joins = old_.joins(true);
    auto pid = ::fork();
    if (pid == 0) {
      ::setsid();
      if (!proc::join_cgroups(joins)) ::_exit(1);
      std::string words = entry;
      char* environment[] = {words.data(), nullptr};
      ::execle("/bin/sleep", "sleep", "1000", nullptr, environment);
      ::_exit(1);
    }
    auto runs = [&] {
      return proc::arguments_of(pid) == std::vector<std::string>{"sleep", "1000"};
    };
    EXPECT_TRUE(eventually(runs));
    started_.push_back(pid);
    return pid;
  }
  static bool has_ended(pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) == pid; }
  void TearDown() override {
    for (auto pid : started_)
      if (::kill(pid, SIGKILL) == 0) ::waitpid(pid, nullptr, 0);
    old_.remove();
  }

 private:
  std::vector<pid_t> started_;
  proc::Cgroup old_;
};

TEST_F(OldGroup, of_an_attempt_from_before_the_upgrade_is_swept) {
  auto hidden = in_old_group("NO_MARKER=1");
  sweep(red, "red");
  EXPECT_TRUE(eventually([&] { return has_ended(hidden); }, seconds(5)));
}

TEST_F(OldGroup, shared_with_another_cluster_loses_its_own_alone) {
  auto own = in_old_group(std::string(launch::kAttemptVariable) + "=" + marker_of("red"));
  auto other = in_old_group(std::string(launch::kAttemptVariable) + "=" + marker_of("blue"));
  auto hidden = in_old_group("NO_MARKER=1");
  sweep(red, "red");
  EXPECT_TRUE(eventually([&] { return has_ended(own); }, seconds(5)));
  EXPECT_FALSE(has_ended(other));
  EXPECT_FALSE(has_ended(hidden));
}

}  // namespace
}  // namespace wm::test
