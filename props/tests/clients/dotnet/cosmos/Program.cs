// What people do with today's client for .NET, done with `mayfly serve`: cosmos MAYFLY

using System.Net;
using Microsoft.Azure.Cosmos;
using Microsoft.Azure.Cosmos.Linq;
using Newtonsoft.Json;

using var mayfly = new Mayfly(args[0], "virtual@2018-01-01");
using var client = NewClient();
var names = 0;

return await Tests.Run(
    ("databases are created, found, listed and deleted", Databases),
    ("T1 T2: a container has every kind of default, and no other", Defaults),
    ("E1-E3: the nine cells of the matrix", Matrix),
    ("items are created, read, replaced, upserted and deleted", Items),
    ("ids and partition keys are any text", Names),
    ("an etag guards against lost updates", Etags),
    ("a patch changes what it names", Patches),
    ("a batch is done as a whole or not at all", Batches),
    ("bulk operations are done each by itself", Bulk),
    ("many items are read in one call", ReadMany),
    ("queries select, filter, order, count and page", Queries),
    ("LINQ", Linq),
    ("throughput is read and replaced", Throughputs),
    ("the prefix of a hierarchical key shows no other tenant's items", HierarchicalKeys),
    ("the change feed shows what was written since", ChangeFeed),
    ("a change feed processor gets every change", ChangeFeedProcessor),
    ("a container that was made anew under another key is found again", MadeAnew),
    ("what is not supported says so", Unsupported));

CosmosClient NewClient(Action<CosmosClientOptions>? change = null)
{
    var options = new CosmosClientOptions { ConnectionMode = ConnectionMode.Gateway };
    change?.Invoke(options);
    return new CosmosClient(mayfly.Endpoint, Mayfly.Key, options);
}

async Task<Database> NewDatabase() => await client.CreateDatabaseAsync($"d{++names}");

async Task<Container> NewContainer(int? defaultTtl = null, string path = "/user", Database? database = null) =>
    await (database ?? await NewDatabase()).CreateContainerAsync(
        new ContainerProperties($"c{++names}", path) { DefaultTimeToLive = defaultTtl });

async Task<HttpStatusCode> Status<T>(Task<T> call)
{
    try
    {
        return (await call) is Response<Item> response ? response.StatusCode : HttpStatusCode.OK;
    }
    catch (CosmosException problem)
    {
        return problem.StatusCode;
    }
}

async Task<string> Message(Task call)
{
    try
    {
        await call;
        return "";
    }
    catch (CosmosException problem)
    {
        return problem.ToString();
    }
}

async Task<List<T>> All<T>(FeedIterator<T> pages)
{
    var all = new List<T>();
    while (pages.HasMoreResults) all.AddRange(await pages.ReadNextAsync());
    return all;
}

Task<List<T>> Ask<T>(Container container, string query, PartitionKey? key = null) =>
    All(container.GetItemQueryIterator<T>(query, requestOptions: new QueryRequestOptions { PartitionKey = key }));

async Task Databases()
{
    var database = await client.CreateDatabaseAsync("a shop");
    Check.Equal(HttpStatusCode.Created, database.StatusCode);
    Check.Equal(HttpStatusCode.Conflict, await Status(client.CreateDatabaseAsync("a shop")));
    Check.Equal(HttpStatusCode.OK, (await client.CreateDatabaseIfNotExistsAsync("a shop")).StatusCode);
    Check.Contains("a shop", string.Join(" ", (await All(client.GetDatabaseQueryIterator<DatabaseProperties>())).Select(one => one.Id)));
    Check.Equal("a shop", (await client.GetDatabase("a shop").ReadAsync()).Resource.Id);
    Check.Equal(HttpStatusCode.NoContent, (await database.Database.DeleteAsync()).StatusCode);
    Check.Equal(HttpStatusCode.NotFound, await Status(client.GetDatabase("a shop").ReadAsync()));
}

