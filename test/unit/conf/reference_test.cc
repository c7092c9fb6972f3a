// The manual pages beside the tables are what the tables say. After changing a table:
// WM_WRITE_PAGES=1 build/test/unit_conf --gtest_filter='reference.*'
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "libwm/conf/load.h"

namespace wm::conf {
namespace {

TEST(reference, pages_are_those_of_the_tables) {
  for (auto file : file_names()) {
    auto text = reference(file);
    ASSERT_TRUE(text);
    std::string path = "libwm/conf/" + std::string(file) + ".5.md";
    if (std::getenv("WM_WRITE_PAGES")) std::ofstream(path) << *text;
    std::ifstream in(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), *text) << path;
  }
}

TEST(reference, an_unknown_file_is_refused) {
  auto text = reference("lsf.conf");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::NotFound);
}

}  // namespace
}  // namespace wm::conf
