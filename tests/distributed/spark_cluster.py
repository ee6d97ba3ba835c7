"""Rounds on a Spark cluster of two executors of its own, of which one is killed. A process has one Spark context.

Prints whether the bits are those of threads: ``spark_cluster.py STEP FILE``.
"""

import os
import sys
from pathlib import Path

import clusters

from novikoff.distributed.engines.spark import SETTINGS, SparkEngine, quiet


def main(name, path):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = clusters.WORKER_PATH
    with quiet():
        from pyspark.sql import SparkSession
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    settings = {"spark.executorEnv.PYTHONPATH": clusters.WORKER_PATH, "spark.log.level": "FATAL"}
    for key, value in {**SETTINGS, **settings, "spark.driver.host": "127.0.0.1"}.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    sizes = clusters.SIZES[8]
    with SparkEngine.of("t", session).open(clusters.data_of(sizes)) as rounds:
        found = [rounds.run(clusters.walk, 1.0), rounds.run(clusters.walk, 1.0 / 2)]
        found += [rounds.run(getattr(clusters, name), (path, 1.0 / 3)), rounds.run(clusters.walk, 1.0 / 4)]
        assert Path(path).exists()
        print("same bits" if clusters.same_bits((found, rounds.states()), clusters.expected(sizes)) else "other bits")
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