async Task Defaults()
{
    var database = await NewDatabase();
    foreach (int? defaultTtl in new int?[] { null, -1, 1, int.MaxValue })
    {
        var container = await NewContainer(defaultTtl, database: database);
        Check.Equal(defaultTtl, (await container.ReadContainerAsync()).Resource.DefaultTimeToLive);
    }
    foreach (var bad in new[] { 0, -2, int.MinValue })
        Check.Equal(HttpStatusCode.BadRequest, await Status(NewContainer(bad, database: database)));
    var none = new ContainerProperties("none", "/user")
    {
        DefaultTimeToLive = 10,
        IndexingPolicy = new IndexingPolicy { IndexingMode = IndexingMode.None, Automatic = false }
    };
    Check.Contains("Indexing mode value cannot be 'none'", await Message(database.CreateContainerAsync(none)));
    Check.Equal(4, (await All(database.GetContainerQueryIterator<ContainerProperties>())).Count);

    ContainerProperties changed = await (await NewContainer(-1, database: database)).ReadContainerAsync();
    changed.DefaultTimeToLive = null;
    Check.Equal(null, (await database.GetContainer(changed.Id).ReplaceContainerAsync(changed)).Resource.DefaultTimeToLive);
}

async Task Matrix()
{
    foreach (int? defaultTtl in new int?[] { null, -1, 10 })
        foreach (int? ttl in new int?[] { null, -1, 5 })
        {
            var lives = defaultTtl == null || ttl == -1 ? -1 : ttl ?? defaultTtl;
            var container = await NewContainer(defaultTtl);
            await container.CreateItemAsync(new Item("1", "u", Ttl: ttl));
            await mayfly.Advance(lives > 0 ? lives.Value - 1 : 315_360_000);
            Check.Equal(1, (await Ask<Item>(container, "SELECT * FROM c")).Count);
            await mayfly.Advance(1);
            var expected = lives > 0 ? HttpStatusCode.NotFound : HttpStatusCode.OK;
            Check.Equal(expected, await Status(container.ReadItemAsync<Item>("1", new PartitionKey("u"))));
            Check.Equal(lives > 0 ? 0 : 1, (await Ask<Item>(container, "SELECT * FROM c")).Count);
        }
}

async Task Items()
{
    var container = await NewContainer();
    var key = new PartitionKey("u");
    Check.Equal(HttpStatusCode.Created, (await container.CreateItemAsync(new Item("1", "u", 1), key)).StatusCode);
    Check.Equal(HttpStatusCode.Conflict, await Status(container.CreateItemAsync(new Item("1", "u"))));
    Check.Equal(new Item("1", "u", 1), (await container.ReadItemAsync<Item>("1", key)).Resource);
    Check.Equal(HttpStatusCode.NotFound, await Status(container.ReadItemAsync<Item>("1", new PartitionKey("v"))));
    Check.Equal(2, (await container.ReplaceItemAsync(new Item("1", "u", 2), "1", key)).Resource.N);
    Check.Equal(HttpStatusCode.OK, (await container.UpsertItemAsync(new Item("1", "u", 3))).StatusCode);
    Check.Equal(HttpStatusCode.Created, (await container.UpsertItemAsync(new Item("1", "v"))).StatusCode);
    Check.Equal(HttpStatusCode.BadRequest, await Status(container.CreateItemAsync(new Item("2", "u"), new PartitionKey("v"))));
    Check.Equal(HttpStatusCode.NoContent, (await container.DeleteItemAsync<Item>("1", key)).StatusCode);
    Check.Equal(HttpStatusCode.NotFound, await Status(container.DeleteItemAsync<Item>("1", key)));
    var silent = new ItemRequestOptions { EnableContentResponseOnWrite = false };
    Check.Equal(null, (await container.CreateItemAsync(new Item("3", "u"), key, silent)).Resource);
    Check.Equal(2, (await All(container.GetItemQueryIterator<Item>())).Count);
    using var found = await container.ReadItemStreamAsync("absent", key);
    Check.Equal(HttpStatusCode.NotFound, found.StatusCode);
}

async Task Names()
{
    foreach (var name in new[] { "a b", "a+b", "ü", "50%", "a&b=c", "\"quoted\"", "'", "日本", "a:b,c" })
    {
        var container = await NewContainer();
        await container.CreateItemAsync(new Item(name, name, 1));
        Check.Equal(1, (await container.ReadItemAsync<Item>(name, new PartitionKey(name))).Resource.N);
        Check.Equal(1, (await Ask<Item>(container, "SELECT * FROM c", new PartitionKey(name))).Count);
    }
}

