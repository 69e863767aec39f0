// A little store with TTL that Mayfly can check. With --keeps-ttl it has a defect: a replace without ttl keeps the old one.
const keepsTtl = process.argv.includes("--keeps-ttl");
const writes = { create: [409, 201], replace: [200, 404], upsert: [200, 201] }; // the status over a live document, and otherwise
const definitions = { create_collection: [409, 201], replace_collection: [200, 404] };
const isValid = (ttl) => ttl === -1 || (Number.isInteger(ttl) && ttl >= 1 && ttl <= 2147483647);

let now = 0, collections = new Map(), text = "";

function isExpired(c, d) {
  const ttl = d.ttl ?? c.default_ttl;
  return c.default_ttl !== null && ttl !== -1 && d._ts + ttl <= now;
}

function define(r, old) {
  const { default_ttl = null, indexing = "consistent" } = r;
  if (default_ttl !== null && (!isValid(default_ttl) || indexing === "none")) return { status: 400 };
  const status = definitions[r.op][old ? 0 : 1];
  if (status >= 400) return { status };
  // Expired documents do not come back under other settings (X4).
  const documents = new Map([...(old?.documents ?? [])].filter(([, d]) => !isExpired(old, d)));
  collections.set(r.collection, { default_ttl, indexing, documents });
  return { status };
}

function write(r, c, key, old) {
  if ("ttl" in r && !isValid(r.ttl)) return { status: 400 };
  const status = c ? writes[r.op][old ? 0 : 1] : 404;
  if (status >= 400) return { status };
  const document = { partition: r.partition, id: r.id, value: r.value ?? "", _ts: now, ttl: r.ttl };
  if (keepsTtl && r.op === "replace") document.ttl ??= old.ttl;
  c.documents.set(key, document);
  return { status, document };
}

function purge(budget) {
  let purged = 0;
  for (const c of collections.values())
    for (const [key, d] of c.documents) if (purged < budget && isExpired(c, d) && c.documents.delete(key)) purged++;
  return { status: 200, purged };
}

function answer(r) {
  if (r.op === "hello") return { status: 200, name: "store.mjs", features: ["batch", "purge", "count", "held"] };
  if (r.op === "reset") return (now = r.now), (collections = new Map()), { status: 200 };
  if (r.op === "advance") return { status: 200, now: (now += r.seconds) };
  if (r.op === "purge") return purge(r.budget);
  if (r.op === "held") return { status: 200, held: [...collections.values()].reduce((sum, c) => sum + c.documents.size, 0) };
  const c = collections.get(r.collection);
  if (r.op in definitions) return define(r, c);
  const key = JSON.stringify([r.partition, r.id]);
  const found = c?.documents.get(key);
  const d = found && !isExpired(c, found) ? found : undefined;
  if (r.op in writes) return write(r, c, key, d);
  if (!c || (!d && (r.op === "read" || r.op === "delete"))) return { status: 404 };
  if (r.op === "read") return { status: 200, document: d };
  if (r.op === "delete") return c.documents.delete(key), { status: 204 };
  if (r.op === "delete_collection") return collections.delete(r.collection), { status: 204 };
  if (r.op === "read_collection") return { status: 200, indexing: c.indexing, default_ttl: c.default_ttl };
  if (c.indexing === "none") return { status: 400 };
  const isShown = (each) => !isExpired(c, each) && (r.partition ?? each.partition) === each.partition;
  const documents = [...c.documents.values()].filter(isShown);
  return r.op === "count" ? { status: 200, count: documents.length } : { status: 200, documents };
}

for await (const chunk of process.stdin.setEncoding("utf8")) { // not by readline, which may end lines at U+2028 too
  if (!(text += chunk).endsWith("\n")) continue;
  for (const r of text.trimEnd().split("\n").map((line) => JSON.parse(line)))
    console.log(JSON.stringify(Array.isArray(r) ? r.map(answer) : answer(r)));
  text = "";
}
