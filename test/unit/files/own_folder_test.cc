// Folders of one account's: what another account may have planted or may change is refused, and
// what is below them is reached without following links.
#include "libwm/files/own_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"

namespace wm {
namespace {

namespace fs = std::filesystem;

class own_folder : public ::testing::Test {
 protected:
  own_folder() {
    root_ = fs::canonical(test::made_folder());
    ::chmod(root_.c_str(), 01777);
  }
  ~own_folder() override { fs::remove_all(root_); }

  Result<OwnFolder> make() const {
    return OwnFolder::make(root_, root_ + "/ann/batchworkdir/12/log/1", ::geteuid());
  }
  std::string why() const {
    auto made = make();
    return made ? "" : made.error().text;
  }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Result<OwnFolder> ann(uid_t owner = ::geteuid()) const {
    return OwnFolder::open(root_ + "/ann", owner);
  }
  std::string root_;
};

TEST_F(own_folder, is_made_so_that_nobody_else_writes_there) {
  auto before = ::umask(0);
  EXPECT_EQ(why(), "");
  EXPECT_EQ(why(), "") << "again";
  ::umask(before);
  struct stat is {};
  ASSERT_EQ(::stat((root_ + "/ann/batchworkdir/12/log/1").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777, 0755u);
  ASSERT_EQ(::stat((root_ + "/ann").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777, 0700u) << "what is in it is nobody else's to read";
}

TEST_F(own_folder, those_who_are_let_read_may_and_nobody_else) {
  ASSERT_TRUE(make());
  auto folder = ann().value().sub("shared", true).value();
  auto mode = [&] {
    struct stat is {};
    ::fstat(folder.fd(), &is);
    return is.st_mode & 0777;
  };
  auto size = [&] { return ::fgetxattr(folder.fd(), "system.posix_acl_access", nullptr, 0); };
  auto let = folder.let_read({1001, 1000, 1001}, {50});
  if (!let && let.error().text.find("not supported") != std::string::npos) GTEST_SKIP();
  ASSERT_TRUE(let) << let.error().text;
  EXPECT_EQ(mode(), 0750u) << "the mask; the group itself has nothing";
  EXPECT_EQ(size(), 4 + 8 * 7);
  ASSERT_TRUE(OwnFolder::open(folder.path(), ::geteuid())) << "others may not write";
  ASSERT_TRUE(folder.let_read({}, {}));
  EXPECT_EQ(mode(), 0700u);
}

TEST_F(own_folder, what_is_open_lies_in_a_folder_of_roots_own) {
  if (::geteuid() != 0) GTEST_SKIP() << "root gives folders";
  ::chmod(root_.c_str(), 0755);
  auto before = ::umask(077);
  auto given = OwnFolder::give_open(root_, "ann", 1001);
  ::umask(before);
  ASSERT_TRUE(given) << given.error().text;
  struct stat is {};
  ASSERT_EQ(::stat((root_ + "/.projects").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777, 0755u);
  ASSERT_EQ(::stat((root_ + "/.projects/ann").c_str(), &is), 0);
  EXPECT_EQ(is.st_uid, 1001u);
  EXPECT_TRUE(OwnFolder::give_open(root_, "ann", 1001)) << "again";
  EXPECT_EQ(OwnFolder::give_open(root_, "ann", 1002).error().code, Code::Denied);
}

TEST_F(own_folder, a_link_in_the_way_is_refused) {
  fs::create_directory(root_ + "/mallory");
  fs::create_directory_symlink(root_ + "/mallory", root_ + "/ann");
  EXPECT_EQ(why(), "folder " + root_ + "/ann is a link or a file: remove it");
  EXPECT_EQ(ann().error().code, Code::Denied);
  EXPECT_TRUE(fs::is_empty(root_ + "/mallory"));
}

TEST_F(own_folder, one_that_others_may_write_is_refused_also_deep_down) {
  fs::create_directories(root_ + "/ann/batchworkdir/12");
  ::chmod((root_ + "/ann/batchworkdir/12").c_str(), 0777);
  EXPECT_EQ(make().error().code, Code::Denied);
  ::chmod((root_ + "/ann/batchworkdir/12").c_str(), 0775);
  EXPECT_EQ(make().error().code, Code::Denied) << "or by a group";
  ::chmod((root_ + "/ann/batchworkdir/12").c_str(), 0755);
  EXPECT_EQ(why(), "");
}

TEST_F(own_folder, somebody_elses_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  fs::create_directory(root_ + "/ann");
  ASSERT_EQ(::chown((root_ + "/ann").c_str(), 65534, 65534), 0);
  EXPECT_NE(why().find("belongs to uid 65534"), std::string::npos) << why();
  EXPECT_EQ(ann(0).error().code, Code::Denied);
  EXPECT_TRUE(ann(65534)) << "its owner may have it";
}

TEST_F(own_folder, below_a_folder_that_another_account_can_change_nothing_is_ones_own) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  fs::create_directories(root_ + "/shared/ann");
  auto shared = root_ + "/shared", own = shared + "/ann";
  EXPECT_TRUE(OwnFolder::open(own, 0));
  ::chmod(shared.c_str(), 0777);
  auto found = OwnFolder::open(own, 0);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().text.find("it needs the sticky bit"), std::string::npos)
      << found.error().text;
  ::chmod(shared.c_str(), 01777);
  EXPECT_TRUE(OwnFolder::open(own, 0));
  ASSERT_EQ(::chown(shared.c_str(), 65534, 65534), 0);
  EXPECT_EQ(OwnFolder::open(own, 0).error().code, Code::Denied);
}

TEST_F(own_folder, links_among_its_parents_are_followed_only_if_root_or_the_owner_made_them) {
  fs::create_directories(root_ + "/real/ann");
  fs::create_directory_symlink("real", root_ + "/home");
  EXPECT_TRUE(OwnFolder::open(root_ + "/home/ann", ::geteuid()));
  fs::create_directory_symlink(root_ + "/home", root_ + "/twice");
  EXPECT_TRUE(OwnFolder::open(root_ + "/twice/ann", ::geteuid()));
  fs::create_directory_symlink("loop", root_ + "/loop");
  EXPECT_EQ(OwnFolder::open(root_ + "/loop/ann", ::geteuid()).error().code, Code::Denied);
  if (::geteuid() != 0) return;
  ASSERT_EQ(::lchown((root_ + "/home").c_str(), 65534, 65534), 0);
  auto found = OwnFolder::open(root_ + "/home/ann", 0);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().text.find("is a link that uid 65534 made"), std::string::npos);
}

TEST_F(own_folder, files_are_reached_by_single_names_and_never_through_links) {
  fs::create_directory(root_ + "/ann");
  std::ofstream(root_ + "/secret") << "of somebody";
  fs::create_symlink(root_ + "/secret", root_ + "/ann/link");
  ASSERT_EQ(::mkfifo((root_ + "/ann/fifo").c_str(), 0600), 0);
  auto own = ann();
  ASSERT_TRUE(own);
  EXPECT_EQ(own->read("link", Bytes{100}).error().code, Code::Denied);
  EXPECT_EQ(own->file("link", O_WRONLY | O_APPEND).error().code, Code::Denied);
  EXPECT_EQ(own->file("fifo", O_RDONLY).error().code, Code::Denied);
  EXPECT_EQ(own->file("none", O_RDONLY).error().code, Code::NotFound);
  for (const char* bad : {"", ".", "..", "a/b", "../secret"}) {
    EXPECT_EQ(own->file(bad, O_RDONLY).error().code, Code::BadArgument) << bad;
    EXPECT_EQ(own->remove(bad).error().code, Code::BadArgument) << bad;
    EXPECT_EQ(own->sub(bad, true).error().code, Code::BadArgument) << bad;
  }
  EXPECT_TRUE(own->replace("link", "new")) << "the link itself is replaced";
  EXPECT_EQ(text_of(root_ + "/secret"), "of somebody");
  EXPECT_EQ(*own->read("link", Bytes{100}), "new");
}

TEST_F(own_folder, removing_takes_what_is_in_it_and_not_what_links_lead_to) {
  fs::create_directories(root_ + "/ann/tree/deep");
  fs::create_directory(root_ + "/others");
  std::ofstream(root_ + "/others/kept") << "x";
  fs::create_directory_symlink(root_ + "/others", root_ + "/ann/tree/deep/link");
  auto own = ann();
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->remove("tree"));
  EXPECT_TRUE(own->remove("tree")) << "again";
  EXPECT_FALSE(fs::exists(root_ + "/ann/tree"));
  EXPECT_TRUE(fs::exists(root_ + "/others/kept"));
}

TEST_F(own_folder, a_folder_in_it_is_made_for_its_owner_alone) {
  fs::create_directory(root_ + "/ann");
  auto own = ann();
  ASSERT_TRUE(own);
  EXPECT_EQ(own->sub("keys", false).error().code, Code::NotFound);
  auto keys = own->sub("keys", true);
  ASSERT_TRUE(keys);
  struct stat is {};
  ASSERT_EQ(::fstat(keys->fd(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777, 0700u);
  EXPECT_EQ(keys->path(), root_ + "/ann/keys");
}

TEST_F(own_folder, is_given_by_root_where_its_owner_may_make_none) {
  constexpr uid_t kNobody = 65534;
  auto owner = ::geteuid() == 0 ? kNobody : ::geteuid();
  ::chmod(root_.c_str(), 0755);
  for (int again = 0; again < 2; ++again) {
    auto given = OwnFolder::give(root_, "bob", owner);
    ASSERT_TRUE(given) << given.error().text;
  }
  struct stat is {};
  ASSERT_EQ(::stat((root_ + "/bob").c_str(), &is), 0);
  EXPECT_EQ(is.st_uid, owner);
  EXPECT_EQ(is.st_mode & 07777, 0700u);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1);
}

TEST_F(own_folder, what_is_in_the_way_is_not_given_away) {
  constexpr uid_t kNobody = 65534;
  fs::create_directory(root_ + "/bob");
  ::chmod((root_ + "/bob").c_str(), 0777);
  EXPECT_EQ(OwnFolder::give(root_, "bob", kNobody).error().code, Code::Denied);
  fs::create_directory_symlink("/etc", root_ + "/eve");
  EXPECT_EQ(OwnFolder::give(root_, "eve", kNobody).error().code, Code::Denied);
  for (auto bad : {"", ".", "..", "a/b"})
    EXPECT_EQ(OwnFolder::give(root_, bad, kNobody).error().code, Code::BadArgument) << bad;
}

}  // namespace
}  // namespace wm
