"""Code, manifests and settings in many languages."""

from __future__ import annotations

from tests.golden.corpus.fake_secrets import CLOUD_KEY, PASSWORD, TOKEN

CODE: dict[str, str | bytes] = {
    "pyproject.toml": """\
[project]
name = "orchard"
version = "2.1.0"
requires-python = ">=3.11"
dependencies = ["fastapi>=0.110", "sqlalchemy~=2.0", "pika"]
""",
    "package.json": """\
{
  "name": "orchard-web",
  "description": "The web shop of Orchard",
  "dependencies": {"react": "^18.2.0", "zod": "^3.22.0"},
  "devDependencies": {"vitest": "^1.0.0"}
}
""",
    "go.mod": """\
module example.org/dispatcher

go 1.22

require github.com/jackc/pgx/v5 v5.5.0
""",
    "Dockerfile": """\
FROM python:3.11-slim
# The image must stay below 200 MB, or deployments take too long.
RUN pip install orchard
EXPOSE 8080
CMD ["orchard", "serve"]
""",
    "deploy/values.yaml": """\
# Two replicas are needed so that an update does not stop the shop.
intake:
  replicas: 2
  timeout_s: 30
database:
  url: postgres://orchard:"""
    + PASSWORD
    + """@db.internal:5432/orders
""",
    "deploy/settings.env": f"AWS_ACCESS_KEY_ID={CLOUD_KEY}\nGITHUB_TOKEN={TOKEN}\nLOG_LEVEL=info\n",
    "src/orchard/intake.py": '''\
"""The Intake takes orders and stores them."""

from orchard.store import Store

RETRIES = 3


class Intake:
    """Validates orders before they are stored.

    An order without a customer is refused. Prices are checked against the catalogue.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def take(self, order: dict) -> str:
        """Store the order and return its number.

        The number must be unique per shop, because invoices refer to it.
        """
        # TODO: check the stock before the order is confirmed
        for _ in range(RETRIES):
            try:
                return self.store.add(order)
            except ConnectionError:
                continue
        raise RuntimeError("the store cannot be reached")

    def cancel(self, number: str) -> None:
        """Cancel an order that has not been packed."""
        # FIXME: a packed order can still be cancelled
        self.store.remove(number)
''',
    "src/orchard/store.py": '''\
"""Orders in PostgreSQL."""


class Store:
    """Keeps orders; every write is a transaction of its own."""

    def add(self, order: dict) -> str:
        """Add an order. A duplicate is ignored, since the web shop may send an order twice."""
        raise NotImplementedError

    def remove(self, number: str) -> None:
        """Remove an order; unknown numbers are ignored."""
''',
    "src/dispatcher/main.go": """\
// Package main is the Dispatcher. It sends open orders to the packing line.
package main

import "log"

// MaxInFlight bounds the orders that are sent but not yet confirmed.
// More than 50 would overload the packing line.
const MaxInFlight = 50

// Send hands one order to the packing line. It retries with back-off, because the line restarts
// every night.
func Send(order string) error {
	// HACK: the line answers 200 for unknown orders
	log.Println("sending", order)
	return nil
}

func main() {
	if err := Send("1"); err != nil {
		log.Fatal(err)
	}
}
""",
    "src/web/cart.ts": """\
/**
 * The cart of the web shop. It is kept in the browser and must survive a reload.
 */
export class Cart {
  private items: string[] = [];

  /**
   * Adds an item. At most 100 items are allowed per order.
   * @param item the item's id
   */
  add(item: string): void {
    if (this.items.length >= 100) {
      throw new Error("the cart is full");
    }
    this.items.push(item);
  }
}
""",
    "src/labels/lib.rs": """\
//! Prints labels for parcels.

/// A label printer. It must not be shared between threads.
pub struct Printer {
    name: String,
}

impl Printer {
    /// Prints one label; fails when the printer is out of paper.
    pub fn print(&self, label: &str) -> Result<(), String> {
        Ok(())
    }
}
""",
    "src/report/Report.java": """\
/*
 * Copyright 2025 Orchard authors. Licensed under the Apache License, Version 2.0.
 */
package report;

/**
 * Builds the weekly report. The report must be ready on Monday at 6 a.m.
 */
public class Report {
    /** Sums up the orders of a week. Cancelled orders are left out. */
    public int sum(int[] orders) {
        int total = 0;
        for (int order : orders) {
            total += order;
        }
        return total;
    }
}
""",
    "db/schema.sql": """\
-- Orders are never deleted, only marked, because invoices refer to them.
CREATE TABLE orders (
    number text PRIMARY KEY,
    customer text NOT NULL,
    cancelled boolean NOT NULL DEFAULT false
);
""",
    "api/openapi.yaml": """\
openapi: 3.0.0
info:
  title: Orchard API
  description: Takes orders. Every call needs a token.
paths:
  /orders:
    post:
      summary: Take an order
      description: The order must have at least one item.
""",
    "proto/orders.proto": """\
syntax = "proto3";

// An order as the packing line sees it. Prices are in cents.
message Order {
  string number = 1;
  repeated string items = 2;  // at most 100
}
""",
    "infra/main.tf": """\
# The database must be in the same region as the shop, or orders become slow.
resource "aws_db_instance" "orders" {
  instance_class = "db.t3.small"
}
""",
    "scripts/backup.sh": """\
#!/bin/sh
# Back up the orders every night; keep 30 days.
pg_dump orders | gzip > /backup/$(date +%F).gz
""",
    "Makefile": "# Run the tests before every release.\ntest:\n\tpytest\n",
    "web/min.js": "function a(b){return b+1};" * 400 + "\n",
    "poetry.lock": '[[package]]\nname = "pika"\nversion = "1.3.2"\n',
    "logo.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "empty.md": b"",
    "generated/client.py": "# @generated by openapi\n\nclass Client:\n    pass\n",
}
