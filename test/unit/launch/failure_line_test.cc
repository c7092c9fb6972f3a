// The reason of a failure: which line of stderr, or of an error file of torchrun's.
#include <gtest/gtest.h>

#include "libwm/launch/last_words.h"

namespace wm::launch {
namespace {

// As torch 2 prints it when rank 1 has failed first and rank 0 because of it.
std::string summary(const std::string& rank = "1") {
  return "E1127 10:00:00.000000 77 torch/distributed/elastic/multiprocessing/api.py:869] failed "
         "(exitcode: 1) local_rank: 1 (pid: 99) of binary: /usr/bin/python3\n"
         "Traceback (most recent call last):\n"
         "  File \"/usr/bin/torchrun\", line 8, in <module>\n"
         "    sys.exit(main())\n"
         "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
         "============================================================\n"
         "train.py FAILED\n"
         "------------------------------------------------------------\n"
         "Failures:\n"
         "  <NO_OTHER_FAILURES>\n"
         "------------------------------------------------------------\n"
         "Root Cause (first observed failure):\n"
         "[0]:\n"
         "  time      : 2026-11-27_10:00:00\n"
         "  host      : node1\n"
         "  rank      : " +
         rank +
         " (local_rank: 1)\n"
         "  exitcode  : 1 (pid: 99)\n"
         "  error_file: <N/A>\n"
         "  traceback : To enable traceback see: "
         "https://pytorch.org/docs/stable/elastic/errors.html\n"
         "============================================================\n";
}

TEST(failure_line, without_a_launchers_summary_it_is_the_last_line) {
  EXPECT_EQ(failure_line("Traceback (most recent call last):\n  x()\nValueError: boom\n\n"),
            "ValueError: boom");
  EXPECT_EQ(failure_line("ValueError: handled\nfatal: no space\n====\n"), "fatal: no space");
  EXPECT_EQ(failure_line("======\n"), "======");
  EXPECT_EQ(failure_line(""), "");
}

TEST(failure_line, ranks_on_one_device_are_named_wherever_nccl_says_so) {
  std::string said =
      "torch.distributed.DistBackendError: NCCL error in: init.cc:93, invalid usage\n"
      "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\n"
      "Last error:\n"
      "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 60\n";
  std::string reason =
      "ranks 0 and 1 share one GPU, which NCCL refuses: each needs a GPU of its own (-gpu num=1 "
      "without mode=shared), or gloo";
  EXPECT_EQ(failure_line(said), reason);
  EXPECT_EQ(failure_line(said + summary()), reason);
  EXPECT_EQ(error_file_line(
                R"({"message": "NCCL error\nDuplicate GPU detected : rank 0 and rank 1 both"})"),
            reason);
  EXPECT_EQ(failure_line("Duplicate GPU detected : rank x\n"), "Duplicate GPU detected : rank x");
}

TEST(failure_line, before_a_summary_it_is_the_exception_that_went_before) {
  std::string words =
      "Traceback (most recent call last):\n"
      "  File \"train.py\", line 3, in <module>\n"
      "    work()\n"
      "RuntimeError: No CUDA GPUs are available\n";
  EXPECT_EQ(failure_line(words + summary()), "RuntimeError: No CUDA GPUs are available");
}

TEST(failure_line, of_several_ranks_the_one_that_failed_first_says_it) {
  std::string words =
      "[rank1]: Traceback (most recent call last):\n"
      "[rank0]: Traceback (most recent call last):\n"
      "[rank1]:   File \"train.py\", line 3, in <module>\n"
      "[rank0]:   File \"train.py\", line 9, in <module>\n"
      "[rank1]: ValueError: the label 17 is out of range\n"
      "[rank0]: torch.distributed.DistBackendError: connection closed by peer\n";
  EXPECT_EQ(failure_line(words + summary("1")), "ValueError: the label 17 is out of range");
  EXPECT_EQ(failure_line(words + summary("0")),
            "torch.distributed.DistBackendError: connection closed by peer");
  EXPECT_EQ(failure_line(words + summary("5")),
            "torch.distributed.DistBackendError: connection closed by peer")
      << "a rank of another host: the last that was raised here";
}

TEST(failure_line, of_chained_exceptions_the_last_is_the_reason) {
  std::string words =
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 1\n"
      "KeyError: 'x'\n"
      "\n"
      "During handling of the above exception, another exception occurred:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 2\n"
      "OSError: [Errno 28] No space left on device\n";
  EXPECT_EQ(failure_line(words + summary()), "OSError: [Errno 28] No space left on device");
}

TEST(failure_line, a_program_that_raises_nothing_has_its_last_word) {
  EXPECT_EQ(failure_line("loading\ncannot open data\n" + summary()), "cannot open data");
  EXPECT_EQ(failure_line(summary()),
            "traceback : To enable traceback see: "
            "https://pytorch.org/docs/stable/elastic/errors.html")
      << "better than a row of dashes";
}

TEST(failure_line, lines_that_begin_with_a_bracket_are_no_ranks) {
  EXPECT_EQ(failure_line("[info]: Traceback\n[1/3] done\n[]: x\n["), "[");
  EXPECT_EQ(failure_line("Traceback (most recent call last):\n[Errno 2]: gone\n" + summary()),
            "[Errno 2]: gone");
}

TEST(failure_line, an_error_file_says_it_in_its_messages_first_line) {
  EXPECT_EQ(
      error_file_line(R"({"message": {"message": "ValueError: bad\nmore", "extraInfo": {}}})"),
      "ValueError: bad");
  EXPECT_EQ(error_file_line(R"({"message": "plain\nmore"})"), "plain");
  EXPECT_EQ(error_file_line(R"({"message": {"message": "\n  ValueError: later", "errorCode": 1}})"),
            "ValueError: later");
  EXPECT_EQ(error_file_line(R"({"message": "a\u001b[31mred"})"), "a [31mred");
  EXPECT_EQ(error_file_line("{\"message\": \"" + std::string(300, 'x') + "\"}"),
            std::string(200, 'x'));
}

TEST(failure_line, what_is_no_error_file_says_nothing) {
  for (const char* bad :
       {"", "no json", "[]", "7", "null", "{}", R"({"message": 7})", R"({"message": {}})",
        R"({"message": {"message": []}})", R"({"message": ""})", R"({"message": " \n "})",
        R"({"message": {"message": "cut)"})
    EXPECT_EQ(error_file_line(bad), "") << bad;
  EXPECT_EQ(error_file_line(std::string(60000, '[')), "");
}

}  // namespace
}  // namespace wm::launch
