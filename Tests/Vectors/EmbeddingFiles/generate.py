"""Writes the vectors beside it: small synthetic arrays in every form that is read, and what numpy reads in them.

    python generate.py

Made with numpy 2.4.6 and Python 3.11; the values are seeded, so a second run writes the same bytes. `expected.json` holds
for every sound file the shape and the bit patterns of its values, rounded by numpy to 32-bit floats in row-major order.
"""

import io
import json
import os
import struct
import warnings
import zipfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
RANDOM = np.random.default_rng(20240611)
EXPECTED = {}


def save(name, content, expected=None):
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(content)
    if expected is not None:
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = np.ascontiguousarray(np.atleast_2d(np.asarray(expected)).astype("<f4"))
        EXPECTED[name] = {"shape": list(narrow.shape), "bits": narrow.view("<u4").ravel().tolist()}


def npy(array, version=(1, 0)):
    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy warns that versions 2 and 3 are new
        np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def npz(compress=False, **arrays):
    stream = io.BytesIO()
    (np.savez_compressed if compress else np.savez)(stream, **arrays)
    return stream.getvalue()


class Unseekable(io.RawIOBase):
    """A stream that zipfile can't seek in, so that sizes follow the data instead of standing before it."""

    def __init__(self):
        self.content = b""

    def writable(self):
        return True

    def write(self, data):
        self.content += bytes(data)
        return len(data)


def plain_arrays():
    for kind in ["f2", "f4", "f8"]:
        for order in ["<", ">"]:
            for layout in ["C", "F"]:
                for version in [1, 2, 3]:
                    array = np.asarray(RANDOM.normal(size=(3, 5)), dtype=order + kind, order=layout)
                    name = f"{kind}-{'little' if order == '<' else 'big'}-{layout.lower()}-v{version}.npy"
                    save(name, npy(array, (version, 0)), array)


def special_arrays():
    halves = np.array([0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x3C00, 0x3C01, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00],
                      "<u2").view("<f2")
    save("f2-special.npy", npy(halves), halves)
    floats = np.array([0.0, -0.0, 1e-45, -1e-45, 1.1754944e-38, 3.4028235e38, np.inf, -np.inf, np.nan], "<f4")
    save("f4-special.npy", npy(floats), floats)
    # Ties to even, the least and the greatest that still round to finite floats, what vanishes, what is no number.
    doubles = np.array([1 + 2.0**-24, 1 + 3 * 2.0**-24, 1 + 2.0**-24 + 2.0**-52, -1 - 2.0**-24, 2.0**-149, 2.0**-150,
                        1.5 * 2.0**-149, 2.0**-151, -1e-300, 3.4028235677973362e38, -3.4028235677973362e38, np.inf,
                        -np.inf, np.nan, 0.1, -0.0], "<f8")
    save("f8-rounding.npy", npy(doubles), doubles)
    row = RANDOM.normal(size=7).astype("<f4")
    save("one-dimension.npy", npy(row), row)
    column = RANDOM.normal(size=(4, 1)).astype("<f4")
    save("one-column.npy", npy(column), column)
    save("python2.npy", npy(column).replace(b"(4, 1), }   ", b"(4L, 1L), } "), column)


def refused_arrays():
    matrix = np.asarray(RANDOM.normal(size=(2, 3)), "<f8")
    save("object.npy", npy(np.array([["a", 1], [None, 2]], dtype=object)))
    save("structured.npy", npy(np.zeros((2, 3), dtype=[("x", "<f4"), ("y", "<f4")])))
    save("integer.npy", npy(np.arange(6, dtype="<i4").reshape(2, 3)))
    save("complex.npy", npy(matrix.astype("<c8")))
    save("text.npy", npy(np.array([["one", "two"]])))
    save("three-dimensions.npy", npy(matrix.reshape(2, 3, 1)))
    save("no-dimension.npy", npy(np.float32(1)))
    save("no-rows.npy", npy(np.zeros((0, 5), "<f4")))
    save("no-components.npy", npy(np.zeros((5, 0), "<f4")))
    for name, layout in [("too-large-c.npy", "C"), ("too-large-f.npy", "F")]:
        array = np.asarray(matrix, order=layout).copy(order=layout)
        array[1, 0] = -3.4028235677973366e38
        save(name, npy(array))


