# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Writes docs/functions.md: a line for each public function, and for each module, loss, optimiser and schedule."""

import functools
import json
import pathlib
import re

from record import first_sentence

PAGE = "docs/functions.md"
LACKING = "tools/interface/record/lacking.json"
PREFACE = """\
# Functions

`python3 tools/interface/interface.py . --write` makes this page from the public headers and `%s`.

A name leads to the page that describes the function, or to its header. Arguments in brackets may be left out. `call` marks functions that
`patchbay::call` takes by name: `call("softmax", {x}, {{"dim", -1}})`, and methods as `call("Tensor.reshape", ...)`. The last column
names backends whose devices lack the function; tests call the functions on a device of each backend. Functions whose names end in `_out` write to
a tensor that the program gives.
""" % LACKING
INTRODUCTIONS = ("tutorial", "coming-from-")  # the last places to look for a description
ORDER_OF_PAGES = "docs/README.md"
MOST = 160  # characters of a sentence


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def sentence_of(entry: dict) -> str:
    text = first_sentence(entry.get("doc", ""))
    if len(text) > MOST:  # without what stands in brackets, or behind a colon
        text = re.sub(r" \([^()]*\d{4}[^()]*\)", "", text)
    if len(text) > MOST and (cut := re.match(rf"(.{{20,{MOST}}}?)(: |; |, (?:where|which|unless) )", text)):
        text = cut.group(1) + "."
    return cell(text)


def anchor_of(heading: str) -> str:
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


class Links:
    """Finds where a function is described."""

    def __init__(self, root: pathlib.Path):
        self.root = root
        index = (root / ORDER_OF_PAGES).read_text()
        names = list(dict.fromkeys(re.findall(r"\]\(([\w-]+\.md)\)", index.split("For authors of plugins")[0])))
        names.sort(key=lambda name: name.startswith(INTRODUCTIONS))
        self.pages = {name: (root / "docs" / name).read_text() for name in names if name != pathlib.Path(PAGE).name}

    @functools.cache
    def page_of_header(self, header: str) -> str | None:
        comment = (self.root / "include" / header).read_text().split("#ifndef")[0]
        found = re.search(r"docs/([\w-]+\.md)", comment)
        return found.group(1) if found and found.group(1) in self.pages else None

    @staticmethod
    def section(text: str, name: str) -> str | None:
        """The anchor of the section that names the function first; "" above all sections."""
        heading, is_code = "", False
        for line in text.splitlines():
            if line.startswith("```"):
                is_code = not is_code
            elif not is_code and (found := re.match(r"##+ (.*)", line)):
                heading = "#" + anchor_of(found.group(1))
            elif not is_code and re.search(rf"`(?:\w+::)*{re.escape(name)}[`(<]", line):
                return heading
        return None

    def of(self, name: str, header: str) -> str:
        own = self.page_of_header(header)
        for page in ([own] if own else []) + [page for page in self.pages if page != own]:
            if (section := self.section(self.pages[page], name)) is not None:
                return page + section
        return own or f"../include/{header}"


def short_signature(name: str, parameters: list) -> str:
    shown = [f"[{one[0]}]" if len(one) > 3 else one[0] or "..." for one in parameters]
    return f"{name}({', '.join(shown)})"


class Page:
    def __init__(self, root: pathlib.Path, record: dict):
        self.record, self.links = record, Links(root)
        self.lacking = json.loads((root / LACKING).read_text()) if (root / LACKING).is_file() else {}

    def row(self, full: str, entry: dict) -> str:
        short = full.removeprefix("patchbay::")
        name = short.rpartition("::")[2]
        link = self.links.of(name.removesuffix("_out"), entry["header"])
        overload = next((one for one in entry["overloads"] if "template" not in one), entry["overloads"][0])
        called = "call" if entry.get("call") is True else ""
        lacking = ", ".join(self.lacking.get(short.replace("::", "."), []))
        return (f"| [`{cell(short_signature(short, overload['parameters']))}`]({link}) | {sentence_of(entry)} | "
                f"{called} | {lacking} |\n")

    def functions(self) -> str:
        groups: dict[str, list[str]] = {}
        for full, entry in self.record["functions"].items():
            groups.setdefault(entry["header"], []).append(self.row(full, entry))
        text = ""
        for header, rows in sorted(groups.items(), key=lambda group: ("/nn/" in group[0], group[0])):
            text += (f"\n## `{header}`\n\n| function | gives or does | by name | lacking on |\n| --- | --- | --- | --- |\n"
                     + "".join(rows))
        return text

    def methods(self) -> str:
        tensor = self.record["classes"]["patchbay::Tensor"]
        rows = "".join(self.row(f"patchbay::Tensor::{name}", {"header": tensor["header"], **entry})
                       for name, entry in tensor["methods"].items() if name.isidentifier())
        return ("\n## Methods of `Tensor`\n\n| method | gives or does | by name | lacking on |\n"
                "| --- | --- | --- | --- |\n" + rows)

    def classes(self, what: str, title: str) -> str:
        rows = ""
        for full, entry in self.record["classes"].items():
            if entry["what"] != what or not self.is_made(full, entry):
                continue
            name = full.rpartition("::")[2]
            constructors = entry.get("constructors", [])
            parameters = constructors[0]["parameters"] if constructors else []
            link = self.links.of(name, entry["header"])
            rows += (f"| [`{short_signature(full.removeprefix('patchbay::'), parameters)}`]({link}) | "
                     f"{sentence_of(entry)} | {', '.join(self.options_of(parameters))} |\n")
        return f"\n## {title}\n\n| class | does | options |\n| --- | --- | --- |\n{rows}"

    @staticmethod
    def is_made(full: str, entry: dict) -> bool:
        """Whether programs make objects of the class: not of those that others derive from."""
        return not full.endswith(("::Module", "::Loss", "::Optimizer", "::Convolution", "::Recurrent"))

    def options_of(self, parameters: list) -> list[str]:
        names = []
        for one in parameters:
            if one[2].startswith("struct "):
                fields = self.record["structs"][one[2].removeprefix("struct ")]["fields"]
                names += [f"`{field['name']}`" for field in fields]
        return names

    def text(self) -> str:
        return (PREFACE + self.functions() + self.methods() + self.classes("module", "Modules")
                + self.classes("loss", "Losses") + self.classes("optimizer", "Optimisers")
                + self.classes("schedule", "Schedules"))
