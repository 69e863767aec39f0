// The articles' samples, and what else people do with the client that they were written for, done with `mayfly serve`:
// documents MAYFLY

using System.Net;
using Microsoft.Azure.Documents;
using Microsoft.Azure.Documents.Client;
using Microsoft.Azure.Documents.Linq;
using Newtonsoft.Json;

using var mayfly = new Mayfly(args[0], "virtual@2018-01-01");
using var client = new DocumentClient(new Uri(mayfly.Endpoint), Mayfly.Key);
var names = 0;

return await Tests.Run(
    ("the samples run, in the order of the articles", () => Articles.Samples(mayfly)),
    ("databases are created, found, listed and deleted", Databases),
    ("T1 T2: a collection has every kind of default, and no other", Defaults),
    ("E1-E3: the nine cells of the matrix", Matrix),
    ("documents are created, read, replaced, upserted and deleted", Documents),
    ("an etag guards against lost updates", Etags),
    ("queries select, filter, order, count and page", Queries),
    ("LINQ", Linq),
    ("the change feed shows what was written since", ChangeFeed),
    ("an offer is found, read and replaced", Offers),
    ("what is not supported says so", Unsupported));

static RequestOptions In(string key) => new() { PartitionKey = new PartitionKey(key) };

static FeedOptions Everywhere(int? most = null, string? token = null) =>
    new() { EnableCrossPartitionQuery = true, MaxItemCount = most, RequestContinuation = token };

async Task<string> NewDatabase() => $"/dbs/{(await client.CreateDatabaseAsync(new Database { Id = $"d{++names}" })).Resource.Id}";

/// The path of a new collection.
async Task<string> NewCollection(int? defaultTtl = null, int? throughput = null)
{
    var definition = new DocumentCollection { Id = $"c{++names}", DefaultTimeToLive = defaultTtl };
    definition.PartitionKey.Paths.Add("/user");
    var options = new RequestOptions { OfferThroughput = throughput };
    var database = await NewDatabase();
    await client.CreateDocumentCollectionAsync(database, definition, options);
    return $"{database}/colls/{definition.Id}";
}

/// The status of a failed call; 0 if it succeeds.
static async Task<HttpStatusCode> Failure(Task call)
{
    try
    {
        await call;
        return 0;
    }
    catch (DocumentClientException problem)
    {
        return problem.StatusCode!.Value;
    }
}

static async Task<string> Message(Task call)
{
    try
    {
        await call;
        return "";
    }
    catch (DocumentClientException problem)
    {
        return problem.Message;
    }
}

static async Task<List<T>> All<T>(IDocumentQuery<T> pages)
{
    var all = new List<T>();
    while (pages.HasMoreResults) all.AddRange(await pages.ExecuteNextAsync<T>());
    return all;
}

Task<List<T>> Ask<T>(string collection, string query) =>
    All(client.CreateDocumentQuery<T>(collection, query, Everywhere()).AsDocumentQuery());

async Task Databases()
{
    var created = await client.CreateDatabaseAsync(new Database { Id = "a shop" });
    Check.Equal(HttpStatusCode.Created, created.StatusCode);
    Check.Equal(HttpStatusCode.Conflict, await Failure(client.CreateDatabaseAsync(new Database { Id = "a shop" })));
    Check.Equal(HttpStatusCode.OK, (await client.CreateDatabaseIfNotExistsAsync(new Database { Id = "a shop" })).StatusCode);
    Check.Equal(1, (await client.ReadDatabaseFeedAsync()).Count(one => one.Id == "a shop"));
    Check.Equal(1, client.CreateDatabaseQuery().Where(one => one.Id == "a shop").AsEnumerable().Count());
    Check.Equal("a shop", (await client.ReadDatabaseAsync(created.Resource.SelfLink)).Resource.Id);
    await client.DeleteDatabaseAsync(created.Resource.SelfLink);
    Check.Equal(HttpStatusCode.NotFound, await Failure(client.ReadDatabaseAsync("/dbs/a shop")));
}

async Task Defaults()
{
    foreach (int? defaultTtl in new int?[] { null, -1, 1, int.MaxValue })
        Check.Equal(defaultTtl, (await client.ReadDocumentCollectionAsync(await NewCollection(defaultTtl))).Resource.DefaultTimeToLive);
    foreach (var bad in new[] { 0, -2, int.MinValue })
        Check.Equal(HttpStatusCode.BadRequest, await Failure(NewCollection(bad)));
}

