// Role: what comes into a host's part of a job: commands here, on its other hosts, in its other
// groups; who may, how they end, and what the end of the part does to them.
#include "daemons/wagent/launch/launch_port.h"

#include <signal.h>
#include <sys/wait.h>

#include "test/unit/wagent/launch_rig.h"

namespace wm::wagent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class launch_port : public ::testing::Test {
 protected:
  // The text of a refusal, or how it ended.
  std::string end_of(Caller& caller) {
    EXPECT_TRUE(loop_.until([&] { return caller.is_over(); }));
    if (!caller.ended) return "closed";
    return caller.ended->refused ? caller.ended->text
                                 : "exit " + std::to_string(WEXITSTATUS(caller.ended->status));
  }
  static AgentOrder order_of(std::vector<AgentPlace> agents) {
    AgentOrder order;
    order.agents = std::move(agents);
    return order;
  }
  bool is_gone(pid_t pid) { return ::kill(pid, 0) != 0; }

  test::Loop loop_;
  test::ScratchDir dir_;
  Part here_{loop_, dir_.path(), "a"};
};

TEST_F(launch_port, a_command_here_has_the_callers_variables_and_this_parts_own_over_them) {
  Caller caller(loop_, here_, shell_line("echo $MINE $WM_HOST; echo $PWD >&2; exit 7"));
  EXPECT_EQ(end_of(caller), "exit 7");
  EXPECT_EQ(caller.out, "yes a\n");
  EXPECT_EQ(caller.err, "/\n");
}

TEST_F(launch_port, input_reaches_it_and_is_acknowledged_and_its_end_is_an_end) {
  Caller caller(loop_, here_, shell_line("cat; echo over"));
  ASSERT_TRUE(loop_.until([&] { return caller.is_up(); }));
  caller.say(LaunchInput{"one "});
  caller.say(LaunchInput{"two\n"});
  caller.say(LaunchInput{""});
  EXPECT_EQ(end_of(caller), "exit 0");
  EXPECT_EQ(caller.out, "one two\nover\n");
  EXPECT_EQ(caller.taken, 8u);
}

TEST_F(launch_port, without_input_it_reads_nothing) {
  auto start = shell_line("cat; echo over");
  start.no_input = true;
  Caller caller(loop_, here_, start);
  EXPECT_EQ(end_of(caller), "exit 0");
  EXPECT_EQ(caller.out, "over\n");
}

TEST_F(launch_port, a_signal_reaches_all_of_it) {
  Caller caller(loop_, here_,
                shell_line("trap 'exit 9' USR1; echo ready; while :; do sleep 0.05; done"));
  ASSERT_TRUE(loop_.until([&] { return caller.out == "ready\n"; }));
  caller.say(LaunchSignal{SIGUSR1});
  EXPECT_EQ(end_of(caller), "exit 9");
}

TEST_F(launch_port, a_folder_that_is_not_here_does_not_keep_it_from_running) {
  auto start = shell_line("pwd");
  start.cwd = "/no/such/folder";
  Caller caller(loop_, here_, start);
  EXPECT_EQ(end_of(caller), "exit 0");
  EXPECT_NE(caller.out, "");
}

TEST_F(launch_port, who_hangs_up_ends_what_it_started) {
  Caller caller(loop_, here_, shell_line("trap '' HUP TERM; echo ready; sleep 100"));
  ASSERT_TRUE(loop_.until([&] { return caller.out == "ready\n"; }));
  auto pid = caller.pid;
  caller.hang_up();
  EXPECT_TRUE(loop_.until([&] { return is_gone(pid); })) << "it ignores what can be ignored";
}

TEST_F(launch_port, words_of_nothing_are_refused) {
  Caller caller(loop_, here_, LaunchInput{"x"});
  EXPECT_EQ(end_of(caller), "nothing was started on this connection");
}

TEST_F(launch_port, a_command_on_another_host_of_the_job_runs_in_that_hosts_part) {
  Part there(loop_, dir_.path(), "b");
  Caller caller(loop_, here_, shell_line("read word; echo $word $WM_HOST; exit 3", "b"));
  here_.port.on_order(order_of({here_.place(), there.place()}));
  ASSERT_TRUE(loop_.until([&] { return caller.is_up(); }));
  caller.say(LaunchInput{"hello\n"});
  EXPECT_EQ(end_of(caller), "exit 3");
  EXPECT_EQ(caller.out, "hello b\n");
}

