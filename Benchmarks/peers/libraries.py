"""The peers: other libraries' searches over all rows, each in the fastest way that its interface offers."""
import numpy as np

from selection import Best


def read_rows(path, limit=None):
    """The rows of an .fbin file, in memory of their own."""
    count, dimension = np.fromfile(path, "<u4", 2)
    used = min(int(count), limit) if limit else int(count)
    return np.fromfile(path, "<f4", used * int(dimension), offset=8).reshape(used, int(dimension))


class Peer:
    """Loads rows of unit length; `top` and `threshold` are timed, `answers` is not."""

    def __init__(self, rows, threads):
        self.count, self.dimension = rows.shape
        self.threads = threads
        self.load(rows)

    def kernels(self):
        return blas_kernels()

    def use_mode(self, mode):
        """Peers with several ways to do one thing choose one here."""

    def threshold(self, probes, threshold):
        raise ValueError("has no search by threshold")

    def answers(self, found, operation):
        """For each probe, ids and scores."""
        ids, scores = found
        return list(zip(np.asarray(ids), np.asarray(scores)))


def version_of(package):
    from importlib.metadata import version
    return version(package)


def blas_kernels(prefix=""):
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return "unknown"
    names = [f"{entry['internal_api']} {entry['version']} {entry['architecture']}"
             for entry in threadpool_info() if entry["user_api"] == "blas" and prefix in entry["filepath"]]
    return ", ".join(names)


def signed_bytes(rows, scale):
    return np.clip(np.rint(rows * (127 / scale)), -127, 127).astype(np.int8)


class Faiss(Peer):
    def load(self, rows):
        import faiss
        self.faiss = faiss
        faiss.omp_set_num_threads(self.threads)
        self.default_threshold = faiss.cvar.distance_compute_blas_threshold
        self.index = self.make(rows)
        for first in range(0, len(rows), 65536):
            self.index.add(rows[first:first + 65536])

    def version(self):
        return version_of("faiss-cpu")

    def kernels(self):
        return f"{self.faiss.get_compile_options().strip()}; {blas_kernels('faiss')}"

    def use_mode(self, mode):
        """`sgemm` sends every batch to the BLAS, where faiss would by itself only do so with huge ones."""
        self.faiss.cvar.distance_compute_blas_threshold = 1 if mode == "sgemm" else self.default_threshold

    def top(self, probes, k):
        scores, ids = self.index.search(probes, k)
        return ids, scores

    def threshold(self, probes, threshold):
        # The bound is exclusive in faiss and inclusive here: the float below makes them the same.
        return self.index.range_search(probes, float(np.nextafter(np.float32(threshold), np.float32(-1))))

    def answers(self, found, operation):
        if operation != "threshold":
            return super().answers(found, operation)
        limits, scores, ids = found
        return [(ids[a:b], scores[a:b]) for a, b in zip(limits[:-1], limits[1:])]


class FaissFlat(Faiss):
    name = "faiss IndexFlatIP"

    def make(self, rows):
        return self.faiss.IndexFlatIP(self.dimension)


class Faiss8Bit(Faiss):
    name = "faiss 8-bit scalar quantiser"

    def make(self, rows):
        index = self.faiss.IndexScalarQuantizer(
            self.dimension, self.faiss.ScalarQuantizer.QT_8bit, self.faiss.METRIC_INNER_PRODUCT)
        index.train(rows[:: max(1, len(rows) // 20000)])
        return index


class USearch8Bit(Peer):
    name = "USearch exact int8"

    def load(self, rows):
        import usearch.index
        self.search = usearch.index.search
        self.scale = float(np.abs(rows[:: max(1, len(rows) // 20000)]).max())
        self.rows = np.concatenate([signed_bytes(rows[a:a + 65536], self.scale) for a in range(0, len(rows), 65536)])

    def version(self):
        return version_of("usearch")

    def kernels(self):
        return "as it comes"

    def top(self, probes, k):
        found = self.search(
            self.rows, signed_bytes(probes, self.scale), k, metric="ip", exact=True, threads=self.threads, dtype="i8")
        return np.asarray(found.keys).reshape(len(probes), -1), np.asarray(found.distances).reshape(len(probes), -1)


class NumKong8Bit(Peer):
    """Packed blocks, so that the scores of a block stay small; it gives scores, numpy selects."""
    name = "NumKong packed int8"
    block = 50_000

    def load(self, rows):
        import numkong
        self.numkong = numkong
        self.scale = float(np.abs(rows[:: max(1, len(rows) // 20000)]).max())
        self.blocks = [
            (a, numkong.dots_pack(signed_bytes(rows[a:a + self.block], self.scale), dtype="int8"))
            for a in range(0, len(rows), self.block)]

    def version(self):
        return version_of("numkong")

    def kernels(self):
        return " ".join(sorted(name for name, on in self.numkong.get_capabilities().items() if on))

    def scores(self, probes):
        for first, block in self.blocks:
            yield first, np.from_dlpack(self.numkong.dots_packed(probes, block))

    def top(self, probes, k):
        best = Best(len(probes), k)
        for first, scores in self.scores(signed_bytes(probes, self.scale)):
            best.add(scores, first)
        return best.ids, best.scores

    def threshold(self, probes, threshold):
        lowest = threshold * (127 / self.scale) ** 2
        found = [(np.flatnonzero(scores[0] >= lowest) + first, scores[0][scores[0] >= lowest])
                 for first, scores in self.scores(signed_bytes(probes, self.scale))]
        return [np.concatenate([ids for ids, _ in found])], [np.concatenate([scores for _, scores in found])]


class NumPy(Peer):
    name = "numpy and selection"
    block = 16384

    def load(self, rows):
        self.rows = rows

    def version(self):
        return version_of("numpy")

    def kernels(self):
        return blas_kernels("numpy")

    def top(self, probes, k):
        best = Best(len(probes), k)
        if len(probes) == 1:
            best.add((self.rows @ probes[0])[None], 0)
        else:
            for first in range(0, self.count, self.block):
                best.add(probes @ self.rows[first:first + self.block].T, first)
        return best.ids, best.scores

    def threshold(self, probes, threshold):
        scores = self.rows @ probes[0]
        ids = np.flatnonzero(scores >= np.float32(threshold))
        return [ids], [scores[ids]]


class ScaNN(Peer):
    name = "ScaNN brute force f32"
    quantised = False

    def load(self, rows):
        import scann
        self.built_for = 10
        # The interface wants the whole array; the copy it makes is its own.
        self.searcher = scann.scann_ops_pybind.builder(rows, self.built_for, "dot_product").score_brute_force(
            self.quantised).build()
        self.searcher.set_num_threads(self.threads)

    def version(self):
        return version_of("scann")

    def kernels(self):
        return "as it comes"

    def top(self, probes, k):
        if len(probes) == 1:
            ids, scores = self.searcher.search(probes[0], final_num_neighbors=k)
            return ids[None], scores[None]
        if self.threads > 1:
            return self.searcher.search_batched_parallel(probes, final_num_neighbors=k)
        return self.searcher.search_batched(probes, final_num_neighbors=k)


class ScaNN8Bit(ScaNN):
    name = "ScaNN brute force int8"
    quantised = True


PEERS = {
    "faiss-flat": FaissFlat, "faiss-8bit": Faiss8Bit, "numkong-8bit": NumKong8Bit, "usearch-8bit": USearch8Bit,
    "scann-f32": ScaNN, "scann-8bit": ScaNN8Bit, "numpy": NumPy}
