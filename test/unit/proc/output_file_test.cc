// Output files behind links: those that root or the job's user made are followed, another account's
// would lead to a file that only the user may write.
#include "libwm/proc/output_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"

namespace wm::proc {
namespace {

namespace fs = std::filesystem;

class output_link : public ::testing::Test {
 protected:
  output_link() : folder_(test::made_folder()) {
    std::ofstream(folder_ + "/victim") << "secret\n";
  }
  ~output_link() override { fs::remove_all(folder_); }

  Result<Fd> open(const std::string& name, bool overwrite = false) const {
    launch::OutputFile file;
    file.path = folder_ + "/" + name;
    file.overwrite = overwrite;
    return open_output(file, true);
  }
  std::string victim() const {
    std::ifstream in(folder_ + "/victim");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string folder_;
};

TEST_F(output_link, ones_own_is_followed_also_where_it_is_relative_or_leads_nowhere_yet) {
  fs::create_symlink("victim", folder_ + "/relative");
  fs::create_symlink(folder_ + "/relative", folder_ + "/twice");
  fs::create_symlink(folder_ + "/new", folder_ + "/dangling");
  for (const char* name : {"relative", "twice", "dangling"}) {
    auto fd = open(name);
    ASSERT_TRUE(fd) << name << ": " << fd.error().text;
    EXPECT_TRUE(write_all(fd->get(), "x", name));
  }
  EXPECT_EQ(victim(), "secret\nxx");
  EXPECT_TRUE(fs::exists(folder_ + "/new"));
}

TEST_F(output_link, one_that_leads_to_itself_is_an_error) {
  fs::create_symlink("loop", folder_ + "/loop");
  EXPECT_FALSE(open("loop"));
}

TEST_F(output_link, the_systems_own_names_are_followed) {
  launch::OutputFile null;
  null.path = "/dev/null";
  EXPECT_TRUE(open_output(null, true));
}

TEST_F(output_link, another_accounts_is_refused_and_nothing_behind_it_is_touched) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  fs::create_symlink("victim", folder_ + "/planted");
  ASSERT_EQ(::lchown((folder_ + "/planted").c_str(), 65534, 65534), 0);
  auto fd = open("planted", true);
  ASSERT_FALSE(fd);
  EXPECT_EQ(fd.error().code, Code::Denied);
  EXPECT_NE(fd.error().text.find("is a link that uid 65534 made"), std::string::npos);
  fs::create_symlink("planted", folder_ + "/own");
  EXPECT_FALSE(open("own", true)) << "nor by way of one's own";
  EXPECT_EQ(victim(), "secret\n");
}

}  // namespace
}  // namespace wm::proc
