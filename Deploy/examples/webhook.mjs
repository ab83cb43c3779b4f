// Receives a webhook's events: node webhook.mjs SECRETS JOURNAL [PORT]. Needs nothing but Node.
//
// SECRETS is the file that apps.yaml names: a secret a line, two during a rotation. JOURNAL gets each event once, one a
// line; the work is done by who reads it, since the sender waits 10 s at most. Listens on this machine only: let a
// proxy with a certificate stand before it.
import { createHmac, timingSafeEqual } from "node:crypto";
import { fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";

const [secretsFile, journalFile, port = "9000"] = process.argv.slice(2);
const secrets = readFileSync(secretsFile, "utf8").split("\n").filter((line) => line.startsWith("whsec_"))
  .map((line) => Buffer.from(line.slice("whsec_".length), "base64"));

// The file of events. A line that a crash cut short is removed: it was not answered, so its event comes again.
const journal = openSync(journalFile, "a+", 0o600);
const text = readFileSync(journal);
const whole = text.subarray(0, text.lastIndexOf("\n") + 1);
ftruncateSync(journal, whole.length);
const ids = new Set(whole.toString().split("\n").filter(Boolean).map((line) => JSON.parse(line).webhook_id));

// Drops a repeat. Afterwards the event is on the disk; without that the program ends without an answer.
function write(id, event) {
  if (ids.has(id)) return;
  const line = Buffer.from(JSON.stringify({ webhook_id: id, event }) + "\n");
  for (let done = 0; done < line.length;) done += writeSync(journal, line, done);
  fsyncSync(journal);
  ids.add(id);
}

// Is true for a request that a holder of a secret has made within the last five minutes.
function isSigned(headers, body) {
  const id = headers["webhook-id"] ?? "", time = headers["webhook-timestamp"] ?? "";
  if (!id || !/^[0-9]{1,12}$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const codes = (headers["webhook-signature"] ?? "").split(" ").filter((code) => code.startsWith("v1,"))
    .map((code) => Buffer.from(code.slice("v1,".length), "base64"));
  return secrets.some((secret) => {
    // The bytes as they came, before anything reads them.
    const wanted = createHmac("sha256", secret).update(`${id}.${time}.`).update(body).digest();
    return codes.some((code) => code.length === wanted.length && timingSafeEqual(code, wanted));
  });
}

async function receive(request, answer) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > 1 << 20) return answer.writeHead(413, { connection: "close" }).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (request.method !== "POST") return answer.writeHead(405).end();
  if (!isSigned(request.headers, body)) return answer.writeHead(401).end();
  write(request.headers["webhook-id"], JSON.parse(body));
  answer.writeHead(204).end();
}

const server = createServer((request, answer) => {
  receive(request, answer).catch((error) => {
    if (request.errored) return; // the sender is gone, and tries again
    console.error(error.message);
    process.exit(1); // without an answer: it comes again, and the next start removes half a line
  });
});
server.requestTimeout = 30_000; // of a sender that says nothing more
server.listen(Number(port), "127.0.0.1");
