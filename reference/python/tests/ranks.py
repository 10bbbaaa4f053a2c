"""A communicator whose ranks are threads of this process."""

import pickle
import threading


class Ranks:
    """A communicator of threads; objects are pickled, as in mpi4py."""

    def __init__(self, size):
        self.size = size
        self.barrier = threading.Barrier(size, timeout=20)
        self.slots = [None] * size

    def run(self, work):
        """Runs work(comm) on every rank; returns their results or raises their errors."""
        outcomes = [None] * self.size

        def one(rank):
            try:
                outcomes[rank] = work(Rank(self, rank))
            except Exception as error:
                outcomes[rank] = error

        threads = [threading.Thread(target=one, args=(r,)) for r in range(self.size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return outcomes


class Rank:
    """One rank of Ranks."""

    def __init__(self, ranks, rank):
        self.ranks, self.rank, self.size = ranks, rank, ranks.size

    def allgather(self, value):
        self.ranks.slots[self.rank] = pickle.dumps(value)
        self.ranks.barrier.wait()
        values = [pickle.loads(slot) for slot in self.ranks.slots]
        self.ranks.barrier.wait()
        return values

    def bcast(self, value, root=0):
        return self.allgather(value if self.rank == root else None)[root]

    def gather(self, value, root=0):
        values = self.allgather(value)
        return values if self.rank == root else None