async Task Etags()
{
    var container = await NewContainer();
    var key = new PartitionKey("u");
    var first = (await container.CreateItemAsync(new Item("1", "u"))).ETag;
    var second = (await container.ReplaceItemAsync(new Item("1", "u", 2), "1", key, new() { IfMatchEtag = first })).ETag;
    Check.Equal(HttpStatusCode.PreconditionFailed,
        await Status(container.ReplaceItemAsync(new Item("1", "u", 3), "1", key, new() { IfMatchEtag = first })));
    Check.Equal(HttpStatusCode.NotModified,
        await Status(container.ReadItemAsync<Item>("1", key, new() { IfNoneMatchEtag = second })));
    Check.Equal(HttpStatusCode.PreconditionFailed,
        await Status(container.DeleteItemAsync<Item>("1", key, new() { IfMatchEtag = first })));
    Check.Equal(2, (await container.ReadItemAsync<Item>("1", key, new() { IfNoneMatchEtag = first })).Resource.N);
}

async Task Patches()
{
    var container = await NewContainer(10);
    var key = new PartitionKey("u");
    await container.CreateItemAsync(new Item("1", "u", 1));
    Task<ItemResponse<Item>> Patch(PatchItemRequestOptions? options, params PatchOperation[] operations) =>
        container.PatchItemAsync<Item>("1", key, operations, options);
    Check.Equal(new Item("1", "u", 5, Ttl: 20),
        (await Patch(null, PatchOperation.Increment("/n", 4), PatchOperation.Set("/ttl", 20))).Resource);
    Check.Equal(HttpStatusCode.PreconditionFailed,
        await Status(Patch(new() { FilterPredicate = "FROM c WHERE c.n = 4" }, PatchOperation.Replace("/n", 6))));
    Check.Equal(6, (await Patch(new() { FilterPredicate = "FROM c WHERE c.n = 5" }, PatchOperation.Replace("/n", 6))).Resource.N);
    Check.Equal(HttpStatusCode.BadRequest, await Status(Patch(null, PatchOperation.Set("/id", "2"))));
    await Patch(null, PatchOperation.Remove("/ttl"));
    await mayfly.Advance(10);
    Check.Equal(HttpStatusCode.NotFound, await Status(Patch(null, PatchOperation.Set("/n", 7))));
}

async Task Batches()
{
    var container = await NewContainer();
    TransactionalBatch Batch() => container.CreateTransactionalBatch(new PartitionKey("u"));
    using var done = await Batch()
        .CreateItem(new Item("1", "u", 1)).CreateItem(new Item("2", "u", 2)).ReadItem("1")
        .PatchItem("1", [PatchOperation.Increment("/n", 1)]).UpsertItem(new Item("3", "u")).ReplaceItem("2", new Item("2", "u", 5))
        .DeleteItem("3").ExecuteAsync();
    Check.Equal(HttpStatusCode.OK, done.StatusCode);
    Check.Same([201, 201, 200, 200, 201, 200, 204], done.Select(one => (int)one.StatusCode));
    Check.Equal(1, done.GetOperationResultAtIndex<Item>(2).Resource.N);
    using var failed = await Batch().CreateItem(new Item("4", "u")).CreateItem(new Item("1", "u")).CreateItem(new Item("5", "u")).ExecuteAsync();
    Check.Equal(HttpStatusCode.Conflict, failed.StatusCode);
    Check.Same([424, 409, 424], failed.Select(one => (int)one.StatusCode));
    Check.Same(["1", "2"], await Ask<string>(container, "SELECT VALUE c.id FROM c ORDER BY c.id"));
    var stale = new TransactionalBatchItemRequestOptions { IfMatchEtag = "\"another\"" };
    using var guarded = await Batch().ReplaceItem("1", new Item("1", "u"), stale).ExecuteAsync();
    Check.Equal(HttpStatusCode.PreconditionFailed, guarded.StatusCode);
}

