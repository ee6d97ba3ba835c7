"""Promotion: a follower becomes a server that learns, at once or after a restart."""

from engine_logs import examples, running, written
from novikoff.serve.engine.marks import PROMOTED
from novikoff.serve.log.store import Store
from two_servers import answers, ask, sequence, server, wait_for, wait_until_equal


def test_a_promoted_follower_learns_from_where_the_leader_stopped(tmp_path):
    written(tmp_path / "a")
    with server(tmp_path / "a") as leader, server(tmp_path / "b", follow=leader) as follower:
        wait_until_equal(leader, follower)
        assert ask(follower, "/v1/promote", {}) == (200, {"role": "leader", "promoted": True, "sequence": 7})
        assert ask(follower, "/v1/promote", {})[1]["promoted"] is False
        rows = examples(30, seed=4)
        for address in (leader, follower):
            assert ask(address, "/v1/models/default/learn", rows)[1][0]["version"] > 60
        assert answers(leader) == answers(follower)
        assert ask(follower, "/readyz")[1] == {"ready": True, "learning": "on"}
        assert ask(follower, "/v1/models/default/overview")[1]["server"]["role"] == "leader"


def test_a_follower_that_starts_without_a_leader_is_promoted(tmp_path):
    _, model = written(tmp_path / "a")
    with server(tmp_path / "a") as leader, server(tmp_path / "b", follow=leader) as follower:
        wait_until_equal(leader, follower)
    with server(tmp_path / "b") as promoted:
        assert ask(promoted, "/v1/models/default/model") == (200, model)
        assert ask(promoted, "/v1/models/default/learn", examples(1))[0] == 200


def test_the_old_leader_follows_the_new_one_if_it_has_nothing_more(tmp_path):
    written(tmp_path / "a")
    with server(tmp_path / "a") as leader, server(tmp_path / "b", follow=leader) as follower:
        wait_until_equal(leader, follower)
    with server(tmp_path / "b") as new:
        ask(new, "/v1/models/default/learn", examples(5, seed=3))
        with server(tmp_path / "a", follow=new) as old:
            wait_until_equal(new, old)
            assert answers(new) == answers(old)


def test_a_promoted_follower_learns_after_a_restart_with_the_same_settings(tmp_path):
    written(tmp_path / "a")
    with server(tmp_path / "a") as leader:
        with server(tmp_path / "b", follow=leader) as follower:
            wait_until_equal(leader, follower)
            ask(follower, "/v1/promote", {})
        with server(tmp_path / "b", follow=leader) as promoted:
            assert ask(promoted, "/v1/models/default/learn", examples(1))[0] == 200
            assert ask(promoted, "/readyz")[1] == {"ready": True, "learning": "on"}
            assert ask(promoted, "/v1/models/default/overview")[1]["server"]["role"] == "leader"


def test_a_follower_that_is_killed_during_its_first_copy_is_not_ready(tmp_path):
    written(tmp_path / "a")
    with Store.open(tmp_path / "a", read_only=True) as store:
        records = list(store.records())
    away = "http://127.0.0.1:1"
    with running(tmp_path / "b", follow=away) as engine:
        engine.follow(records[:3]).result()
    with server(tmp_path / "b", follow=away) as follower:
        assert ask(follower, "/readyz")[0] == 503
    with server(tmp_path / "a") as leader, server(tmp_path / "b", follow=leader) as follower:
        wait_until_equal(leader, follower)
        wait_for(lambda: ask(follower, "/readyz")[0] == 200)
    with server(tmp_path / "b", follow=away) as follower:
        assert ask(follower, "/readyz")[0] == 200


def test_two_leaders_diverge_and_the_follower_notices(tmp_path):
    written(tmp_path / "a")
    with server(tmp_path / "a") as leader:
        with server(tmp_path / "b", follow=leader) as follower:
            wait_until_equal(leader, follower)
            ask(follower, "/v1/promote", {})
            ask(follower, "/v1/models/default/learn", examples(1, seed=3))
        (tmp_path / "b" / PROMOTED).unlink()  # so that it follows again
        ask(leader, "/v1/models/default/learn", examples(2, seed=5))
        with server(tmp_path / "b", follow=leader) as follower:
            refused = wait_for(lambda: ask(follower, "/readyz")[0] == 503 and ask(follower, "/readyz")[1])
            assert "their logs differ" in refused["error"]["message"]
            assert sequence(follower) == 8


def test_a_follower_has_followers(tmp_path):
    written(tmp_path / "a")
    with (
        server(tmp_path / "a") as first,
        server(tmp_path / "b", follow=first) as second,
        server(tmp_path / "c", follow=second) as third,
    ):
        ask(first, "/v1/models/default/learn", examples(5, seed=3))
        wait_until_equal(first, third)
    with Store.open(tmp_path / "a", read_only=True) as own, Store.open(tmp_path / "c", read_only=True) as other:
        assert list(own.records()) == list(other.records())
