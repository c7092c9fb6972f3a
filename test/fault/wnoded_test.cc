// A real wnoded with real shepherds against a master that lives in the test: what the master
// hears whatever is killed.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libwm/base/hash.h"
#include "libwm/codec/codec.h"
#include "libwm/launch/launcher.h"
#include "libwm/model/node/node.h"
#include "libwm/proc/tree.h"
#include "libwm/wire/munge.h"
#include "libwm/wire/spec_signature.h"
#include "libwm/wire/transport.h"
#include "test/support/folder.h"
#include "test/support/loop.h"
#include "test/support/private_munged.h"
#include "test/support/zygote.h"

namespace wm::test {
namespace {

namespace fs = std::filesystem;

std::string user_name() {
  auto* name = ::getenv("USER");
  return ::geteuid() == 0 ? "root" : name ? name : "";
}

/// The master of one host: welcomes it, keeps its words, acknowledges when told to.
class FakeMaster {
 public:
  explicit FakeMaster(Loop& loop, const std::string& munge) : loop_(loop), wires_(loop.context) {
    options_.link.session.role = wire::Role::Master;
    options_.link.session.peers = {{wire::Role::Host, static_cast<std::uint32_t>(::geteuid())}};
    options_.link.credentials = wire::munge_credentials(munge);
    listen({"127.0.0.1", 0, {}});
  }
  std::uint16_t port() const { return listener_->endpoint().port; }

  template <class T>
  void send(NodeVerb verb, const T& words) {
    ASSERT_TRUE(link_->send(static_cast<std::uint16_t>(verb), codec::encode(words)));
  }
  bool hears(const std::function<bool()>& what) { return loop_.until(what); }
  bool registered() {
    return hears([this] { return !registrations.empty() && link_; });
  }
  void forget() {
    registrations.clear();
    ended.clear();
    started.clear();
  }

  std::vector<HostRegister> registrations;
  std::vector<FactStarted> started;
  std::vector<FactEnded> ended;
  std::vector<PeekReply> peeks;
  bool acknowledges = true;

 private:
  void listen(const wire::Endpoint& at) {
    auto made = wires_.listen(at, options_, [this](auto link) { take(std::move(link)); });
    ASSERT_TRUE(made) << made.error().text;
    listener_ = *std::move(made);
  }
  void take(std::unique_ptr<wire::Link> link) {
    link_ = std::move(link);
    link_->start([this](wire::Frame frame) { on_frame(frame); },
                 [this](const Error&) { link_.reset(); });
  }
  void on_frame(const wire::Frame& frame) {
    auto verb = static_cast<NodeVerb>(frame.type);
    if (verb == NodeVerb::Register) {
      registrations.push_back(*codec::decode<HostRegister>(frame.payload));
      send(NodeVerb::Welcome, HostWelcome{HostId{1}, "test", {}, {}, {}});
    } else if (verb == NodeVerb::Fact) {
      on_fact(*codec::decode<HostFact>(frame.payload));
    } else if (verb == NodeVerb::PeekReply) {
      peeks.push_back(*codec::decode<PeekReply>(frame.payload));
    }
  }
  void on_fact(const HostFact& fact) {
    if (auto* words = std::get_if<FactStarted>(&fact.fact)) started.push_back(*words);
    if (auto* words = std::get_if<FactEnded>(&fact.fact)) ended.push_back(*words);
    if (acknowledges) send(NodeVerb::Ack, HostAck{fact.number});
  }

