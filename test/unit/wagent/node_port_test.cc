// Role: an agent's connection to its host: made for ever again, each time introduced anew; what is
// said while there is none is known not to have been heard.
#include "daemons/wagent/node_port.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "daemons/wagent/frames.h"
#include "daemons/wagent/plain_body.h"
#include "libwm/proc/channel.h"
#include "libwm/wire/local_door.h"
#include "test/unit/wagent/launch_rig.h"

namespace wm::wagent {
namespace {

/// A host's daemon, as far as an agent sees it.
class Node {
 public:
  Node(test::Loop& loop, std::string path)
      : path_(std::move(path)), door_(loop.context, [this](auto socket) {
          stream_ = std::make_unique<frames::Stream>(std::move(socket), kLocalLimits);
          stream_->start(
              [this](const std::string& bytes) {
                auto report = codec::decode<AgentReport>(bytes);
                if (report) heard.push_back(*report);
              },
              [this] { gone = true; });
        }) {}
  void begin() {
    auto fd = proc::listen_unix(path_);
    ASSERT_TRUE(fd);
    door_.open(fd->release());
  }
  bool has_agent() const { return stream_ != nullptr; }
  void tell(const NodeToAgent& words) { stream_->send(codec::encode(words)); }
  void tell_nonsense() { stream_->send("no words"); }
  /// As when it is killed: what it heard is forgotten, too.
  void cut() {
    stream_.reset();
    heard.clear();
  }
  std::vector<AgentReport> heard;
  bool gone = false;

 private:
  std::string path_;
  wire::LocalDoor door_;
  std::unique_ptr<frames::Stream> stream_;
};

class node_port : public ::testing::Test {
 protected:
  static AgentReport says(const std::string& what) { return {{12, 0}, {1}, {3}, TrialSaid{what}}; }
  test::Loop loop_;
  test::ScratchDir dir_;
  Node node_{loop_, dir_.path() + "/node"};
  int ups_ = 0;
  std::vector<NodeToAgent> words_;
  NodePort port_{
      loop_.context,
      dir_.path() + "/node",
      {[this] { ++ups_; }, [this](const NodeToAgent& words) { words_.push_back(words); }}};
};

TEST_F(node_port, waits_for_a_host_that_is_not_there_yet) {
  port_.start();
  loop_.context.run_for(std::chrono::milliseconds(150));
  EXPECT_EQ(ups_, 0);
  EXPECT_EQ(port_.connection(), 0u);
  EXPECT_FALSE(port_.send(says("early"))) << "nobody hears it, and that is known";
  node_.begin();
  ASSERT_TRUE(loop_.until([&] { return ups_ == 1; }));
  EXPECT_EQ(port_.connection(), 1u);
  EXPECT_TRUE(port_.send(says("now")));
  ASSERT_TRUE(loop_.until([&] { return node_.heard.size() == 1; }));
  EXPECT_EQ(node_.heard[0], says("now"));
}

TEST_F(node_port, a_lost_connection_is_made_again_and_is_another_one) {
  node_.begin();
  port_.start();
  ASSERT_TRUE(loop_.until([&] { return ups_ == 1 && node_.has_agent(); }));
  node_.cut();
  ASSERT_TRUE(loop_.until([&] { return ups_ == 2 && node_.has_agent(); }));
  EXPECT_EQ(port_.connection(), 2u);
  port_.send(says("again"));
  EXPECT_TRUE(loop_.until([&] { return node_.heard.size() == 1; }));
}

TEST_F(node_port, words_come_in_order_and_damaged_ones_are_left_out) {
  node_.begin();
  port_.start();
  ASSERT_TRUE(loop_.until([&] { return ups_ == 1 && node_.has_agent(); }));
  node_.tell(TaskGone{TaskNumber{1}, "exit 0"});
  node_.tell_nonsense();
  node_.tell(NodeHeartbeat{MasterSeen::Down});
  ASSERT_TRUE(loop_.until([&] { return words_.size() == 2; }));
  EXPECT_EQ(std::get<TaskGone>(words_[0]).reason, "exit 0");
  EXPECT_EQ(std::get<NodeHeartbeat>(words_[1]).master, MasterSeen::Down);
}

/// The agent of a job that is not elastic.
class plain_body : public node_port {
 protected:
  std::size_t introductions() const {
    return static_cast<std::size_t>(std::count_if(
        node_.heard.begin(), node_.heard.end(),
        [](const AgentReport& report) { return std::holds_alternative<AgentUp>(report.fact); }));
  }
  Part here_{loop_, dir_.path(), "a"};
  std::string node_socket_ = here_.settings.node_socket = dir_.path() + "/node";
  PlainBody body_{loop_.context, here_.settings, here_.port, here_.doors, nullptr};
};

TEST_F(plain_body, tells_the_host_its_doors_and_again_to_each_that_comes_back) {
  node_.begin();
  body_.start();
  ASSERT_TRUE(loop_.until([&] { return introductions() == 1; }));
  const auto& up = std::get<AgentUp>(node_.heard[0].fact);
  EXPECT_EQ(up.doors, here_.doors);
  EXPECT_EQ(node_.heard[0].job, (JobId{12, 0}));
  EXPECT_EQ(node_.heard[0].attempt, Attempt{1});
  node_.cut();
  EXPECT_TRUE(loop_.until([&] { return introductions() == 1; }));
  EXPECT_EQ(body_.connection(), 2u);
}

// A task of milliseconds would end before its host knows where its output is.
TEST_F(plain_body, takes_consoles_only_once_the_host_has_heard_of_its_doors) {
  here_.part.console_socket = dir_.path() + "/console";
  node_.begin();
  body_.start();
  ASSERT_TRUE(loop_.until([&] { return introductions() == 1; }));
  loop_.context.run_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(std::filesystem::exists(here_.part.console_socket));
  node_.tell(NodeHeartbeat{});
  EXPECT_TRUE(loop_.until([&] { return std::filesystem::exists(here_.part.console_socket); }));
}

TEST_F(plain_body, passes_on_where_the_jobs_other_hosts_are) {
  node_.begin();
  body_.start();
  ASSERT_TRUE(loop_.until([&] { return introductions() == 1; }));
  Part there(loop_, dir_.path(), "b");
  Caller caller(loop_, here_, shell_line("echo $WM_HOST", "b"));
  AgentOrder order;
  order.agents = {here_.place(), there.place()};
  node_.tell(order);
  ASSERT_TRUE(loop_.until([&] { return caller.is_over(); }));
  EXPECT_EQ(caller.out, "b\n");
}

TEST_F(plain_body, says_which_task_waits_in_vain) {
  node_.begin();
  body_.start();
  ASSERT_TRUE(loop_.until([&] { return introductions() == 1; }));
  body_.report(TaskNumber{2}, "rank 1 has ended");
  ASSERT_TRUE(loop_.until([&] { return node_.heard.size() == 2; }));
  EXPECT_EQ(std::get<TaskFaulty>(node_.heard[1].fact).task, TaskNumber{2});
  EXPECT_EQ(std::get<TaskFaulty>(node_.heard[1].fact).reason, "rank 1 has ended");
}

}  // namespace
}  // namespace wm::wagent
