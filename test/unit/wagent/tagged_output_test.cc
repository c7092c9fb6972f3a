// The output of ranks of two hosts, and when a rank's task may end.
#include "daemons/wagent/ranks/tagged_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "test/unit/wagent/pipe.h"

namespace wm::wagent {
namespace {

bool is_closed(const Fd& read_end) {
  pollfd fd{read_end.get(), POLLIN, 0};
  return ::poll(&fd, 1, 0) == 1 && (fd.revents & POLLHUP) != 0;
}

std::string content(const Fd& read_end) {
  char text[256];
  pollfd fd{read_end.get(), POLLIN, 0};
  if (::poll(&fd, 1, 0) != 1) return "";
  auto n = ::read(read_end.get(), text, sizeof text);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

// The first host's agent has `lines`; what two agents say to each other waits until it is heard.
class tagged_output : public testing::Test {
 protected:
  void serve(TaggedOutput& agent, std::uint32_t rank) {
    ::fcntl(out.read.get(), F_SETFL, O_NONBLOCK);
    agent.serve(rank, {false, {}, std::move(out.read), std::move(err.read)}, std::move(hold.write));
  }
  void write(const std::string& text) {
    EXPECT_EQ(::write(out.write.get(), text.data(), text.size()), std::ssize(text));
  }
  void end() { out.write.reset(), err.write.reset(); }
  void run() {
    loop.restart();
    while (loop.poll() > 0) {
    }
  }
  template <class Words>
  void hear(TaggedOutput& agent, const RankWords& words) {
    agent.on(std::get<Words>(words));
    run();
  }

  boost::asio::io_context loop;
  Pipe out, err, hold, lines;
  std::vector<RankWords> to_first, to_rank;
  TaggedOutput first{loop,
                     lines.write.release(),
                     -1,
                     {[](const RankWords&) { FAIL(); },
                      [this](std::uint32_t, const RankWords& words) { to_rank.push_back(words); }}};
  TaggedOutput other{loop,
                     -1,
                     -1,
                     {[this](const RankWords& words) { to_first.push_back(words); },
                      [](std::uint32_t, const RankWords&) { FAIL(); }}};
};

TEST_F(tagged_output, another_hosts_rank_has_not_ended_before_its_last_line_is_written) {
  serve(other, 2);
  write("no end");
  end();
  run();
  ASSERT_EQ(to_first.size(), 2u);
  hear<RankOutput>(first, to_first[0]);
  ASSERT_EQ(to_rank.size(), 1u);
  hear<RankTaken>(other, to_rank[0]);
  EXPECT_EQ(content(lines.read), "");  // of a line that may yet become longer
  EXPECT_FALSE(is_closed(hold.read));

  hear<RankSilent>(first, to_first[1]);
  EXPECT_EQ(content(lines.read), "[2] no end\n");
  ASSERT_EQ(to_rank.size(), 3u);
  hear<RankTaken>(other, to_rank[1]);
  EXPECT_FALSE(is_closed(hold.read));
  hear<RankTaken>(other, to_rank[2]);
  EXPECT_TRUE(is_closed(hold.read));
}

TEST_F(tagged_output, a_rank_of_the_first_host_has_ended_when_its_lines_are_written) {
  serve(first, 0);
  write("one\ntwo");
  run();
  EXPECT_EQ(content(lines.read), "[0] one\n");
  EXPECT_FALSE(is_closed(hold.read));
  end();
  run();
  EXPECT_EQ(content(lines.read), "[0] two\n");
  EXPECT_TRUE(is_closed(hold.read));
}

TEST_F(tagged_output, a_rank_that_was_cut_off_from_the_first_host_waits_for_nothing) {
  serve(other, 2);
  write("lost\n");
  run();
  EXPECT_FALSE(is_closed(hold.read));
  other.cut_off();
  EXPECT_TRUE(is_closed(hold.read));
}

TEST_F(tagged_output, a_host_that_is_lost_hears_nothing_and_keeps_nobody) {
  bool idle = false;
  first.end({2, 3}, [&] { idle = true; });
  first.lose(2, 2);
  run();
  EXPECT_TRUE(to_rank.empty());
  EXPECT_TRUE(idle);
}

}  // namespace
}  // namespace wm::wagent