  Loop& loop_;
  wire::Transport wires_;
  wire::ListenOptions options_;
  std::unique_ptr<wire::Listener> listener_;
  std::unique_ptr<wire::Link> link_;
};

class wnoded : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!munged_.missing().empty()) GTEST_SKIP() << munged_.missing();
    if (user_name().empty()) GTEST_SKIP() << "no account name";
    folder_ = wm::test::made_folder();
    ::chmod(folder_.c_str(), 0755);
    fs::create_directory(folder_ + "/conf");
    master_ = std::make_unique<FakeMaster>(loop_, munged_.socket());
    std::ofstream(folder_ + "/conf/wm.conf")
        << "[cluster]\ncluster_name = test\n[master]\nmaster_host = 127.0.0.1\nmaster_port = "
        << master_->port() << "\nmaster_user = " << user_name() << "\nhost_user = " << user_name()
        << "\nmunge_socket = " << munged_.socket() << "\n[paths]\nstate_dir = " << folder_
        << "/state\nrun_dir = " << folder_ << "/run\nresults_dir = " << folder_ << "/results\n";
    up();
  }
  void TearDown() override {
    if (folder_.empty()) return;
    down(SIGKILL);
    proc::kill_all([this] { return shepherds(); });
    fs::remove_all(folder_);
  }

  void up() {
    launch();
    ASSERT_TRUE(master_->registered()) << log_text();
  }
  void launch() {
    auto program = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "sbin/wnoded";
    auto conf = folder_ + "/conf", log = folder_ + "/log";
    pid_ = ::fork();
    if (pid_ == 0) {
      ::freopen(log.c_str(), "a", stderr);
      ::setenv("WM_TEST_FOLDER", folder_.c_str(), 1);
      ::execl(program.c_str(), "wnoded", "--conf", conf.c_str(), "--name", "n1", "--address",
              "127.0.0.1", "--foreground", nullptr);
      ::_exit(99);
    }
  }
  void down(int signal) {
    if (pid_ <= 0) return;
    ::kill(pid_, signal);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  std::string log_text() const {
    std::ifstream file(folder_ + "/log");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Shepherds of this test's host and everything below them.
  std::vector<pid_t> shepherds() const {
    std::vector<pid_t> pids;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      auto pid = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
      if (pid <= 0 || proc::variable_of(pid, "WM_TEST_FOLDER") != folder_) continue;
      pids.push_back(pid);
      for (auto below : proc::descendants_of(pid, {})) pids.push_back(below);
    }
    return pids;
  }

  HostOrder shell_order(std::uint32_t job, const std::string& command) {
    HostOrder order;
    order.job = {job, 0};
    order.attempt = {1};
    order.generation = 1;
    auto& spec = order.resolved;
    spec.app = "batch";  // as the master fills in
    spec.queue = "normal";
    spec.owner = {static_cast<std::uint32_t>(::geteuid()), static_cast<std::uint32_t>(::getegid()),
                  user_name()};
    spec.program.command = command;
    spec.program.cwd = folder_;
    order.blobs.env = std::string("PATH=/usr/bin:/bin\0", 19);
    spec.program.env_hash = hash_of(order.blobs.env);
    order.sealed.request_key = std::string(16, 'k');
    order.sealed.spec = codec::encode(spec);
    order.sealed.credential = *wire::sign_spec(*wire::munge_credentials(munged_.socket()),
                                               order.sealed.spec, order.sealed.request_key);
    order.app.kill_grace = std::chrono::milliseconds(200);
    OrderedTask task;
    task.task = {1};
    order.tasks = {task};
    order.all = {{{1}, "n1", "127.0.0.1"}};
    order.first_host = true;
    return order;
  }
  void run(const HostOrder& order) {
    master_->send(NodeVerb::Order, order);
    ASSERT_TRUE(master_->hears([&] { return !master_->started.empty(); })) << log_text();
  }
  FactEnded end() {
    EXPECT_TRUE(master_->hears([&] { return !master_->ended.empty(); })) << log_text();
    return master_->ended.empty() ? FactEnded{} : master_->ended[0];
  }
  bool exists(const std::string& name) const { return fs::exists(folder_ + "/" + name); }
  void touch(const std::string& name) const { std::ofstream(folder_ + "/" + name) << ""; }

  PrivateMunged munged_;
  Loop loop_;
  std::string folder_;
  std::unique_ptr<FakeMaster> master_;
  pid_t pid_ = 0;
};

TEST_F(wnoded, registers_with_what_the_host_has_and_runs_a_job) {
  const auto& words = master_->registrations[0];
  EXPECT_EQ(words.name, "n1");
  EXPECT_EQ(words.address, "127.0.0.1");
  EXPECT_GE(words.capacity.slots, 1u);
  EXPECT_FALSE(words.boot.empty());
  run(shell_order(1, "exit 4"));
  EXPECT_EQ(end().status, 4 << 8);
  EXPECT_EQ(end().term, Term::None);
}

TEST_F(wnoded, refuses_what_its_owner_did_not_sign) {
  auto order = shell_order(2, "true");
  order.resolved.program.command = "touch stolen";
  master_->send(NodeVerb::Order, order);
  auto fact = end();
  EXPECT_EQ(fact.term, Term::Denied);
  EXPECT_NE(fact.text.find("differs from what its owner signed"), std::string::npos) << fact.text;
  EXPECT_FALSE(exists("stolen"));
}

// Without exec a shell forks; between its fork and its child's exec dash loses a SIGINT.
TEST_F(wnoded, ends_a_job_as_ordered) {
  auto order = shell_order(3, "exec sleep 1000");
  order.app.kill_grace = std::chrono::seconds(30);  // a busy machine is slow to die of the first
  run(order);
  order.generation = 2;
  order.control.end = true;
  order.control.end_term = Term::Owner;
  master_->send(NodeVerb::Order, order);
  EXPECT_EQ(end().status, SIGINT);
  EXPECT_EQ(end().term, Term::Owner);
}

