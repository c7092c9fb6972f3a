"""Role: what has one place in WM. Each row: the calls that a mechanism wraps, the one file that makes them, what others
use instead, and the files that may call them all the same, each with its reason.

A new mechanism is a row. A pattern is looked for in code: not in comments, texts or preprocessor lines.
Callers: scripts/check_mechanisms.
"""

import re
from dataclasses import dataclass, field


@dataclass
class Mechanism:
    """One row. `place`: a file, or what its files begin with."""
    pattern: str
    place: str
    instead: str
    may: dict = field(default_factory=dict)  # file, or what files begin with → why

    def calls(self, code):
        """(offset, what) of each call that the pattern names."""
        for match in re.finditer(self.pattern, code):
            yield match.start(), match.group().strip()

    def allows(self, name):
        """Whether this file may make such calls."""
        return name.startswith((self.place, *self.may))


HANDSHAKE = 'digests of a handshake stay in the types of its steps, and on the stack'

GROUPS = 'linked into users\' programs by itself, without base'
MOVED = 'a folder or an upload that is complete already comes to its place'
FORKED = 'runs code of its own as another account or in another place; one thread'
LOOKS = 'a job has so many looks to change its state, at an even pace'

MECHANISMS = (
    Mechanism(r'\bcrypto_generichash\w*', 'libwm/base/hash.', 'Hasher, hash_of of base/hash.h',
              {'libwm/wire/hello.': HANDSHAKE, 'libwm/wire/cipher.': HANDSHAKE}),
    Mechanism(r'\bsodium_(bin2hex|hex2bin|bin2base64|base642bin|memcmp)\b', 'libwm/base/hash.',
              'hex, base64, same_secret of base/hash.h'),
    Mechanism(r'\brandombytes_\w+|\bgetrandom\s*\(|\brandom_device\b', 'libwm/base/hash.',
              'random_bytes, random_hex, random_number of base/hash.h',
              {'libwm/wire/entropy.cc': 'fills the secrets of a handshake in their place'}),
    Mechanism(r'(?i)\b\w*json::(parse|accept|sax_parse)\s*\(|\.dump\s*\(', 'libwm/base/json.',
              'parse_json, json_or_null, to_text of base/json.h'),
    Mechanism(r'\b(system|steady|high_resolution)_clock::now\b|\b(clock_gettime|gettimeofday)\s*\('
              r'|(?<![\w.>])time\s*\(\s*(nullptr|NULL|0)\s*\)', 'libwm/base/clock.h',
              'wall_now, now_s, steady_now, boot_now of base/clock.h',
              {'libwm/trainer/groups/': GROUPS,
               'daemons/wmasterd/rim/watchdog.cc': 'sem_timedwait wants the time of day as a timespec'}),
    Mechanism(r'\b(localtime|gmtime|asctime|ctime)(_r)?\s*\(', 'libwm/base/local_time.',
              'local_parts, local_text of base/local_time.h'),
    Mechanism(r'\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep)\s*\(', 'libwm/base/backoff.',
              'Backoff of base/backoff.h',
              {'libwm/trainer/groups/': GROUPS,
               'libwm/client/connection.cc': 'RetryPlan, which ends and is told to the user, says how long',
               'libwm/store/sqlite/sqlite.cc': 'SQLite asks for the pause between looks at a lock, and counts them',
               'daemons/wuserd/execs/end.cc': LOOKS, 'daemons/wuserd/services/dlim_start.cc': LOOKS,
               'daemons/wuserd/services/dlim_infer.cc': LOOKS,
               'daemons/wrouter/main.cc': 'follows a file, as long as it runs',
               'commands/bpeek.cc': 'follows the output of a job that runs',
               'daemons/wgatewayd/log_on_desk.cc': 'each refusal takes as long as every other',
               'daemons/wuserd/door/life.cc': 'looks at what is open, as long as it runs'}),
    Mechanism(r'\bget(pw|gr)(nam|uid|gid|ent)(_r)?\s*\(|\bgetgrouplist\s*\(|\binitgroups\s*\(', 'libwm/proc/accounts.',
              'account, group, groups_of, become of proc/accounts.h'),
    Mechanism(r'\bmk[ds]temp\s*\(', 'libwm/files/temp_folder.', 'TempFolder of files/temp_folder.h',
              {'libwm/submit/file_copies.cc': 'a file that the job reads, in its owner\'s folder'}),
    Mechanism(r'\bposix_spawnp?\s*\(|\b(v?fork|popen|pclose|waitpid|waitid)\s*\(|(?<![\w.>])system\s*\(',
              'libwm/proc/process.', 'Process, run, run_command of proc/process.h',
              {'libwm/proc/spawn.cc': 'processes of jobs: as their user, in their control group',
               'daemons/wlogind/': FORKED, 'daemons/wshepherd/': FORKED, 'commands/common/together.cc': FORKED,
               'daemons/wagent/launch/command.cc': 'reaps what proc/spawn started',
               'commands/blaunch.cc': 'goes on behind its caller\'s back',
               'daemons/wnoded/rim/shepherds.cc': 'the zygote ends with its socket; nobody waits for it'}),
    Mechanism(r'\bbeast::http::|\basync_read_until\s*\(', 'libwm/http/', 'serve of http/server.h, Client of http/client.h'),
    Mechanism(r'\bcolumns_of\s*\(|\bsetw\s*\(', 'libwm/view/table.', 'line_of, aligned of view/table.h',
              {'libwm/view/format.': 'what a cell is made of; -o tables, whose widths users choose'}),
    Mechanism(r'\bargv\[\s*(\+\+\s*)?i\b|\bparse_command_line\s*\(', 'libwm/base/options.',
              'read_options of base/options.h, main_of of commands/common/command.h',
              {'commands/bsim.cc': 'numbers of several types, each with its default, as Boost reads them'}),
    Mechanism(r'\brename(at2?)?\s*\(', 'libwm/files/whole_file.', 'replace_file of files/whole_file.h',
              {'libwm/trainer/groups/': GROUPS, 'libwm/client/bundle.cc': MOVED, 'daemons/wuserd/assets/assets.cc': MOVED,
               'daemons/wuserd/files/editions.cc': MOVED,
               'daemons/wuserd/data/data_assets.cc': MOVED, 'daemons/wuserd/files/upload.cc': MOVED, 'daemons/wuserd/services/dlim_deploy.cc': MOVED,
               'daemons/wuserd/searches/search_plugins.cc': MOVED,
               'daemons/wmasterd/acct/audit.cc': 'a record that is full is kept under another name',
               'libwm/store/archive/archive_db.cc': 'a damaged file is moved aside as it is',
               'commands/common/backing_up.cc': 'tar has written the file: it may be larger than memory',
               'daemons/wshepherd/user/output.cc': 'an output that is full is kept under another name',
               'libwm/http/token_files.cc': 'as root it gives the file to its folder\'s owner before it is seen'}),
)
