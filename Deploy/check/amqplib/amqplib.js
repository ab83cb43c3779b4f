// Plays amqplib for the checks: Debian has none, and the examples in Node are to talk to a broker all the same.
// The calls are those of amqplib's promise API that the examples make, with the same names and defaults; the wire is
// AMQP 0-9-1.
import { EventEmitter } from "node:events";
import { connect as dial } from "node:net";

const id = (group, method) => (group << 16) | method;

// Methods by class and method.
const START_OK = id(10, 11), TUNE_OK = id(10, 31), OPEN = id(10, 40), CLOSE = id(10, 50), CLOSE_OK = id(10, 51);
const CHANNEL_OPEN = id(20, 10), CHANNEL_CLOSE = id(20, 40), CHANNEL_CLOSE_OK = id(20, 41);
const DECLARE = id(50, 10), BIND = id(50, 20), QOS = id(60, 10), CONSUME = id(60, 20), CANCEL = id(60, 30);
const PUBLISH = id(60, 40), RETURN = id(60, 50), DELIVER = id(60, 60), ACK = id(60, 80), NACK = id(60, 120);
const SELECT = id(85, 10);

const byte = (value) => Buffer.from([value]);
function short(value) { const bytes = Buffer.alloc(2); bytes.writeUInt16BE(value); return bytes; }
function long(value) { const bytes = Buffer.alloc(4); bytes.writeUInt32BE(value); return bytes; }
function longLong(value) { const bytes = Buffer.alloc(8); bytes.writeBigUInt64BE(BigInt(value)); return bytes; }
function shortText(text) { const bytes = Buffer.from(text); return Buffer.concat([byte(bytes.length), bytes]); }
function longText(text) { const bytes = Buffer.from(text); return Buffer.concat([long(bytes.length), bytes]); }
function table(members) {
  const parts = Object.entries(members).flatMap(([name, text]) => [shortText(name), Buffer.from("S"), longText(text)]);
  const bytes = Buffer.concat(parts);
  return Buffer.concat([long(bytes.length), bytes]);
}

class Reader {
  constructor(bytes) { this.bytes = bytes; this.offset = 0; }
  take(count) { this.offset += count; return this.bytes.subarray(this.offset - count, this.offset); }
  byte() { return this.take(1)[0]; }
  short() { return this.take(2).readUInt16BE(); }
  long() { return this.take(4).readUInt32BE(); }
  longLong() { return Number(this.take(8).readBigUInt64BE()); }
  shortText() { return this.take(this.byte()).toString(); }
}

// The properties in the order of their flags, from the highest bit; null is skipped.
const properties = ["contentType", "contentEncoding", "headers", "deliveryMode", "priority", "correlationId", "replyTo",
  "expiration", "messageId", "timestamp", "type", "userId", "appId"];

function writeProperties(options) {
  let flags = 0;
  const parts = [];
  properties.forEach((name, place) => {
    if (options[name] === undefined) return;
    flags |= 1 << (15 - place);
    parts.push(name === "deliveryMode" ? byte(options[name]) : shortText(options[name]));
  });
  return Buffer.concat([short(flags), ...parts]);
}

function readProperties(reader) {
  const flags = reader.short(), result = {};
  properties.forEach((name, place) => {
    if (!(flags & (1 << (15 - place)))) return;
    if (name === "headers") result[name] = reader.take(reader.long());
    else if (name === "deliveryMode" || name === "priority") result[name] = reader.byte();
    else if (name === "timestamp") result[name] = reader.longLong();
    else result[name] = reader.shortText();
  });
  return result;
}

class Channel extends EventEmitter {
  constructor(connection) {
    super();
    this.connection = connection;
    this.replies = []; // those who wait for an answer, in the order of their questions
    this.unconfirmed = new Map();
    this.published = 0;
    this.consumers = new Map();
    this.content = null;
  }

  ask(method, ...fields) {
    return new Promise((resolve, reject) => {
      this.replies.push({ resolve, reject });
      this.connection.send(1, method, ...fields);
    });
  }

  async assertQueue(queue, { durable = true, arguments: rules = {} } = {}) {
    const reader = await this.ask(DECLARE, short(0), shortText(queue), byte(durable ? 2 : 0), table(rules));
    return { queue: reader.shortText(), messageCount: reader.long(), consumerCount: reader.long() };
  }

  async bindQueue(queue, source, pattern) {
    await this.ask(BIND, short(0), shortText(queue), shortText(source), shortText(pattern), byte(0), table({}));
  }

  async prefetch(count) { await this.ask(QOS, long(0), short(count), byte(0)); }

  async consume(queue, take) {
    const consumerTag = "consumer-" + this.consumers.size;
    this.consumers.set(consumerTag, take);
    await this.ask(CONSUME, short(0), shortText(queue), shortText(consumerTag), byte(0), table({}));
    return { consumerTag };
  }

  ack(message) { this.connection.send(1, ACK, longLong(message.fields.deliveryTag), byte(0)); }

  publish(exchange, key, content, options = {}) {
    const { persistent, mandatory, ...others } = options;
    if (persistent) others.deliveryMode = 2;
    this.published += 1;
    this.unconfirmed.set(this.published, null);
    this.connection.send(1, PUBLISH, short(0), shortText(exchange), shortText(key), byte(mandatory ? 1 : 0));
    const header = [short(60), short(0), longLong(content.length), writeProperties(others)];
    this.connection.frame(2, 1, Buffer.concat(header));
    const most = this.connection.frameMax - 8;
    for (let at = 0; at < content.length; at += most) this.connection.frame(3, 1, content.subarray(at, at + most));
    return true;
  }

