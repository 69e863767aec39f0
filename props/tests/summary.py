"""What the tests of one or more presets came to: summary.py RESULT.xml...

Prints why each skipped test was skipped and what each long one measured, and counts them in the last line.
"""
import re
import sys
import xml.etree.ElementTree as tree

# A script of many tests passes if some of them are skipped; Python's unittest prints why.
SKIPPED_WITHIN = re.compile(r"^(\w+) \(.*\.\.\. skipped (['\"])(.*)\2$", re.M)


def last_line(test):
    lines = [line for line in test.findtext("system-out", "").splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def is_long(test):
    return any(item.get("value") == "long" for item in test.iter("property") if item.get("name") == "cmake_labels")


counts = {"run": 0, "fail": 0, "notrun": 0}
for path in sys.argv[1:]:
    for test in tree.parse(path).getroot().iter("testcase"):
        status = test.get("status")
        counts[status if status in counts else "notrun"] += 1
        if status not in ("run", "fail"):
            print(f"skipped: {test.get('name')}: {last_line(test) or status}")
        elif is_long(test):
            print(f"{test.get('name')} ({float(test.get('time')):.0f} s): {last_line(test)}")
        for name, _, reason in SKIPPED_WITHIN.findall(test.findtext("system-out", "")):
            counts["notrun"] += 1
            print(f"skipped: {test.get('name')}, {name}: {reason}")
print(f"{counts['run']} passed, {counts['fail']} failed, {counts['notrun']} skipped")
