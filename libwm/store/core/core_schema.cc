// Role: see core_schema.h. A step that was released is never changed: a new one is appended.
#include "libwm/store/core/core_schema.h"

#include <array>

namespace wm::store {
namespace {

constexpr std::array<const char*, 2> kCoreSteps = {
    "CREATE TABLE event (seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, type INTEGER NOT NULL,"
    "  version INTEGER NOT NULL, payload BLOB NOT NULL);"
    "CREATE TABLE blob (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE,"
    "  seq INTEGER NOT NULL, bytes BLOB NOT NULL);"
    "CREATE TABLE reply (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,"
    "  time INTEGER NOT NULL, reply BLOB NOT NULL);"
    "CREATE TABLE snapshot (seq INTEGER PRIMARY KEY, hash BLOB NOT NULL);"
    "CREATE TABLE snapshot_part (seq INTEGER NOT NULL, part INTEGER NOT NULL,"
    "  bytes BLOB NOT NULL, PRIMARY KEY (seq, part));"
    "CREATE TABLE probe (id INTEGER PRIMARY KEY, count INTEGER NOT NULL);"
    "INSERT INTO probe VALUES (1, 0);",
    "CREATE TABLE identity (id INTEGER PRIMARY KEY, store TEXT NOT NULL);"
    "INSERT INTO identity VALUES (1, lower(hex(randomblob(8))));"};

constexpr std::array<const char*, 1> kHistorySteps = {
    "CREATE TABLE event (seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, type INTEGER NOT NULL,"
    "  version INTEGER NOT NULL, payload BLOB NOT NULL);"};

}  // namespace

const Schema kCoreSchema = {"event store", 0x574d6365, kCoreSteps};
const Schema kHistorySchema = {"event history", 0x574d6869, kHistorySteps};

}  // namespace wm::store
