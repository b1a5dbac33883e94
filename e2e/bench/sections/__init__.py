"""What is measured, a file each: `measure` gives JSON, `tables` shows it."""

from . import bodies, requests, scale, startup, streaming

ALL = {
    "requests": requests,
    "startup": startup,
    "streaming": streaming,
    "bodies": bodies,
    "scale": scale,
}
