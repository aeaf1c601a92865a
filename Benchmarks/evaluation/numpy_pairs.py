"""numpy's side of all_pairs.py: prints one JSON object."""
import csv
import json
import os
import sys
import time

import numpy as np


def exact(folder):
    """All pairs in double precision, held and sorted by scikit-learn's ROC, as the shared baselines make them."""
    from sklearn.metrics import roc_curve
    start = time.time()
    rows = np.load(os.path.join(folder, "embeddings.npy")).astype(np.float64)
    subjects = np.array([int(r["subject"]) for r in csv.DictReader(open(os.path.join(folder, "index.csv")))])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    genuine, impostor = [], []
    for first in range(0, len(rows), 1024):
        end = min(first + 1024, len(rows))
        scores = rows[first:end] @ rows[first:].T
        upper = np.arange(first, len(rows))[None, :] > np.arange(first, end)[:, None]
        same = subjects[first:end, None] == subjects[None, first:]
        genuine.append(scores[upper & same])
        impostor.append(scores[upper & ~same])
    genuine, impostor = np.concatenate(genuine), np.concatenate(impostor)
    labels = np.zeros(len(genuine) + len(impostor), np.int8)
    labels[:len(genuine)] = 1
    false, true, _ = roc_curve(labels, np.concatenate([genuine, impostor]), drop_intermediate=False)
    at = int(np.argmin(np.abs(false - (1 - true))))
    area = np.trapezoid(true, false) if hasattr(np, "trapezoid") else np.trapz(true, false)
    return {"eer": float((false[at] + 1 - true[at]) / 2), "auc": float(area), "seconds": time.time() - start}


def histogram(path, bins=1 << 18, images=5):
    """sgemm blocks and a histogram of as many bins: the quickest way found, bincount of scaled scores."""
    start = time.time()
    rows = np.load(path)
    count = len(rows)
    subjects = np.arange(count) // images
    total, mated = np.zeros(bins, np.int64), np.zeros(bins, np.int64)
    sums = [0.0, 0.0]
    scale = np.float32(bins / 2)

    def index(scores):
        return np.clip(((scores + np.float32(1)) * scale), 0, bins - 1).astype(np.int32)

    for first in range(0, count, 1024):
        end = min(first + 1024, count)
        scores = rows[first:end] @ rows[first:].T
        width = end - first
        upper = np.triu(np.ones((width, width), bool), 1)
        own = scores[:, :width][upper]
        same = (subjects[first:end, None] == subjects[None, first:end])[upper]
        total += np.bincount(index(own), minlength=bins)
        mated += np.bincount(index(own[same]), minlength=bins)
        rest = scores[:, width:]
        if rest.size:
            total += np.bincount(index(rest).ravel(), minlength=bins)
        sums[0] += float(own.sum(dtype=np.float64)) + float(rest.sum(dtype=np.float64))
        sums[1] += float(own[same].sum(dtype=np.float64))
        # A subject on both sides of a block's end.
        for row in range(max(end - images + 1, first), end):
            others = np.flatnonzero(subjects[end:end + images] == subjects[row])
            if len(others):
                across = scores[row - first, width + others]
                mated += np.bincount(index(across), minlength=bins)
                sums[1] += float(across.sum(dtype=np.float64))
    non = total - mated
    return {"mated": int(mated.sum()), "nonMated": int(non.sum()),
            "meanNonMated": (sums[0] - sums[1]) / int(non.sum()), "seconds": time.time() - start,
            "numpy": np.__version__}


if __name__ == "__main__":
    print(json.dumps({"exact": exact, "histogram": histogram}[sys.argv[1]](sys.argv[2])))
