"""The peers by name, with what the plan must know before one is started."""
from dataclasses import dataclass


@dataclass(frozen=True)
class PeerFacts:
    exact: bool
    # Memory while loading, as multiples of the f32 rows: the rows read and what the library makes of them.
    memory: float
    threshold: bool = True
    threads: bool = True
    swift: bool = False


PEER_NAMES = {
    "faiss-flat": PeerFacts(exact=True, memory=2),
    "openblas": PeerFacts(exact=True, memory=1, swift=True),
    "numpy": PeerFacts(exact=True, memory=1),
    "numkong-8bit": PeerFacts(exact=False, memory=1.3, threads=False),
    "faiss-8bit": PeerFacts(exact=False, memory=1.3),
    "usearch-8bit": PeerFacts(exact=False, memory=1.5, threshold=False),
    "scann-f32": PeerFacts(exact=True, memory=3, threshold=False),
    "scann-8bit": PeerFacts(exact=False, memory=3, threshold=False),
}
