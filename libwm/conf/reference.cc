// Manual pages out of the tables, so that they cannot disagree with what is read.
#include "libwm/conf/keys.h"
#include "libwm/conf/load.h"

namespace wm::conf {
namespace {

std::string_view effect_text(Effect effect) {
  switch (effect) {
    case Effect::Reconfig: return "badmin reconfig";
    case Effect::NewJobs: return "badmin reconfig, for jobs submitted from then on";
    case Effect::Restart: return "restart of the daemons";
  }
  return "";
}

template <class T>
std::string entry(const Key<T>& key) {
  T initial;
  auto field = key.field(initial);
  auto value = show_field(field);
  std::string text = "**" + std::string(key.name) + "** = *" + describe_field(field) + "*\n";
  text += ":   " + std::string(key.doc) + "\n";
  text += "    Default: " + (value.empty() ? "empty" : value) + ". ";
  return text + "Takes effect: " + std::string(effect_text(key.effect)) + ".\n\n";
}

struct Page {
  std::string_view file, role, sections;
};

constexpr Page kPages[] = {
    {"wm.conf", "the cluster",
     "Keys stand without a section, or under the headings [cluster], [master], [paths], [times], "
     "[limits] and [scheduler], which are for the reader only."},
    {"queues.conf", "queues", "One section per queue: [night]."},
    {"hosts.conf", "hosts",
     "One section per host or range of hosts: [login1], [gpu[01-16]]. Without any, the machine on "
     "which wmasterd runs is the cluster. A host joins by the name that wnoded has (--name, else "
     "its host name up to the first dot); one that is not listed is refused, and bhosts says "
     "which."},
    {"plans.conf", "resource plans",
     "One section per path: [/research/vision]; its parent needs one too. The root [/] is always "
     "there."},
    {"apps.conf", "application profiles",
     "One section per profile. batch, training, notebook and inference are always there; their "
     "sections change them."},
    {"budgets.conf", "budgets",
     "One section per budget: a plan's path, project:NAME or user:NAME. A job draws on every "
     "budget "
     "that is about it: its plan's, those of the plans above, its project's and its user's. What "
     "its tasks hold is counted from their grant until they are gone, to the millisecond; attempts "
     "that the system ended are credited. A job that starts reserves what it may draw until its "
     "run limit. bplans -b shows how budgets stand, bsub -cost what a job would draw."},
    {"limits.conf", "limits",
     "One section per limit: [night]. A job counts against every limit that is about it in all "
     "respects that the section names, so that limits nest; the reason why a job waits names the "
     "one that binds. blimits shows how far they are used."},
    {"slas.conf", "service classes",
     "One section per class: [reports], for bsub -sla. While a class is behind its goal, as many "
     "of "
     "its pending jobs as it takes go before all others, within the limits of users and plans. How "
     "long a job takes is its estimate (-We) or run limit, an hour where it has none. bsla shows "
     "how classes stand."},
    {"users.conf", "users", "One section per user. [default] stands for all users that have none."},
};

template <class T>
std::string entries(std::span<const Key<T>> keys) {
  std::string text;
  for (const auto& key : keys) text += entry(key);
  return text;
}

std::string entries_of(std::string_view file) {
  if (file == "wm.conf") return entries(cluster_keys());
  if (file == "queues.conf") return entries(queue_keys());
  if (file == "hosts.conf") return entries(host_keys());
  if (file == "plans.conf") return entries(plan_keys());
  if (file == "budgets.conf") return entries(budget_keys());
  if (file == "apps.conf") return entries(app_keys());
  if (file == "limits.conf") return entries(limit_keys());
  if (file == "slas.conf") return entries(class_keys());
  return entries(user_keys());
}

}  // namespace

Result<std::string> reference(std::string_view file) {
  for (const auto& page : kPages) {
    if (page.file != file) continue;
    std::string name(file);
    std::string text = "# " + name + "(5)\n\n## NAME\n\n" + name + " - configuration of " +
                       std::string(page.role) + "\n\n## DESCRIPTION\n\n";
    text += "Lines are `[section]`, `key = value`, blank, or a comment from `#` to the end. " +
            std::string(page.sections) + "\n";
    if (file != "wm.conf" && file != "users.conf")
      text += "A section [default] gives the values that the other sections start from.\n";
    text +=
        "\nParts of it may lie in files of their own: those of the folder `" + name +
        ".d` whose names end in `.conf`, and those that lines `include = FILE` before the first "
        "section name, relative to the directory; `*` in a name stands for anything. A section "
        "stands in one of them only.\n";
    text += "\nThe directory is `$WM_CONF_DIR`, else " + std::string(kDefaultDir) +
            ". `badmin ckconfig` checks the files, `badmin reconfig` puts them in force.\n";
    return text + "\n## KEYS\n\n" + entries_of(file);
  }
  return fail(Code::NotFound, "no configuration file '" + std::string(file) + "'");
}

}  // namespace wm::conf
