"""Statements as a reader would hand them on: kind, title and, where it is not the title, the body.

They give the ledger an input that no change of the stages before it touches.
"""

from __future__ import annotations

LONG = (
    "Every write to the order store is acknowledged by the leader and by two followers before the"
    " client sees a success, so that the loss of one machine never loses an order"
)
STATEMENTS: dict[str, list[tuple[str, ...]]] = {
    "the same in other words": [
        ("requirement", "The Intake must answer in less than 150 ms"),
        ("requirement", "The Intake has to answer in under 150 ms"),
        ("requirement", "The Intake must answer in less than 250 ms"),
        ("claim", "Orders are stored in PostgreSQL"),
        ("claim", "PostgreSQL stores the orders"),
        ("claim", "Orders are stored in PostgreSQL."),
        ("claim", "Invoices are stored in PostgreSQL"),
        ("decision", "We will use RabbitMQ because the packing line is offline at night"),
        ("decision", "We use RabbitMQ since the packing line is offline at night"),
    ],
    "the same at length": [
        ("claim", "Order store writes", LONG),
        ("claim", "Order store writes", LONG.replace("so that", "and therefore")),
        ("claim", "Order store writes", LONG.replace("never loses an order", "is not noticed")),
        ("requirement", "Parcels", "Every parcel must carry a label with the number of its order"),
        ("requirement", "Parcels", "Every parcel must carry a label with its order's number."),
    ],
    "what cannot both hold": [
        ("claim", "Orders are stored synchronously"),
        ("claim", "Orders are stored asynchronously"),
        ("claim", "Auth uses JWT tokens"),
        ("claim", "Auth uses session cookies"),
        ("requirement", "Tokens must expire after one hour"),
        ("requirement", "Tokens must never expire"),
        ("claim", "The Dispatcher is stateless"),
        ("claim", "The Dispatcher is not stateless"),
        ("claim", "The default timeout is 30 seconds"),
        ("claim", "The default timeout is 60 seconds"),
        ("claim", "Guests can order"),
        ("claim", "Guests cannot order"),
        ("decision", "Use Kafka as the event log"),
        ("decision", "Use RabbitMQ as the event log"),
        ("requirement", "The weekly report must be ready within 20 seconds"),
        ("requirement", "The weekly report must be ready within 45 seconds"),
        ("claim", "Replication between the two shops is synchronous for orders"),
        ("claim", "Replication between the two shops is asynchronous for orders"),
        ("requirement", "The Intake shall forward refused orders to the audit log"),
        ("requirement", "The Intake shall not forward refused orders to the audit log"),
        ("requirement", "The Intake shall not send any refused orders to the audit log"),
        ("claim", "The default port is 8080"),
        ("claim", "The default port is 9090"),
        ("claim", "The gate uses PostgreSQL as its database"),
        ("claim", "The gate uses Redis as its cache"),
        ("claim", "The gate uses MySQL as its database"),
        ("claim", "Orders are stored in Redis until 2024"),
    ],
    "a series": [("claim", f"The setting s{n} must be between {n} and {n + 10}") for n in range(8)],
    "things and what is said of them": [
        ("entity", "Intake"),
        ("entity", "The Intake"),
        ("entity", "Dispatcher"),
        ("claim", "The Intake validates orders"),
        ("risk", "The Dispatcher may lose its connection, so that orders are packed twice"),
        ("unknown", "Should guests be able to order?"),
        ("decision", "Guests are able to order"),
        ("action_item", "Ana asks the legal team about invoices"),
    ],
}
