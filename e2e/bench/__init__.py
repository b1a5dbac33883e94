"""`make bench`: the same work through Signalbox, plain proxies and other gateways, side by side."""