async Task Matrix()
{
    foreach (int? defaultTtl in new int?[] { null, -1, 10 })
        foreach (int? ttl in new int?[] { null, -1, 5 })
        {
            var lives = defaultTtl == null || ttl == -1 ? -1 : ttl ?? defaultTtl;
            var collection = await NewCollection(defaultTtl);
            await client.CreateDocumentAsync(collection, new Item { Id = "1", TimeToLive = ttl });
            await mayfly.Advance(lives > 0 ? lives.Value - 1 : 315_360_000);
            Check.Equal(1, (await Ask<Item>(collection, "SELECT * FROM c")).Count);
            await mayfly.Advance(1);
            Check.Equal(lives > 0 ? HttpStatusCode.NotFound : 0, await Failure(client.ReadDocumentAsync($"{collection}/docs/1", In("u"))));
            Check.Equal(lives > 0 ? 0 : 1, (await Ask<Item>(collection, "SELECT * FROM c")).Count);
        }
}

async Task Documents()
{
    var collection = await NewCollection();
    Document created = await client.CreateDocumentAsync(collection, new Item { Id = "a ü+", N = 1 });
    Check.Equal(HttpStatusCode.Conflict, await Failure(client.CreateDocumentAsync(collection, new Item { Id = "a ü+" })));
    Item read = await client.ReadDocumentAsync<Item>($"{collection}/docs/a ü+", In("u"));
    Check.Equal(1, read.N);
    Check.Equal(created.ETag, (await client.ReadDocumentAsync(created.SelfLink, In("u"))).Resource.ETag);
    Check.Equal(HttpStatusCode.NotFound, await Failure(client.ReadDocumentAsync($"{collection}/docs/a ü+", In("v"))));
    created.SetPropertyValue("n", 2);
    Check.Equal(2, (await client.ReplaceDocumentAsync(created)).Resource.GetPropertyValue<int>("n"));
    Check.Equal(HttpStatusCode.OK, (await client.UpsertDocumentAsync(collection, new Item { Id = "a ü+", N = 3 })).StatusCode);
    Check.Equal(HttpStatusCode.Created, (await client.UpsertDocumentAsync(collection, new Item { Id = "b" })).StatusCode);
    Check.Equal(2, (await client.ReadDocumentFeedAsync(collection)).Count);
    await client.DeleteDocumentAsync(created.SelfLink, In("u"));
    Check.Equal(HttpStatusCode.NotFound, await Failure(client.DeleteDocumentAsync(created.SelfLink, In("u"))));
    Check.Contains("The input ttl '0' is invalid", await Message(client.CreateDocumentAsync(collection, new Item { Id = "c", TimeToLive = 0 })));
}

async Task Etags()
{
    var collection = await NewCollection();
    Document first = await client.CreateDocumentAsync(collection, new Item { Id = "1" });
    RequestOptions Guarded(AccessConditionType type, string etag) =>
        new() { PartitionKey = new PartitionKey("u"), AccessCondition = new AccessCondition { Type = type, Condition = etag } };
    Document second = await client.ReplaceDocumentAsync(first, Guarded(AccessConditionType.IfMatch, first.ETag));
    Check.Equal(HttpStatusCode.PreconditionFailed,
        await Failure(client.ReplaceDocumentAsync(first, Guarded(AccessConditionType.IfMatch, first.ETag))));
    var known = await client.ReadDocumentAsync(first.SelfLink, Guarded(AccessConditionType.IfNoneMatch, second.ETag));
    Check.Equal(HttpStatusCode.NotModified, known.StatusCode);
}

async Task<string> Numbers()
{
    var collection = await NewCollection();
    for (var n = 0; n < 25; ++n) await client.CreateDocumentAsync(collection, new Item { Id = $"{n}", User = $"u{n % 3}", N = n });
    return collection;
}

async Task Queries()
{
    var collection = await Numbers();
    Check.Same([24, 23, 22, 21], await Ask<int>(collection, "SELECT VALUE c.n FROM c WHERE c.n > 20 ORDER BY c.n DESC"));
    Check.Same([25], await Ask<int>(collection, "SELECT VALUE COUNT(1) FROM c"));
    foreach (var query in new[] { "SELECT * FROM c", "SELECT * FROM c ORDER BY c.n" })
    {
        var seen = new List<int>();
        string? token = null;
        do
        {
            var page = await client.CreateDocumentQuery<Item>(collection, query, Everywhere(10, token)).AsDocumentQuery().ExecuteNextAsync<Item>();
            seen.AddRange(page.Select(one => one.N));
            token = page.ResponseContinuation;
        } while (token != null);
        Check.Same(Enumerable.Range(0, 25), query.EndsWith("c.n") ? seen : seen.Order());
    }
}

