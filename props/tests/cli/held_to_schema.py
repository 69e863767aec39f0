"""Holds each line of a file to a part of a JSON Schema: held_to_schema.py SCHEMA PART FILE"""
import json
import sys

from jsonschema import Draft202012Validator

schema_file, part, file = sys.argv[1:]
with open(schema_file, encoding="utf-8") as opened:
    schema = json.load(opened)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/{part}"}]})
lines = 0
with open(file, encoding="utf-8") as opened:
    for line in opened:
        if not line.endswith("\n"):
            break  # the writer was killed over it
        lines += 1
        if not validator.is_valid(json.loads(line)):
            sys.exit(f"{file}:{lines}: is no {part}: {line[:300]}")
print(lines)