async Task Bulk()
{
    var database = await NewDatabase();
    var id = (await NewContainer(database: database)).Id;
    using var bulk = NewClient(options => options.AllowBulkExecution = true);
    var container = bulk.GetContainer(database.Id, id);
    var statuses = await Task.WhenAll(Enumerable.Range(0, 250).Select(n =>
        Status(container.CreateItemAsync(new Item($"{n % 240}", $"u{n % 24}", n), new PartitionKey($"u{n % 24}")))));
    Check.Equal(240, statuses.Count(status => status == HttpStatusCode.Created));
    Check.Equal(10, statuses.Count(status => status == HttpStatusCode.Conflict));
    var read = await Task.WhenAll(Enumerable.Range(0, 240).Select(n => container.ReadItemAsync<Item>($"{n}", new PartitionKey($"u{n % 24}"))));
    Check.Equal(240, read.Select(one => one.Resource.Id).Distinct().Count());
}

async Task ReadMany()
{
    foreach (var path in new[] { "/user", "/id" })
    {
        var container = await NewContainer(path: path);
        for (var n = 0; n < 5; ++n) await container.CreateItemAsync(new Item($"{n}", $"u{n}", n));
        PartitionKey Key(int n) => new(path == "/id" ? $"{n}" : $"u{n}");
        foreach (var wanted in new[] { new[] { 3 }, new[] { 4, 1, 0, 17 } })
        {
            var found = await container.ReadManyItemsAsync<Item>(wanted.Select(n => ($"{n}", Key(n))).ToList());
            Check.Same(wanted.Where(n => n < 5).Order(), found.Select(one => one.N).Order());
        }
    }
}

async Task<Container> Numbers()
{
    var container = await NewContainer();
    for (var n = 0; n < 25; ++n) await container.CreateItemAsync(new Item($"{n}", $"u{n % 3}", n));
    return container;
}

async Task Queries()
{
    var container = await Numbers();
    Check.Same([24, 23, 22, 21], await Ask<int>(container, "SELECT VALUE c.n FROM c WHERE c.n > 20 ORDER BY c.n DESC"));
    Check.Same([25], await Ask<int>(container, "SELECT VALUE COUNT(1) FROM c"));
    Check.Same([8], await Ask<int>(container, "SELECT VALUE COUNT(1) FROM c", new PartitionKey("u1")));
    Check.Same([5, 6, 7], await Ask<int>(container, "SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 5 LIMIT 3"));
    var some = new QueryDefinition("SELECT * FROM c WHERE c.n IN (@a, @b)").WithParameter("@a", 3).WithParameter("@b", 5);
    Check.Same([3, 5], (await All(container.GetItemQueryIterator<Item>(some))).Select(one => one.N));

    foreach (var query in new[] { "SELECT * FROM c", "SELECT * FROM c ORDER BY c.n" })
    {
        var seen = new List<int>();
        string? token = null;
        do
        {
            var pages = container.GetItemQueryIterator<Item>(query, token, new QueryRequestOptions { MaxItemCount = 10 });
            var page = await pages.ReadNextAsync();
            seen.AddRange(page.Select(one => one.N));
            token = page.ContinuationToken;
        } while (token != null);
        Check.Same(Enumerable.Range(0, 25), query.EndsWith("c.n") ? seen : seen.Order());
    }
    Check.Equal(HttpStatusCode.BadRequest, await Status(Ask<Item>(container, "SELECT * FRUM c")));
}

async Task Linq()
{
    var container = await Numbers();
    var camelCase = new CosmosLinqSerializerOptions { PropertyNamingPolicy = CosmosPropertyNamingPolicy.CamelCase };
    IQueryable<Item> Items() => container.GetItemLinqQueryable<Item>(linqSerializerOptions: camelCase);
    Check.Same([24, 23], await All(Items().Where(one => one.N > 22).OrderByDescending(one => one.N).Select(one => one.N).ToFeedIterator()));
    Check.Same([6, 7], await All(Items().OrderBy(one => one.N).Skip(6).Take(2).Select(one => one.N).ToFeedIterator()));
    Check.Equal(8, (await Items().Where(one => one.User == "u1").CountAsync()).Resource);
}