  waitForConfirms() {
    if (this.unconfirmed.size === 0) return Promise.resolve();
    return new Promise((resolve, reject) => { this.waiting = { resolve, reject }; });
  }

  confirmed(tag, isMultiple, isTaken) {
    const tags = [...this.unconfirmed.keys()].filter((one) => (isMultiple ? one <= tag : one === tag));
    for (const one of tags) this.unconfirmed.delete(one);
    if (!isTaken) this.waiting?.reject(new Error("message nacked"));
    else if (this.unconfirmed.size === 0) this.waiting?.resolve();
  }

  fail(error) {
    for (const { reject } of this.replies.splice(0)) reject(error);
    this.waiting?.reject(error);
    if (this.listenerCount("error") > 0) this.emit("error", error);
  }

  take(method, reader) {
    if (method === DELIVER) {
      const consumerTag = reader.shortText(), deliveryTag = reader.longLong(), redelivered = reader.byte() === 1;
      const exchange = reader.shortText(), routingKey = reader.shortText();
      this.content = { fields: { consumerTag, deliveryTag, redelivered, exchange, routingKey } };
    } else if (method === RETURN) {
      const replyCode = reader.short(), replyText = reader.shortText();
      this.content = { fields: { replyCode, replyText, exchange: reader.shortText(), routingKey: reader.shortText() } };
    } else if (method === ACK || method === NACK) {
      this.confirmed(reader.longLong(), (reader.byte() & 1) === 1, method === ACK);
    } else if (method === CANCEL) {
      this.consumers.get(reader.shortText())?.(null);
    } else if (method === CHANNEL_CLOSE) {
      const code = reader.short();
      this.connection.send(1, CHANNEL_CLOSE_OK);
      this.fail(new Error(`Channel closed by server: ${code} (${reader.shortText()})`));
    } else {
      this.replies.shift()?.resolve(reader);
    }
  }

  takeHeader(reader) {
    reader.take(4);
    this.content.size = reader.longLong();
    this.content.properties = readProperties(reader);
    this.content.parts = [];
    this.takeBody(Buffer.alloc(0));
  }

  takeBody(bytes) {
    const { fields, properties, parts, size } = this.content;
    parts.push(bytes);
    const content = Buffer.concat(parts);
    if (content.length < size) return;
    this.content = null;
    const message = { fields, properties, content };
    if (fields.consumerTag === undefined) this.emit("return", message);
    else this.consumers.get(fields.consumerTag)(message);
  }
}

class Connection extends EventEmitter {
  constructor(socket) {
    super();
    this.socket = socket;
    this.frameMax = 131072;
    this.replies = [];
    this.channel = null;
    let rest = Buffer.alloc(0);
    socket.on("data", (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 7 && rest.length >= 8 + rest.readUInt32BE(3)) {
        const end = 7 + rest.readUInt32BE(3);
        const type = rest[0], number = rest.readUInt16BE(1), reader = new Reader(rest.subarray(7, end));
        rest = rest.subarray(end + 1);
        this.takeFrame(type, number, reader);
      }
    });
    socket.on("error", (error) => this.fail(error));
    socket.on("close", () => {
      this.fail(new Error("the connection is closed"));
      this.emit("close");
    });
  }

  fail(error) {
    for (const { reject } of this.replies.splice(0)) reject(error);
    this.channel?.fail(error);
  }

  frame(type, number, payload) {
    this.socket.write(Buffer.concat([byte(type), short(number), long(payload.length), payload, byte(0xce)]));
  }

  send(number, method, ...fields) { this.frame(1, number, Buffer.concat([long(method), ...fields])); }

  reply() { return new Promise((resolve, reject) => this.replies.push({ resolve, reject })); }

  takeFrame(type, number, reader) {
    if (type === 8) return; // a heartbeat
    if (type === 2) return this.channel.takeHeader(reader);
    if (type === 3) return this.channel.takeBody(reader.bytes);
    const method = reader.long();
    if (number !== 0) return this.channel.take(method, reader);
    if (method === CLOSE) {
      const code = reader.short();
      this.fail(new Error(`Connection closed by server: ${code} (${reader.shortText()})`));
      this.send(0, CLOSE_OK);
      return this.socket.end();
    }
    this.replies.shift()?.resolve(reader);
  }

  async open(url) {
    const start = this.reply();
    this.socket.write(Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1]));
    await start;
    const secret = `\0${decodeURIComponent(url.username)}\0${decodeURIComponent(url.password)}`;
    const tune = this.reply();
    this.send(0, START_OK, table({}), shortText("PLAIN"), longText(secret), shortText("en_US"));
    await tune;
    this.send(0, TUNE_OK, short(1), long(this.frameMax), short(0));
    const opened = this.reply();
    this.send(0, OPEN, shortText(decodeURIComponent(url.pathname.slice(1)) || "/"), shortText(""), byte(0));
    await opened;
  }

  async createConfirmChannel() {
    this.channel = new Channel(this);
    await this.channel.ask(CHANNEL_OPEN, shortText(""));
    await this.channel.ask(SELECT, byte(0));
    return this.channel;
  }

  async close() {
    const closed = this.reply();
    this.send(0, CLOSE, short(200), shortText("bye"), short(0), short(0));
    await closed;
    this.socket.end();
  }
}

async function connect(text) {
  const url = new URL(text);
  const socket = dial(Number(url.port || 5672), url.hostname);
  await new Promise((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  const connection = new Connection(socket);
  await connection.open(url);
  return connection;
}

export default { connect };
