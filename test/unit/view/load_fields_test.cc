// Role: what lshosts and lsload show.
#include "libwm/view/load_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace wm::view {
namespace {

HostView host() {
  HostView view;
  view.host.name = "h1";
  view.host.type = "x86_64";
  view.host.model = "AMD EPYC";
  view.host.registered = WallTime{Duration{1}};
  view.host.capacity = {4, 4000, Bytes{252LL << 30}, {{"GPU-a", "H200", Bytes{80LL << 30}}}};
  view.connected = true;
  view.load = 1.26;
  view.gpus = {{"GPU-a", false, false, "", {}, Bytes{20LL << 30}, 70, 55}};
  return view;
}

std::string of(std::span<const Field<ShownHost>> fields, std::string_view name,
               const HostView& view = host(), const HostConf* conf = nullptr,
               const SizeUnit& unit = {}) {
  for (const auto& field : fields)
    if (field.field.name == name) return field.show({&view, conf}, unit);
  return "no such field";
}

template <class Table>
std::string table(Table of_hosts, const HostView& view, bool with_header = false,
                  const HostConf* conf = nullptr) {
  const ShownHost shown{&view, conf};
  return of_hosts(std::span(&shown, 1), with_header);
}

TEST(load_fields, lshosts_tells_size_and_kind) {
  EXPECT_EQ(table(host_facts_table, host(), true),
            "HOST_NAME      type    model  cpuf ncpus maxmem maxswp server RESOURCES\n"
            "h1             X86_64  AMDEPYC  1.0     4 252.0G      -    Yes (gpu)\n");
  EXPECT_EQ(of(host_facts(), "ncpus"), "4");
  EXPECT_EQ(of(host_facts(), "model"), "AMDEPYC");
  EXPECT_EQ(of(host_facts(), "type"), "X86_64");
}

TEST(load_fields, lsload_tells_status_and_load) {
  auto text = table(load_table, host());
  EXPECT_TRUE(text.starts_with("h1              ok         -   1.3     -  31%")) << text;
  auto view = host();
  view.host.closed = true;
  EXPECT_EQ(load_status(view), "ok");  // bhosts tells that it is closed
  view.connected = false;
  EXPECT_EQ(load_status(view), "unavail");
  EXPECT_EQ(table(load_table, view).find("unavail    -     -     -    -"), 16u);
  EXPECT_EQ(of(load_fields(), "r15s"), "");
}

TEST(load_fields, lsload_tells_what_the_host_measures) {
  auto view = host();
  view.more = {.r15s = 0.26,
               .r15m = 2,
               .idle = std::chrono::minutes(7),
               .tmp = Bytes{90LL << 30},
               .swp = Bytes{0},
               .mem = Bytes{9LL << 30},
               .max_swp = Bytes{4LL << 30},
               .pg = 1.26,
               .io = 731.6,
               .logins = 2};
  auto text = table(load_table, view, true);
  EXPECT_EQ(text,
            "HOST_NAME       status  r15s   r1m  r15m   ut    pg  ls    it   tmp   swp   mem\n"
            "h1              ok       0.3   1.3   2.0  31%   1.3   2     7 90.0G    0M 9216M\n");
  EXPECT_EQ(table(long_load_table, view, true),
            "HOST_NAME               status  r15s   r1m  r15m   ut    pg    io  ls    it     tmp"
            "     swp     mem  ngpus\n"
            "h1                      ok       0.3   1.3   2.0  31%   1.3   732   2     7   90.0G"
            "      0M   9216M      1\n");
  auto facts = table(host_facts_table, view);
  EXPECT_NE(facts.find(" 252.0G  4096M"), facts.npos) << facts;
}

TEST(load_fields, gpus_are_told_on_average) {
  auto view = host();
  view.gpus[0].mem_busy = 25;
  EXPECT_EQ(
      table(gpu_load_table, view, true),
      "HOST_NAME       status  ngpus  gpu_shared_avg_mut  gpu_shared_avg_ut  ngpus_physical\n"
      "h1              ok          1                 25%                70%               1\n");
}

TEST(load_fields, each_gpu_has_a_line_with_as_many_words_as_headings) {
  auto view = host();
  view.host.capacity.gpus[0].model = "NVIDIA H100 80GB HBM3";
  view.host.capacity.gpus.push_back({"node-gpu1", "", {}});
  auto& told = view.gpus[0];
  told.mem_busy = 4, told.watts = 312, told.pstate = 0, told.mode = 0, told.ecc = 0;
  std::istringstream lines(table(each_gpu_load_table, view, true));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    rows.emplace_back();
    for (std::string word; words >> word;) rows.back().push_back(word);
  }
  ASSERT_EQ(rows.size(), 3u);
  using Words = std::vector<std::string>;
  EXPECT_EQ(rows[0], (Words{"HOST_NAME", "gpuid", "gpu_model", "gpu_mode", "gpu_temp", "gpu_ecc",
                            "gpu_ut", "gpu_mut", "gpu_power", "gpu_mtotal", "gpu_mused",
                            "gpu_pstate", "gpu_status", "gpu_error"}));
  EXPECT_EQ(rows[1], (Words{"h1", "0", "NVIDIAH10080GBHBM3", "0.0", "55C", "0.0", "70%", "4%",
                            "312.0", "80.0G", "20.0G", "0", "ok", "-"}));
  EXPECT_EQ(rows[2].size(), 14u);  // nothing measures it
}

