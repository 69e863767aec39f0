"""The samples of the articles, in their order, through the service's client for Python: articles.py MAYFLY

sim/serve/ARTICLES.md shows the same in JavaScript, and says what is meant where a sample contradicts itself.
"""

import pathlib
import sys
import unittest

from azure.cosmos import cosmos_client
from azure.cosmos.errors import HTTPFailure

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))
from mayfly import Mayfly, days, hours  # noqa: E402

COMMAND = sys.argv.pop()
CUSTOMER = "CO18009186470"
ORDERS = "/dbs/salesdb/colls/orders"


def to_json(**order):
    """Leaves out what is None, as the samples' class does with a ttl of null."""
    return {name: value for name, value in order.items() if value is not None}


class Articles(unittest.TestCase):
    def setUp(self):
        self.mayfly = Mayfly(COMMAND, clock="virtual@2018-01-01")
        self.addCleanup(self.mayfly.stop)
        self.client = cosmos_client.CosmosClient(self.mayfly.endpoint, {"masterKey": self.mayfly.key})
        self.client.CreateDatabase({"id": "salesdb"})

    def create_orders(self, default):
        definition = {"id": "orders", "partitionKey": {"paths": ["/customerId"]}, "defaultTtl": default}
        return self.client.CreateContainer("/dbs/salesdb", definition, {"offerThroughput": 20000})

    def create(self, name, **more):
        return self.client.CreateItem(ORDERS, to_json(id=name, customerId=CUSTOMER, **more))

    def read(self, name):
        return self.client.ReadItem(f"{ORDERS}/docs/{name}", {"partitionKey": CUSTOMER})

    def replace(self, order):
        return self.client.ReplaceItem(f"{ORDERS}/docs/{order['id']}", order, {"partitionKey": CUSTOMER})

    def assert_status(self, status, call, *arguments, **more):
        with self.assertRaises(HTTPFailure) as caught:
            call(*arguments, **more)
        self.assertEqual(caught.exception.status_code, status)

    def assert_lives_for(self, seconds, name):
        self.mayfly.advance(seconds - 1)
        self.read(name)
        self.mayfly.advance(1)
        self.assert_status(404, self.read, name)

    def test_1_a_collection_with_a_default_of_minus_1(self):
        self.assertEqual(self.create_orders(-1)["defaultTtl"], -1)
        self.create("kept")
        self.create("brief", ttl=hours(1))
        self.assert_lives_for(hours(1), "brief")
        self.mayfly.advance(days(3650))
        self.read("kept")

    def test_2_a_collection_with_a_default_of_90_days(self):
        self.create_orders(90 * 60 * 60 * 24)
        self.create("SO04")
        self.assert_lives_for(days(90), "SO04")

    def test_3_a_document_with_a_ttl_of_30_days_and_one_with_none(self):
        self.create_orders(90 * 60 * 60 * 24)
        self.assertNotIn("ttl", self.create("SO06", ttl=None))
        self.create("SO05", ttl=60 * 60 * 24 * 30)
        self.assert_status(400, self.client.CreateItem, ORDERS, {"id": "SO07", "customerId": CUSTOMER, "ttl": None})
        self.assert_lives_for(days(30), "SO05")
        self.assert_lives_for(days(60), "SO06")

    def test_4_another_ttl_starts_the_countdown_again(self):
        self.create_orders(90 * 60 * 60 * 24)
        self.create("SO05", ttl=60 * 60 * 24 * 30)
        self.mayfly.advance(days(30) - 1)
        order = self.read("SO05")
        order["ttl"] = 60 * 30 * 30
        self.replace(order)
        self.assert_lives_for(hours(15), "SO05")

    def test_5_without_its_ttl_a_document_inherits(self):
        self.create_orders(90 * 60 * 60 * 24)
        self.create("SO05", ttl=60 * 60 * 24 * 30)
        self.mayfly.advance(days(30) - 1)
        order = self.read("SO05")
        del order["ttl"]
        self.assertNotIn("ttl", self.replace(order))
        self.assert_lives_for(days(90), "SO05")

    def test_6_without_a_default_ttl_is_off(self):
        self.create_orders(90 * 60 * 60 * 24)
        self.create("SO04", ttl=1)
        self.mayfly.advance(1)
        self.create("SO05", ttl=60 * 60 * 24 * 30)
        self.create("SO06")
        definition = self.client.ReadContainer(ORDERS)
        definition["defaultTtl"] = None
        self.assertNotIn("defaultTtl", self.client.ReplaceContainer(ORDERS, definition))
        self.mayfly.advance(days(3650))
        self.read("SO05")
        self.read("SO06")
        self.assert_status(404, self.read, "SO04")

    def test_what_shall_expire_alone_is_a_document_of_its_own(self):
        self.create_orders(-1)
        self.create("SO09", total=100, discount="SO09-discount")
        self.create("SO09-discount", order="SO09", percent=10, ttl=days(1))
        self.assert_lives_for(days(1), "SO09-discount")
        self.assertEqual(self.read("SO09")["total"], 100)


if __name__ == "__main__":
    unittest.main(verbosity=2)