TEST_F(launch_port, an_agent_that_comes_up_later_is_waited_for) {
  Part there(loop_, dir_.path(), "b");
  auto not_yet = there.place();
  not_yet.launch.clear();
  here_.port.on_order(order_of({here_.place(), not_yet}));
  Caller caller(loop_, here_, shell_line("echo $WM_HOST", "b"));
  loop_.context.restart();
  loop_.context.run_one_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(caller.is_over());
  here_.port.on_order(order_of({here_.place(), there.place()}));
  EXPECT_EQ(end_of(caller), "exit 0");
  EXPECT_EQ(caller.out, "b\n");
}

TEST_F(launch_port, a_host_that_is_none_of_the_jobs_is_refused_by_name) {
  here_.port.on_order(order_of({here_.place()}));
  Caller caller(loop_, here_, shell_line("true", "c"));
  EXPECT_EQ(end_of(caller), "host <c> is not one of this job's");
}

TEST_F(launch_port, who_has_another_jobs_key_is_not_let_in) {
  Part stranger(loop_, dir_.path(), "b", 'x');
  here_.port.on_order(order_of({here_.place(), stranger.place()}));
  Caller caller(loop_, here_, shell_line("echo in", "b"));
  EXPECT_THAT(end_of(caller), HasSubstr("host b:"));
  EXPECT_EQ(caller.out, "");
}

/// A driver on a, with workers on a and b.
class launch_groups : public launch_port {
 protected:
  AgentOrder order() {
    auto order = order_of({here_.place()});
    order.groups = {{"driver", std::string(32, 'k'), {here_.place()}},
                    {"worker", std::string(32, 'w'), {beside_.place(2), there_.place()}},
                    {"kernel", "", {}}};
    return order;
  }
  static LaunchStart in_group(LaunchStart start, const std::string& group) {
    start.group = group;
    return start;
  }
  Part beside_{loop_, dir_.path(), "a", 'w'}, there_{loop_, dir_.path(), "b", 'w'};
};

TEST_F(launch_groups, where_the_tasks_of_another_group_are_is_told_once_it_is_known) {
  Caller caller(loop_, here_, LaunchAsk{"worker"}), other(loop_, here_, LaunchAsk{"boss"});
  Caller none(loop_, here_, LaunchAsk{"kernel"});
  loop_.context.restart();
  loop_.context.run_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(caller.slots);
  here_.port.on_order(order());
  ASSERT_TRUE(loop_.until([&] { return caller.slots.has_value(); }));
  EXPECT_THAT(*caller.slots, ElementsAre("a", "a", "b"));
  EXPECT_EQ(end_of(other), "no group <boss>; the job has <driver> <worker> <kernel>");
  EXPECT_EQ(end_of(none), "group <kernel> has no task now");
}

TEST_F(launch_groups, a_command_runs_in_the_other_groups_part_also_on_the_same_host) {
  here_.port.on_order(order());
  for (const char* host : {"a", "b"}) {
    Caller caller(loop_, here_,
                  in_group(shell_line("echo $WM_HOST $WM_LAUNCH_SOCKET", host), "worker"));
    EXPECT_EQ(end_of(caller), "exit 0");
    EXPECT_EQ(caller.out, std::string(host) + " " + dir_.path() + "/" + host + "w\n");
  }
  Caller own(loop_, here_, in_group(shell_line("echo $WM_LAUNCH_SOCKET", "a"), "driver"));
  EXPECT_EQ(end_of(own), "exit 0");
  EXPECT_EQ(own.out, here_.part.launch_socket + "\n");
}

TEST_F(launch_groups, a_host_of_another_group_alone_is_refused) {
  here_.port.on_order(order());
  Caller caller(loop_, here_, in_group(shell_line("true", "b"), "driver"));
  EXPECT_EQ(end_of(caller), "host <b> is not one of group <driver>'s");
}

TEST_F(launch_port, the_end_of_the_part_ends_its_commands_and_lets_nobody_in) {
  Caller caller(loop_, here_, shell_line("trap '' HUP TERM; echo ready; sleep 100"));
  ASSERT_TRUE(loop_.until([&] { return caller.out == "ready\n"; }));
  bool idle = false;
  here_.port.end([&] { idle = true; });
  Caller late(loop_, here_, shell_line("true"));
  EXPECT_EQ(end_of(late), "the job is ending");
  ASSERT_TRUE(loop_.until([&] { return caller.is_over(); }));
  ASSERT_TRUE(caller.ended);
  EXPECT_EQ(WTERMSIG(caller.ended->status), SIGKILL);
  caller.hang_up();
  late.hang_up();
  EXPECT_TRUE(loop_.until([&] { return idle; }));
}

}  // namespace
}  // namespace wm::wagent
