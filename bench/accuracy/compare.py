#!/usr/bin/env python3
# Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
"""Residuals and orthogonality of factorizations beside those of NumPy and SciPy, on matrices that are hard to factor,
and errors of Fourier transforms beside SciPy's.

  PYTHON bench/accuracy/compare.py [--device cpu:0]      PYTHON has numpy and scipy; build/release has the program

NumPy computes the eigenvalues of f32 and c64 in f64, so SciPy is the peer there. The unit is epsilon times the larger
extent; norms are Frobenius norms, of long doubles. A figure counts as over if it is larger than 4 times that of the
peer, and larger than 1. Of transforms the unit is epsilon, the error is the root mean square beside sums of long
doubles, relative to the result's, and a figure is over from 2 times the peer's on.
"""

import argparse
import pathlib
import subprocess
import tempfile
import warnings

import numpy as np
import scipy.fft
import scipy.linalg

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/patchbay-accuracy"
DTYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}
SIZES = (1, 2, 3, 4, 5, 7, 8, 10, 16, 20, 30, 33, 48, 50, 64, 70, 90, 100)
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 31, 36, 64, 77, 97, 100, 128, 243, 256, 509, 512, 625, 1000, 1001, 1009,
           1024)


def matrices(dtype, generator):
    is_complex = np.issubdtype(dtype, np.complexfloating)
    huge = 1e30 if np.finfo(dtype).eps > 1e-10 else 1e250

    def random(m, n):
        a = generator.standard_normal((m, n))
        return a + 1j * generator.standard_normal((m, n)) if is_complex else a

    def made(n):
        steps, i = 10.0 ** -np.linspace(0, 12, n), np.arange(n)
        q = np.linalg.qr(random(n, n))[0]
        with_values = lambda values: (q * values) @ q.conj().T
        return {
            "random": random(n, n), "tall": random(2 * n + 1, n), "wide": random(n, n + 7),
            "graded rows": steps[:, None] * random(n, n), "graded columns": random(n, n) * steps,
            "graded": np.sqrt(steps)[:, None] * random(n, n) * np.sqrt(steps),
            "rank deficient": random(n, (n + 1) // 2) @ random((n + 1) // 2, n),
            "clustered": with_values(np.where(i % 2, 1.0, 1 + 1e-9 * i)),
            "repeated": with_values(np.where(i < n // 2, 1.0, -2.0)),
            "hilbert": 1 / (i[:, None] + i + 1.0),
            "kahan": np.diag(np.sin(1.2) ** i) @ (np.eye(n) - np.cos(1.2) * np.triu(np.ones((n, n)), 1)),
            "huge": random(n, n) * huge, "tiny": random(n, n) / huge,
            "wilkinson": np.diag(np.abs(i - (n - 1) / 2)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1),
            "orthogonal": q, "zeros": np.zeros((n, n)), "ones": np.ones((n, n)),
        }
    return {f"{name} {n}": np.ascontiguousarray(a.astype(dtype)) for n in SIZES for name, a in made(n).items()}


def vectors(dtype, generator):
    is_complex = np.issubdtype(dtype, np.complexfloating)
    random = lambda n: generator.standard_normal(n) + (1j * generator.standard_normal(n) if is_complex else 0)
    return {f"length {n}": random(n).astype(dtype) for n in LENGTHS}


def factored(given, device):
    """What Patchbay gives for each matrix, by "name.part"."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "in.npz"), pathlib.Path(folder, "out")
        np.savez(source, **given)
        subprocess.run([PROGRAM, source, target, device], check=True)
        results = {}
        with open(target, "rb") as file:
            while line := file.readline():
                name, dtype, shape, size = line.decode().rsplit(" ", 3)
                extents = [int(extent) for extent in shape.split(",") if extent]
                results[name] = np.frombuffer(file.read(int(size)), DTYPES[dtype]).reshape(extents)
        return results


class Figures:
    """Of one dtype: the worst of each kind, and what is over."""

    def __init__(self, dtype):
        self.dtype, self.worst, self.over, self.count = dtype, {}, [], 0
        self.wide = np.complex256 if np.issubdtype(dtype, np.complexfloating) else np.longdouble

    def norm(self, a):
        return float(np.sqrt((np.abs(np.asarray(a).astype(self.wide)) ** 2).sum()))

    def add(self, what, name, ours, theirs, times=4):
        self.count += 1
        if not ours <= max(times * theirs, 1):
            self.over.append(f"{what} of {name}: {ours:.3g}, the peer {theirs:.3g}")
        if ours > self.worst.get(what, (-1,))[0]:
            self.worst[what] = ours, theirs, name

    def add_transform(self, name, x, result):
        k, n = np.arange(len(x)), len(x)
        angles = (k[:, None] * k % n) * (-8 * np.arctan(np.longdouble(1)) / n)
        exact = (np.cos(angles) + 1j * np.sin(angles)) @ x.astype(np.complex256)
        size = np.sqrt((np.abs(exact) ** 2).sum()) * np.finfo(self.dtype).eps
        error = lambda y: float(np.sqrt((np.abs(y.astype(np.complex256) - exact) ** 2).sum()) / size)
        self.add("fft", name, error(result), error(scipy.fft.fft(x)), 2)

    def add_matrix(self, name, a, get):
        m, n = a.shape
        exact, unit = a.astype(self.wide), np.finfo(self.dtype).eps * max(m, n)
        size = self.norm(a) or 1
        ours = lambda *parts: [get(part).astype(self.wide) for part in parts]
        wide = lambda parts: [np.asarray(part).astype(self.wide) for part in parts]
        residual = lambda product: self.norm(exact - product) / size / unit
        loss = lambda q: self.norm(q.conj().T @ q - np.eye(q.shape[1])) / unit

        lu = lambda p, l, u: residual(p @ (l @ u))
        self.add("lu", name, lu(*ours("p", "l", "u")), lu(*wide(scipy.linalg.lu(a))))
        (q, r), (their_q, their_r) = ours("q", "r"), wide(np.linalg.qr(a))
        self.add("qr", name, residual(q @ r), residual(their_q @ their_r))
        self.add("q", name, loss(q), loss(their_q))
        k = min(m, n)
        product = lambda u, s, vh: residual((u[:, :k] * s) @ vh[:k])
        svd, their_svd = ours("su", "ss", "svh"), wide(np.linalg.svd(a))
        self.add("svd", name, product(*svd), product(*their_svd))
        self.add("svd, u", name, loss(svd[0]), loss(their_svd[0]))
        self.add("svd, v", name, loss(svd[2].conj().T), loss(their_svd[2].conj().T))
        if m != n:
            return
        h = ((a + a.conj().T) * a.real.dtype.type(0.5)).astype(self.dtype)
        of_h = lambda w, v: self.norm(h.astype(self.wide) @ v - v * w) / (self.norm(h) or 1) / unit
        eigh, their_eigh = ours("ew", "ev"), wide(np.linalg.eigh(h))
        self.add("eigh", name, of_h(*eigh), of_h(*their_eigh))
        self.add("eigh, v", name, loss(eigh[1]), loss(their_eigh[1]))
        of_a = lambda w, v: float(np.sqrt((np.abs(exact @ v - v * w) ** 2).sum())) / size / unit
        (w, v), (their_w, their_v) = (get("gw"), get("gv")), scipy.linalg.eig(a)
        to_wide = lambda *parts: [part.astype(np.complex256) for part in parts]
        self.add("eig", name, of_a(*to_wide(w, v)), of_a(*to_wide(their_w, their_v)))
        try:
            x = np.linalg.solve(a, np.ones((n, 1), self.dtype)).astype(self.wide)
        except np.linalg.LinAlgError:
            return
        backward = lambda y: self.norm(exact @ y - 1) / (size * (self.norm(y) or 1)) / unit
        mine = ours("x")[0]
        if np.isfinite(mine).all():  # else a pivot was 0: solve is an error
            self.add("solve", name, backward(mine), backward(x))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu:0")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    print(f"numpy {np.__version__}, scipy {scipy.__version__}\n\n| dtype | matrices | what | worst | the peer's | of |")
    print("| --- | --- | --- | --- | --- | --- |")
    over = []
    for name, dtype in DTYPES.items():
        generator = np.random.default_rng(5)
        given, signals = matrices(dtype, generator), vectors(dtype, generator)
        results, figures = factored(given | signals, arguments.device), Figures(dtype)
        for key, x in signals.items():
            figures.add_transform(key, x, results[f"{key}.fft"])
        for key, a in given.items():
            figures.add_matrix(key, a, lambda part, key=key: results[f"{key}.{part}"])
        for what, (ours, theirs, matrix) in figures.worst.items():
            print(f"| {name} | {len(given)} | {what} | {ours:.2f} | {theirs:.2f} | {matrix} |")
        over += [f"{name}: {text}" for text in figures.over]
        over.append(f"{name}: {len(figures.over)} of {figures.count} over")
    print("\n" + "\n".join(over))


if __name__ == "__main__":
    main()
