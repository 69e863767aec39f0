// What the tests of the clients for .NET share.

static class Check
{
    public static void Equal<T>(T expected, T actual)
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
            throw new Exception($"expected {expected}, got {actual}");
    }

    public static void Same<T>(IEnumerable<T> expected, IEnumerable<T> actual) =>
        Equal($"[{string.Join(", ", expected)}]", $"[{string.Join(", ", actual)}]");

    public static void Contains(string part, string text)
    {
        if (!text.Contains(part)) throw new Exception($"expected a text with '{part}', got: {text}");
    }
}

static class Tests
{
    /// Runs each test, prints what failed, and returns the exit code.
    public static async Task<int> Run(params (string Name, Func<Task> Test)[] tests)
    {
        var failed = 0;
        foreach (var (name, test) in tests)
        {
            try
            {
                await test();
                Console.WriteLine($"passed: {name}");
            }
            catch (Exception problem)
            {
                ++failed;
                Console.WriteLine($"FAILED: {name}: {problem}");
            }
        }
        Console.WriteLine($"{tests.Length - failed} of {tests.Length} passed");
        return failed == 0 ? 0 : 1;
    }
}