TEST(load_fields, headings_are_those_of_the_plain_tables) {
  auto names = names_of(load_fields());
  auto format = parse_format("host_name STATUS io mem", names).value();
  EXPECT_EQ(headings_of(format, names),
            (std::vector<std::string>{"HOST_NAME", "status", "io", "mem"}));
  auto facts = names_of(host_facts());
  auto wanted = parse_format("hname type res run_windows nprocs", facts).value();
  EXPECT_EQ(headings_of(wanted, facts),
            (std::vector<std::string>{"HOST_NAME", "type", "RESOURCES", "RUN_WINDOWS", "nprocs"}));
}

TEST(load_fields, every_field_of_lsfs_is_known) {
  auto loads = names_of(load_fields()), facts = names_of(host_facts());
  EXPECT_TRUE(parse_format("host_name status r15s r1m r15m ut pg io ls it tmp swp mem", loads));
  EXPECT_TRUE(
      parse_format("host_name type model cpuf ncpus maxmem maxswp server RESOURCES ndisks "
                   "maxtmp rexpri nprocs ncores nthreads RUN_WINDOWS",
                   facts));
  EXPECT_EQ(parse_format("r1m nonsense", loads).error().text, "nonsense: unknown output field");
}

TEST(load_fields, a_column_of_sizes_has_one_unit) {
  auto view = host();
  view.more.mem = Bytes{14807LL << 20};
  EXPECT_EQ(of(load_fields(), "mem", view, nullptr, {"M"}), "14807.0M");
  EXPECT_EQ(of(host_facts(), "maxmem", view, nullptr, {"M", true}), "258048M");
  EXPECT_EQ(of(load_fields(), "mem", view, nullptr, {"S"}), "14.5G");
  EXPECT_EQ(of(load_fields(), "mem", view, nullptr, {"GB"}), "14.5GB");
  EXPECT_EQ(of(load_fields(), "tmp", view, nullptr, {"M"}), "");  // not told
  EXPECT_EQ(of(load_fields(), "ut", view, nullptr, {"M"}), "31%");
}

TEST(load_fields, resources_are_the_names_that_select_takes_as_true) {
  HostConf conf;
  conf.groups = {"fast"};
  conf.resources = {{"ssd", ""}, {"disks", "4"}};
  auto view = host();
  EXPECT_EQ(of(host_facts(), "RESOURCES", view, &conf), "(fast gpu ssd)");
  view.host.capacity.gpus.clear();
  EXPECT_EQ(of(host_facts(), "RESOURCES", view), "()");
}

TEST(load_fields, cpus_are_told_as_processors_cores_and_threads) {
  auto view = host();
  for (std::uint32_t i = 0; i < 8; ++i) view.cpus.push_back({i, i / 2, 0, i / 4});
  EXPECT_EQ(of(host_facts(), "nprocs", view), "2");
  EXPECT_EQ(of(host_facts(), "ncores", view), "2");
  EXPECT_EQ(of(host_facts(), "nthreads", view), "2");
  EXPECT_EQ(of(host_facts(), "ncores"), "4");  // a host that tells no CPUs
}

TEST(load_fields, names_of_the_site_and_of_gpus_are_fields_too) {
  HostConf conf;
  conf.resources = {{"css", "250"}, {"ssd", ""}};
  auto view = host();
  const ShownHost shown{&view, &conf};
  auto names = extra_load_names(std::span(&shown, 1));
  EXPECT_EQ(std::ranges::count(names, "css"), 1);
  EXPECT_EQ(std::ranges::count(names, "ssd"), 0);  // lshosts tells it
  EXPECT_EQ(std::ranges::count(names, "gpu_mode0"), 1);
  EXPECT_EQ(extra_load(shown, "css"), "250");
  EXPECT_EQ(extra_load(shown, "gpu_temp0"), "55C");
  EXPECT_EQ(extra_load(shown, "gpu_temp1"), "");
}

TEST(expand_names, one_star_is_a_pattern_and_keeps_its_width) {
  const std::vector<std::string> names = {"css", "gpu_mode0", "gpu_model0", "gpu_ut0"};
  EXPECT_EQ(expand_names("hname gpu_mode*:8 ut", names), "hname gpu_mode0:8 gpu_model0:8 ut");
  EXPECT_EQ(expand_names("*", names), "css gpu_mode0 gpu_model0 gpu_ut0");
  EXPECT_EQ(expand_names("*0 delimiter='*'", names), "gpu_mode0 gpu_model0 gpu_ut0 delimiter='*'");
  EXPECT_EQ(expand_names("nothing*", names), "");
}

}  // namespace
}  // namespace wm::view
