"""The rows that are searched: what to write, and the writing."""
import os
import struct
import subprocess
from dataclasses import dataclass

# Noise relative to the embedding's length that puts copies about as far apart as images of one person.
REAL = {512: ("lfw-edgeface", 0.75), 128: ("lfw-dlib", 0.2)}


@dataclass(frozen=True)
class GallerySpec:
    population: str
    count: int
    dimension: int

    @property
    def title(self):
        return f"{self.population} {shortened(self.count)} x {self.dimension}"

    @property
    def f32_bytes(self):
        return self.count * self.dimension * 4

    @property
    def has_threshold_search(self):
        """On the others a threshold of face recognition finds nearly nothing or nearly everything."""
        return self.population == "cohort" or (self.population == "lfw" and self.dimension == 512)


def shortened(count):
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if count % unit == 0:
            return f"{count // unit}{name}"
    return str(count)


def missing_reason(spec, shared):
    """Why the rows of `spec` can't be made, or None."""
    if spec.population != "lfw":
        return None
    if spec.dimension not in REAL:
        return f"no real embeddings of {spec.dimension} dimensions"
    path = os.path.join(shared, "data", REAL[spec.dimension][0], "embeddings.npy")
    return None if os.path.exists(path) else f"{path} is missing"


def write(spec, engine, seed, shared, folder):
    """The paths of the rows and of the probes."""
    rows, queries = os.path.join(folder, "rows.fbin"), os.path.join(folder, "queries.fbin")
    command = [engine, "write", "--population", spec.population, "--count", str(spec.count), "--dimension",
               str(spec.dimension), "--seed", str(seed), "--rows", rows, "--queries", queries]
    if spec.population == "lfw":
        name, noise = REAL[spec.dimension]
        base = os.path.join(folder, "base.fbin")
        write_base(os.path.join(shared, "data", name, "embeddings.npy"), base)
        command += ["--base", base, "--noise", str(noise)]
    subprocess.run(command, check=True)
    return rows, queries


def write_base(source, target):
    """A two-dimensional .npy of 16- or 32-bit floats (the forms that the real embeddings have) as .fbin."""
    with open(source, "rb") as file:
        magic, length = file.read(8), struct.unpack("<H", file.read(2))[0]
        header = file.read(length).decode("latin-1")
        element = next((code for name, code in (("'<f2'", "e"), ("'<f4'", "f")) if name in header), None)
        if magic != b"\x93NUMPY\x01\x00" or not element or "'fortran_order': False" not in header:
            raise ValueError(f"{source}: a version 1 array of '<f2' or '<f4' in C order was expected")
        count, dimension = (int(part) for part in header.split("(")[1].split(")")[0].split(",") if part.strip())
        row = struct.Struct(f"<{dimension}{element}")
        with open(target, "wb") as out:
            out.write(struct.pack("<II", count, dimension))
            for _ in range(count):
                out.write(struct.pack(f"<{dimension}f", *row.unpack(file.read(row.size))))
