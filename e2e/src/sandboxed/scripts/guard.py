import json
import sys

from rules import judge

why = judge(json.load(sys.stdin))
if why:
    print(why, file=sys.stderr)
    sys.exit(2)
