#include "libwm/submit/pack.h"

#include <gtest/gtest.h>

namespace wm::cmd {
namespace {

TEST(pack_lines, each_line_is_a_job_or_has_its_own_error) {
  Surroundings here;
  here.cwd = "/srv";
  auto lines = pack_lines(
      "-J one -n 2 sleep 1\n# a comment\n\n -q \"night\" -o 'a b.txt' sh -c 'echo x'\n"
      "-nonsense sleep 1\n-K sleep 1\n-J nothing\n'open\nsleep 2",
      here);
  ASSERT_EQ(lines.size(), 7u);
  ASSERT_TRUE(lines[0].job);
  EXPECT_EQ(lines[0].job->spec.name, "one");
  EXPECT_EQ(lines[0].job->spec.program.command, "sleep 1");
  EXPECT_EQ(lines[1].number, 4);
  ASSERT_TRUE(lines[1].job);
  EXPECT_EQ(lines[1].job->spec.queue, "night");
  EXPECT_EQ(lines[1].job->spec.files.out, "a b.txt");
  for (std::size_t bad : {2u, 3u, 4u, 5u}) EXPECT_FALSE(lines[bad].job) << bad;
  EXPECT_EQ(lines[3].job.error().text, "-K does not go with -pack");
  ASSERT_TRUE(lines[6].job);
}

TEST(pack_lines, the_filter_sees_and_changes_every_line) {
  int seen = 0;
  auto lines =
      pack_lines("sleep 1\n-q day sleep 2\n", {}, [&](const std::string&, Parsed& options) {
        ++seen;
        if (options.has("q")) return Result<void>(fail(Code::Denied, "no"));
        options.options["q"] = {"night"};
        return Result<void>();
      });
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(lines[0].job->spec.queue, "night");
  EXPECT_FALSE(lines[1].job);
}

}  // namespace
}  // namespace wm::cmd
