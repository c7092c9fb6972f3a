"""Role: what a converter does with the site that it has made: writes it, has it judged, and says what is not carried over."""

import sys

from convert.judge import judge
from convert.site import FILES, Refused, new_folder


def convert(name, folder, make):
    """Writes what `make` makes to a new folder. The exit status: 0 all carried over, 1 made with a report, 2 nothing made."""
    try:
        site = make()
        new_folder(folder)
        site.write(folder)
        judge(site, folder, sys.argv[0])
    except (Refused, OSError) as problem:
        print(f'{name}: {problem}', file=sys.stderr)
        return 2
    for line in site.report:
        print(line)
    print(f'{folder}: {" ".join(f"{file}.conf" for file in FILES)}; {len(site.report)} not carried over')
    return 1 if site.report else 0
