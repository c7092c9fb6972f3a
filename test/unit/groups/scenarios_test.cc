// The C++ engine's side of membership held to test/scenarios/membership, as the Python one is by
// test/unit/trainer/scenarios_test.py. The agent's end of the link and the communicator are played
// by the scenario.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "libwm/codec/codec.h"
#include "libwm/frames/cutter.h"
#include "libwm/model/elastic.h"
#include "libwm/model/node/worker_key.h"
#include "libwm/trainer/groups/membership.h"
#include "test/support/folder.h"

namespace wm::groups {
namespace {

using namespace std::chrono_literals;
constexpr auto kLongestWait = 20s;

/// Groups stand when the scenario says so.
class Wire : public Backend {
 public:
  std::string rendezvous() const override { return "a:1"; }
  void use_key(const std::string&) override {}
  std::shared_ptr<Group> connect(const Plan& plan, const std::atomic<bool>& cancelled,
                                 std::string& why) override;

  /// Changes something; who waits looks again.
  template <class Change>
  void change(Change change) {
    std::lock_guard hold(lock_);
    change(*this);
    changed_.notify_all();
  }
  bool holds(const std::set<std::uint32_t>& set, std::uint32_t epoch) {
    std::lock_guard hold(lock_);
    return set.contains(epoch);
  }
  std::set<std::uint32_t> stands, fails, alive, given_up;

 private:
  std::mutex lock_;
  std::condition_variable changed_;
};

/// One that stands, till it is closed in any way.
class Standing final : public Group {
 public:
  Standing(Plan plan, Wire& wire) : Group(std::move(plan)), wire_(wire) {}
  ~Standing() override { close(); }
  bool sum(std::span<double>) override { return !dead_; }
  bool send(std::span<const char>, int) override { return !dead_; }
  bool receive(std::span<char>, int) override { return !dead_; }
  void abort() override { close(); }
  bool dead() const override { return dead_; }
  void leave() override { close(); }

 private:
  void close() {
    dead_ = true;
    wire_.change([this](Wire& wire) { wire.alive.erase(plan.epoch); });
  }
  Wire& wire_;
  std::atomic<bool> dead_{false};
};

std::shared_ptr<Group> Wire::connect(const Plan& plan, const std::atomic<bool>& cancelled,
                                     std::string& why) {
  std::unique_lock hold(lock_);
  while (!stands.contains(plan.epoch) && !fails.contains(plan.epoch)) {
    if (cancelled) {
      given_up.insert(plan.epoch);
      return nullptr;
    }
    changed_.wait_for(hold, 10ms);
  }
  why = "no route";
  if (fails.contains(plan.epoch)) return nullptr;
  alive.insert(plan.epoch);
  return std::make_shared<Standing>(plan, *this);
}

/// The agent's end of the link: says what it is told to, notes what it hears.
class AgentEnd {
 public:
  explicit AgentEnd(const std::string& path) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
  }
  ~AgentEnd() {
    if (reader_.joinable()) reader_.join();
    ::close(fd_);
    ::close(listener_);
  }
  void accept() {
    fd_ = ::accept(listener_, nullptr, nullptr);
    reader_ = std::thread([this] { read(); });
    tell(codec::encode(WorkerKey{std::string(32, 'k')}));
  }
  void tell(const std::string& bytes) {
    std::string frame;
    frames::append_frame(frame, bytes);
    EXPECT_EQ(::send(fd_, frame.data(), frame.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(frame.size()));
  }
  std::vector<std::string> said() {
    std::lock_guard hold(lock_);
    return said_;
  }

 private:
  void read() {
    frames::Cutter cutter(frames::kLongest);
    char part[4096];
    for (ssize_t n = 0; (n = ::recv(fd_, part, sizeof part, 0)) > 0;) {
      cutter.add({part, static_cast<std::size_t>(n)});
      for (auto piece = cutter.next(); piece && *piece; piece = cutter.next())
        if (auto words = codec::decode<FromWorker>((*piece)->payload)) note(*words);
    }
  }
  void note(const FromWorker& words) {
    std::lock_guard hold(lock_);
    if (const auto* c = std::get_if<WorkerConnected>(&words))
      said_.push_back("connected " + std::to_string(c->epoch.value));
    if (const auto* f = std::get_if<WorkerConnectFailed>(&words))
      said_.push_back("failed " + std::to_string(f->epoch.value));
  }

  int listener_ = -1, fd_ = -1;
  std::thread reader_;
  std::mutex lock_;
  std::vector<std::string> said_;
};

std::uint32_t number(const std::string& word) {
  return static_cast<std::uint32_t>(std::atoi(word.c_str()));
}

/// One scenario on one Membership.
class Player {
 public:
  explicit Player(const std::string& socket) : agent_(socket), wire_(std::make_shared<Wire>()) {
    EXPECT_EQ(wm_trainer_open(socket.c_str(), 1, 0, &link_), 0);
    agent_.accept();
    members_ = std::make_unique<Membership>(link_, 1, wire_);
  }
  ~Player() {
    current_ = replaced_ = nullptr;
    members_.reset();
    wm_trainer_close(link_);
  }
  /// A line of the scenario, in words.
  void play(const std::vector<std::string>& words) {
    if (tells(words) || acts(words) || waits(words)) return;
    FAIL() << "no such step";
  }
  void end() {
    until([this] { return agent_.said().size() >= wanted_.size(); });
    current_ = replaced_ = nullptr;
    members_.reset();
    EXPECT_EQ(agent_.said(), wanted_);
  }

