"""Entry point of the Gateway.

The Gateway stores nothing itself: it must stay restartable at any time.
"""

from parcel.gateway import Gateway
from parcel.tracker import Tracker

TIMEOUT_S = 30


def main() -> None:
    """Start the Gateway and the Tracker in one process for development."""
    gateway = Gateway(timeout_s=TIMEOUT_S)
    tracker = Tracker()
    gateway.serve(tracker)


if __name__ == "__main__":
    main()