async Task Throughputs()
{
    var database = await NewDatabase();
    Check.Equal(null, await database.ReadThroughputAsync());
    Container container = await database.CreateContainerAsync(new ContainerProperties("manual", "/user"), 20000);
    Check.Equal(20000, await container.ReadThroughputAsync());
    Check.Equal(600, (await container.ReplaceThroughputAsync(600)).Resource.Throughput);
    Check.Equal(600, await container.ReadThroughputAsync());
    Check.Equal(400, (await container.ReadThroughputAsync(new RequestOptions())).MinThroughput);
    Check.Equal(HttpStatusCode.BadRequest, await Status(container.ReplaceThroughputAsync(401)));

    Container auto = await database.CreateContainerAsync(
        new ContainerProperties("auto", "/user"), ThroughputProperties.CreateAutoscaleThroughput(4000));
    Check.Equal(4000, (await auto.ReadThroughputAsync(new RequestOptions())).Resource.AutoscaleMaxThroughput);
    var more = ThroughputProperties.CreateAutoscaleThroughput(5000);
    Check.Equal(5000, (await auto.ReplaceThroughputAsync(more)).Resource.AutoscaleMaxThroughput);

    Database shared = await client.CreateDatabaseAsync($"shared {++names}", 1000);
    Check.Equal(1000, await shared.ReadThroughputAsync());
    Check.Equal(null, await (await NewContainer(database: shared)).ReadThroughputAsync());
}

async Task HierarchicalKeys()
{
    Container container = await (await NewDatabase()).CreateContainerAsync(
        new ContainerProperties("c", ["/tenant", "/user", "/n"]) { DefaultTimeToLive = 100 });
    PartitionKey Key(params object[] parts) =>
        parts.Aggregate(new PartitionKeyBuilder(), (key, part) => part is string text ? key.Add(text) : key.Add((int)part)).Build();
    string[] tenants = ["A", "B", "a,\"b\\", "AB"];
    foreach (var tenant in tenants)
        for (var n = 0; n < 6; ++n) await container.CreateItemAsync(new Item($"{n}", $"u{n % 2}", n, tenant));
    foreach (var tenant in tenants)
    {
        Check.Equal(3, (await container.ReadItemAsync<Item>("3", Key(tenant, "u1", 3))).Resource.N);
        Check.Same(Enumerable.Repeat(tenant, 6), await Ask<string>(container, "SELECT VALUE c.tenant FROM c", Key(tenant)));
        Check.Same([5, 3, 1], await Ask<int>(container, "SELECT VALUE c.n FROM c ORDER BY c.n DESC", Key(tenant, "u1")));
        Check.Same([3], await Ask<int>(container, "SELECT VALUE c.n FROM c", Key(tenant, "u1", 3)));
    }
    Check.Equal(0, (await Ask<Item>(container, "SELECT * FROM c", Key("u1"))).Count);
    Check.Equal(24, (await Ask<Item>(container, "SELECT * FROM c")).Count);
    await mayfly.Advance(100);
    Check.Equal(0, (await Ask<Item>(container, "SELECT * FROM c", Key("A"))).Count);
}

/// The numbers of the changes, and where to go on.
async Task<(List<int> Numbers, string Next)> Changes(Container container, ChangeFeedStartFrom from)
{
    var feed = container.GetChangeFeedIterator<Item>(from, ChangeFeedMode.LatestVersion, new() { PageSizeHint = 2 });
    var all = new List<int>();
    while (true)
    {
        var page = await feed.ReadNextAsync();
        if (page.StatusCode == HttpStatusCode.NotModified) return (all, page.ContinuationToken);
        all.AddRange(page.Select(one => one.N));
    }
}

