#include "libwm/view/host_fields.h"

#include <gtest/gtest.h>

#include "libwm/model/stoppers.h"
#include "test/unit/view/listings.h"

namespace wm::view {
namespace {

HostView node(std::string name, std::uint32_t slots = 4) {
  HostView view;
  view.host.name = std::move(name);
  view.host.registered = WallTime{Duration{1}};
  view.host.capacity.slots = slots;
  view.connected = true;
  return view;
}

TEST(host_status, ok_is_a_host_that_is_heard_open_and_not_full) {
  EXPECT_EQ(host_status(node("a")), "ok");
}

TEST(host_status, silence_is_unreach_and_never_registered_or_dead_is_unavail) {
  auto silent = node("a"), cut_off = node("b"), dead = node("c"), unknown = node("d");
  silent.host.state = HostState::Silent;
  cut_off.connected = false;
  dead.host.state = HostState::Dead;
  unknown.host.state = HostState::Silent;
  unknown.host.registered = {};
  EXPECT_EQ(host_status(silent), "unreach");
  EXPECT_EQ(host_status(cut_off), "unreach");
  EXPECT_EQ(host_status(dead), "unavail");
  EXPECT_EQ(host_status(unknown), "unavail");
}

TEST(host_status, closed_says_by_whom) {
  auto full = node("a", 2), shut = node("b");
  full.host.used_slots = 2;
  shut.host.closed = true;
  EXPECT_EQ(host_status(full), "closed_Full");
  EXPECT_EQ(host_status(shut), "closed_Adm");
  shut.host.closed_by = window_closer("b");
  EXPECT_EQ(host_status(shut), "closed_Wind");
}

TEST(host_long, one_that_is_drained_says_what_is_still_there) {
  auto view = node("a");
  view.host.closed = view.host.drains = true;
  view.host.closed_by = "root", view.host.closed_why = "disk";
  auto line = [&] {
    auto text = host_long_text(view);
    auto at = text.find(" DRAIN");
    return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(host_status(view), "closed_Adm");
  EXPECT_EQ(line(), " DRAIN         nothing is left there");
  view.jobs = 3, view.moving = 2;
  EXPECT_EQ(line(),
            " DRAIN         2 tasks leave when others have taken their place, 1 task runs to its "
            "end");
  view.moving = 0;
  EXPECT_EQ(line(), " DRAIN         3 tasks run to their end");
  view.host.drains = false;
  EXPECT_EQ(line(), "");
}

TEST(host_table, narrow_columns_stand_where_lsf_puts_them) {
  auto full = node("a_host_name_that_is_too_long", 2);
  full.host.used_slots = full.jobs = full.running = 2;
  EXPECT_EQ(host_table(std::vector{full}, false, true),
            "HOST_NAME          STATUS       JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV\n"
            "a_host_name_that_i closed          -      2      2      2      0      0      0\n");
}

TEST(host_table, wide_cuts_nothing_and_says_why) {
  auto full = node("a_host_name_that_is_too_long", 1);
  full.host.used_slots = 1;
  auto text = host_table(std::vector{full}, true, false);
  EXPECT_EQ(text,
            "a_host_name_that_is_too_long closed_Full        -      1      0      0      0      0  "
            "    0\n");
}

HostView with_gpus() {
  auto view = node("g");
  view.host.capacity.gpus = {{"u0", "H200", Bytes{1LL << 30}}, {"u1", "", {}}, {"u2", "", {}}};
  view.host.gpu_owners = {{JobId{7, 0}, {}}, {}, {JobId{8, 3}, {}}};
  view.stuck_gpus = 1;
  return view;
}

TEST(host_fields, json_counts_gpus_there_held_and_stuck) {
  Listing listing{"bhosts", "HOSTS", "host_name ngpus ngpus_alloc ngpus_stuck"};
  auto text = json_of<HostView>(listing, host_fields(), std::vector{with_gpus()});
  EXPECT_EQ(text,
            "{\n  \"COMMAND\": \"bhosts\",\n  \"HOSTS\": 1,\n  \"RECORDS\": [\n    {\n      "
            "\"HOST_NAME\": \"g\",\n"
            "      \"NGPUS\": \"3\",\n      \"NGPUS_ALLOC\": \"2\",\n      \"NGPUS_STUCK\": "
            "\"1\"\n    }\n  ]\n}\n");
}

TEST(host_fields, every_field_of_lsfs_is_known) {
  auto names = names_of(host_fields());
  auto all = parse_format(
      "host_name status cpuf jl_u max njobs run ssusp ususp rsv dispatch_window ngpus ngpus_alloc "
      "ngpus_excl_alloc ngpus_shared_alloc ngpus_shared_jexcl_alloc ngpus_excl_avail "
      "ngpus_shared_avail attribute mig_alloc comments available_mem reserved_mem total_mem",
      names);
  ASSERT_TRUE(all) << all.error().text;
  EXPECT_EQ(parse_format("nonsense", names).error().text, "nonsense: unknown output field");
}

std::string shown(const HostView& view, std::string_view name) {
  for (const auto& field : host_fields())
    if (field.field.name == name) return field.show(view);
  return "no such field";
}

TEST(host_fields, gpus_are_counted_by_how_they_are_held) {
  auto view = with_gpus();  // two of three have owners
  EXPECT_EQ(shown(view, "ngpus_excl_alloc"), "2");
  EXPECT_EQ(shown(view, "ngpus_shared_alloc"), "0");
  EXPECT_EQ(shown(view, "ngpus_excl_avail"), "1");
  EXPECT_EQ(shown(view, "mig_alloc"), "");
  view.host.gpu_shares = {{1, {JobId{9, 0}, TaskNumber{1}}, 250, Bytes{1 << 20}, {}}};
  EXPECT_EQ(shown(view, "ngpus_alloc"), "3");
  EXPECT_EQ(shown(view, "ngpus_shared_alloc"), "1");
  EXPECT_EQ(shown(view, "ngpus_excl_avail"), "0");
  EXPECT_EQ(shown(view, "ngpus_shared_avail"), "1");
}

TEST(host_fields, available_memory_is_what_is_free_less_what_is_reserved) {
  auto view = node("a");
  view.host.capacity.mem = Bytes{32LL << 30};
  view.host.used_mem = Bytes{4LL << 30};
  EXPECT_EQ(shown(view, "available_mem"), "28G");  // the host does not tell
  view.more.mem = Bytes{10LL << 30};
  EXPECT_EQ(shown(view, "available_mem"), "6G");
  view.more.mem = Bytes{1LL << 30};
  EXPECT_EQ(shown(view, "available_mem"), "0");
}

TEST(host_long_text, has_lsfs_table_of_the_current_load) {
  auto view = node("a");
  view.load = 0.5;
  view.more.r15s = 0.25, view.more.mem = Bytes{8LL << 30};
  view.host.capacity.mem = Bytes{16LL << 30};
  view.host.used_mem = Bytes{2LL << 30};
  auto text = host_long_text(view);
  EXPECT_NE(
      text.find(" CURRENT LOAD USED FOR SCHEDULING:\n"
                "            r15s   r1m  r15m    ut    pg    io   ls    it   tmp   swp   mem  "
                "slots\n"),
      text.npos)
      << text;
  EXPECT_NE(text.find("\n Total       0.2   0.5     -"), text.npos) << text;
  EXPECT_NE(text.find("    6G      4\n Reserved    0.0   0.0   0.0    0%"), text.npos) << text;
  EXPECT_NE(text.find(" loadSched    -"), text.npos) << text;
}

TEST(host_long_text, shows_the_administrators_comment_of_a_closed_host) {
  auto shut = node("a");
  shut.host.closed = true;
  shut.host.closed_by = "root";
  shut.host.closed_why = "bad fan";
  EXPECT_NE(host_long_text(shut).find("ADMIN ACTION COMMENT: \"root: bad fan\""),
            std::string::npos);
  EXPECT_EQ(host_long_text(node("b")).find("ADMIN"), std::string::npos);
}

}  // namespace
}  // namespace wm::view
