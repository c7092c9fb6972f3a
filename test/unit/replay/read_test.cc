// Role: job lists of every format, good, broken and random.
#include "libwm/replay/read.h"

#include <gtest/gtest.h>

#include <random>

namespace wm::replay {
namespace {

constexpr const char* kPhilly =
    "timestamp,duration,num_gpus,gpu_time,cluster\n"
    "2017-10-10 00:00:00,66.0,2,132.0,a\n"
    "2017-10-09 23:59:00,10,1,10,b\n";
constexpr const char* kTiresias =
    "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
    "0,1,5,606,vgg19,164,30\n";
constexpr const char* kAlibaba =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n"
    "p0,6000,1024,1,460,,LS,Running,10,100,20\n"
    "p1,6000,1024,2,1000,,LS,Running,30,90,40\n"
    "p2,6000,1024,1,460,,LS,Pending,30,,\n";
constexpr const char* kSwf =
    "; MaxNodes: 256\n"
    "2 20 -1 60 4 -1 -1 8 120 -1 1 7 -1 -1 0 -1 -1 -1\n"
    "1 10 -1 30 2 -1 -1 -1 -1 -1 1 -1 -1 -1 0 -1 -1 -1\n"
    "3 30 -1 -1 2 -1 -1 -1 -1 -1 0 -1 -1 -1 0 -1 -1 -1\n";
constexpr const char* kGavel = "A (batch size 8)\tcmd\tdir\t-n\t1\t100\t2\t1\t-1.0\t7\n";
constexpr const char* kPollux =
    "name,time,application,num_replicas,batch_size\n"
    "a-0,5,app,2,64\n";

TableTexts tables() {
  return {
      {"simulation_throughputs.json",
       R"json({"v100": {"('A (batch size 8)', 2)": {"null": 4.0}}})json"},
      {"app/placements.csv",
       "placement,local_bsz,step_time,sync_time\n1,8,1,0\n1,64,2,0\n11,8,2,1\n2,8,1.5,0.5\n"},
      {"app/scalability.csv", "num_nodes,num_replicas,local_bsz,step_time,sync_time\n4,4,8,3,2\n"},
      {"app/validation-8.csv", "progress,iteration,metric,grad_sqr,grad_var\n10,10,0,1,1\n"}};
}

Result<Workload> read(Format format, std::string_view text) {
  return read_workload(format, text, tables(), {16, ""});
}

TEST(read, swf_prefers_what_was_asked_and_skips_what_never_ran) {
  auto list = read(Format::Swf, kSwf);
  ASSERT_TRUE(list) << list.error().text;
  ASSERT_EQ(list->jobs.size(), 2u);
  EXPECT_EQ(list->jobs[0].name, "1");
  EXPECT_EQ(list->jobs[0].tasks, 2u);
  EXPECT_EQ(list->jobs[1].tasks, 8u);
  EXPECT_EQ(list->jobs[1].estimate_s, 120);
  EXPECT_EQ(list->jobs[1].user, "user7");
  EXPECT_DOUBLE_EQ(list->jobs[1].work->left_s(0, {8}, Batch::Fixed), 60);
}

TEST(read, philly_times_count_from_the_first_submission) {
  auto list = read(Format::Philly, kPhilly);
  ASSERT_TRUE(list) << list.error().text;
  ASSERT_EQ(list->jobs.size(), 2u);
  EXPECT_EQ(list->jobs[0].user, "b");
  EXPECT_EQ(list->jobs[1].submit_s, 60);
  EXPECT_EQ(list->jobs[1].tasks, 2u);
}

TEST(read, alibaba_pods_have_parts_of_gpus_and_the_time_they_ran) {
  auto list = read(Format::Alibaba, kAlibaba);
  ASSERT_TRUE(list) << list.error().text;
  ASSERT_EQ(list->jobs.size(), 2u);
  EXPECT_EQ(list->jobs[0].milli_gpus, 460u);
  EXPECT_DOUBLE_EQ(list->jobs[0].work->total(), 80);
  EXPECT_EQ(list->jobs[1].milli_gpus, 2000u);
}

TEST(read, gavel_steps_become_seconds_by_its_table) {
  auto list = read(Format::Gavel, kGavel);
  ASSERT_TRUE(list) << list.error().text;
  EXPECT_DOUBLE_EQ(list->jobs[0].work->total(), 25);
  EXPECT_EQ(list->jobs[0].submit_s, 7);
}

TEST(read, pollux_jobs_are_elastic_up_to_the_least_local_batch) {
  auto list = read(Format::Pollux, kPollux);
  ASSERT_TRUE(list) << list.error().text;
  EXPECT_EQ(list->jobs[0].min_tasks, 1u);
  EXPECT_EQ(list->jobs[0].max_tasks, 8u);
  EXPECT_EQ(list->jobs[0].tasks, 2u);
}

TEST(read, tiresias_jobs_run_for_their_duration) {
  auto list = read(Format::Tiresias, kTiresias);
  ASSERT_TRUE(list) << list.error().text;
  EXPECT_EQ(list->jobs[0].name, "vgg19-0");
  EXPECT_DOUBLE_EQ(list->jobs[0].work->total(), 164);
}

TEST(read, an_error_names_line_and_field) {
  auto bad = [](Format format, std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    auto list = read(format, text);
    return list ? "" : list.error().text;
  };
  EXPECT_EQ(bad(Format::Swf, kSwf, " 60 4", " x 4"),
            "line 2: field 4 (run time): 'x' is not a number");
  EXPECT_EQ(bad(Format::Tiresias, kTiresias, "0,1,5", "0,0,5"),
            "line 2: field 2 (num_gpu): 0 is outside 1..100000");
  EXPECT_EQ(bad(Format::Philly, kPhilly, "10-09 23", "10-09 25"),
            "line 3: field 1 (timestamp): '2017-10-09 25:59:00' is not YYYY-MM-DD HH:MM:SS");
  EXPECT_EQ(bad(Format::Pollux, kPollux, "time", "when"),
            "line 1: field 2 of the heading is not 'time'");
  EXPECT_EQ(bad(Format::Pollux, kPollux, ",app,", ",other,"),
            "line 2: field 3 (application): tables of 'other': no placements or scalability table");
  EXPECT_EQ(bad(Format::Gavel, kGavel, "\t2\t", "\t3\t"),
            "line 1: field 1 (job type): the table has no ('A (batch size 8)', 3)");
  EXPECT_EQ(bad(Format::Swf, kSwf, "1 10 -1 30 2", "1 10 -1 30 nan"),
            "line 3: field 5 (allocated processors): 'nan' is not a number");
}

// Bytes changed, cut and doubled at random: an answer or an error, never more.
TEST(read, random_damage_gives_an_error_or_a_list) {
  const std::pair<Format, std::string> lists[] = {
      {Format::Swf, kSwf},         {Format::Philly, kPhilly}, {Format::Tiresias, kTiresias},
      {Format::Alibaba, kAlibaba}, {Format::Gavel, kGavel},   {Format::Pollux, kPollux},
      {Format::Sia, kPollux}};
  std::mt19937 random(7);
  constexpr char kBytes[] = "0123456789,-.e\n\t ;\0\xff'\"";
  int refused = 0;
  for (int i = 0; i < 7000; ++i) {
    auto [format, text] = lists[i % 7];
    TableTexts files = tables();
    std::string& target =
        i % 3 == 0 ? std::next(files.begin(), random() % files.size())->second : text;
    for (std::uint32_t n = 1 + random() % 4; n > 0 && !target.empty(); --n) {
      std::size_t at = random() % target.size();
      switch (random() % 3) {
        case 0: target[at] = kBytes[random() % (sizeof kBytes - 1)]; break;
        case 1: target.erase(at, 1 + random() % 8); break;
        default: target.insert(at, target.substr(at, random() % 16)); break;
      }
    }
    auto list = read_workload(format, text, files, {16, ""});
    refused += !list;
    if (!list) continue;
    for (const auto& job : list->jobs) ASSERT_GE(job.work->left_s(0, {1}, Batch::Fixed), 0);
  }
  EXPECT_GT(refused, 1000);
}

TEST(read, more_malleable_jobs_include_the_ones_of_a_smaller_share) {
  auto few = *read(Format::Swf, kSwf), many = few;
  make_malleable(few, 0.5, 3, 256);
  make_malleable(many, 1, 3, 256);
  for (std::size_t i = 0; i < few.jobs.size(); ++i) {
    EXPECT_TRUE(many.jobs[i].elastic());
    if (!few.jobs[i].elastic()) continue;
    EXPECT_EQ(few.jobs[i].max_tasks, many.jobs[i].max_tasks);
  }
  EXPECT_EQ(many.jobs[1].min_tasks, 2u);
  EXPECT_EQ(many.jobs[1].max_tasks, 16u);
}

}  // namespace
}  // namespace wm::replay
