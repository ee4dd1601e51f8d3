"""The documents of a small project: goals, decisions, guides, minutes."""

from __future__ import annotations

SHOP: dict[str, str | bytes] = {
    "README.md": """\
# Orchard

Orchard is an order service for farm shops. It takes orders from the web shop and hands them to the
packing line.

![build](https://img.example/b.svg)

## Goals

- Customers must get a confirmation within 10 seconds of an order.
- The service should keep working while the warehouse is offline.
- Pricing is not a goal of this service.

## Installation

```sh
pip install orchard
orchard serve --port 8080
```

## Limits

Orchard supports one warehouse per shop. It does not support partial deliveries yet.
""",
    "AGENTS.md": """\
# Working on Orchard

Run `make lint` before every commit. Never edit files under `generated/`.

Handlers must not call the database directly; they use the repository classes.
""",
    "docs/adr/001-queue.md": """\
# 1. Orders go through a queue

Status: Accepted

## Context

The packing line is often offline at night.

## Decision

We will put every order on a RabbitMQ queue because the packing line cannot be reached at night. We
chose RabbitMQ over Kafka since the team already runs it.

## Consequences

- Orders survive an outage of the packing line.
- A full queue delays confirmations, which may annoy customers.
""",
    "docs/adr/002-kafka.md": """\
# 2. Replace the queue by an event log

Status: Proposed

## Decision

We will use Kafka instead of RabbitMQ so that orders can be replayed.

## Consequences

Operators have to learn a new system.
""",
    "docs/adr/003-xml.md": """\
# 3. Exchange orders as XML

Status: Rejected

## Decision

Orders are exchanged as XML files on a shared drive.
""",
    "docs/architecture.md": """\
---
title: How Orchard is built
---

## Components

The **Intake** validates orders and writes them to PostgreSQL. The *Dispatcher* reads open orders
and sends them to the packing line. The Dispatcher is stateless.

| Component | Port | Owner |
|---|---|---|
| Intake | 8080 | team apple |
| Dispatcher | 8081 | team pear |

## Security

Callers authenticate with OAuth 2.0 tokens. Tokens must expire after one hour. Passwords are hashed
with Argon2.

## Performance

The Intake must answer in less than 150 ms at the 99th percentile. Orders are stored synchronously.

## Risks

- If the database fails, no order can be taken and sales are lost.
- The packing line may lose its connection, so that orders are packed twice.

## Open questions

- Who pays for a lost parcel?
- Should guests be able to order? TBD
""",
    "docs/operations.rst": """\
Operations
==========

Deployment
----------

Orchard runs on Kubernetes with two replicas. The Intake must be started before the Dispatcher.

.. warning::

   A restart of the database drops open connections, which may fail orders in flight.

Backup
------

The database is backed up every night. A restore takes up to two hours.

Orders are stored asynchronously.
""",
    "docs/guide.adoc": """\
= Guide for shop owners
:toc:

== First steps

You need an account before you can sell. The account is created by your contact person.

== Returns

Customers can return goods within 14 days. The shop must refund the price within 5 days.

NOTE: Fresh fruit cannot be returned.
""",
    "docs/faq.txt": """\
FAQ

Q: Can I change an order?
A: Yes, until it has been packed. After that the order has to be cancelled.

Q: Which countries do you ship to?
A: We ship to Austria and Germany only.
""",
    "docs/minutes-2025-05-12.md": """\
# Minutes, 12 May 2025

Attendees: Ana Berger, Tom Okoye

- Decision: we drop support for SOAP in version 3.
- Ana will ask the legal team about invoices by Friday.
- Unclear whether the packing line can send receipts.
- Tom: customers complain that the confirmation mail ends up in spam.
""",
    "docs/requirements.md": """\
# Requirements

1. The system shall support 200 concurrent users.
2. As a shop owner I want to see open orders so that I can plan the day.
3. Invoices must be kept for ten years because tax law requires it.
4. The service must never store card numbers.
5. Callers authenticate with OAuth 2.0 tokens.
""",
    "docs/draft-ideas.md": """\
# Ideas

Maybe we could add a chat bot. It would be great if the shop had a dark mode. Some say that
push messages might help, but nobody has asked for them.
""",
    "docs/notes-ru.md": """\
# Заметки

Сервис должен отвечать быстро. Мы решили использовать очередь.
""",
    "CHANGELOG.md": """\
# Changelog

## 2.1.0

- Orders can be cancelled until they are packed.
- Removed the XML export.

## 2.0.0

- Breaking: the API requires a token on every request.
""",
    "LICENSE": """\
MIT License

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute.
""",
}
