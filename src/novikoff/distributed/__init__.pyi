from ._verify import verify as verify
from .engines.tables import HashedTable as HashedTable
from .fitting import fit as fit
