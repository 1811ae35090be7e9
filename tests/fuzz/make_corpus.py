#!/usr/bin/env python3
"""Writes the first files of the fuzzers: make_corpus.py FOLDER. For each format valid ones, and one
for each kind of damage. It uses Python's own zip and gzip, and none of ours."""

import gzip
import io
import json
import platform
import struct
import sys
import zipfile
from pathlib import Path


def npy(descr="<f4", shape=(2, 3), data=b"\0" * 24, fortran=False, version=1, header=None):
    text = header or repr({"descr": descr, "fortran_order": fortran, "shape": shape})
    raw = text.encode() + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(raw))
    return b"\x93NUMPY" + bytes([version, 0]) + length + raw + data


def npy_files():
    good = npy(data=struct.pack("<6f", *range(6)))
    yield "valid", good
    yield "valid_fortran", npy(data=struct.pack("<6f", *range(6)), fortran=True)
    yield "valid_big_endian", npy(descr=">i2", shape=(3,), data=b"\0\1\0\2\0\3")
    yield "valid_half", npy(descr="<f2", shape=(2,), data=b"\0\x3c\0\xc0")
    yield "valid_bool", npy(descr="|b1", shape=(2,), data=b"\0\1")
    yield "valid_number", npy(descr="<u8", shape=(), data=b"\1" * 8)
    yield "valid_empty", npy(shape=(0, 3), data=b"")
    yield "valid_version_2", npy(descr="|i1", shape=(1,), data=b"a", version=2)
    yield "valid_version_3", npy(descr="|u1", shape=(1,), data=b"a", version=3)
    yield "valid_native", npy(descr="f4", shape=(1,), data=b"\0\0\x80\x3f")
    yield "valid_equals", npy(descr="=i2", shape=(1,), data=b"\1\0")
    yield "valid_several", good + npy(descr="|u1", shape=(2,), data=b"ab") + good
    yield "cut_second", good + good[:-1]
    yield "cut_magic", good[:5]
    yield "cut_header", good[:30]
    yield "cut_elements", good[:-1]
    yield "more_elements", good + b"x"
    yield "wrong_magic", b"\x92" + good[1:]
    yield "wrong_version", npy(version=1).replace(b"NUMPY\1", b"NUMPY\4")
    yield "long_header", b"\x93NUMPY\2\0" + struct.pack("<I", 0xFFFFFFFF) + b"{}"
    yield "object", npy(descr="|O", shape=(1,), data=b"x" * 8)
    yield "structure", npy(header="{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}")
    yield "valid_complex", npy(descr="<c8", shape=(1,), data=b"x" * 8)
    yield "wide_complex", npy(descr="<c32", shape=(1,), data=b"x" * 32)
    yield "large_extent", npy(shape=(1 << 70,))
    yield "large_product", npy(shape=(1 << 62, 1 << 62))
    yield "large_empty", npy(shape=(0, 1 << 62, 1 << 62), data=b"")
    yield "negative_extent", npy(shape=(-1,))
    yield "many_dimensions", npy(shape=(1,) * 9, data=b"\0" * 4)
    yield "no_shape", npy(header="{'descr': '<f4', 'fortran_order': False}")
    yield "key_twice", npy(header="{'shape': (1,), 'shape': (1,)}")
    yield "unknown_key", npy(header="{'other': 1}")
    yield "no_dictionary", npy(header="[1, 2]")
    yield "wrong_bool", npy(descr="|b1", shape=(2,), data=b"\1\2")


def npz(members, method=zipfile.ZIP_STORED, comment=b""):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.comment = comment
        for name, content in members:
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
                member.write(content)
    return file.getvalue()


