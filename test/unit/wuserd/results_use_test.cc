// How much a user's results take up: counted behind, kept over restarts, and compared with a limit.
#include "daemons/wuserd/files/results_use.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libwm/base/clock.h"
#include "test/support/folder.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

void fill(const std::string& path, std::size_t bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << std::string(bytes, 'x');
}

ResultsUse counted(const std::string& root) {
  std::atomic<bool> stop{false};
  return count_results(root, stop);
}

TEST(results_use, files_are_counted_once_by_what_they_take_up_and_links_are_not_followed) {
  test::OwnFolder root, other;
  fill(other.path() + "/large", 1 << 20);
  fill(root.path() + "/batchworkdir/7/model/a.pt", 100'000);
  fs::create_hard_link(root.path() + "/batchworkdir/7/model/a.pt", root.path() + "/again");
  fs::create_directory_symlink(other.path(), root.path() + "/away");
  fill(root.path() + "/batchworkdir/8/log/1/stdout", 10);
  auto use = counted(root.path());
  EXPECT_EQ(use.files, 2u);
  EXPECT_GE(use.bytes, 100'000u);
  EXPECT_LT(use.bytes, 500'000u);
  EXPECT_LE(now_s() - use.counted, 5);
  EXPECT_EQ(counted(root.path() + "/none").files, 0u);
}

TEST(results_use, there_is_no_room_at_the_limit_and_little_from_nine_tenths_on) {
  ResultsUse use{0, 1, 1000};
  for (auto [bytes, room] : {std::pair{899u, ResultsRoom::Enough},
                             {900u, ResultsRoom::Scarce},
                             {999u, ResultsRoom::Scarce},
                             {1000u, ResultsRoom::None},
                             {5000u, ResultsRoom::None}}) {
    use.bytes = bytes;
    EXPECT_EQ(room_for(use, Bytes{1000}), room) << bytes;
    EXPECT_EQ(room_for(use, Bytes{0}), ResultsRoom::Enough);
  }
  use.counted = 0;
  EXPECT_EQ(room_for(use, Bytes{1000}), ResultsRoom::Enough) << "never counted";
  use.bytes = 3 << 20;
  auto words = room_words(use, Bytes{2 << 20});
  EXPECT_NE(words.find("3M of the 2M that results_quota"), words.npos) << words;
}

TEST(results_use, a_count_is_kept_and_begins_anew_once_files_were_removed) {
  test::OwnFolder root;
  fill(root.path() + "/a", 5000);
  fill(root.path() + "/b", 5000);
  {
    ResultsCount count(root.path());
    EXPECT_EQ(count.use().counted, 0) << "nobody waits for the first";
    count.wait();
    EXPECT_EQ(count.use().files, 2u);
  }
  ResultsCount count(root.path());
  EXPECT_EQ(count.use().files, 2u) << "known from before";
  EXPECT_FALSE(count.is_counting()) << "and new enough";
  fs::remove(root.path() + "/a");
  count.removed();
  count.use();
  count.wait();
  EXPECT_EQ(count.use().files, 2u) << "b, and the count of before";
  EXPECT_LT(count.use().bytes, 20'000u);
}

TEST(results_use, what_is_kept_may_be_anything) {
  test::OwnFolder root;
  for (const char* text : {"", "x", "[]", "{\"bytes\":-1,\"counted\":99999999999999}"}) {
    std::ofstream(root.path() + "/.used") << text;
    ResultsCount count(root.path());
    EXPECT_EQ(count.use().counted, 0) << text;
  }
}

}  // namespace
}  // namespace wm::user
