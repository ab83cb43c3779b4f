// Publishes a job: node producer.mjs JOB.json; the broker is named by FANFARE_AMQP_URL. Needs amqplib (npm install
// amqplib).
import { readFile } from "node:fs/promises";
import amqp from "amqplib";

const body = await readFile(process.argv[2]);
const job = JSON.parse(body);
const connection = await amqp.connect(process.env.FANFARE_AMQP_URL);
const channel = await connection.createConfirmChannel();
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
await connection.close();
if (returned) {
  console.error("nobody takes it:", returned);
  process.exit(1);
}
console.log("published", job.id);
