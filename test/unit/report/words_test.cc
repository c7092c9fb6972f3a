// Numbers as people read them, and names that mean something elsewhere.
#include "libwm/report/words.h"

#include <gtest/gtest.h>

#include "libwm/report/figures.h"
#include "libwm/report/mail.h"
#include "libwm/report/page.h"
#include "libwm/report/tell.h"
#include "test/support/golden_day.h"

namespace wm::report {
namespace {

TEST(words, numbers_are_grouped_and_rounded) {
  EXPECT_EQ(number(41200.04, 1), "41,200.0");
  EXPECT_EQ(number(-0.04, 1), "0.0");
  EXPECT_EQ(number(999.96, 1), "1,000.0");
  EXPECT_EQ(percent(63060, 720000), "8.8 %");
  EXPECT_EQ(percent(1, 0), "n/a");
  EXPECT_EQ(wait_words(5), "5 s");
  EXPECT_EQ(wait_words(240), "4 min");
  EXPECT_EQ(wait_words(7560), "2.1 h");
}

TEST(words, long_sentences_go_on_in_lines_of_78_columns) {
  std::string words;
  for (int i = 0; i < 40; ++i) words += (i ? " w" : "w") + std::to_string(i * 1000);
  auto text = wrapped(words, "    ");
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    EXPECT_LE(end - at, 78u);
    EXPECT_TRUE(at == 0 || text.substr(at, 5) == "    w") << text;
    at = end + 1;
  }
  std::string joined = text;
  for (auto at = joined.find("\n   "); at != joined.npos; at = joined.find("\n   "))
    joined.erase(at, 4);
  EXPECT_EQ(joined, words);
  EXPECT_EQ(wrapped(std::string(100, 'x')), std::string(100, 'x'));
  auto after = wrapped(words, "    ", 4);
  EXPECT_LE(after.find('\n'), 74u) << after;
}

TEST(words, seconds_have_no_more_than_three_decimals) {
  EXPECT_EQ(slot_seconds(1500), "1.5");
  EXPECT_EQ(slot_seconds(2000), "2");
  EXPECT_EQ(slot_seconds(-1), "-0.001");
  EXPECT_EQ(unit_seconds(1'234'567), "1.235");
}

TEST(words, a_name_is_no_formula_no_tag_and_no_command) {
  EXPECT_EQ(csv("=cmd|x"), "'=cmd|x");
  EXPECT_EQ(csv("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(html("<b a='1'>&"), "&lt;b a=&#39;1&#39;&gt;&amp;");
  EXPECT_EQ(data_word("`id`\"\t\\"), "_id__ _");
  EXPECT_EQ(plain("a\nb\x1b[1m"), "a b [1m");
  EXPECT_EQ(plain("x\xe2\x80\xaey"), "xy");
  EXPECT_LT(plain(std::string(1 << 20, 'x')).size(), 300u);
  EXPECT_EQ(data_word(""), "-");
}

Facts facts_with(const std::string& name) {
  Facts f;
  f.cluster = name, f.zone = test::berlin();
  f.period = period_at(Kind::Day, f.zone, test::kGoldenDay);
  f.total[Use::Held].slot_ms = 63'060'000, f.total[Use::Idle].slot_ms = 656'940'000;
  f.users.push_back({name, f.total[Use::Held], {}, 7, 1, 5, 10, 10, 5});
  f.queues = f.users;
  f.plans.push_back({name, {}, f.total[Use::Held], {}});
  f.hosts.push_back({name, f.total});
  f.troubles.push_back({name, "silent", name, test::kGoldenDay, 0});
  f.failures.push_back({name, name, 3});
  f.elastic.push_back(
      {"7", name, name, 3, 72.6, 0.002, test::kGoldenDay, 0, {{test::kGoldenDay, 4, 2, name}}});
  f.notes.push_back({"x", name});
  f.waits = {{"", "", 2, 5, 60, 60, 60}, {name, "1", 2, 5, 60, 60, 60}};
  for (const auto& hour : hours_of(f.zone, f.period.from, f.period.to))
    f.hours.push_back({hour, f.total, {{name, f.total[Use::Held]}}});
  f.promise_errors = {0, 90, -4000};
  return f;
}

TEST(page, names_cannot_leave_the_text) {
  const std::string evil = "</td><script>alert(1)</script>\"'`id`\n=1+1";
  auto facts = facts_with(evil);
  auto figures = figures_of(facts);
  auto page = page_of(facts, figures);
  EXPECT_EQ(page.find("<script"), page.npos);
  EXPECT_EQ(page.find("http:"), page.npos);
  EXPECT_NE(page.find("default-src 'none'"), page.npos);
  for (const auto& figure : figures) {
    // In the data block only, without anything that gnuplot would act on.
    EXPECT_EQ(figure.script.find('`'), figure.script.npos) << figure.id;
    auto end = figure.script.find("END_OF_DATA\n", figure.script.find("END_OF_DATA\n") + 12);
    EXPECT_EQ(figure.script.find("alert", end), figure.script.npos) << figure.id;
    EXPECT_EQ(figure.csv.find("\n=1"), figure.csv.npos) << figure.id;
  }
  EXPECT_EQ(text_of(facts).find('\x1b'), std::string::npos);
}

TEST(page, each_kind_of_data_has_its_figure) {
  std::vector<std::string> ids;
  for (const auto& figure : figures_of(facts_with("x"))) ids.push_back(figure.id);
  EXPECT_EQ(ids,
            (std::vector<std::string>{"util", "hours", "wait", "elastic", "failures", "promises"}));
  Facts none;
  none.zone = test::berlin(), none.period = period_at(Kind::Day, none.zone, test::kGoldenDay);
  EXPECT_TRUE(figures_of(none).empty());
  EXPECT_NE(page_of(none, {}).find("Nothing."), std::string::npos);
}

TEST(page, figures_are_told_apart_by_their_ids) {
  auto part = svg_part("util",
                       "<?xml version=\"1.0\"?>\n<svg \n width=\"880\" viewBox=\"0 0 880 300\">"
                       "<title>Gnuplot</title><path id='gpDot'/><use xlink:href='#gpDot'/></svg>",
                       "says");
  EXPECT_NE(part.find("id='util-gpDot'"), part.npos);
  EXPECT_NE(part.find("href='#util-gpDot'"), part.npos);
  EXPECT_EQ(part.find("Gnuplot"), part.npos);
  EXPECT_EQ(svg_part("x", "no such thing", ""), "");
}

TEST(tell, the_last_line_is_for_monitoring) {
  auto line = summary_of(facts_with("x"), {1, 3, 2, 0.94, false});
  EXPECT_EQ(line,
            "wmreport day 2026-10-25 warn jobs=0 failed=0 slots=8.8% wait_p50=5s wait_p90=60s "
            "mails=1/3 warnings=2 took=0.9s\n");
}

TEST(facts, percentiles_are_nearest_ranks) {
  std::vector<double> waits = {0, 0, 0, 5, 10, 30, 60};
  EXPECT_EQ(percentile(waits, .5), 5);
  EXPECT_EQ(percentile(waits, .9), 60);
  EXPECT_EQ(percentile({}, .5), 0);
}

TEST(mail, headers_hold_one_line_each) {
  Mail mail;
  mail.to = "jo@example.org\nBcc: all@example.org", mail.subject =
                                                        "Gr\xc3\xbc\xc3\x9f"
                                                        "e";
  mail.text = "a=b\n.\nx \n", mail.id = "day-1", mail.host = "c";
  auto text = message_of(mail);
  EXPECT_EQ(text.find("\nBcc:"), text.npos);
  EXPECT_NE(text.find("Subject: =?UTF-8?B?R3LDvMOfZQ==?=\n"), text.npos);
  EXPECT_NE(text.find("\na=3Db\n=2E\nx=20\n"), text.npos);
  EXPECT_NE(text.find("Message-ID: <wm-day-1@c>\n"), text.npos);
  EXPECT_NE(text.find("Auto-Submitted: auto-generated"), text.npos);
}

TEST(mail, the_page_is_attached_as_it_is) {
  Mail mail;
  mail.to = "jo", mail.id = "d", mail.host = "c", mail.page_name = "day.html",
  mail.page = "<p>\xc3\xbc";
  auto text = message_of(mail);
  EXPECT_NE(text.find("filename=\"day.html\"\n\nPHA+w7w=\n"), text.npos);
  for (std::size_t at = 0; at < text.size();) {
    auto end = text.find('\n', at);
    ASSERT_LE(end - at, 100u);
    at = end + 1;
  }
}

}  // namespace
}  // namespace wm::report
