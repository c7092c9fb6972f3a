#include "libwm/expr/depend.h"

#include <gtest/gtest.h>

#include <map>

namespace wm::expr {
namespace {

JobStanding pending() { return {.pending = true}; }
JobStanding held() { return {.pending = true, .held = true}; }
JobStanding running() { return {.started = true, .running = true}; }
JobStanding done() { return {.started = true, .over = true, .done = true}; }
JobStanding exited(int code) { return {.started = true, .over = true, .exit_code = code}; }

/// Jobs by number; several standings make an array.
struct Table {
  std::map<std::uint32_t, std::vector<JobStanding>> jobs;
  Standings standings() const {
    return [this](JobId id) -> std::vector<JobStanding> {
      auto it = jobs.find(id.job);
      if (it == jobs.end()) return {};
      if (id.index == 0) return it->second;
      if (id.index > it->second.size()) return {};
      return {it->second[id.index - 1]};
    };
  }
  Verdict of(const std::string& text, std::uint32_t index = 0) const {
    auto parsed = Depend::parse(text);
    EXPECT_TRUE(parsed) << text << ": " << parsed.error().text;
    return parsed ? parsed->evaluate(standings(), index) : Verdict::Never;
  }
};

TEST(depend, each_condition_asks_what_lsf_says) {
  Table t{{{1, {pending()}}, {2, {running()}}, {3, {done()}}, {4, {exited(7)}}}};
  struct Case {
    const char* text;
    Verdict verdict;
  };
  for (auto [text, verdict] : std::initializer_list<Case>{{"done(1)", Verdict::Waiting},
                                                          {"done(2)", Verdict::Waiting},
                                                          {"done(3)", Verdict::Met},
                                                          {"done(4)", Verdict::Never},
                                                          {"ended(2)", Verdict::Waiting},
                                                          {"ended(3)", Verdict::Met},
                                                          {"ended(4)", Verdict::Met},
                                                          {"exit(3)", Verdict::Never},
                                                          {"exit(4)", Verdict::Met},
                                                          {"exit(4, 7)", Verdict::Met},
                                                          {"exit(4,>7)", Verdict::Never},
                                                          {"exit(4, <= 7)", Verdict::Met},
                                                          {"exit(4, != 7)", Verdict::Never},
                                                          {"started(1)", Verdict::Waiting},
                                                          {"started(2)", Verdict::Met},
                                                          {"started(4)", Verdict::Met},
                                                          {"3", Verdict::Met},
                                                          {"4", Verdict::Never},
                                                          {"post_done(3)", Verdict::Met},
                                                          {"post_err(3)", Verdict::Never},
                                                          {"done(99)", Verdict::Never},
                                                          {"", Verdict::Met}})
    EXPECT_EQ(t.of(text), verdict) << text;
}

TEST(depend, operators_join_and_decide_as_early_as_they_can) {
  Table t{{{1, {pending()}}, {3, {done()}}, {4, {exited(1)}}}};
  EXPECT_EQ(t.of("done(3)&&ended(4)"), Verdict::Met);
  EXPECT_EQ(t.of("done(3) && done(1)"), Verdict::Waiting);
  EXPECT_EQ(t.of("done(1) && done(4)"), Verdict::Never);
  EXPECT_EQ(t.of("done(1) || done(3)"), Verdict::Met);
  EXPECT_EQ(t.of("done(1) || done(4)"), Verdict::Waiting);
  EXPECT_EQ(t.of("done(4) || exit(3)"), Verdict::Never);
  EXPECT_EQ(t.of("!done(4)"), Verdict::Met);
  EXPECT_EQ(t.of("!done(3)"), Verdict::Never);
  EXPECT_EQ(t.of("!(done(4) || done(1))"), Verdict::Met);
  EXPECT_EQ(t.of("done(1) || done(3) && done(4)"), Verdict::Waiting) << "&& binds closer";
  EXPECT_EQ(t.of("(done(1) || done(3)) && done(3)"), Verdict::Met);
}

TEST(depend, an_array_satisfies_with_all_its_elements_or_by_their_number) {
  Table t{{{5, {done(), exited(2), running(), held()}}, {6, {done(), done()}}}};
  EXPECT_EQ(t.of("done(5)"), Verdict::Never);
  EXPECT_EQ(t.of("started(5)"), Verdict::Waiting);
  EXPECT_EQ(t.of("done(6)"), Verdict::Met);
  EXPECT_EQ(t.of("done(5[1])"), Verdict::Met);
  EXPECT_EQ(t.of("done(5[9])"), Verdict::Never);
  EXPECT_EQ(t.of("numdone(5, 1)"), Verdict::Met);
  EXPECT_EQ(t.of("numdone(5, > 1)"), Verdict::Waiting);
  EXPECT_EQ(t.of("numdone(6, *)"), Verdict::Met);
  EXPECT_EQ(t.of("numdone(6, > 2)"), Verdict::Never);
  EXPECT_EQ(t.of("numended(5, >=2)"), Verdict::Met);
  EXPECT_EQ(t.of("numexit(5, ==1) && numrun(5,1) && numstart(5,3) && numpend(5,1) && numhold(5,1)"),
            Verdict::Met);
}

TEST(depend, an_element_may_wait_for_its_like) {
  Table t{{{5, {done(), running()}}}};
  EXPECT_EQ(t.of("done(5[*])", 1), Verdict::Met);
  EXPECT_EQ(t.of("done(5[*])", 2), Verdict::Waiting);
  EXPECT_EQ(t.of("done(5[*])", 3), Verdict::Never);
  EXPECT_TRUE(Depend::parse("done(5[*])")->by_element());
  EXPECT_FALSE(Depend::parse("done(5[1])")->by_element());
}

TEST(depend, names_become_numbers_and_all_of_a_name_must_satisfy) {
  auto find = [](const std::string& name) -> Result<std::vector<std::uint32_t>> {
    if (name == "my-job 1") return std::vector<std::uint32_t>{3};
    if (name == "train*") return std::vector<std::uint32_t>{3, 4};
    return fail(Code::NotFound, name);
  };
  auto depend = *Depend::parse("done(my-job 1) && ended(\"train*\") || \"my-job 1\"[2]");
  ASSERT_TRUE(depend.resolve(find));
  EXPECT_EQ(depend.text(), "((done(3) && (ended(3) && ended(4))) || done(3[2]))");
  EXPECT_EQ(depend.jobs(), (std::vector<JobId>{{3, 0}, {3, 0}, {4, 0}, {3, 2}}));
  auto again = Depend::parse(depend.text());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->text(), depend.text());
  EXPECT_EQ(Depend::parse("done(other)")->resolve(find).error().code, Code::NotFound);
}

TEST(depend, names_what_is_not_met) {
  Table t{{{1, {pending()}}, {3, {done()}}}};
  auto depend = *Depend::parse("done(1) && done(3) && !ended(3) && numdone(1, > 2)");
  EXPECT_EQ(depend.unmet(t.standings()), "done(1), !ended(3), numdone(1, > 2)");
}

TEST(depend, what_is_no_condition_is_refused_with_its_place) {
  for (auto text : {"done(",      "done()",           "done(1",          "done(1))",
                    "done(1) &&", "&& done(1)",       "done(1) done(2)", "!",
                    "()",         "done(1[0])",       "done(1[x])",      "done(1[2)",
                    "done(0)",    "done(1, 2)",       "exit(1, x)",      "exit(1,)",
                    "numdone(5)", "numdone(5[1], 2)", "external(1, x)",  "external(1)",
                    "\"open",     "exit(1, *)"}) {
    auto parsed = Depend::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Code::BadArgument) << text;
    EXPECT_TRUE(parsed.error().text.starts_with("Dependency condition syntax error")) << text;
  }
}

