from .fitting import fit as fit
from ._verify import verify as verify
from .engines.tables import HashedTable as HashedTable