async Task ChangeFeed()
{
    var container = await NewContainer(10);
    for (var n = 1; n <= 5; ++n) await container.CreateItemAsync(new Item($"{n}", $"u{n % 2}", n));
    var (first, next) = await Changes(container, ChangeFeedStartFrom.Beginning());
    Check.Same([1, 2, 3, 4, 5], first);
    var (none, now) = await Changes(container, ChangeFeedStartFrom.Now());
    Check.Same([], none);
    await container.UpsertItemAsync(new Item("2", "u0", 12));
    await container.CreateItemAsync(new Item("6", "u0", 6, Ttl: 1));
    await container.CreateItemAsync(new Item("7", "u1", 7));
    await mayfly.Advance(1);
    Check.Same([12, 7], (await Changes(container, ChangeFeedStartFrom.ContinuationToken(next))).Numbers);
    Check.Same([12, 7], (await Changes(container, ChangeFeedStartFrom.ContinuationToken(now))).Numbers);
    Check.Same([1, 3, 5, 7], (await Changes(container, ChangeFeedStartFrom.Beginning(FeedRange.FromPartitionKey(new("u1"))))).Numbers);
    await mayfly.Advance(10);
    Check.Same([], (await Changes(container, ChangeFeedStartFrom.Beginning())).Numbers);
}

async Task ChangeFeedProcessor()
{
    var database = await NewDatabase();
    var container = await NewContainer(database: database);
    var leases = await NewContainer(path: "/id", database: database);
    var seen = new HashSet<int>();
    var all = new TaskCompletionSource();
    Task Handle(ChangeFeedProcessorContext context, IReadOnlyCollection<Item> changes, CancellationToken cancelled)
    {
        seen.UnionWith(changes.Select(one => one.N));
        if (seen.Count == 20) all.TrySetResult();
        return Task.CompletedTask;
    }
    var processor = container.GetChangeFeedProcessorBuilder<Item>("p", Handle).WithInstanceName("i").WithLeaseContainer(leases)
        .WithStartTime(DateTime.MinValue.ToUniversalTime()).WithPollInterval(TimeSpan.FromMilliseconds(50)).Build();
    for (var n = 0; n < 10; ++n) await container.CreateItemAsync(new Item($"{n}", "u", n));
    await processor.StartAsync();
    for (var n = 10; n < 20; ++n) await container.CreateItemAsync(new Item($"{n}", "u", n));
    await all.Task;
    await processor.StopAsync();
}

async Task MadeAnew()
{
    var database = await NewDatabase();
    Container container = await database.CreateContainerAsync("c", "/user");
    await container.CreateItemAsync(new Item("1", "u", 1));
    Check.Equal(1, (await Ask<Item>(container, "SELECT * FROM c")).Count);
    using var other = NewClient();
    await other.GetContainer(database.Id, "c").DeleteContainerAsync();
    await other.GetDatabase(database.Id).CreateContainerAsync("c", "/tenant");
    Check.Equal(HttpStatusCode.Created, (await container.CreateItemAsync(new Item("1", "u", 2, "t"))).StatusCode);
    Check.Equal(1, (await Ask<Item>(container, "SELECT * FROM c ORDER BY c.n")).Count);
}

async Task Unsupported()
{
    using var direct = new CosmosClient(mayfly.Endpoint, Mayfly.Key);
    var database = await NewDatabase();
    var container = await NewContainer(database: database);
    Check.Contains("ConnectionMode.Gateway",
        await Message(direct.GetContainer(database.Id, container.Id).ReadItemAsync<Item>("1", new PartitionKey("u"))));
    Check.Contains("stored procedures", await Message(container.Scripts.CreateStoredProcedureAsync(new("s", "function () {}"))));
    Check.Contains("users", await Message(database.CreateUserAsync("u")));
    var computed = new ContainerProperties("computed", "/user");
    computed.ComputedProperties.Add(new ComputedProperty { Name = "x", Query = "SELECT VALUE c.n FROM c" });
    Check.Contains("computedProperties", await Message(database.CreateContainerAsync(computed)));
    Check.Contains("triggers", await Message(container.CreateItemAsync(new Item("1", "u"), requestOptions: new() { PreTriggers = ["t"] })));
    using var purge = await container.DeleteAllItemsByPartitionKeyStreamAsync(new PartitionKey("u"));
    Check.Contains("partition key", purge.ErrorMessage);
}

record Item(
    [property: JsonProperty("id")] string Id,
    [property: JsonProperty("user")] string User,
    [property: JsonProperty("n")] int N = 0,
    [property: JsonProperty("tenant", NullValueHandling = NullValueHandling.Ignore)] string? Tenant = null,
    [property: JsonProperty("ttl", NullValueHandling = NullValueHandling.Ignore)] int? Ttl = null);
