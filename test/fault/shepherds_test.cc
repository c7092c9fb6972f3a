// wnoded's launcher when the zygote dies, or has no process to give.
#include "daemons/wnoded/rim/shepherds.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "test/support/loop.h"
#include "test/support/zygote.h"

namespace wm::test {
namespace {

namespace fs = std::filesystem;

TEST(shepherds, a_sweep_that_fails_is_begun_again_until_it_is_done) {
  Zygote place;  // its folders
  auto program = place.folder + "/wshepherd";
  fs::create_symlink("/bin/true", program);  // whatever it is asked for, nothing is forked
  Loop loop;
  node::Shepherds shepherds(loop.context, {place.run, place.exits, "test", "", program});
  std::vector<launch::ExitRecord> ends;
  bool lost = false;
  shepherds.listen(
      [&](const auto&, const auto& word) {
        if (auto* end = std::get_if<launch::AttemptEnded>(&word)) ends.push_back(end->record);
      },
      [&](const auto&) { lost = true; });
  ASSERT_TRUE(shepherds.start_zygote());
  const launch::AttemptKey key{{66, 0}, {1}};
  shepherds.sweep({"test", key, {}, std::chrono::seconds(1)});
  EXPECT_TRUE(ends.empty());
  fs::remove(program);
  fs::create_symlink(
      fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "sbin/wshepherd", program);
  ASSERT_TRUE(loop.until([&] { return !ends.empty() || lost; }));
  EXPECT_FALSE(lost);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].key, key);
  EXPECT_EQ(ends[0].cause, launch::EndCause::ShepherdLost);
}

}  // namespace
}  // namespace wm::test
