#!/usr/bin/env python3
"""Wrong stores, as targets that `mayfly check` must catch: wrong_store.py --defect NAME, or --list [WORLD].

Each is a sound store with one thing changed, a class whose documentation names the rule that it breaks, and says how.
"""
import argparse
import re

import wrong_collections
import wrong_prices
import wrong_requests
import wrong_worlds
from sound_store import Store, serve

DEFECTS = {
    re.sub("(?<!^)(?=[A-Z]|(?<![0-9])[0-9])", "-", name).lower(): defect
    for module in (wrong_requests, wrong_collections, wrong_prices, wrong_worlds)
    for name, defect in vars(module).items()
    if isinstance(defect, type) and re.match("[A-Z][0-9]: ", defect.__doc__ or "")
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--defect", choices=DEFECTS, metavar="NAME")
    choice.add_argument("--list", nargs="?", const="small", metavar="WORLD",
                        help="the defects that no world but this one shows, or those of no world in particular, each "
                             "with its rule and what is wrong")
    options = parser.parse_args()
    if options.list:
        for name, defect in DEFECTS.items():
            if getattr(defect, "world", "small") == options.list:
                print(f"{name}: {defect.__doc__}")
    else:
        defect = DEFECTS[options.defect]
        serve(defect(options.defect) if issubclass(defect, Store) else Store(options.defect, defect))
