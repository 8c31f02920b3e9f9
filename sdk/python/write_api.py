"""Writes `darkroom/api.py` from the OpenAPI document: a method for every operation of an API key, and its types.

Hatchling runs it before each build; by hand: `python3 write_api.py`. A source distribution has its result.
"""

import json
import keyword
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent
DOCUMENT = ROOT.parent.parent / "api" / "openapi.json"
WRITTEN = ROOT / "src" / "darkroom" / "api.py"
HEAD = '''"""Every operation of the API for programs, and its types. Written from the OpenAPI document; do not edit."""

# mypy: disable-error-code=no-any-return
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, Unpack

from .transport import FormFile, Transport, path_of

'''
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
#: Names that the module has besides those of the document.
OWN_NAMES = (*re.findall(r"[A-Z]\w+", HEAD.split("annotations")[1]), "Api")
#: Headers of requests that the client itself sets, or whose meaning is left to proxies.
NOT_ASKED = ("Accept", "X-Request-Id")

Schema = dict[str, Any]


def api_of(document: Schema) -> str:
    """The module for an OpenAPI document."""
    types = Types(document["components"]["schemas"])
    methods = [
        method_of(types, document, method.upper(), path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if is_for_programs(operation)
    ]
    bodies = document["components"]["requestBodies"]
    events = [types.of(body["content"]["application/json"]["schema"], name) for name, body in bodies.items()]
    types.alias("WebhookEvent", " | ".join(events), "The event of a webhook; `type` tells which.")
    operations = "\n\n".join(methods)
    return f'''{HEAD}{types.text()}

class Api:
    """Every operation, by its name in the OpenAPI document."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

{operations}
'''


def is_for_programs(operation: Schema) -> bool:
    """Whether a program with a key may call it: not for those of older clients, of login sessions and of websockets."""
    security = operation.get("security")
    session_only = security == [{"session": []}] or (security == [] and "Authentication" in operation["tags"])
    return not (operation.get("deprecated") or session_only or "101" in operation["responses"])


class Types:
    """The types that operations use, written once each."""

    def __init__(self, schemas: dict[str, Schema]) -> None:
        self._schemas = schemas
        self._texts: dict[str, str] = {}

    def text(self) -> str:
        return "\n".join(self._texts[name] for name in sorted(self._texts))

    def of(self, schema: Schema, name: str) -> str:
        """The annotation for a schema; an object without a name of its own becomes a class with the given one."""
        if "$ref" in schema:
            return self._named(schema["$ref"].rsplit("/", 1)[-1])
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return f"Literal[{', '.join(map(repr, schema['enum']))}]"
        # `{}` beside null: any value, whose type the schema itself has.
        options = [one for one in schema.get("anyOf") or schema.get("oneOf") or [] if one]
        if len(options) > 1:
            names = [name, *(f"{name}{number}" for number in range(2, len(options) + 1))]
            return " | ".join(dict.fromkeys(map(self.of, options, names)))
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return " | ".join(self.of({**schema, "type": kind}, name) for kind in kinds)
        if kinds == "array":
            return f"list[{self.of(schema['items'], name)}]"
        if schema.get("format") == "binary":
            return "FormFile"
        if kinds == "object":
            return self._object(schema, name)
        return SIMPLE.get(kinds, "Any") if kinds else "Any"

    def _object(self, schema: Schema, name: str) -> str:
        if "properties" not in schema:
            values = schema.get("additionalProperties")
            return f"dict[str, {self.of(values if isinstance(values, dict) else {}, name)}]"
        self._class(name, schema)
        return name

    def alias(self, name: str, annotation: str, description: str = "") -> None:
        text = annotation if annotation.startswith("Literal[") else repr(annotation)
        self._add(name, f"{name}: TypeAlias = {text}\n{docstring(description, '')}")

    def fields(self, name: str, properties: dict[str, Schema], required: list[str]) -> str:
        """A class for the keyword arguments of an operation; its name, or nothing without any."""
        if properties:
            self._class(name, {"properties": properties, "required": required})
        return name if properties else ""

    def _named(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = ""  # Types may contain themselves.
            schema = self._schemas[name]
            found = self.of(schema, name)
            if found != name:
                self._texts.pop(name)
                self.alias(name, found, schema.get("description", ""))
        return name

    def _class(self, name: str, schema: Schema) -> None:
        required = schema.get("required", [])
        fields = {}
        for field, one in schema["properties"].items():
            annotation = self.of(one, name + pascal(field))
            fields[field] = annotation if field in required else f"NotRequired[{annotation}]"
        if any(not field.isidentifier() or keyword.iskeyword(field) for field in fields):
            entries = ", ".join(f"{field!r}: {annotation!r}" for field, annotation in fields.items())
            return self._add(name, f"{name} = TypedDict({name!r}, {{{entries}}})\n")
        lines = [
            f"    {field}: {annotation}\n{docstring(schema['properties'][field].get('description', ''), '    ')}"
            for field, annotation in fields.items()
        ]
        about = docstring(schema.get("description", ""), "    ")
        self._add(name, f"class {name}(TypedDict):\n{about}{''.join(lines) or '    pass' + chr(10)}\n")

    def _add(self, name: str, text: str) -> None:
        if self._texts.get(name, "") not in ("", text) or name in OWN_NAMES:
            raise ValueError(f"two different types are named {name}")
        self._texts[name] = text


def method_of(types: Types, document: Schema, method: str, path: str, operation: Schema) -> str:
    """The method of the class Api for an operation."""
    name = pascal(operation["operationId"])
    parameters = [one for one in operation.get("parameters", []) if one["name"] not in NOT_ASKED]
    queries = {one["name"]: one for one in parameters if one["in"] == "query"}
    headers = {snake(one["name"]): one["name"] for one in parameters if one["in"] == "header"}
    # An operation that takes a form or JSON gets JSON, unless a file is given.
    bodies = [resolved(document, one["schema"]) for one in operation.get("requestBody", {}).get("content", {}).values()]
    of_body = {field: one for body in bodies for field, one in body["properties"].items()}
    properties = {**{field: described(one) for field, one in queries.items()}, **of_body}
    required = {field for field, one in queries.items() if one.get("required")}
    if bodies:
        required |= set.intersection(*(set(body.get("required", [])) for body in bodies))
    fields = types.fields(f"{name}Fields", properties, list(required))
    files = [field for field, one in of_body.items() if "binary" in (one.get("format"), one.get("items", {}).get("format"))]

    takes = [f"{one['name']}: {types.of(one['schema'], name)}" for one in parameters if one["in"] == "path"]
    signature = ", ".join(
        ["self", *takes]
        + (["/"] if takes else [])
        + (["*"] if headers else [])
        + [f"{header}: str | None = None" for header in headers]
        + ([f"**fields: Unpack[{fields}]"] if fields else [])
    )
    returns, reads = answer_of(types, operation, name)
    names = re.findall(r"{(\w+)}", path)
    where = f"path_of({path!r}, {', '.join(names)})" if names else repr(path)
    arguments = [repr(method), where]
    if fields:
        # The one query beside a body is also a field of that.
        arguments.append("body=fields" if bodies else "query=fields")
    if files:
        arguments.append(f"files={files!r}")
    if headers:
        arguments.append(f"headers={{{', '.join(f'{header!r}: {value}' for value, header in headers.items())}}}")
    summary = f"{operation['summary']}."
    text = f"{summary}\n\n{operation.get('description', '').removeprefix(summary).lstrip()}"
    return (
        f"    def {snake(operation['operationId'])}({signature}) -> {returns}:\n{docstring(text, '        ')}"
        f"        return self._transport.{reads}({', '.join(arguments)})"
    )


def described(parameter: Schema) -> Schema:
    return {"description": parameter.get("description", ""), **parameter["schema"]}


def resolved(document: Schema, schema: Schema) -> Schema:
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    return document["components"]["schemas"][name] if name else schema


def answer_of(types: Types, operation: Schema, name: str) -> tuple[str, str]:
    """The type of what an operation returns, and the method of the transport that reads it."""
    answers = [answer for status, answer in operation["responses"].items() if status < "300"]
    contents = [answer.get("content", {}) for answer in answers]
    found = [content["application/json"]["schema"] for content in contents if "application/json" in content]
    if found:
        return " | ".join(dict.fromkeys(types.of(schema, f"{name}Answer") for schema in found)), "json"
    for content in contents:
        if "text/event-stream" in content:
            return f"Iterator[{types.of(content['text/event-stream']['schema'], f'{name}Event')}]", "events"
    return ("None", "nothing") if answers else ("str", "location")


def docstring(text: str, indent: str) -> str:
    lines = text.strip().replace("\\", "\\\\").replace('"""', "'''").split("\n")
    body = f"\n{indent}".join(lines).replace(f"\n{indent}\n", "\n\n")
    if not body:
        return ""
    end = f"\n{indent}" if len(lines) > 1 else ""
    return f'{indent}"""{body}{end}"""\n'


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()


def write() -> None:
    """Writes the module, unless this is a source distribution, which has it."""
    if not (ROOT / "PKG-INFO").exists():
        WRITTEN.write_text(api_of(json.loads(DOCUMENT.read_text("utf8"))), "utf8")


if __name__ == "__main__":
    write()
else:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface

    class WriteApi(BuildHookInterface):
        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            write()
