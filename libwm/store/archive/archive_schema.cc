// Role: see archive_schema.h. A step that was released is never changed: a new one is appended.
#include "libwm/store/archive/archive_schema.h"

#include <array>

namespace wm::store {
namespace {

constexpr std::array<const char*, 1> kArchiveSteps = {
    "CREATE TABLE mark (id INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL,"
    "  filled INTEGER NOT NULL);"
    "INSERT INTO mark VALUES (1, 0, 0);"
    // `views` stands last, so that what is looked for is found on the row's first page.
    "CREATE TABLE run (job INTEGER PRIMARY KEY, seq INTEGER NOT NULL, uid INTEGER NOT NULL,"
    "  user TEXT NOT NULL, name TEXT NOT NULL, state INTEGER NOT NULL, kind INTEGER NOT NULL,"
    "  search INTEGER NOT NULL, starred INTEGER NOT NULL, shelved INTEGER NOT NULL,"
    "  queue TEXT NOT NULL, app TEXT NOT NULL, plan TEXT NOT NULL, project TEXT NOT NULL,"
    "  framework TEXT NOT NULL, service TEXT NOT NULL, bundle TEXT NOT NULL,"
    "  submitted INTEGER NOT NULL, started INTEGER NOT NULL, ended INTEGER NOT NULL,"
    "  own_name TEXT NOT NULL, own_text INTEGER NOT NULL, text TEXT NOT NULL, views BLOB NOT NULL);"
    // Those that lists are cut from hold what most of them ask beside.
    "CREATE INDEX run_by_user ON run (user, job, state, name, kind, search, shelved);"
    "CREATE INDEX run_by_user_state ON run (user, state, job, name, kind, search, shelved);"
    "CREATE INDEX run_by_user_name ON run (user, name, job);"
    "CREATE INDEX run_by_name ON run (name, job);"
    "CREATE INDEX run_by_state ON run (state, job, name);"
    "CREATE INDEX run_by_kind ON run (kind, job, state);"
    "CREATE INDEX run_by_queue ON run (queue, job);"
    "CREATE INDEX run_by_app ON run (app, job);"
    "CREATE INDEX run_by_plan ON run (plan, job);"
    "CREATE INDEX run_by_project ON run (project, job);"
    "CREATE INDEX run_by_framework ON run (framework, job) WHERE framework > '';"
    "CREATE INDEX run_by_service ON run (service, job) WHERE service > '';"
    "CREATE INDEX run_by_bundle ON run (bundle, job) WHERE bundle > '';"
    "CREATE INDEX run_by_search ON run (user, job) WHERE search = 1;"
    "CREATE INDEX run_starred ON run (user, job) WHERE starred = 1;"
    "CREATE INDEX run_by_end ON run (ended);"
    "CREATE INDEX run_by_submit ON run (submitted);"
    "CREATE TABLE run_label (label TEXT NOT NULL, job INTEGER NOT NULL,"
    "  PRIMARY KEY (label, job)) WITHOUT ROWID;"
    "CREATE INDEX label_of_run ON run_label (job);"
    // What owners say, of runs that the master still knows, too.
    "CREATE TABLE run_word (job INTEGER PRIMARY KEY, name TEXT NOT NULL,"
    "  description TEXT NOT NULL, note TEXT NOT NULL, tags TEXT NOT NULL,"
    "  starred INTEGER NOT NULL, shelved INTEGER NOT NULL);"
    "CREATE TABLE run_tag (tag TEXT NOT NULL, job INTEGER NOT NULL,"
    "  PRIMARY KEY (tag, job)) WITHOUT ROWID;"
    "CREATE INDEX tag_of_run ON run_tag (job);"
    // Deleted: index 0 a whole run, which never comes again; else an element of one.
    "CREATE TABLE run_gone (job INTEGER NOT NULL, idx INTEGER NOT NULL,"
    "  PRIMARY KEY (job, idx)) WITHOUT ROWID;"
    "CREATE VIRTUAL TABLE run_text USING fts5(text, content='run', content_rowid='job',"
    "  tokenize='trigram');"};

}  // namespace

const Schema kArchiveSchema = {"archive", 0x574d6172, kArchiveSteps};

}  // namespace wm::store
