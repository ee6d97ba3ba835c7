"""Model files of novikoff among the formats of convert."""

import numpy as np

import novikoff as nk
from novikoff.export.nvk import NVK


def test_a_model_file_is_written_recognized_and_read(tmp_path):
    X, y = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]]), np.array([0, 0, 1, 1])
    model = nk.Perceptron().fit(X, y)
    model.save(tmp_path / "saved")
    NVK.write(model.record_, tmp_path / "written")
    data = (tmp_path / "written").read_bytes()
    assert data == (tmp_path / "saved").read_bytes()
    assert NVK.recognizes(data)
    assert not NVK.recognizes(data[8:])
    assert NVK.read(tmp_path / "written").coef_.tolist() == model.coef_.tolist()
