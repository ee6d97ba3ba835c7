"""A client of ``novikoff serve``."""

from .async_client import AsyncClient as AsyncClient
from .client import Client as Client
from .errors import ServerError as ServerError
