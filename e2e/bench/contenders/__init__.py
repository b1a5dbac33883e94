"""Who takes part, in the order of the tables: a file each."""

from .base import Absent, Contender
from .direct import Direct
from .envoy import Envoy
from .haproxy import HAProxy
from .litellm import LiteLLM
from .nginx import Nginx
from .routers import SglangRouter, VllmRouter
from .signalbox import SignalboxContender

ALL: list[type[Contender]] = [
    Direct,
    Nginx,
    HAProxy,
    Envoy,
    SignalboxContender,
    VllmRouter,
    SglangRouter,
    LiteLLM,
]

__all__ = ["ALL", "Absent", "Contender", "SignalboxContender"]
