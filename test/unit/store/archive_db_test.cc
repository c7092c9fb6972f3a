// Role: archive.db: what is kept of runs, what owners say of them, what is found and how.
#include "libwm/store/archive/archive_db.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/faulty_disk.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using namespace wm::test;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

WallTime second(int s) { return WallTime(std::chrono::seconds(s)); }

RunRow run_of(std::uint32_t job, const std::string& user, const std::string& name) {
  RunRow row;
  row.job = job;
  row.seq = Seq{job};
  row.user = user;
  row.name = name;
  row.queue = "normal";
  row.kind = AppType::Training;
  row.framework = "PyTorch";
  row.labels = {"team=vision"};
  row.submitted = second(static_cast<int>(job));
  row.ended = second(static_cast<int>(job) + 100);
  row.text = "python train.py --lr 0." + std::to_string(job);
  row.views = std::string("\0bytes", 6);
  return row;
}

ArchiveStep kept(RunRow row) { return {std::move(row), {}, {}, false}; }
ArchiveStep said(std::uint32_t job, RunWords words) {
  return {{}, RunDescribed{{job, 0}, std::move(words), "ann"}, {}, false};
}
ArchiveStep deleted(JobId run) { return {{}, {}, run, false}; }

class archive_db : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = ArchiveDb::open({dir_.path(), disk_.vfs()});
    ASSERT_TRUE(made) << made.error().text;
    db_ = std::move(*made);
  }
  void apply(std::vector<ArchiveStep> steps, std::uint64_t mark = 0) {
    auto done = db_->apply(steps, Seq{mark});
    ASSERT_TRUE(done) << done.error().text;
  }
  std::unique_ptr<ArchiveReader> reader() {
    auto opened = ArchiveReader::open({dir_.path(), disk_.vfs()});
    return opened ? std::move(*opened) : nullptr;
  }
  std::vector<std::uint32_t> found(const RunQuery& query, std::size_t limit = 100) {
    auto numbers = reader()->numbers(query, limit);
    EXPECT_TRUE(numbers) << numbers.error().text;
    return numbers ? *numbers : std::vector<std::uint32_t>{};
  }
  ScratchDir dir_;
  FaultyDisk disk_;
  std::unique_ptr<ArchiveDb> db_;
};

TEST_F(archive_db, a_record_comes_back_as_it_was) {
  auto row = run_of(7, "ann", "mnist");
  apply({kept(row)}, 9);
  auto back = reader()->run(7);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->row, row);
  EXPECT_EQ(db_->last_seq()->value, 9u);  // STORE-19
  row.name = "again", row.labels = {};
  apply({kept(row)});
  EXPECT_EQ(reader()->run(7)->row, row);
  EXPECT_THAT(found({.label = "team=vision"}), IsEmpty());
  EXPECT_EQ(reader()->run(8)->row.job, 0u);
}

TEST_F(archive_db, what_knows_less_takes_no_records_place) {
  auto row = run_of(7, "ann", "mnist"), less = run_of(7, "ann", "less");
  apply({kept(row), {less, {}, {}, true}, {run_of(8, "ann", "less"), {}, {}, true}});
  EXPECT_EQ(reader()->run(7)->row.name, "mnist");
  EXPECT_EQ(reader()->run(8)->row.name, "less");
}

TEST_F(archive_db, pages_go_from_the_newest_on_or_from_the_oldest) {
  for (std::uint32_t job = 1; job <= 9; ++job) apply({kept(run_of(job, "ann", "mnist"))});
  EXPECT_THAT(found({}, 3), ElementsAre(9, 8, 7));
  EXPECT_THAT(found({.to = 7}, 2), ElementsAre(6, 5));
  EXPECT_THAT(found({.from = 8, .oldest_first = true}), ElementsAre(8, 9));
  EXPECT_THAT(found({.jobs = {2, 5, 70}}), ElementsAre(5, 2));
}

