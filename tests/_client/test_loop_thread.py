import asyncio
import threading

import pytest

from novikoff._client.loop_thread import LoopThread


async def name():
    return threading.current_thread().name


def test_coroutines_run_in_one_other_thread():
    runner = LoopThread()
    assert {runner.call(name()), runner.call(name())} == {"novikoff-streams"}
    runner.close()
    assert "novikoff-streams" not in {thread.name for thread in threading.enumerate()}


def test_it_works_where_a_loop_runs_already():
    runner = LoopThread()

    async def main():
        return runner.call(name())

    assert asyncio.run(main()) == "novikoff-streams"
    runner.close()


def test_errors_are_raised_in_the_caller():
    runner = LoopThread()

    async def fail():
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        runner.call(fail())
    runner.close()


def test_closing_ends_what_runs():
    runner, ended = LoopThread(), []

    async def forever():
        try:
            await asyncio.sleep(600)
        finally:
            ended.append(True)

    async def start():
        return asyncio.create_task(forever())

    async def nothing():
        await asyncio.sleep(0)

    task = runner.call(start())
    runner.call(nothing())
    runner.close()
    assert ended
    assert task.cancelled()


def test_closing_twice_or_before_the_start_does_nothing():
    runner = LoopThread()
    runner.close()
    runner.call(name())
    runner.close()
    runner.close()
    assert runner.call(name()) == "novikoff-streams"
    runner.close()
