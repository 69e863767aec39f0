"""What users do with the service's client for Python, done with `mayfly serve`: client_test.py MAYFLY"""

import pathlib
import sys
import unittest

from azure.cosmos import cosmos_client
from azure.cosmos.errors import HTTPFailure

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))
from mayfly import Mayfly, days, hours  # noqa: E402

COMMAND = sys.argv.pop()


class PythonClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mayfly = Mayfly(COMMAND)
        cls.client = cosmos_client.CosmosClient(cls.mayfly.endpoint, {"masterKey": cls.mayfly.key})

    @classmethod
    def tearDownClass(cls):
        cls.mayfly.stop()

    def setUp(self):
        self.mayfly.reset()
        self.database = self.client.CreateDatabase({"id": "shop"})

    def container(self, name="items", **settings):
        definition = {"id": name, "partitionKey": {"paths": ["/user"], "kind": "Hash"}, **settings}
        return self.client.CreateContainer(self.database["_self"], definition)

    def ids(self, container, query="SELECT * FROM c", **options):
        options = options or {"enableCrossPartitionQuery": True}
        return sorted(item["id"] for item in self.client.QueryItems(container["_self"], query, options))

    def assert_status(self, status, call, *arguments):
        with self.assertRaises(HTTPFailure) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.status_code, status)

    def test_databases_and_containers_are_addressed_by_self_links_and_by_names(self):
        container = self.container(defaultTtl=10)
        self.assert_status(409, self.client.CreateDatabase, {"id": "shop"})
        self.assertEqual(self.client.ReadDatabase(self.database["_self"])["id"], "shop")
        self.assertEqual(self.client.ReadContainer(container["_self"])["defaultTtl"], 10)
        self.assertEqual(self.client.ReadContainer("dbs/shop/colls/items")["defaultTtl"], 10)
        self.assertEqual([d["id"] for d in self.client.ReadDatabases()], ["shop"])
        self.assertEqual([c["id"] for c in self.client.ReadContainers(self.database["_self"])], ["items"])
        found = self.client.QueryDatabases({"query": "SELECT * FROM root r WHERE r.id=@id",
                                            "parameters": [{"name": "@id", "value": "shop"}]})
        self.assertEqual([d["id"] for d in found], ["shop"])
        self.client.DeleteContainer(container["_self"])
        self.client.DeleteDatabase(self.database["_self"])
        self.assert_status(404, self.client.ReadDatabase, "dbs/shop")

    def test_t1_t2_every_kind_of_default(self):
        for name, settings in {"off": {}, "never": {"defaultTtl": -1}, "ten": {"defaultTtl": 10}}.items():
            self.assertEqual(self.container(name, **settings).get("defaultTtl"), settings.get("defaultTtl"))
        for bad in (0, -2, 2147483648, 1.5, "10", True, None):
            with self.assertRaises(HTTPFailure, msg=bad):
                self.container("bad", defaultTtl=bad)

    def test_items_are_written_read_queried_and_deleted(self):
        container = self.container()
        item = self.client.CreateItem(container["_self"], {"id": "a b", "user": "u1", "n": [1, {"deep": None}]})
        one = {"partitionKey": "u1"}
        self.assertEqual(self.client.ReadItem(item["_self"], one), item)
        self.assertEqual(self.client.ReadItem("dbs/shop/colls/items/docs/a b", one), item)
        self.assert_status(409, self.client.CreateItem, container["_self"], {"id": "a b", "user": "u1"})
        self.assertEqual(self.client.ReplaceItem(item["_self"], {**item, "n": 2}, one)["n"], 2)
        self.assertEqual(self.client.UpsertItem(container["_self"], {"id": "x", "user": "u2"})["id"], "x")
        self.assertEqual(self.ids(container), ["a b", "x"])
        self.assertEqual(self.ids(container, **one), ["a b"])
        self.assertEqual(self.ids(container, "SELECT * FROM c WHERE c.n = 2"), ["a b"])
        self.assertEqual(sorted(i["id"] for i in self.client.ReadItems(container["_self"])), ["a b", "x"])
        self.client.DeleteItem(item["_self"], one)
        self.assert_status(404, self.client.ReadItem, item["_self"], one)

    def test_x1_x2_ninety_days_and_not_a_second_more(self):
        container = self.container(defaultTtl=days(90))
        item = self.client.CreateItem(container["_self"], {"id": "s", "user": "u"})
        self.mayfly.advance(days(90) - 1)
        self.assertEqual(self.ids(container), ["s"])
        self.mayfly.advance(1)
        self.assertEqual(self.ids(container), [])
        self.assert_status(404, self.client.ReadItem, item["_self"], {"partitionKey": "u"})
        self.assert_status(404, self.client.ReplaceItem, item["_self"], item, {"partitionKey": "u"})
        self.assertEqual(self.client.CreateItem(container["_self"], {"id": "s", "user": "u"})["id"], "s")

    def test_t3_e3_w1_an_items_own_ttl(self):
        container = self.container(defaultTtl=-1)
        for bad in (0, -2, 2147483648, 1.5, "10", True, None):
            self.assert_status(400, self.client.CreateItem, container["_self"], {"id": "1", "user": "u", "ttl": bad})
        for name, ttl in {"hour": hours(1), "never": -1, "again": hours(1)}.items():
            item = self.client.CreateItem(container["_self"], {"id": name, "user": "u", "ttl": ttl})
        self.mayfly.advance(hours(1) - 1)
        self.client.ReplaceItem(item["_self"], item, {"partitionKey": "u"})
        self.mayfly.advance(1)
        self.assertEqual(self.ids(container), ["again", "never"])
        self.assertEqual(self.mayfly.purge(), 1)

    def test_w5_x4_f1_a_default_that_changes(self):
        container = self.container(defaultTtl=-1)
        self.client.CreateItem(container["_self"], {"id": "old", "user": "u"})
        self.mayfly.advance(10)
        self.client.CreateItem(container["_self"], {"id": "young", "user": "u"})
        for default in (10, None, 1000):
            changed = {**container, "defaultTtl": default}
            if default is None:
                del changed["defaultTtl"]
            self.client.ReplaceContainer(container["_self"], changed)
            self.assertEqual(self.ids(container), ["young"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