TEST_F(wnoded, shows_output_while_the_job_runs) {
  run(shell_order(4, "echo hello; touch said; while ! [ -e go ]; do sleep 0.01; done"));
  ASSERT_TRUE(eventually([&] { return exists("said"); }));
  PeekReply reply;
  ASSERT_TRUE(eventually([&] {
    auto before = master_->peeks.size();
    master_->send(NodeVerb::Peek, PeekRequest{7, {4, 0}, {1}, {1}, 1, 1, 100});
    if (!master_->hears([&] { return master_->peeks.size() > before; })) return false;
    reply = master_->peeks.back();
    return !reply.bytes.empty();
  }));
  EXPECT_EQ(reply, (PeekReply{7, "ello\n", ""}));
  touch("go");
  EXPECT_EQ(end().status, 0);
}

TEST_F(wnoded, its_death_leaves_jobs_running_and_its_restart_finds_them) {
  run(shell_order(5, "while ! [ -e go ]; do sleep 0.01; done; exit 9"));
  auto pid = master_->started[0].pid;
  down(SIGKILL);
  EXPECT_EQ(::kill(pid, 0), 0) << "the task runs on";
  master_->forget();
  up();
  const auto& words = master_->registrations[0];
  ASSERT_EQ(words.attempts.size(), 1u);
  EXPECT_EQ(words.attempts[0].tasks, (std::vector<TaskStatus>{{{1}, pid}}));
  touch("go");
  EXPECT_EQ(end().status, 9 << 8);
}

TEST_F(wnoded, a_shepherd_that_is_slow_to_answer_is_waited_for) {
  run(shell_order(11, "while ! [ -e go ]; do sleep 0.01; done; exit 9"));
  proc::ProcessStat stat;
  ASSERT_TRUE(proc::read_stat(master_->started[0].pid, stat));
  down(SIGKILL);
  master_->forget();
  ::kill(stat.parent, SIGSTOP);
  launch();
  ::poll(nullptr, 0, 3000);  // longer than a healthy one ever takes
  ::kill(stat.parent, SIGCONT);
  ASSERT_TRUE(master_->registered()) << log_text();
  ASSERT_EQ(master_->registrations[0].attempts.size(), 1u) << log_text();
  touch("go");
  EXPECT_EQ(end().status, 9 << 8);
}

TEST_F(wnoded, an_end_while_it_was_dead_is_told_after_its_restart) {
  run(shell_order(6, "while ! [ -e go ]; do sleep 0.01; done; exit 8"));
  down(SIGKILL);
  master_->forget();
  touch("go");
  ASSERT_TRUE(eventually([&] { return shepherds().empty(); }));
  up();
  EXPECT_EQ(end().status, 8 << 8);
}

TEST_F(wnoded, says_an_end_until_it_is_acknowledged) {
  master_->acknowledges = false;
  run(shell_order(7, "exit 3"));
  EXPECT_EQ(end().status, 3 << 8);
  master_->forget();
  master_->acknowledges = true;
  down(SIGTERM);
  up();
  EXPECT_EQ(end().status, 3 << 8);
}

TEST_F(wnoded, a_killed_shepherd_ends_the_job_with_that_reason) {
  run(shell_order(8, "setsid sleep 1000 & sleep 1000"));
  proc::ProcessStat stat;
  ASSERT_TRUE(proc::read_stat(master_->started[0].pid, stat));
  ::kill(stat.parent, SIGKILL);
  EXPECT_EQ(end().term, Term::ShepherdLost);
  EXPECT_TRUE(proc::marked("test:8.1", {}).empty());
}

TEST_F(wnoded, a_shepherd_killed_while_wnoded_was_dead_is_cleaned_up_before_registering) {
  run(shell_order(9, "setsid sleep 1000 & sleep 1000"));
  proc::ProcessStat stat;
  ASSERT_TRUE(proc::read_stat(master_->started[0].pid, stat));
  down(SIGKILL);
  ::kill(stat.parent, SIGKILL);
  master_->forget();
  up();
  EXPECT_TRUE(master_->registrations[0].attempts.empty());
  EXPECT_TRUE(proc::marked("test:9.1", {}).empty());
}

TEST_F(wnoded, what_the_master_forgot_is_ended) {
  run(shell_order(10, "sleep 1000"));
  auto pid = master_->started[0].pid;
  master_->send(NodeVerb::Forget, HostForget{{10, 0}, {1}});
  EXPECT_TRUE(master_->hears([&] { return ::kill(pid, 0) != 0; }));
  EXPECT_TRUE(master_->ended.empty());
}

}  // namespace
}  // namespace wm::test
