"""How a stream begins: what may be combined, and what the options of the first run mean for the next."""

import pytest
import sets
from command import assert_refused, done, novikoff

from novikoff.persistence.model_file import load_position

LINES = sets.svmlight(sets.X, sets.TWO).splitlines(keepends=True)
PEOPLE = b"age,job,y\n" + b"".join(b"%d,job%d,%s\n" % (20 + i, i % 5, [b"no", b"yes"][i % 2]) for i in range(30))


@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_bad_lines_of_tables_are_skipped_also_after_a_stream_was_resumed(tmp_path, kind):
    data, model = tmp_path / f"data.{kind}", tmp_path / "m.nvk"
    if kind == "csv":
        head, *rows = PEOPLE.splitlines(keepends=True)
        bad = [b"1,2\n", b"1,job1,\n"]
    else:
        head, rows = b"", [b'{"age": %d, "y": "%s"}\n' % (i, [b"no", b"yes"][i % 2]) for i in range(30)]
        bad = [b'{"age": \n', b'{"age": 3}\n']
    mixed = [*rows[:4], bad[0], *rows[4:20], *bad, *rows[20:]]
    command = ("stream", data, "-o", model, "--resume", "--on-bad", "skip")
    data.write_bytes(head + b"".join(mixed[:10]))
    assert novikoff(*command, "--json").json["bad_lines"] == 1
    data.write_bytes(head + b"".join(mixed))
    found = novikoff(*command, "--json").json
    assert (found["bad_lines"], found["skipped_rows"], found["examples"]) == (3, 9, 21)
    (tmp_path / f"good.{kind}").write_bytes(head + b"".join(rows))
    done("stream", tmp_path / f"good.{kind}", "-q", "-o", tmp_path / "good.nvk")
    assert sets.same_model(model, tmp_path / "good.nvk")
    assert_refused(novikoff("stream", data, "-q"), "line ")


def test_options_of_reading_are_kept_for_the_next_run(tmp_path):
    (tmp_path / "data").write_bytes(PEOPLE)
    command = ("stream", tmp_path / "data", "-q", "-o", tmp_path / "m.nvk", "--resume")
    done(*command, "--format", "csv", "--scale", "none")
    assert load_position(tmp_path / "m.nvk")[1].options == {"format": '"csv"', "scale": '"none"'}
    (tmp_path / "data").write_bytes(PEOPLE + b"70,job9,yes\n")
    done(*command)
    assert load_position(tmp_path / "m.nvk")[1].rows == 31


def test_a_line_that_was_learned_in_part_is_refused(tmp_path):
    data, model = tmp_path / "data.svm", tmp_path / "m.nvk"
    data.write_bytes(b"1 1:1\n0 1:2")
    done("stream", data, "-q", "-o", model)
    data.write_bytes(b"1 1:1\n0 1:23\n")
    assert_refused(novikoff("stream", data, "-q", "-o", model, "--resume"), "not finished")
    data.write_bytes(b"1 1:1\n0 1:2\n1 1:3\n")
    done("stream", data, "-q", "-o", model, "--resume")


def test_what_cannot_be_combined_is_refused(tmp_path):
    data, model = tmp_path / "two.svm", tmp_path / "m.nvk"
    data.write_bytes(b"".join(LINES))
    assert_refused(novikoff("stream", data, "--save-every", "60s"), "-o")
    assert_refused(novikoff("stream", data, "-o", model, "--save-every", "soon"), "--save-every")
    assert_refused(novikoff("stream", data, "--metrics-port", "http"), "--metrics-port")
    assert not model.exists()
