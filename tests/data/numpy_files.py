"""Writes .npy files with NumPy itself, and a list of them: python3 numpy_files.py FOLDER. Exit code 77: no NumPy.

list.txt has a line a file: NAME DTYPE ROWS RANK DIMENSIONS..., the rows' bytes being in NAME.raw; or NAME refused."""
import gzip
import os
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)

TYPES = {
    "?": "bool", "u1": "u8", "i1": "i8", "u2": "u16", "i2": "i16", "u4": "u32", "i4": "i32", "u8": "u64",
    "i8": "i64", "f2": "f16", "f4": "f32", "f8": "f64", "c8": "c64", "c16": "c128",
}
SHAPES = [(5,), (1,), (3, 4), (2, 1, 3), (2, 3, 1, 2, 1, 1, 2, 1)]
folder = sys.argv[1]
lines = []


def write(name, array, version=None):
    with open(os.path.join(folder, name), "wb") as file:
        np.lib.format.write_array(file, array, version=version)


def good(name, array, version=None):
    write(name, array, version)
    with open(os.path.join(folder, name + ".raw"), "wb") as file:
        file.write(array.tobytes())
    shape = array.shape
    lines.append(" ".join(map(str, [name, TYPES[array.dtype.str[1:] if array.dtype != bool else "?"],
                                    shape[0], len(shape) - 1, *shape[1:]])))


def refused(name, array):
    write(name, array)
    lines.append(name + " refused")


for code in TYPES:
    for number, shape in enumerate(SHAPES):
        count = int(np.prod(shape))
        array = (np.arange(count) * 37 % 101 - (0 if code[0] in "u?" else 50)).astype(code).reshape(shape)
        if code[0] == "c":
            array = array + np.dtype(code).type(0.25j)
        for version in (1, 2, 3):
            good(f"v{version}_{code.replace('?', 'b1')}_{number}.npy", array, (version, 0))
good("fortran_flat.npy", np.asfortranarray(np.arange(6.0).reshape(6, 1)))
table = np.arange(12, dtype="<f4").reshape(3, 4)
good("zipped.npy", table)
with open(os.path.join(folder, "zipped.npy"), "rb") as file:
    content = file.read()
with gzip.open(os.path.join(folder, "zipped.npy"), "wb") as file:
    file.write(content)

refused("fortran.npy", np.asfortranarray(table))
refused("big.npy", table.astype(">f4"))
refused("structured.npy", np.zeros(3, dtype=[("a", "<f4"), ("b", "<i2", (2,))]))
refused("text.npy", np.array(["one", "two"]))
refused("bytes.npy", np.array([b"one", b"two"]))
refused("objects.npy", np.array([{}, []], dtype=object))
refused("times.npy", np.array(["2020-01-01"], dtype="M8[s]"))
refused("void.npy", np.zeros(3, dtype="V2"))
refused("long.npy", np.zeros(3, dtype=np.longdouble))
refused("scalar.npy", np.float32(1))
refused("no_rows.npy", np.zeros((0, 3)))
refused("no_bytes.npy", np.zeros((3, 0)))
refused("nine.npy", np.zeros((2,) + (1,) * 8))
np.savez(os.path.join(folder, "archive.npz"), table)
lines.append("archive.npz refused")

with open(os.path.join(folder, "list.txt"), "w") as file:
    file.write("\n".join(lines) + "\n")