def npz_plain(members, method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members:
            archive.writestr(name, content, method)
    return file.getvalue()


def patched(data, at, value):
    return data[:at] + value + data[at + len(value) :]


def npz_files():
    array = npy(data=struct.pack("<6f", *range(6)))
    members = [("a.npy", array), ("b.npy", npy(shape=(0,), data=b""))]
    stored, deflated = npz_plain(members, zipfile.ZIP_STORED), npz_plain(members, zipfile.ZIP_DEFLATED)
    yield "valid_stored", stored
    yield "valid_deflated", deflated
    yield "valid_zip64", npz(members)
    yield "valid_comment", npz(members, comment=b"PK\5\6 a comment")
    yield "valid_none", npz([])
    text = ("format.npy", npy(descr="|S3", shape=(), data=b"csr"))
    yield "valid_text", npz_plain([text, members[0]], zipfile.ZIP_DEFLATED)
    yield "valid_other", npz_plain([("a.txt", b"text"), members[0]], zipfile.ZIP_STORED)
    yield "text", npz_plain([text], zipfile.ZIP_DEFLATED)
    bomb = npz_plain([("a.npy", npy(descr="|u1", shape=(900_000,), data=b"\0" * 900_000))], zipfile.ZIP_DEFLATED)
    yield "valid_dense", bomb
    yield "bomb", npz_plain([("a.npy", npy(descr="|u1", shape=(9_000_000,), data=b"\0" * 9_000_000))],
                            zipfile.ZIP_DEFLATED)
    directory = stored.index(b"PK\1\2")
    end = stored.index(b"PK\5\6")
    yield "empty", b""
    yield "cut_end", stored[:-1]
    yield "cut_front", stored[1:]
    yield "more", stored + b"x"
    yield "front", b"x" + stored
    yield "wrong_crc", patched(stored, directory + 16, b"\0\0\0\0")
    yield "wrong_content", patched(stored, 60, b"X")
    yield "wrong_deflate", patched(deflated, 45, b"\xff\xff\xff")
    yield "encrypted", patched(stored, directory + 8, b"\1")
    yield "method", patched(stored, directory + 10, b"\x0e")
    yield "size", patched(stored, directory + 24, b"\xff\xff\xff\x7f")
    yield "stored_size", patched(stored, directory + 20, b"\xff\xff\xff\x7f")
    yield "place", patched(stored, directory + 42, b"\xff\xff\xff\x7f")
    yield "overlap", patched(stored, directory + 42, b"\4")
    yield "entries", patched(patched(stored, end + 8, b"\3"), end + 10, b"\3")
    yield "disk", patched(stored, end + 4, b"\1")
    yield "directory_place", patched(stored, end + 16, b"\0\0\0\0")
    yield "zip64_cut", patched(stored, directory + 24, b"\xff\xff\xff\xff")
    yield "twice", twice(array)
    yield "no_array", npz_plain([("a.txt", b"text")], zipfile.ZIP_STORED)
    yield "wrong_array", npz_plain([("a.npy", array[:-1])], zipfile.ZIP_DEFLATED)


def twice(array):
    both = npz_plain([("a.npy", array), ("b.npy", array)], zipfile.ZIP_STORED)
    return both.replace(b"b.npy", b"a.npy")


def idx(kind, extents, data):
    return bytes([0, 0, kind, len(extents)]) + struct.pack(f">{len(extents)}I", *extents) + data


def idx_files():
    good = idx(8, [2, 3], bytes(range(6)))
    for name, data in (
        ("valid_u8", good),
        ("valid_i8", idx(9, [1], b"\xff")),
        ("valid_i16", idx(11, [2], b"\0\1\0\2")),
        ("valid_i32", idx(12, [1, 1], b"\0\0\0\1")),
        ("valid_f32", idx(13, [1], struct.pack(">f", 1.5))),
        ("valid_f64", idx(14, [1], struct.pack(">d", 1.5))),
        ("valid_empty", idx(8, [0, 5], b"")),
        ("cut_header", good[:7]),
        ("cut_elements", good[:-1]),
        ("more_elements", good + b"x"),
        ("wrong_start", b"x" + good[1:]),
        ("wrong_type", idx(10, [1], b"a")),
        ("no_dimensions", idx(8, [], b"a")),
        ("many_dimensions", idx(8, [1] * 9, b"a")),
        ("large", idx(8, [0xFFFFFFFF], b"a")),
        ("large_empty", idx(8, [0xFFFFFFFF, 0, 0xFFFFFFFF], b"")),
        ("large_product", idx(14, [0xFFFFFFFF] * 4, b"a")),
    ):
        yield name, data
        yield name + "_gzip", gzip.compress(data, mtime=0)
    packed = gzip.compress(good, mtime=0)
    yield "valid_members", gzip.compress(good[:5], mtime=0) + gzip.compress(good[5:], mtime=0)
    yield "cut_gzip", packed[:-1]
    yield "more_gzip", packed + b"x"
    yield "wrong_gzip_crc", patched(packed, len(packed) - 8, b"\0\0\0\0")
    yield "wrong_gzip", patched(packed, 12, b"\xff\xff")
    yield "bomb", gzip.compress(idx(8, [9_000_000], b"\0" * 9_000_000), mtime=0)


def csv_files():
    yield "valid", b"1,2\n3,4\n"
    yield "valid_names", b'a,"b ""c"""\n1,2.5\n'
    yield "valid_numbers", b"1e-400,inf,-nan,+.5\n"
    yield "valid_quoted", b'"1" , "-2"\r\n 3,\t4'
    yield "valid_mark", b"\xef\xbb\xbf1\n"
    yield "valid_empty", b""
    yield "cut_quote", b'1,"2\n'
    yield "wrong_quote", b'1,2"3\n'
    yield "behind_quote", b'1,"2"3\n'
    yield "few_columns", b"1,2\n3\n4\n"
    yield "many_columns", b"1,2\n3,4,5\n"
    yield "no_number", b"1,2\n3,x\n"
    yield "valid_blank_lines", b"\n1\n\n2\n\n"
    yield "many_names", b"," * 1100000
    yield "return", b"1\r2\n"
    yield "long_field", b"1" * 70000
    yield "nul", b"1,2\n3,\0\n"


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensor(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def safetensors_files():
    two = {"__metadata__": {"k": "v"}, "a": tensor(), "b": tensor("BOOL", (1,), (8, 9))}
    good = safetensors(two, struct.pack("<2f", 1, 2) + b"\1")
    yield "valid", good
    yield "valid_none", safetensors({})
    yield "valid_empty", safetensors({"a": tensor(shape=(0,), offsets=(0, 0))})
    for name in ("F64", "F16", "BF16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8"):
        width = 1 if name[1:] == "8" else int(name.lstrip("BFIU")) // 8
        yield "valid_" + name, safetensors({"a": tensor(name, (1,), (0, width))}, b"\1" * width)
    yield "valid_unaligned", safetensors(
        {"a": tensor("U8", (1,), (0, 1)), "b": tensor(shape=(1,), offsets=(1, 5))}, b"abcde")
    yield "cut_length", good[:7]
    yield "cut_header", good[:20]
    yield "cut_data", good[:-1]
    yield "more_data", good + b"x"
    yield "length", b"\xff" * 8 + good[8:]
    yield "no_json", safetensors(b"{x}")
    yield "no_object", safetensors(b"[]")
    yield "nesting", safetensors(b"{" + b'"a":{' * 100)
    yield "no_utf8", safetensors(b'{"\xff":{}}')
    yield "nul", safetensors(b'{"a\\u0000":{}}')
    yield "twice", safetensors(b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},'
                               b'"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}')
    yield "valid_unknown_dtype", safetensors(
        {"a": tensor("F8_E4M3", (1,), (0, 1)), "b": tensor("U8", (1,), (1, 2))}, b"ab")
    yield "cut_unknown_dtype", safetensors({"a": tensor("F8_E4M3", (1,), (0, 2))}, b"a")
    yield "unknown_field", safetensors({"a": {**tensor(), "x": 1}}, b"a" * 8)
    yield "overlap", safetensors({"a": tensor(), "b": tensor(offsets=(4, 12))}, b"a" * 12)
    yield "hole", safetensors({"a": tensor(), "b": tensor(offsets=(9, 17))}, b"a" * 17)
    yield "size", safetensors({"a": tensor(shape=(3,))}, b"a" * 8)
    yield "large", safetensors({"a": tensor(shape=(1 << 62, 1 << 62), offsets=(0, 0))})
    yield "large_empty", safetensors({"a": tensor(shape=(0, 1 << 62, 1 << 62), offsets=(0, 0))})
    yield "negative", safetensors({"a": tensor(shape=(-1,))}, b"a" * 8)
    yield "many_dimensions", safetensors({"a": tensor(shape=(1,) * 9, offsets=(0, 4))}, b"a" * 4)
    yield "wrong_bool", safetensors({"a": tensor("BOOL", (1,), (0, 1))}, b"\2")


MACHINES = {"x86_64": 62, "aarch64": 183}
LOAD, DYNAMIC, NOTE, STACK = 1, 2, 4, 0x6474E551
NEEDED, STRTAB, STRSZ, RPATH, TEXTREL, RUNPATH, FLAGS = 1, 5, 10, 15, 22, 29, 30
AUXILIARY, FILTER = 0x7FFFFFFD, 0x7FFFFFFF


def note(kind, content, owner=b"patchbay\0"):
    def padded(data):
        return data + b"\0" * (-len(data) % 4)

    return struct.pack("<3I", len(owner), len(content), kind) + padded(owner) + padded(content)


IDENTITY = struct.pack("<2I32s32s16s", 1, 1, b"mine", b"mine", b"device")


def library(notes=note(1, IDENTITY), entries=(), names=b"", stack=6, segments=None, kind=3):
    """A file with an ELF header, four program headers, notes, a dynamic section and its names. An
    entry is a tag with a value, or with a text that is added to the names."""
    table = b"\0" + names
    pairs = []
    for tag, value in entries:
        if isinstance(value, bytes):
            pairs.append((tag, len(table)))
            table += value + b"\0"
        else:
            pairs.append((tag, value))
    headers = 64 + 4 * 56
    note_at = headers
    dynamic_at = note_at + len(notes)
    dynamic_bytes = 16 * (len(pairs) + 3)
    names_at = dynamic_at + dynamic_bytes
    end = names_at + len(table)
    pairs += [(STRTAB, names_at), (STRSZ, len(table)), (0, 0)]
    dynamic = b"".join(struct.pack("<qQ", *pair) for pair in pairs)

    def segment(kind, at, size, flags=4):
        return struct.pack("<2I6Q", kind, flags, at, at, at, size, size, 8)

    parts = segments or [segment(LOAD, 0, end), segment(NOTE, note_at, len(notes)),
                         segment(DYNAMIC, dynamic_at, dynamic_bytes), segment(STACK, 0, 0, stack)]
    header = (b"\x7fELF\2\1\1" + b"\0" * 9 +
              struct.pack("<2HI3QI6H", kind, MACHINES[platform.machine()], 1, 0, 64, 0, 0, 64, 56,
                          len(parts), 0, 0, 0))
    return header + b"".join(parts) + notes + dynamic + table


def plugin_files():
    good = library()
    more = note(2, b"mine_a mine_b\0") + note(3, struct.pack("<I", 1) + b"graph/1\0")
    yield "valid", good
    yield "valid_notes", library(notes=note(1, IDENTITY) + more)
    yield "valid_other_notes", library(notes=note(1, b"x", b"GNU\0") + note(1, IDENTITY))
    yield "valid_libraries", library(entries=[(NEEDED, b"libc.so.6"), (RUNPATH, b"$ORIGIN/..:/opt")])
    yield "valid_absolute", library(entries=[(NEEDED, b"/opt/lib/libx.so"), (FILTER, b"${ORIGIN}/x.so")])
    for size in (0, 3, 15, 63, 100, 200, len(good) - 1):
        yield f"cut_{size}", good[:size]
    yield "other_class", patched(good, 4, b"\1")
    yield "other_order", patched(good, 5, b"\2")
    yield "other_machine", patched(good, 18, b"\xff")
    yield "program", library(kind=2)
    yield "header_size", patched(good, 54, b"\x20")
    yield "no_segments", patched(good, 56, b"\0")
    yield "many_segments", patched(good, 56, b"\xff\xff")
    yield "headers_far", patched(good, 32, b"\xff" * 8)
    yield "sections_far", patched(patched(good, 40, b"\xff" * 7 + b"\x7f"), 58, b"\x40\0\1")
    yield "segment_far", patched(good, 64 + 8, b"\xff" * 8)
    yield "segment_large", patched(good, 64 + 32, b"\xff" * 8)
    yield "segment_wraps", patched(good, 64 + 16, b"\0\xf0" + b"\xff" * 6)
    yield "segments_twice", patched(good, 64 + 56, good[64 : 64 + 56])
    yield "no_note", library(notes=b"")
    yield "other_owner", library(notes=note(1, IDENTITY, b"somebody\0"))
    yield "cut_note", library(notes=note(1, IDENTITY)[:-20])
    yield "short_note", library(notes=note(1, b"\1\0\0\0"))
    yield "long_owner", library(notes=struct.pack("<3I", 0xFFFFFFFF, 4, 1) + b"x" * 40)
    yield "long_content", library(notes=struct.pack("<3I", 9, 0xFFFFFFFD, 1) + b"patchbay\0" + b"x" * 40)
    yield "executable_stack", library(stack=7)
    yield "no_stack", patched(good, 64 + 3 * 56, b"\6\0\0\0")
    yield "code_changes", library(entries=[(TEXTREL, 0)])
    yield "code_flag", library(entries=[(FLAGS, 4)])
    yield "empty_path", library(entries=[(RUNPATH, b"/opt::/lib")])
    yield "relative_path", library(entries=[(RPATH, b"lib")])
    yield "origin_of_others", library(entries=[(RUNPATH, b"$ORIGINS/x")])
    yield "unknown_token", library(entries=[(RUNPATH, b"/opt/$LIB")])
    yield "relative_library", library(entries=[(NEEDED, b"./libx.so")])
    yield "relative_auxiliary", library(entries=[(AUXILIARY, b"lib/x.so")])
    yield "relative_filter", library(entries=[(FILTER, b"lib/x.so")])
    yield "line", library(entries=[(RUNPATH, b"x\ny\x1b[0m")])
    yield "name_far", library(entries=[(NEEDED, 1 << 62)])
    yield "name_without_end", library(entries=[(NEEDED, 1), (STRSZ, 3)], names=b"x" * 9)
    yield "two_tables", library(entries=[(STRTAB, 64)])
    yield "no_end", patched(good, good.rindex(struct.pack("<qQ", 0, 0)), b"\1")


def main():
    folder = Path(sys.argv[1])
    formats = {"csv": csv_files, "idx": idx_files, "npy": npy_files, "npz": npz_files,
               "plugin_file": plugin_files, "safetensors": safetensors_files}
    for name, files in formats.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for file, data in files():
            (folder / name / file).write_bytes(data)


if __name__ == "__main__":
    main()
