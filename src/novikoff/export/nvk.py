"""The model file of novikoff, as one of the formats that ``novikoff convert`` reads and writes."""

from __future__ import annotations

import os
from typing import Any

from novikoff.persistence import is_model_start, load, save_record
from novikoff.record import RunRecord

from .base import ExportFormat


class NvkFormat(ExportFormat):
    """Model files of ``novikoff.save``."""

    name = "novikoff"
    suffixes = (".nvk",)
    can_read = True

    def write(self, record: RunRecord, path: str | os.PathLike[str]) -> None:
        save_record(record, path)

    def keeps_encoder(self, record: RunRecord) -> bool:
        return True

    def recognizes(self, beginning: bytes) -> bool:
        return is_model_start(beginning)

    def read(self, path: str | os.PathLike[str]) -> Any:
        return load(path)


NVK = NvkFormat()
