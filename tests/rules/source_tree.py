"""Reads a source tree the way the rules need it: files, code without comments, includes."""

import functools
import re
from pathlib import Path
from typing import Iterator, NamedTuple

SOURCE_SUFFIXES = {".c", ".cpp", ".h", ".hpp"}

# A comment, or a literal that may hold what only looks like one.
TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
      | (?P<raw>R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")
      | (?P<text>"(?:\\.|[^"\\\n])*")
      | (?P<char>(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL,
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


class Violation(NamedTuple):
    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class Include(NamedTuple):
    line: int
    name: str
    quoted: bool


def blank(text: str) -> str:
    """Spaces in place of everything but line ends, so that line numbers stay."""
    return re.sub(r"[^\n]", " ", text)


def strip(text: str, literals: bool = True) -> str:
    """`text` without comments, and without literals if `literals` is false."""

    def replace(match: re.Match) -> str:
        drop = match.group("comment") is not None or not literals
        return blank(match.group(0)) if drop else match.group(0)

    return TOKEN.sub(replace, text)


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


class Tree:
    def __init__(self, root: Path):
        self.root = root

    def files(self, *folders: str, suffixes=SOURCE_SUFFIXES) -> Iterator[str]:
        """Paths below the folders, relative to the root and in order."""
        for folder in folders:
            for path in sorted((self.root / folder).rglob("*")):
                if path.suffix in suffixes and path.is_file():
                    yield path.relative_to(self.root).as_posix()

    def text(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def code(self, path: str, literals: bool = True) -> str:
        return strip(self.text(path), literals)

    @functools.cache
    def includes(self, path: str) -> list[Include]:
        code = self.code(path)
        return [
            Include(line_of(code, m.start(1)), m.group(2), m.group(1) == '"')
            for m in INCLUDE.finditer(code)
        ]

    @functools.cache
    def resolve(self, path: str, include: Include) -> str | None:
        """The file of this tree that the include names, or None for a header from elsewhere."""
        folders = [Path(path).parent] if include.quoted else []
        if path.startswith("plugins/"):
            folders += [Path(*Path(path).parts[:2]), Path("plugins")]
        for folder in [*folders, Path("include"), Path(".")]:
            candidate = (self.root / folder / include.name).resolve()
            if candidate.is_file() and candidate.is_relative_to(self.root.resolve()):
                return candidate.relative_to(self.root.resolve()).as_posix()
        return None

    def find(self, pattern: re.Pattern, paths, message: str, literals: bool = False):
        """A violation for each match in the code of the paths; {} in the message is the match."""
        for path in paths:
            code = self.code(path, literals)
            for match in pattern.finditer(code):
                word = " ".join(match.group(0).split())
                yield Violation(path, line_of(code, match.start()), message.format(word))
