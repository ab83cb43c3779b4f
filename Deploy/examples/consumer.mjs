// Publishes a job and waits for its verdict and its outcome: node consumer.mjs JOB.json JOURNAL. Needs amqplib (npm
// install amqplib).
//
// The broker is named by FANFARE_AMQP_URL, the queue by FANFARE_QUEUE. JOURNAL gets every event of the job's app, one a
// line; a second run with the same journal goes on where the first one ended. Exits with 0 when the campaign is
// completed.
import { fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import amqp from "amqplib";

const body = readFileSync(process.argv[2]);
const job = JSON.parse(body);
const key = (event) => JSON.stringify([event.source, event.id]);

// The file of events. A line that a crash cut short is removed: its event was not acknowledged and comes again.
const journal = openSync(process.argv[3], "a+", 0o600);
const text = readFileSync(journal);
const whole = text.subarray(0, text.lastIndexOf("\n") + 1);
ftruncateSync(journal, whole.length);
const events = whole.toString().split("\n").filter(Boolean).map((line) => JSON.parse(line));
const keys = new Set(events.map(key));

// Returns false for a repeat. Afterwards the event is on the disk.
function write(event) {
  if (keys.has(key(event))) return false;
  const line = Buffer.from(JSON.stringify(event) + "\n");
  for (let done = 0; done < line.length;) done += writeSync(journal, line, done);
  fsyncSync(journal);
  keys.add(key(event));
  return true;
}

const isOurs = (event) => event.source === "/fanfare/apps/" + job.app && event.subject === job.id;

// Tells an event of the campaign; returns the exit code when nothing more is to be waited for.
function exitCode({ type, data }) {
  if (type === "campaign.refused") {
    for (const error of data.errors) console.log(`refused: ${error.pointer}: ${error.detail}`);
    return 1;
  }
  if (type === "campaign.accepted") {
    console.log("accepted, expires at", data.expires_at);
    // The job came again after the end of its campaign, of which this queue was not told.
    if (data.repeat && ["completed", "cancelled", "failed"].includes(data.state)) {
      console.log("it was", data.state, "before: fanfare campaign status", data.campaign);
      return data.state === "completed" ? 0 : 1;
    }
  }
  if (type === "campaign.completed" || type === "campaign.cancelled") {
    const names = ["audience", "accepted", "invalid", "failed", "expired", "superseded", "cancelled", "skipped"];
    console.log(type.replace("campaign.", ""), ...names.map((name) => `${name}=${data[name]}`));
    return type === "campaign.completed" ? 0 : 1;
  }
  return null;
}

const known = events.filter((event) => isOurs(event) && event.type !== "campaign.refused");
for (const event of known) {
  const code = exitCode(event);
  if (code !== null) process.exit(code);
}

const connection = await amqp.connect(process.env.FANFARE_AMQP_URL);
const channel = await connection.createConfirmChannel();
const queue = process.env.FANFARE_QUEUE ?? "answers.fanfare-producer.example";
// Bound before the job is published, so that no answer is missed; durable, so that none is lost while we are away.
await channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "quorum" } });
await channel.bindQueue(queue, "fanfare.events", job.app + ".campaign.*");
if (known.length === 0) {
  let returned = null;
  channel.on("return", (message) => { returned = message.fields.replyText; });
  channel.publish("fanfare.campaigns", job.app, body, {
    mandatory: true, // a job that nobody takes comes back
    persistent: true,
    contentType: "application/json",
    type: "fanfare.campaign.v1",
    messageId: job.id,
  });
  await channel.waitForConfirms(); // rejects when the broker does not take it; a return comes before
  if (returned) throw new Error("nobody takes it: " + returned);
  console.log("published", job.id);
}
await channel.prefetch(100);
const code = await new Promise((resolve, reject) => {
  connection.on("close", () => reject(new Error("the connection is lost: run it again")));
  channel.consume(queue, (message) => {
    try {
      if (message === null) throw new Error("the queue is gone: run it again");
      const event = JSON.parse(message.content);
      const isNew = write(event);
      channel.ack(message); // only now: what is not on the disk comes again
      const code = isNew && isOurs(event) ? exitCode(event) : null;
      if (code !== null) resolve(code);
    } catch (error) {
      reject(error);
    }
  }).catch(reject);
});
await connection.close();
process.exit(code);