TEST(depend, deep_and_long_conditions_are_refused_in_bounded_time) {
  EXPECT_FALSE(Depend::parse(std::string(100'000, '!') + "done(1)"));
  EXPECT_FALSE(Depend::parse(std::string(100'000, '(') + "done(1)"));
  std::string many = "done(1)";
  for (int i = 0; i < 5000; ++i) many += "&&done(1)";
  EXPECT_EQ(Depend::parse(many).error().code, Code::Limit);
}

TEST(depend, a_name_with_a_quote_is_written_in_the_other_quotes) {
  auto depend = Depend::parse("done('5\" disk')");
  ASSERT_TRUE(depend);
  auto again = Depend::parse(depend->text());
  ASSERT_TRUE(again) << depend->text();
  EXPECT_EQ(again->text(), depend->text());
  EXPECT_FALSE(Depend::parse("done(a\"b'c)")) << "no text could say it again";
}

TEST(depend, a_message_is_waited_for_as_long_as_its_job_is_known) {
  auto condition = *Depend::parse("external(7, \"half way\")");
  EXPECT_EQ(condition.text(), "external(7, \"half way\")");
  std::vector<JobStanding> jobs(1);
  Standings standings = [&](JobId) { return jobs; };
  EXPECT_EQ(condition.evaluate(standings), Verdict::Waiting);
  jobs[0].over = true;
  EXPECT_EQ(condition.evaluate(standings), Verdict::Waiting);
  jobs[0].notes = {"other", "half way"};
  EXPECT_EQ(condition.evaluate(standings), Verdict::Met);
  jobs.clear();
  EXPECT_EQ(condition.evaluate(standings), Verdict::Never);
}

}  // namespace
}  // namespace wm::expr
