// The output of launchers on two hosts of a job: it is in the files of the first, in whole lines,
// before who copies it hears of that; a host or an agent that goes keeps nobody.
#include "daemons/wagent/output/host_output.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <thread>

#include "test/support/folder.h"
#include "test/unit/wagent/launch_rig.h"
#include "test/unit/wagent/pipe.h"

namespace wm::wagent {
namespace {

/// An agent of one host, with what it does for the job's output.
struct OutputPart {
  OutputPart(test::Loop& on, const std::string& folder, std::uint32_t number, OutputSettings how)
      : loop(on), part(on, folder, "h" + std::to_string(number)), settings(part.settings) {
    settings.host = HostId{number};
    how.socket = folder + "/o" + std::to_string(number);
    about = std::move(how);
    output.emplace(loop.context, part.port.doors().transport(), part.port.doors().by_key(),
                   settings, about);
    part.port.pass_rank_links(
        [this](auto link, const auto& first) { output->admit(std::move(link), first); });
    part.port.pass_orders([this](const AgentOrder& order) { output->on_order(order); });
    EXPECT_TRUE(output->start());
  }
  AgentPlace place() const { return {settings.host, part.part.host, part.doors.launch, 1}; }
  void end() {
    output->end([this] { ended = true; });
  }
  test::Loop& loop;
  Part part;
  Settings settings;
  OutputSettings about;
  std::optional<HostOutput> output;
  bool ended = false;
};

/// Who copies a task's output on that host.
struct TestCopier {
  TestCopier(test::Loop& loop, const OutputPart& at, std::uint32_t task) {
    std::atomic<bool> called = false;
    std::thread caller([&] {
      proc::RankStreams to{{}, {}, hold.write.get()};
      EXPECT_TRUE(proc::call_for_rank(at.about.socket, {TaskNumber{task}, 0, true}, to));
      streams = std::move(to);
      called = true;
    });
    EXPECT_TRUE(loop.until([&] { return called.load(); }));
    caller.join();
    hold.write.reset();
  }
  void out(const std::string& text) { write(streams.out, text); }
  void err(const std::string& text) { write(streams.err, text); }
  static void write(const Fd& to, const std::string& text) {
    EXPECT_EQ(::write(to.get(), text.data(), text.size()), std::ssize(text));
  }
  void close() { streams.out.reset(), streams.err.reset(); }
  bool is_written() const {
    pollfd fd{hold.read.get(), POLLIN, 0};
    return ::poll(&fd, 1, 0) == 1 && (fd.revents & POLLHUP) != 0;
  }
  Pipe hold;
  proc::RankStreams streams;
};

class host_output : public testing::Test {
 protected:
  OutputSettings into(const std::string& out, const std::string& err = "") {
    OutputSettings how;
    how.others = 1;
    how.out.path = folder.path() + "/" + out;
    if (!err.empty()) how.err.path = folder.path() + "/" + err;
    return how;
  }
  std::string text(const std::string& name) {
    std::ifstream in(folder.path() + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void order(OutputPart& to, const std::vector<AgentPlace>& places) {
    AgentOrder order;
    order.agents = places;
    to.part.port.on_order(order);
  }
  void meet(OutputPart& first, OutputPart& other) {
    for (auto* part : {&first, &other}) order(*part, {first.place(), other.place()});
  }
  void turn_a_while() {
    for (int i = 0; i < 20; ++i) {
      loop.context.restart();
      while (loop.context.poll() > 0) {
      }
    }
  }

  test::Loop loop;
  test::OwnFolder folder;
};

TEST_F(host_output, lines_of_another_host_are_in_the_files_when_its_copier_hears_of_it) {
  OutputPart first(loop, folder.path(), 1, into("out", "err"));
  OutputPart other(loop, folder.path(), 2, {});
  meet(first, other);
  TestCopier copier(loop, other, 7);
  copier.out("one\ntwo");
  copier.err("oops\n");
  ASSERT_TRUE(loop.until([&] { return text("out") == "one\n" && text("err") == "oops\n"; }));
  EXPECT_FALSE(copier.is_written());
  copier.close();
  ASSERT_TRUE(loop.until([&] { return copier.is_written(); }));
  EXPECT_EQ(text("out"), "one\ntwo\n") << "a line that was only begun";
}

TEST_F(host_output, without_a_file_of_their_own_errors_go_to_the_same) {
  OutputPart first(loop, folder.path(), 1, into("out"));
  OutputPart other(loop, folder.path(), 2, {});
  meet(first, other);
  TestCopier copier(loop, other, 7);
  copier.err("oops\n");
  copier.close();
  ASSERT_TRUE(loop.until([&] { return copier.is_written(); }));
  EXPECT_EQ(text("out"), "oops\n");
}

TEST_F(host_output, what_was_in_the_file_stays) {
  std::ofstream(folder.path() + "/out") << "before\n";
  auto how = into("out");
  how.out.overwrite = true;
  OutputPart first(loop, folder.path(), 1, how);
  OutputPart other(loop, folder.path(), 2, {});
  meet(first, other);
  TestCopier copier(loop, other, 7);
  copier.out("after\n");
  copier.close();
  ASSERT_TRUE(loop.until([&] { return copier.is_written(); }));
  EXPECT_EQ(text("out"), "before\nafter\n");
}

TEST_F(host_output, a_file_that_nobody_asked_for_holds_so_much_and_the_rest_is_no_loss) {
  auto how = into("out");
  how.out.limit_bytes = 8;
  OutputPart first(loop, folder.path(), 1, how);
  OutputPart other(loop, folder.path(), 2, {});
  meet(first, other);
  TestCopier copier(loop, other, 7);
  copier.out("12345\n12345\n");
  copier.close();
  ASSERT_TRUE(loop.until([&] { return copier.is_written(); }));
  EXPECT_EQ(text("out"), "12345\n12");
}

TEST_F(host_output, what_is_said_before_the_first_host_is_known_comes_when_it_is) {
  OutputPart first(loop, folder.path(), 1, into("out"));
  OutputPart other(loop, folder.path(), 2, {});
  TestCopier copier(loop, other, 7);
  copier.out("early\n");
  copier.close();
  turn_a_while();
  EXPECT_EQ(text("out"), "");
  meet(first, other);
  ASSERT_TRUE(loop.until([&] { return copier.is_written(); }));
  EXPECT_EQ(text("out"), "early\n");
}

TEST_F(host_output, a_fast_talker_waits_while_nobody_writes) {
  OutputPart other(loop, folder.path(), 2, {});
  TestCopier copier(loop, other, 7);
  ::fcntl(copier.streams.out.get(), F_SETFL, O_NONBLOCK);
  std::string block(4096, 'x');
  std::size_t taken = 0;
  for (int idle = 0; idle < 20;) {
    auto n = ::write(copier.streams.out.get(), block.data(), block.size());
    if (n > 0) taken += static_cast<std::size_t>(n);
    idle = n > 0 ? 0 : idle + 1;
    turn_a_while();
  }
  constexpr std::size_t kPipe = 64 << 10;
  EXPECT_LE(taken, kLaunchWindow + kPipe);
  EXPECT_GE(taken, kLaunchWindow);
}

TEST_F(host_output, the_first_stays_until_the_others_have_gone) {
  OutputPart first(loop, folder.path(), 1, into("out"));
  auto other = std::make_unique<OutputPart>(loop, folder.path(), 2, OutputSettings{});
  first.end();
  turn_a_while();
  EXPECT_FALSE(first.ended) << "the other has not come yet";
  meet(first, *other);
  TestCopier copier(loop, *other, 7);
  copier.out("late\n");
  ASSERT_TRUE(loop.until([&] { return text("out") == "late\n"; }));
  other->end();
  turn_a_while();
  EXPECT_FALSE(first.ended);
  EXPECT_FALSE(other->ended) << "its task has not ended";
  copier.close();
  ASSERT_TRUE(loop.until([&] { return other->ended; }));
  EXPECT_FALSE(first.ended);
  other.reset();
  EXPECT_TRUE(loop.until([&] { return first.ended; }));
}

TEST_F(host_output, of_a_host_that_is_lost_what_came_stays) {
  OutputPart first(loop, folder.path(), 1, into("out"));
  auto other = std::make_unique<OutputPart>(loop, folder.path(), 2, OutputSettings{});
  meet(first, *other);
  TestCopier copier(loop, *other, 7);
  copier.out("one\ntwo");
  ASSERT_TRUE(loop.until([&] { return text("out") == "one\n"; }));
  first.end();
  other.reset();
  ASSERT_TRUE(loop.until([&] { return first.ended; }));
  EXPECT_EQ(text("out"), "one\ntwo\n");
  EXPECT_TRUE(copier.is_written()) << "nobody is kept waiting";
}

TEST_F(host_output, when_the_first_is_lost_nobody_waits_and_a_new_agent_there_is_found) {
  auto first = std::make_unique<OutputPart>(loop, folder.path(), 1, into("out"));
  OutputPart other(loop, folder.path(), 2, {});
  meet(*first, other);
  TestCopier copier(loop, other, 7);
  copier.out("one\n");
  ASSERT_TRUE(loop.until([&] { return text("out") == "one\n"; }));
  first.reset();
  ASSERT_TRUE(loop.until([&] { return copier.is_written(); }));
  pollfd broken{copier.streams.out.get(), 0, 0};
  EXPECT_TRUE(loop.until([&] { return ::poll(&broken, 1, 0) == 1; })) << "it goes on without us";

  OutputPart again(loop, folder.path(), 1, into("out"));
  meet(again, other);
  TestCopier next(loop, other, 8);
  next.out("two\n");
  next.close();
  ASSERT_TRUE(loop.until([&] { return next.is_written(); }));
  EXPECT_EQ(text("out"), "one\ntwo\n");
}

TEST_F(host_output, of_a_job_that_shares_nothing_an_agent_ends_at_once) {
  Part part(loop, folder.path(), "h1");
  OutputSettings none;
  HostOutput output(loop.context, part.port.doors().transport(), part.port.doors().by_key(),
                    part.settings, none);
  EXPECT_TRUE(output.start());
  bool ended = false;
  output.end([&] { ended = true; });
  EXPECT_TRUE(loop.until([&] { return ended; }));
}

TEST(shared_file, a_fifo_without_a_reader_keeps_nobody_and_is_a_loss) {
  test::OwnFolder folder;
  auto path = folder.path() + "/fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  SharedFile file({.path = path, .name = {}});
  file.write("x\n");
  EXPECT_TRUE(file.has_lost());
}

TEST(shared_file, a_folder_means_a_file_in_it) {
  test::OwnFolder folder;
  SharedFile file({.path = folder.path(), .name = "12.out"});
  file.write("x\n");
  EXPECT_FALSE(file.has_lost());
  std::ifstream in(folder.path() + "/12.out");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "x\n");
}

}  // namespace
}  // namespace wm::wagent
