import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Figure, figureOf } from '../figures.js';
import type { LoadCommands } from '../load/load.process.js';
import { firstTime, timeOf } from '../load/points.js';
import type { UpstreamCommands } from '../load/upstream.process.js';
import { Child, cores } from '../process/child.js';
import type { Plan } from './plan.js';
import { operatorKey, PulsekeepProcess } from './pulsekeep.js';

const accountsPulled = 50;
const pages = { size: 5_000, count: 40 };
const messages = 200_000;
const connections = 64;
const uploads = 400;
/** Below what a body is taken in unread. */
const uploadBytes = 200 * 1024;
/** V8 gives back what a start has used once there was nothing to do for some twenty seconds. */
const IDLE_MS = 30_000;
const UPLOAD_MS = 5_000;

/** The most memory that a process has at a time in each state, each in a process of its own on the one database. */
export async function memory({ scale, step }: Plan): Promise<Figure[]> {
  const upstream = await Child.start<UpstreamCommands>('load/upstream.process.js', cores.driver);
  const load = await Child.start<LoadCommands>('load/load.process.js', cores.driver);
  const { port } = await upstream.ask('listen');
  const pulsekeep = await PulsekeepProcess.start(accountsPulled, port);
  try {
    const figures: Figure[] = [];
    const measured = async (name: string, most: number, run: () => Promise<string>): Promise<void> => {
      step(name);
      await pulsekeep.startAnew();
      await idle();
      pulsekeep.forgetPeakMemory();
      const before = pulsekeep.cpu();
      const note = `${await run()}; ${((pulsekeep.cpu() - before) / 1_000).toFixed(1)} s of processor time`;
      const goal = { of: 'value', atMost: most } as const;
      figures.push(figureOf({ name, unit: 'MiB', values: [pulsekeep.peakMemory()], goal, note }));
    };
    await measured('memory, idle', 110, () => idle());
    await measured('memory, full accept load', 250, () => accept(pulsekeep, load, Math.round(messages * scale)));
    await measured('memory, backfill', 250, () => backfill(pulsekeep, upstream, scale));
    await measured('memory, export', 250, () => exported(pulsekeep.port));
    await measured('memory, 400 open uploads', 300, () => upload(pulsekeep.port));
    return figures;
  } finally {
    for (const part of [pulsekeep, load, upstream]) await part.end();
  }
}

async function idle(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return 'after the start, with nothing to do';
}

async function accept(pulsekeep: PulsekeepProcess, load: Child<LoadCommands>, count: number): Promise<string> {
  const deliveries = { path: '/webhooks', label: 'memory', accounts: accountsPulled, first: 0, count };
  const { refused } = await load.ask('burst', { port: pulsekeep.port, connections, deliveries });
  await pulsekeep.untilAllProcessed(300);
  return `${count.toLocaleString('en-US')} messages by ${connections} connections until they were applied, ${refused} refused`;
}

async function backfill(
  pulsekeep: PulsekeepProcess,
  upstream: Child<UpstreamCommands>,
  scale: number,
): Promise<string> {
  const count = Math.max(2, Math.round(pages.count * scale));
  await upstream.ask('offer', { ...pages, count });
  const window = { start: firstTime, end: timeOf(pages.size * count) };
  for (let account = 0; account < accountsPulled; account++) await pulsekeep.requestSync(account, window);
  await pulsekeep.until(`SELECT 1 FROM sync_tasks WHERE status IN ('pending', 'running') LIMIT 1`, 600);
  return `${(pages.size * count * accountsPulled).toLocaleString('en-US')} points`;
}

/** Read no faster than it comes, and dropped. */
async function exported(port: number): Promise<string> {
  const address = `http://127.0.0.1:${port}/admin/v1/accounts/bench-0/export`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${operatorKey}` } });
  if (!answer.ok || !answer.body) throw new Error(`An export was answered with ${answer.status}.`);
  let bytes = 0;
  for await (const chunk of answer.body) bytes += (chunk as Uint8Array).length;
  return `one account, ${(bytes / 1_048_576).toFixed(0)} MiB`;
}

/** Bodies that have come but for their last byte, and stay so for a moment. */
async function upload(port: number): Promise<string> {
  const sockets = await Promise.all(Array.from({ length: uploads }, () => begunUpload(port)));
  await new Promise((resolve) => setTimeout(resolve, UPLOAD_MS));
  const open = sockets.filter(({ readable }) => readable).length;
  for (const socket of sockets) socket.destroy();
  return `${uploads} of ${uploadBytes / 1024} KiB begun, ${open} still open after ${UPLOAD_MS / 1000} s`;
}

async function begunUpload(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  // One that is answered before its body is whole is closed; that is an outcome, and no failure of the measurement.
  socket.on('error', () => undefined).resume();
  const head = ['POST /webhooks HTTP/1.1', 'host: 127.0.0.1', 'content-type: application/json'];
  const signature = ['webhook-id: msg_upload', `webhook-timestamp: ${Math.floor(Date.now() / 1000)}`];
  const rest = [`content-length: ${uploadBytes}`, 'webhook-signature: v1,AAAA', '', ''];
  socket.write([...head, ...signature, ...rest].join('\r\n'));
  socket.write(Buffer.alloc(uploadBytes - 1, 0x20));
  return socket;
}