async Task Linq()
{
    var collection = await Numbers();
    IQueryable<Item> Items() => client.CreateDocumentQuery<Item>(collection, Everywhere());
    Check.Same([24, 23], await All(Items().Where(one => one.N > 22).OrderByDescending(one => one.N).Select(one => one.N).AsDocumentQuery()));
    Check.Same([0, 1, 2], await All(Items().OrderBy(one => one.N).Take(3).Select(one => one.N).AsDocumentQuery()));
    Check.Equal(8, await Items().Where(one => one.User == "u1").CountAsync());
}

async Task ChangeFeed()
{
    var collection = await NewCollection(10);
    for (var n = 1; n <= 5; ++n) await client.CreateDocumentAsync(collection, new Item { Id = $"{n}", N = n });
    var range = (await client.ReadPartitionKeyRangeFeedAsync(collection)).Single().Id;
    async Task<(List<int> Numbers, string Next)> Changes(string? from)
    {
        var options = new ChangeFeedOptions
        {
            PartitionKeyRangeId = range, StartFromBeginning = from == null, RequestContinuation = from, MaxItemCount = 2
        };
        var feed = client.CreateDocumentChangeFeedQuery(collection, options);
        var all = new List<int>();
        var next = from;
        while (feed.HasMoreResults)
        {
            var page = await feed.ExecuteNextAsync<Item>();
            all.AddRange(page.Select(one => one.N));
            next = page.ResponseContinuation;
        }
        return (all, next!);
    }
    var (first, next) = await Changes(null);
    Check.Same([1, 2, 3, 4, 5], first);
    await client.UpsertDocumentAsync(collection, new Item { Id = "2", N = 12 });
    await client.CreateDocumentAsync(collection, new Item { Id = "6", N = 6, TimeToLive = 1 });
    await mayfly.Advance(1);
    Check.Same([12], (await Changes(next)).Numbers);
}

async Task Offers()
{
    DocumentCollection collection = await client.ReadDocumentCollectionAsync(await NewCollection(throughput: 20000));
    Offer Found() => client.CreateOfferQuery().Where(one => one.ResourceLink == collection.SelfLink).AsEnumerable().Single();
    Check.Equal(20000, ((OfferV2)Found()).Content.OfferThroughput);
    await client.ReplaceOfferAsync(new OfferV2(Found(), 600));
    Check.Equal(600, ((OfferV2)(await client.ReadOfferAsync(Found().SelfLink)).Resource).Content.OfferThroughput);
    Check.Equal(HttpStatusCode.BadRequest, await Failure(client.ReplaceOfferAsync(new OfferV2(Found(), 399))));
    Check.Equal(1, (await client.ReadOffersFeedAsync()).Count(one => one.ResourceLink == collection.SelfLink));
}

async Task Unsupported()
{
    var collection = await NewCollection();
    Check.Contains("stored procedures",
        await Message(client.CreateStoredProcedureAsync(collection, new StoredProcedure { Id = "s", Body = "function () {}" })));
    Check.Contains("triggers", await Message(client.CreateTriggerAsync(collection, new Trigger { Id = "t", Body = "function () {}" })));
    Check.Contains("user-defined functions",
        await Message(client.CreateUserDefinedFunctionAsync(collection, new UserDefinedFunction { Id = "f", Body = "function () {}" })));
    var policy = new ConnectionPolicy { ConnectionMode = ConnectionMode.Direct };
    using var direct = new DocumentClient(new Uri(mayfly.Endpoint), Mayfly.Key, policy);
    Check.Contains("ConnectionMode.Gateway", await Message(direct.ReadDocumentAsync($"{collection}/docs/1", In("u"))));
}

class Item
{
    [JsonProperty("id")] public string Id { get; set; } = "";
    [JsonProperty("user")] public string User { get; set; } = "u";
    [JsonProperty("n")] public int N { get; set; }
    [JsonProperty("ttl", NullValueHandling = NullValueHandling.Ignore)] public int? TimeToLive { get; set; }
}
