#include "libwm/conf/ini.h"

#include <gtest/gtest.h>

namespace wm::conf {
namespace {

TEST(ini, entries_keep_section_and_line) {
  Problems problems;
  auto ini =
      read_ini("f", "a = 1\n\n[gpu[01-16]]\n# c\n  b=x = y # tail\n[h.example.org]\n[empty]\nk =\n",
               problems);
  ASSERT_TRUE(problems.empty()) << problems.error().text;
  ASSERT_EQ(ini.sections.size(), 4u);
  EXPECT_EQ(ini.sections[0].entries.at(0).key, "a");
  EXPECT_EQ(ini.sections[1].name, "gpu[01-16]");
  EXPECT_EQ(ini.sections[1].line, 3);
  EXPECT_EQ(ini.sections[1].entries.at(0).key, "b");
  EXPECT_EQ(ini.sections[1].entries.at(0).value, "x = y");
  EXPECT_EQ(ini.sections[1].entries.at(0).line, 5);
  EXPECT_EQ(ini.sections[2].name, "h.example.org");
  EXPECT_TRUE(ini.sections[2].entries.empty());
  EXPECT_EQ(ini.sections[3].entries.at(0).value, "");
}

TEST(ini, every_bad_line_is_named) {
  Problems problems;
  auto ini = read_ini("f", "[a]\nnonsense\n= 3\n[]\nk = 1\nk = 2\n[a]\n", problems);
  EXPECT_EQ(problems.lines(),
            (std::vector<std::string>{"f:2: 'nonsense' is neither [section] nor key = value",
                                      "f:3: '= 3' is neither [section] nor key = value",
                                      "f:4: '[]' is no section name",
                                      "f:6: key 'k' is given twice (first on line 5)",
                                      "f:7: section [a] is given twice (first on line 1)"}));
}

TEST(ini, a_key_with_dots_stays_in_its_section) {
  Problems problems;
  auto ini = read_ini("f", "[s]\na.b = 1\n", problems);
  EXPECT_EQ(ini.sections[1].entries.at(0).key, "a.b");
}

}  // namespace
}  // namespace wm::conf
