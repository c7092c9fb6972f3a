#include "libwm/view/format.h"

#include <gtest/gtest.h>

namespace wm::view {
namespace {

struct Thing {
  std::string id, stat;
};
constexpr Field<Thing> kTable[] = {
    {{"jobid", "id", 7}, kText, [](const Thing& t) { return t.id; }},
    {{"stat", "", 5}, kText, [](const Thing& t) { return t.stat; }},
};
const std::vector<Thing> kThings = {{"12", "RUN"}, {"1234567890", ""}};

std::string table(std::string_view format_text, bool header = true) {
  auto names = names_of<Thing>(kTable);
  auto format = parse_format(format_text, names);
  if (!format) return format.error().text;
  auto rows = cells_of<Thing>(*format, kTable, kThings);
  return table_text(*format, headings_of(*format, names), rows, header);
}

TEST(format, columns_are_as_wide_as_their_values) {
  EXPECT_EQ(table("jobid stat"), "JOBID STAT\n12 RUN\n1234567890 -\n");
}

TEST(format, a_person_reads_columns_below_each_other) {
  auto names = names_of<Thing>(kTable);
  auto format = parse_format("jobid stat", names);
  auto rows = cells_of<Thing>(*format, kTable, kThings);
  EXPECT_EQ(aligned_text(*format, headings_of(*format, names), rows),
            "JOBID      STAT\n12         RUN\n1234567890 -\n");
}

TEST(format, widths_cut_and_pad) {
  EXPECT_EQ(table("ID:4 stat:"), "JOBI STAT \n12   RUN  \n1234 -    \n");
  EXPECT_EQ(table("stat:-6", false), "   RUN\n     -\n");
}

TEST(format, cells_hold_no_control_characters) {
  EXPECT_EQ(printable("a\nb\tc\x1b[31m\x7f"), "a b c?[31m?");
  EXPECT_EQ(fit("a\nb", 5), "a b  ");
  const std::vector<std::vector<std::string>> rows = {{"x\x1b]0;y\a"}};
  EXPECT_EQ(table_text({.columns = {{}}}, std::vector<std::string>{"A"}, rows, false), "x?]0;y?\n");
}

TEST(format, characters_are_cut_whole_and_counted_once) {
  const std::string name = "m\u00fcller\u20ac";
  EXPECT_EQ(columns_of(name), 7u);
  EXPECT_EQ(first_columns(name, 2), "m\u00fc");
  EXPECT_EQ(fit(name, 3), "m\u00fcl");
  EXPECT_EQ(fit(name, 9), name + "  ");
  EXPECT_EQ(fit(name, 9, true), "  " + name);
  EXPECT_EQ(fit_name(name, 7), name);
  EXPECT_EQ(fit_name(name, 3), "*r\u20ac");
  EXPECT_EQ(fit_name("name_of_job", 10), "*me_of_job");
}

TEST(format, delimiters_come_in_either_quote) {
  EXPECT_EQ(table("jobid stat delimiter=','", false), "12,RUN\n1234567890,-\n");
  EXPECT_EQ(table("jobid stat delimiter=\"|\"", false), "12|RUN\n1234567890|-\n");
  EXPECT_EQ(table("stat delimiter=^ id", false), "RUN^12\n-^1234567890\n");
}

TEST(format, duplicates_are_printed_twice) {
  EXPECT_EQ(table("stat stat", false), "RUN RUN\n- -\n");
}

TEST(format, all_is_every_field) { EXPECT_EQ(table("all", false), "12 RUN\n1234567890 -\n"); }

TEST(format, mistakes_are_named) {
  EXPECT_EQ(table("nosuch"), "nosuch: unknown output field");
  EXPECT_EQ(table("stat:x"), "stat:x: bad width");
  EXPECT_EQ(table(""), "-o names no output field");
  EXPECT_EQ(table("stat delimiter='ab'"), "delimiter='ab': the delimiter is one character");
}

TEST(format, json_holds_texts_and_an_empty_list_is_valid) {
  EXPECT_EQ(json_text("bjobs", "JOBS", {}),
            "{\n  \"COMMAND\": \"bjobs\",\n  \"JOBS\": 0,\n  \"RECORDS\": []\n}\n");
  std::vector<std::string> headings = {"A"};
  std::vector<std::vector<std::string>> rows = {{"1"}};
  auto text = json_text("bjobs", "JOBS", records_of(headings, rows));
  EXPECT_NE(text.find("\"A\": \"1\""), std::string::npos);
  EXPECT_NE(text.find("\"JOBS\": 1"), std::string::npos);
}

TEST(format, json_survives_bytes_that_are_no_text) {
  std::vector<Record> records = {{{"NAME", "\xff\xfe"}}};
  EXPECT_NE(json_text("b", "N", records).find("NAME"), std::string::npos);
}

TEST(format, long_names_keep_their_end) {
  EXPECT_EQ(fit_name("abcdefghijkl", 10), "*defghijkl");
  EXPECT_EQ(fit_name("abc", 5), "abc  ");
}

}  // namespace
}  // namespace wm::view
