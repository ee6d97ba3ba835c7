from novikoff.serve.engine.inbox import MAX_ROUND, Command, Inbox, Job


def test_jobs_are_taken_together_up_to_a_limit_and_commands_alone():
    inbox = Inbox(10 * MAX_ROUND)
    jobs = [Job(1, MAX_ROUND // 2, None) for _ in range(3)]
    items = [*jobs, Command(lambda: None), Job(1, 1, None), Job(2, 1, None)]
    for item in items:
        inbox.put(item)
    assert inbox.examples == 3 * (MAX_ROUND // 2) + 2
    assert [inbox.take(0) for _ in range(5)] == [jobs[:2], jobs[2:], items[3], items[4:], None]
    assert inbox.examples == 0
