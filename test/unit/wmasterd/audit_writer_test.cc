// Acts of administrators are written off the loop, and no answer goes out before.
#include "daemons/wmasterd/rim/audit_writer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "libwm/base/log.h"
#include "test/support/folder.h"

namespace wm::master {
namespace {

/// A loop that takes a turn when the test says so.
struct Turns {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> posted;
  AuditWriter::Post post() {
    return [this](std::function<void()> act) {
      std::lock_guard lock(mutex);
      posted.push_back(std::move(act));
      changed.notify_all();
    };
  }
  void run_one() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !posted.empty(); });
    auto act = std::move(posted.front());
    posted.pop_front();
    lock.unlock();
    act();
  }
};

struct Sent final : Peers {
  std::vector<std::string> frames;
  void send(PeerId, std::uint16_t, std::string payload) override { frames.push_back(payload); }
  std::size_t unsent(PeerId) override { return 10; }
  void close(PeerId) override { frames.emplace_back("closed"); }
};

struct AuditDesk {
  AuditDesk() {
    static const bool quiet = (log::open("audit", "", log::Level::Error), true);
    static_cast<void>(quiet);
  }
  ~AuditDesk() {
    audit.reset();
    std::filesystem::remove_all(folder);
  }
  static AuditEntry act(const std::string& what) {
    AuditEntry entry;
    entry.by = "ann", entry.act = what;
    return entry;
  }
  std::string folder = test::made_folder();
  Turns loop;
  std::unique_ptr<AuditWriter> audit = *AuditWriter::open(folder, loop.post());
  Sent sent;
  GatedPeers gate{sent, *audit};
};

TEST(audit_writer, an_answer_waits_for_the_acts_before_it_and_for_no_other) {
  AuditDesk desk;
  desk.gate.send(PeerId{1}, 1, "free");
  EXPECT_EQ(desk.sent.frames, std::vector<std::string>{"free"});
  desk.audit->keep(AuditDesk::act("hclose"));
  desk.gate.send(PeerId{1}, 1, "done");
  desk.gate.close(PeerId{1});
  EXPECT_EQ(desk.sent.frames.size(), 1u);
  EXPECT_EQ(desk.gate.unsent(PeerId{1}), 14u) << "what is held back, too";
  EXPECT_EQ(desk.gate.unsent(PeerId{2}), 10u);
  desk.loop.run_one();
  EXPECT_EQ(desk.sent.frames, (std::vector<std::string>{"free", "done", "closed"}));
  EXPECT_EQ(desk.audit->reply({})->checked, 1u) << "on disk before it was told";
  desk.gate.send(PeerId{1}, 1, "after");
  EXPECT_EQ(desk.sent.frames.back(), "after");
}

TEST(audit_writer, an_act_that_cannot_be_written_is_kept_and_answers_go_on) {
  AuditDesk desk;
  std::filesystem::create_directory(desk.folder + "/aside");
  std::filesystem::rename(desk.folder + "/audit.log", desk.folder + "/aside/audit.log");
  std::filesystem::create_directory(desk.folder + "/audit.log");  // nobody can write that
  desk.audit->keep(AuditDesk::act("hclose"));
  desk.gate.send(PeerId{1}, 1, "done");
  desk.loop.run_one();
  EXPECT_EQ(desk.sent.frames, std::vector<std::string>{"done"});
  EXPECT_EQ(desk.audit->waiting(), 1u);
  std::filesystem::remove(desk.folder + "/audit.log");
  desk.audit->keep(AuditDesk::act("hopen"));
  while (desk.audit->waiting() > 0) desk.loop.run_one();
  EXPECT_EQ(desk.audit->reply({})->checked, 2u);
}

}  // namespace
}  // namespace wm::master