def archives():
    matrix = RANDOM.normal(size=(3, 5)).astype("<f4")
    other = RANDOM.normal(size=(2, 4)).astype("<f4")
    labels = np.arange(3)
    save("stored.npz", npz(embeddings=matrix, other=other, labels=labels), matrix)
    save("deflated.npz", npz(True, embeddings=matrix, other=other, labels=labels), matrix)
    save("only-matrix.npz", npz(vectors=matrix, norms=matrix[:, 0], labels=labels, names=np.array(["a", "b", "c"])),
         matrix)
    save("fortran.npz", npz(True, embeddings=np.asfortranarray(matrix.astype(">f8"))), matrix)
    repeated = np.tile(matrix.astype("<f2"), (40, 2))
    save("repeated.npz", npz(True, embeddings=repeated), repeated)
    save("several.npz", npz(first=matrix, second=other))
    save("no-matrix.npz", npz(labels=labels, norms=matrix[:, 0]))
    stream = io.BytesIO()
    zipfile.ZipFile(stream, "w").close()
    save("empty.npz", stream.getvalue())

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr(zipfile.ZipInfo("embeddings.npy"), npy(matrix))
        archive.writestr(zipfile.ZipInfo("embeddings.npy"), npy(other))
    save("twice.npz", stream.getvalue())

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr(zipfile.ZipInfo("embeddings.npy"), npy(matrix), zipfile.ZIP_BZIP2)
    save("bzip2.npz", stream.getvalue())

    stream = Unseekable()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(zipfile.ZipInfo("embeddings.npy"), npy(matrix), zipfile.ZIP_DEFLATED)
        archive.comment = b"a comment behind everything"
    save("streamed.npz", stream.content, matrix)

    # What zipfile writes past 4 GiB and 65,535 members, without writing as much.
    limits = zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = 50, 0
    save("zip64-stored.npz", npz(other=other, embeddings=matrix), matrix)
    save("zip64-deflated.npz", npz(True, other=other, embeddings=matrix), matrix)
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = limits


def flat_files():
    matrix = RANDOM.normal(size=(3, 5)).astype("<f4")
    rows = [struct.pack("<i", 5) + row.tobytes() for row in matrix]
    save("plain.fvecs", b"".join(rows), matrix)
    save("changing.fvecs", rows[0] + struct.pack("<i", 4) + matrix[1, :4].tobytes() + rows[2])
    save("plain.fbin", struct.pack("<II", 3, 5) + matrix.tobytes(), matrix)
    save("overflow.fbin", struct.pack("<II", 0xFFFFFFFF, 0xFFFFFFFF) + matrix.tobytes())


def tables():
    matrix = RANDOM.normal(size=(3, 4)).astype("<f4")
    stream = io.StringIO()
    np.savetxt(stream, matrix, delimiter=",")
    save("plain.csv", stream.getvalue().encode(), matrix)
    stream = io.StringIO()
    np.savetxt(stream, matrix, delimiter=",", fmt="%.9g", header="a,b,c,d", comments="")
    save("header.csv", stream.getvalue().encode(), matrix)
    lines = ['subject,image,"first, or zeroth",b,c,d']
    lines += [f'"{7 + i}",{i},' + ",".join(f'"{value:.9g}"' for value in row) for i, row in enumerate(matrix)]
    save("labelled.csv", b"\xef\xbb\xbf" + "\r\n".join(lines).encode() + b"\r\n\r\n", matrix)


if __name__ == "__main__":
    plain_arrays()
    special_arrays()
    refused_arrays()
    archives()
    flat_files()
    tables()
    with open(os.path.join(HERE, "expected.json"), "w") as file:
        json.dump(dict(sorted(EXPECTED.items())), file, separators=(",", ":"))
        file.write("\n")
