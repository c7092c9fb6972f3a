#include "libwm/store/sqlite/reserve.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"

namespace wm::store {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() { path = wm::test::made_folder(); }
  ~Folder() { fs::remove_all(path); }
  std::string file() const { return path + "/store_reserve"; }
  std::int64_t free() const {
    struct statvfs at {};
    return ::statvfs(path.c_str(), &at) == 0 ? static_cast<std::int64_t>(at.f_bavail * at.f_frsize)
                                             : 0;
  }
  std::string path;
};

TEST(reserve, it_is_made_of_its_size_and_given_back_once) {
  Folder folder;
  Reserve reserve(folder.file(), Bytes{1 << 20});
  EXPECT_TRUE(*reserve.make(true));
  EXPECT_EQ(fs::file_size(folder.file()), 1U << 20);
  EXPECT_TRUE(reserve.release());
  EXPECT_FALSE(reserve.release());
}

TEST(reserve, it_is_not_made_where_as_much_again_would_not_be_free) {
  Folder folder;
  Reserve reserve(folder.file(), Bytes{folder.free() / 4 * 3});
  EXPECT_FALSE(*reserve.make(true));
  EXPECT_FALSE(fs::exists(folder.file()));
}

TEST(reserve, one_that_is_there_is_kept_however_little_is_free) {
  Folder folder;
  auto size = folder.free() / 4 * 3;
  std::ofstream(folder.file()).close();
  ASSERT_EQ(::truncate(folder.file().c_str(), size), 0);
  Reserve reserve(folder.file(), Bytes{size});
  EXPECT_TRUE(*reserve.make(true));
  EXPECT_TRUE(fs::exists(folder.file()));
}

}  // namespace
}  // namespace wm::store
