// For tests that start a `mayfly serve` and move its clock:
//
//     using var mayfly = new Mayfly("./mayfly");
//     using var client = new CosmosClient(mayfly.Endpoint, Mayfly.Key, new() { ConnectionMode = ConnectionMode.Gateway });
//     ...
//     await mayfly.Advance(Mayfly.Days(90));

using System;
using System.Diagnostics;
using System.Net.Http;
using System.Net.Http.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

public sealed class Mayfly : IDisposable
{
    /// The emulators' key.
    public const string Key = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

    public static int Hours(int n) => n * 3600;
    public static int Days(int n) => n * 86400;

    public string Endpoint { get; }
    readonly Process server;
    readonly HttpClient http = new();

    public Mayfly(string command = "./mayfly", string clock = "virtual")
    {
        server = Process.Start(new ProcessStartInfo(command, ["serve", "--port", "0", "--clock", clock])
        {
            RedirectStandardOutput = true
        })!;
        // The first line has the address. It comes late if the launcher has to build the program first.
        Endpoint = Regex.Match(server.StandardOutput.ReadLine() ?? "", @"http://\S+").Value;
        if (Endpoint == "") throw new Exception($"{command} serve did not start");
    }

    public async Task Advance(long seconds) =>
        (await http.PostAsJsonAsync($"{Endpoint}_mayfly/clock/advance", new { seconds })).EnsureSuccessStatusCode();

    public void Dispose()
    {
        server.Kill();
        server.WaitForExit();
    }
}