TEST_F(archive_db, each_condition_finds_what_answers_to_it) {
  auto other = run_of(2, "bob", "cifar-long");
  other.queue = "night", other.plan = "/research", other.project = "p1", other.app = "torch";
  other.state = JobState::Failed, other.kind = AppType::Inference, other.service = "digits";
  other.bundle = "cafe", other.framework = "TF", other.labels = {"a=b"}, other.search = true;
  apply({kept(run_of(1, "ann", "mnist")), kept(other)});
  for (RunQuery query : {RunQuery{.user = "bob"},
                         RunQuery{.queue = "night"},
                         RunQuery{.app = "torch"},
                         RunQuery{.plan = "/research"},
                         RunQuery{.project = "p1"},
                         RunQuery{.framework = "TF"},
                         RunQuery{.service = "digits"},
                         RunQuery{.bundle = "cafe"},
                         RunQuery{.label = "a=b"},
                         RunQuery{.name = "cifar*"},
                         RunQuery{.name = "*long"},
                         RunQuery{.name = "*far-l*"},
                         RunQuery{.name = "*g"},
                         RunQuery{.name = "cifar-long"},
                         RunQuery{.states = {JobState::Failed}},
                         RunQuery{.states = {JobState::Failed, JobState::Killed}},
                         RunQuery{.kind = AppType::Inference},
                         RunQuery{.search = true},
                         RunQuery{.text = "LR 0.2"},
                         RunQuery{.text = ".2"},
                         RunQuery{.submitted_from = second(2)},
                         RunQuery{.ended_from = second(102)},
                         RunQuery{.user = "bob", .name = "c*", .states = {JobState::Failed}}}) {
    EXPECT_THAT(found(query), ElementsAre(2)) << query.name << query.text;
    auto both = reader()->run(2);
    EXPECT_TRUE(fits(query, both->row, both->words)) << "as the same query of what is live";
    auto first = reader()->run(1);
    EXPECT_FALSE(fits(query, first->row, first->words));
  }
  EXPECT_THAT(found({.executions = true}), ElementsAre(2, 1));
  EXPECT_THAT(found({.name = "*"}), ElementsAre(2, 1));
  EXPECT_THAT(found({.search = false}), ElementsAre(1));
  EXPECT_THAT(found({.text = "it's \"none\" of %_ these"}), IsEmpty());
  EXPECT_THAT(found({.name = "it's*"}), IsEmpty());
}

TEST_F(archive_db, conditions_of_many_rows_are_walked_and_answer_alike) {
  std::vector<ArchiveStep> steps;
  for (std::uint32_t job = 1; job <= 6000; ++job) {
    auto row = run_of(job, job % 2 ? "ann" : "bob", "run-" + std::to_string(job % 2500));
    row.state = job % 3 ? JobState::Finished : JobState::Failed;
    steps.push_back(kept(std::move(row)));
  }
  apply(std::move(steps));
  EXPECT_THAT(found({.user = "ann", .name = "run-*", .states = {JobState::Finished}}, 3),
              ElementsAre(5999, 5995, 5993));
  EXPECT_THAT(found({.text = "train"}, 2), ElementsAre(6000, 5999));
  EXPECT_THAT(found({.user = "bob", .text = "train", .to = 100}, 2), ElementsAre(98, 96));
  EXPECT_THAT(found({.text = "train", .from = 10, .oldest_first = true}, 2), ElementsAre(10, 11));
  EXPECT_THAT(found({.kind = AppType::Training}, 1), ElementsAre(6000));
  EXPECT_THAT(found({.name = "run-7"}), ElementsAre(5007, 2507, 7));
  EXPECT_THAT(found({.user = "ann", .label = "team=vision"}, 2), ElementsAre(5999, 5997));
  EXPECT_EQ(found({.states = {JobState::Failed}}, 1001).size(), 1001u);
}

TEST_F(archive_db, who_sees_but_their_own_finds_nothing_of_others) {
  auto night = run_of(3, "bob", "x");
  night.queue = "night";
  apply({kept(run_of(1, "ann", "x")), kept(run_of(2, "bob", "x")), kept(night)});
  EXPECT_THAT(found({.own = "ann"}), ElementsAre(1));
  EXPECT_THAT(found({.user = "bob", .own = "ann"}), IsEmpty());
  EXPECT_THAT(found({.own = "ann", .seen_queues = {"night"}}), ElementsAre(3, 1));
}

TEST_F(archive_db, what_owners_say_is_found_and_stays_when_the_record_is_written_again) {
  apply({said(5, {.name = "the good one",
                  .description = "Überblick",
                  .tags = {"best", "paper"},
                  .starred = true})});
  EXPECT_EQ(reader()->words(5)->words.name, "the good one") << "of what the master still knows";
  EXPECT_THAT(found({}), IsEmpty());
  apply({kept(run_of(5, "ann", "mnist"))});
  for (RunQuery query : {RunQuery{.name = "the*"}, RunQuery{.tag = "paper"},
                         RunQuery{.starred = true}, RunQuery{.text = "rblick"},
                         RunQuery{.user = "ann", .starred = true}, RunQuery{.text = "mnist"}})
    EXPECT_THAT(found(query), ElementsAre(5));
  EXPECT_THAT(found({.name = "mnist"}), IsEmpty()) << "it is called otherwise";
  apply({said(5, {.shelved = true})});
  EXPECT_THAT(found({.name = "mnist", .shelved = true}), ElementsAre(5));
  EXPECT_THAT(found({.tag = "paper"}), IsEmpty());
  EXPECT_THAT(found({.text = "rblick"}), IsEmpty());
  EXPECT_EQ(reader()->run(5)->row, run_of(5, "ann", "mnist"));
}

