"""What the tools that write a page of docs/ have in common: a page is written, or with --check compared with the one that is there."""

import argparse
import os
import sys


def main(description, path, page, names=None):
    """Writes what ``page()`` gives; with ``names``, a file of the folder that QUERN_API_NAMES names, what ``page(folder)`` gives."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail when the page is not what would be written")
    args = parser.parse_args()
    folder = os.environ.get("QUERN_API_NAMES")
    if names and not folder:
        sys.exit(f"QUERN_API_NAMES has to name the folder with {names}")
    text = page(folder) if names else page()
    if args.check:
        with open(path) as file:
            sys.exit(file.read() != text)
    with open(path, "w") as file:
        file.write(text)
