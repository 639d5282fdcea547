"""The peers that are Python packages, each as its documentation uses it. Run by bench/peers in an environment of their own.

    python_peers.py datasketch|datasketch-documented|datasketch-tuned|datasketch-verified|rensa|clusters INPUT OUTPUT [BANDS]

Pairs go to OUTPUT, one a line, as numbers of the files of the folder INPUT in the order of their names. All of them see the
same tokens: lower-cased runs of letters and digits, and every character of a script written without spaces.
"""
import multiprocessing
import os
import pickle
import re
import sys

PERMUTATIONS, THRESHOLD, WINDOW, CHUNK = 128, .7, 5, 16
ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
TOKEN = re.compile(f"[{ALONE}]|[^\\W_{ALONE}]+")


def files_of(folder):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def shingles(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        tokens = TOKEN.findall(file.read().lower())
    return {" ".join(tokens[i:i + WINDOW]) for i in range(max(1, len(tokens) - WINDOW + 1))}


def write_pairs(path, candidates):
    """candidates[i]: numbers that document i was found with, itself among them."""
    with open(path, "w", encoding="ascii") as file:
        for number, found in enumerate(candidates):
            file.writelines(f"{number} {other}\n" for other in found if other > number)


def encoded(path):
    return [shingle.encode() for shingle in shingles(path)]


def hash_values(path):
    """The documentation advises a faster function than SHA-1."""
    import xxhash
    from datasketch import MinHash
    minhash = MinHash(num_perm=PERMUTATIONS, hashfunc=xxhash.xxh32_intdigest)
    minhash.update_batch(encoded(path))
    return minhash.hashvalues


def find_by_lsh(hashes, **more):
    from datasketch import MinHashLSH
    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, **more)
    with index.insertion_session() as session:
        for number, minhash in enumerate(hashes):
            session.insert(number, minhash, check_duplication=False)
    return (index.query(minhash) for minhash in hashes)


def run_datasketch(folder, output):
    from datasketch import MinHash
    write_pairs(output, find_by_lsh(list(MinHash.bulk(map(encoded, files_of(folder)), num_perm=PERMUTATIONS))))


def run_datasketch_documented(folder, output):
    """Shingle by shingle, as the examples of its documentation do."""
    from datasketch import MinHash
    hashes = []
    for path in files_of(folder):
        minhash = MinHash(num_perm=PERMUTATIONS)
        for shingle in encoded(path):
            minhash.update(shingle)
        hashes.append(minhash)
    write_pairs(output, find_by_lsh(hashes))


def sketch_by_all_cores(folder):
    from datasketch import LeanMinHash, MinHash
    scheme = MinHash(num_perm=1).scheme
    with multiprocessing.Pool() as pool:
        values = pool.map(hash_values, files_of(folder), CHUNK)
    return [LeanMinHash(seed=1, hashvalues=v, scheme=scheme) for v in values]


def run_datasketch_tuned(folder, output):
    write_pairs(output, find_by_lsh(sketch_by_all_cores(folder)))


def run_datasketch_verified(folder, output):
    """An index that misses little, and every pair that it finds compared on full sets: the work that a scan does."""
    paths, sets = files_of(folder), {}

    def full(number):
        if number not in sets:
            sets[number] = shingles(paths[number])
        return sets[number]

    def alike(a, b):
        common = len(full(a) & full(b))
        return common >= THRESHOLD * (len(full(a)) + len(full(b)) - common)

    found = find_by_lsh(sketch_by_all_cores(folder), weights=(.05, .95))
    write_pairs(output, ([other for other in others if other > number and alike(number, other)]
                         for number, others in enumerate(found)))


def sketch(path):
    from rensa import RMinHash
    minhash = RMinHash(num_perm=PERMUTATIONS, seed=42)
    minhash.update(list(shingles(path)))
    return minhash


def run_rensa(folder, output, bands):
    from rensa import RMinHashLSH
    with multiprocessing.Pool() as pool:
        hashes = pool.map(sketch, files_of(folder), CHUNK)
    index = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=int(bands))
    index.insert_many(hashes)
    write_pairs(output, index.query_all(hashes))


def write_clusters(pickled, output):
    """The union-find structure that text-dedup leaves behind: number and root of each document that is not alone."""
    with open(pickled, "rb") as file:
        found = pickle.load(file)
    with open(output, "w", encoding="ascii") as file:
        file.writelines(f"{number} {found.find(number)}\n" for number in list(found.parent))


if __name__ == "__main__":
    {"datasketch": run_datasketch, "datasketch-documented": run_datasketch_documented, "datasketch-tuned": run_datasketch_tuned,
     "datasketch-verified": run_datasketch_verified, "rensa": run_rensa, "clusters": write_clusters}[
        sys.argv[1]](*sys.argv[2:])