TEST_F(archive_db, a_deleted_run_is_gone_and_never_comes_again) {  // STORE-20
  apply({kept(run_of(5, "ann", "mnist")), said(5, {.tags = {"t"}}), deleted({5, 0})});
  EXPECT_EQ(reader()->run(5)->row.job, 0u);
  EXPECT_THAT(found({.text = "train"}), IsEmpty());
  apply({kept(run_of(5, "ann", "mnist")), said(5, {.name = "x"})});
  EXPECT_THAT(found({}), IsEmpty());
  EXPECT_TRUE(*reader()->is_gone({5, 0}));
  EXPECT_TRUE(*reader()->is_gone({5, 3}));
  EXPECT_EQ(reader()->run(5)->words, RunWords());
}

TEST_F(archive_db, of_an_array_one_element_can_be_deleted) {
  apply({kept(run_of(5, "ann", "mnist")), deleted({5, 2})});
  EXPECT_THAT(reader()->run(5)->gone, ElementsAre(2));
  EXPECT_FALSE(*reader()->is_gone({5, 0}));
  EXPECT_TRUE(*reader()->is_gone({5, 2}));
}

TEST_F(archive_db, old_records_go_by_kind_and_profile) {
  auto batch = run_of(1, "ann", "b"), other = run_of(2, "ann", "p"),
       training = run_of(3, "ann", "t");
  batch.kind = other.kind = AppType::Batch;
  other.app = "pre'cious";
  apply({kept(batch), kept(other), kept(training)});
  ArchiveKeep keep{{}, std::chrono::seconds(50), {{"pre'cious", Duration{}}}};
  EXPECT_EQ(*db_->forget(keep, second(150)), 0u);
  EXPECT_EQ(*db_->forget(keep, second(10000)), 1u);
  EXPECT_THAT(found({}), ElementsAre(3, 2));
  keep.apps = {{"pre'cious", std::chrono::seconds(9)}};
  keep.runs = std::chrono::seconds(5000);
  EXPECT_EQ(*db_->forget(keep, second(1000)), 1u);
  EXPECT_THAT(found({}), ElementsAre(3));
  EXPECT_EQ(*db_->forget(keep, second(10000)), 1u);
}

TEST_F(archive_db, of_what_is_too_old_a_thousand_go_at_once_and_the_rest_after_them) {
  std::vector<ArchiveStep> steps;
  for (std::uint32_t job = 1; job <= 1500; ++job) steps.push_back(kept(run_of(job, "ann", "x")));
  steps.push_back(said(7, {.tags = {"best"}}));
  apply(steps);
  ArchiveKeep keep{std::chrono::seconds(10), {}, {}};
  EXPECT_EQ(*db_->forget(keep, second(10)), 0u);
  EXPECT_EQ(*db_->forget(keep, second(9000)), 1000u);
  EXPECT_EQ(found({}, 2000).size(), 500u);
  EXPECT_THAT(found({}, 1), ElementsAre(1500)) << "the oldest go first";
  EXPECT_EQ(*db_->forget(keep, second(9000)), 500u);
  EXPECT_THAT(found({}), IsEmpty());
  EXPECT_THAT(found({.text = "train"}), IsEmpty());
  EXPECT_EQ(reader()->facts()->described, 0u) << "and what was said of them";
}

TEST_F(archive_db, a_full_disk_leaves_all_or_nothing) {
  disk_.full_while_exists(dir_.path());
  EXPECT_FALSE(db_->apply({kept(run_of(1, "ann", "x"))}, Seq{4}));
  disk_.full_while_exists("");
  ASSERT_TRUE(db_->reopen());
  EXPECT_EQ(db_->last_seq()->value, 0u);
  apply({kept(run_of(1, "ann", "x"))}, 4);
  EXPECT_THAT(found({}), ElementsAre(1));
}

TEST_F(archive_db, what_is_no_archive_is_set_aside) {
  ASSERT_TRUE(db_->set_aside());
  EXPECT_FALSE(db_->last_seq()) << "closed";
  ASSERT_TRUE(db_->reopen());
  EXPECT_FALSE(*db_->is_filled());
  EXPECT_TRUE(db_->set_filled());
  EXPECT_TRUE(*db_->is_filled());
}

}  // namespace
}  // namespace wm::store
