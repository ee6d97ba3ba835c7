"""What the holder of a token may do."""

from __future__ import annotations

from enum import IntEnum

from novikoff.errors import input_error, quote


class Role(IntEnum):
    """Roles in ascending order: each may do all that the ones before it may."""

    NOBODY = 0
    PREDICT = 1
    LEARN = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        """The role as it is written in the tokens file."""
        return self.name.lower()


ROLES = {role.word: role for role in Role if role is not Role.NOBODY}


def role_of(word: str, where: str) -> Role:
    """Return the role of this name.

    Raises
    ------
    InvalidInputError
        There is no such role.
    """
    if word not in ROLES:
        raise input_error(where, f"the roles are {', '.join(ROLES)}, not {quote(word)}.")
    return ROLES[word]
