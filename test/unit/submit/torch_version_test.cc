// Which PyTorch a job will import, told by files alone.
#include "libwm/submit/torch_version.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"

namespace wm::cmd {
namespace {

namespace fs = std::filesystem;

class torch_version : public ::testing::Test {
 protected:
  std::string python(const std::string& prefix, const std::string& name = "python3") {
    write(prefix + "/bin/" + name, "");
    fs::permissions(root + "/" + prefix + "/bin/" + name, fs::perms::owner_all);
    return root + "/" + prefix + "/bin";
  }
  void torch(const std::string& packages, const std::string& version) {
    write(packages + "/torch/version.py",
          "from typing import Optional\n__version__ = '" + version + "'\ndebug = False\n");
  }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(root + "/" + name).parent_path());
    std::ofstream(root + "/" + name) << text;
  }
  test::OwnFolder folder;
  std::string root = folder.path();
};

TEST_F(torch_version, it_is_that_of_the_first_python_in_the_path) {
  auto old = python("venv"), other = python("conda", "python");
  write("venv/pyvenv.cfg", "");
  torch("venv/lib/python3.11/site-packages", "2.1.0+cu118");
  torch("conda/lib/python3.12/site-packages", "2.9.1");
  EXPECT_EQ(torch_of(root + "/none:" + old + ":" + other, ""), "2.1.0");
  EXPECT_EQ(torch_of(other + ":" + old, ""), "2.9.1");
  EXPECT_EQ(torch_of(root + "/none", ""), "");
  EXPECT_EQ(torch_of("", ""), "");
}

TEST_F(torch_version, what_the_user_has_installed_counts_but_not_in_a_venv) {
  auto path = python("opt");
  torch("home/.local/lib/python3.11/site-packages", "1.13.1");
  EXPECT_EQ(torch_of(path, root + "/home"), "1.13.1");
  write("opt/pyvenv.cfg", "");
  EXPECT_EQ(torch_of(path, root + "/home"), "");
}

TEST_F(torch_version, a_python_without_it_or_with_a_damaged_one_has_none) {
  auto path = python("opt");
  EXPECT_EQ(torch_of(path, ""), "");
  write("opt/lib/python3.11/site-packages/torch/version.py", "__version__ = ");
  EXPECT_EQ(torch_of(path, ""), "");
}

}  // namespace
}  // namespace wm::cmd