 private:
  bool tells(const std::vector<std::string>& words);
  bool acts(const std::vector<std::string>& words);
  bool waits(const std::vector<std::string>& words);
  void enter(std::uint32_t epoch);
  void left();
  void take(std::uint32_t epoch, bool none);
  void plan(std::uint32_t epoch, const std::string& tasks);
  template <class Check>
  void until(Check check) {
    auto over = std::chrono::steady_clock::now() + kLongestWait;
    bool is = check();
    for (; !is && std::chrono::steady_clock::now() < over; is = check())
      std::this_thread::sleep_for(2ms);
    EXPECT_TRUE(is);
  }

  AgentEnd agent_;
  std::shared_ptr<Wire> wire_;
  wm_trainer* link_ = nullptr;
  std::unique_ptr<Membership> members_;
  std::shared_ptr<Group> current_, replaced_;
  std::set<std::uint32_t> told_;
  std::vector<std::string> wanted_;
};

void Player::plan(std::uint32_t epoch, const std::string& tasks) {
  EpochPlan plan{EpochNumber{epoch}, LeadNumber{1}, {}, "a:1", false, "", 0};
  std::stringstream list(tasks);
  for (std::string task; std::getline(list, task, ',');)
    plan.members.push_back(TaskNumber{number(task)});
  agent_.tell(codec::encode(ToWorker{plan}));
}

bool Player::tells(const std::vector<std::string>& words) {
  auto tell = [this](const ToWorker& said) { agent_.tell(codec::encode(said)); };
  const auto& verb = words[0];
  if (verb == "plan") plan(number(words[1]), words[2]);
  else if (verb == "withdrawn") tell(EpochWithdrawn{EpochNumber{number(words[1])}, ""});
  else if (verb == "broken") tell(EpochBroken{EpochNumber{number(words[1])}, ""});
  else if (verb == "stand") tell(WorkerStand{words[1] == "on"});
  else if (verb == "leave") tell(WorkerLeave{});
  else if (verb == "checkpoint") tell(WorkerCheckpoint{});
  else return false;
  return true;
}

void Player::enter(std::uint32_t epoch) {
  current_ = nullptr;
  until([this] {
    auto heard = members_->next(100ms);
    if (heard.broken != 0) told_.insert(heard.broken);
    current_ = heard.group;
    return current_ != nullptr;
  });
  ASSERT_TRUE(current_);
  EXPECT_EQ(current_->plan.epoch, epoch);
}

void Player::left() {
  until([this] {
    auto heard = members_->next(100ms);
    if (heard.broken != 0) told_.insert(heard.broken);
    return heard.left;
  });
}

void Player::take(std::uint32_t epoch, bool none) {
  auto taken = members_->take(epoch);
  EXPECT_EQ(!taken, none);
  if (!taken) return;
  replaced_ = std::exchange(current_, taken->group);
}

bool Player::acts(const std::vector<std::string>& words) {
  const auto& verb = words[0];
  auto epoch = words.size() > 1 ? number(words[1]) : 0;
  if (verb == "connects") wire_->change([&](Wire& wire) { wire.stands.insert(epoch); });
  else if (verb == "enter") enter(epoch);
  else if (verb == "joined") current_->joined = true;
  else if (verb == "left") left();
  else if (verb == "take") take(epoch, words.size() > 2);
  else if (verb == "drop") members_->drop_withdrawn();
  else if (verb == "forget") members_->forget_current();
  else if (verb == "retire") members_->retire(std::exchange(replaced_, nullptr));
  else if (verb == "said") wanted_.push_back(words[1] + " " + words[2]);
  else return false;
  return true;
}

bool Player::waits(const std::vector<std::string>& words) {
  const auto& verb = words[0];
  auto epoch = words.size() > 1 ? number(words[1]) : 0;
  auto on = words.size() > 1 && words[1] == "on";
  if (verb == "fails") {
    wire_->change([&](Wire& wire) { wire.fails.insert(epoch); });
    until([&] { return !agent_.said().empty() && agent_.said().back().starts_with("failed"); });
  } else if (verb == "ready") {
    until([&] { return members_->ready_epoch() == epoch; });
  } else if (verb == "stands") {
    until([&] { return members_->stands(50ms) == on; });
  } else if (verb == "wanted") {
    until([&] { return members_->checkpoint_wanted(); });
  } else if (verb == "alive") {
    EXPECT_TRUE(wire_->holds(wire_->alive, epoch));
  } else if (verb == "gone") {
    until([&] { return !wire_->holds(wire_->alive, epoch); });
  } else if (verb == "given_up") {
    until([&] { return wire_->holds(wire_->given_up, epoch); });
  } else if (verb == "told") {
    EXPECT_TRUE(told_.contains(epoch));
  } else {
    return false;
  }
  return true;
}

std::vector<std::filesystem::path> scenarios() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("test/scenarios/membership"))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class scenarios_of_membership : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(scenarios_of_membership, goes_as_written) {
  wm::test::OwnFolder folder;
  auto socket = folder.path() + "/socket";
  Player player(socket);
  std::ifstream file(GetParam());
  for (std::string line; std::getline(file, line);) {
    std::stringstream text(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    SCOPED_TRACE(line);
    if (!words.empty()) player.play(words);
    if (HasFailure()) return;
  }
  player.end();
}

INSTANTIATE_TEST_SUITE_P(all, scenarios_of_membership, testing::ValuesIn(scenarios()),
                         [](const auto& test) { return test.param.stem().string(); });

}  // namespace
}  // namespace wm::groups
