#include "libwm/launch/job_report.h"

#include <gtest/gtest.h>

#include <sstream>

namespace wm::launch {
namespace {

ReportHead head() {
  ReportHead h;
  h.product = "WM";
  h.cluster = "c";
  h.job_name = "name";
  h.job_text = "#!/bin/sh\necho hi\n";
  h.hosts = {"4*hostA", "2*hostB"};
  return h;
}

/// The last 30 lines, as clients look at them.
std::vector<std::string> tail(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (lines.size() > 30) lines.erase(lines.begin(), lines.end() - 30);
  return lines;
}

std::string line_two_above_summary(const std::string& text) {
  auto lines = tail(text);
  auto at = std::find(lines.begin(), lines.end(), "Resource usage summary:");
  return at - lines.begin() >= 2 ? *(at - 2) : "";
}

TEST(job_report, a_good_end_has_the_line_clients_look_for) {
  auto text = job_report(head(), {});
  EXPECT_EQ(line_two_above_summary(text), "Successfully completed.");
  EXPECT_NE(text.find("cluster <c> Done\n"), text.npos);
  EXPECT_NE(text.find("# LSBATCH: User input\n#!/bin/sh\necho hi\n-----"), text.npos);
  EXPECT_NE(text.find("host(s) <4*hostA>, in queue"), text.npos);
  EXPECT_NE(text.find("                            <2*hostB>\n"), text.npos);
}

TEST(job_report, a_bad_end_names_the_exit_code_and_the_reason_above_it) {
  ReportEnd end;
  end.status = 12;  // SIGUSR2
  end.term = "TERM_RUNLIMIT: too long";
  auto text = job_report(head(), end);
  EXPECT_EQ(line_two_above_summary(text), "Exited with exit code 140.");
  EXPECT_NE(text.find("TERM_RUNLIMIT: too long\nExited"), text.npos);
  end = {};
  end.status = 3 << 8;
  EXPECT_EQ(line_two_above_summary(job_report(head(), end)), "Exited with exit code 3.");
}

TEST(job_report, a_note_stands_before_the_verdict_and_moves_no_line_that_clients_look_for) {
  ReportEnd end;
  end.note = "WARNING: mpirun started 2 ranks";
  auto text = job_report(head(), end);
  EXPECT_EQ(line_two_above_summary(text), "Successfully completed.");
  EXPECT_NE(text.find("\nWARNING: mpirun started 2 ranks\nSuccessfully"), text.npos);
  end.term = "TERM_RUNLIMIT: too long";
  EXPECT_NE(job_report(head(), end).find("2 ranks\nTERM_RUNLIMIT"), text.npos);
}

TEST(job_report, who_was_ended_and_exits_well_is_not_done) {
  ReportEnd end;
  end.term = "TERM_OWNER: job killed by owner";
  auto text = job_report(head(), end);
  EXPECT_EQ(line_two_above_summary(text), "Exited with exit code 0.");
  EXPECT_NE(text.find("cluster <c> Exited\n"), text.npos);
}

TEST(job_report, memory_that_was_used_is_not_rounded_below_it) {
  ReportEnd end;
  end.usage.max_mem = Bytes{(60 << 20) + 1};
  auto text = job_report(head(), end);
  auto value = [&](const std::string& name) {
    auto at = text.find("    " + name + " :");
    return text.substr(at + 49, text.find('\n', at) - at - 49);
  };
  EXPECT_EQ(value("Max Memory"), "61 MB");
  EXPECT_EQ(value("Average Memory"), "-");
  end.mean_mem = Bytes{45 << 19};
  text = job_report(head(), end);
  EXPECT_EQ(value("Average Memory"), "22.50 MB");
  end.mean_mem = Bytes{70 << 20};  // pages that several share, each time
  text = job_report(head(), end);
  EXPECT_EQ(value("Average Memory"), "60.00 MB");
}

TEST(job_report, a_mail_names_the_files_where_the_output_is) {
  auto h = head();
  h.mail_to = "ann";
  EXPECT_TRUE(job_mail(h, {}).ends_with("\nThe output (if any) follows:\n\n"));
  h.out_path = "x.out";
  h.err_path = "x.err";
  EXPECT_TRUE(
      job_mail(h, {}).ends_with("\nPS:\n\nRead file <x.out> for stdout output of this job.\n"
                                "Read file <x.err> for stderr output of this job.\n"));
}

TEST(job_report, only_the_first_fifty_lines_of_a_script_are_shown) {
  auto h = head();
  h.job_text.clear();
  for (int i = 1; i <= 60; ++i) h.job_text += "line" + std::to_string(i) + "\n";
  auto text = job_report(h, {});
  EXPECT_NE(text.find("line50\n"), text.npos);
  EXPECT_EQ(text.find("line51\n"), text.npos);
}

TEST(job_report, the_error_file_is_named_at_the_end) {
  auto h = head();
  h.err_path = "x.err";
  EXPECT_NE(job_report(h, {}).find("Read file <x.err> for stderr output"), std::string::npos);
}

}  // namespace
}  // namespace wm::launch
