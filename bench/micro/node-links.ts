/**
 * `node bench/micro/node-links.ts`: the cost of a part of 170 kB from one process to another: over a plain socket, over a
 * TLS socket with the same key, and on a link between nodes that the receiver has opened, as a message and as a record. As
 * fast as the receiver takes them, and processor time per part of sender and receiver together and of the sender alone.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { acceptingTls, connectingTls, linkKeyOf } from '../../src/cluster/links/link-tls.ts';
import type { NodeLink } from '../../src/cluster/links/node-link.ts';
import { NodeLinks } from '../../src/cluster/links/node-links.ts';
import { blockCopyOf } from '../../src/cmaf/block-copy.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { median, printTable } from '../report.ts';
import { foreignCpuMicros } from '../support/foreign-process.ts';

const PART_BYTES = 170_000;
const SMALL_BYTES = 200;
const MEASURE_MS = 3_000;
const ROUNDS = 3;
const WAYS = ['plain socket', 'TLS socket', 'message', 'record'] as const;
/** Sent and not yet acknowledged. */
const IN_FLIGHT = 16;
const RECEIVER = 'SLUICE_LINKS_RECEIVER';

type Way = (typeof WAYS)[number];

const key = linkKeyOf(Buffer.from('benchmark'));

function linksOf(nodeId: string): NodeLinks {
  const identity = { cluster: 'bench', nodeId, runId: nodeId };
  return new NodeLinks({ identity, key, clock: systemClock, log: silentLog });
}

/** In the other process: acknowledges each part with a byte, or a message. */
async function receive(way: Way): Promise<void> {
  if (way === 'message' || way === 'record') {
    const links = linksOf('receiver');
    links.onMessage('part', ({ link }) => void link.send({ kind: 'taken', body: null }));
    links.onRecord((link, _, media) => {
      media.release();
      link.send({ kind: 'taken', body: null });
    });
    process.once('message', async (port: number) => {
      const address = { host: '127.0.0.1', port };
      (await links.linkTo({ nodeId: 'sender', runId: 'sender', address })).hold();
    });
    process.send!(0);
    return;
  }
  let partBytes = 0;
  const onSocket = (socket: Socket): void => {
    let left = 0;
    socket.setNoDelay(true);
    // The sender ends it when it has measured.
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      left += chunk.length;
      for (; left >= partBytes; left -= partBytes) socket.write('.');
    });
  };
  process.on('message', (bytes: number) => {
    partBytes = bytes;
  });
  const server =
    way === 'plain socket' ? createServer(onSocket) : createTlsServer(acceptingTls(key), onSocket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send!((server.address() as AddressInfo).port);
}

interface Cost {
  readonly partsPerSec: number;
  readonly all: number;
  readonly sender: number;
}

async function measure(
  send: () => void,
  onTaken: (taken: (count: number) => void) => void,
  pid: number,
): Promise<Cost> {
  let taken = 0;
  let sent = 0;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const own = foreignCpuMicros(process.pid);
  const other = foreignCpuMicros(pid);
  const startMs = performance.now();
  onTaken((count) => {
    taken += count;
    if (performance.now() - startMs >= MEASURE_MS) return resolve();
    for (; sent < taken + IN_FLIGHT; sent++) send();
  });
  for (; sent < IN_FLIGHT; sent++) send();
  await over;
  const sec = (performance.now() - startMs) / 1_000;
  const sender = (foreignCpuMicros(process.pid) - own) / taken;
  return { partsPerSec: taken / sec, sender, all: sender + (foreignCpuMicros(pid) - other) / taken };
}

async function round(way: Way, bytes: number): Promise<Cost> {
  const child = fork(import.meta.filename, [], { env: { ...process.env, [RECEIVER]: way } });
  const [port] = (await once(child, 'message')) as [number];
  const part = new Uint8Array(bytes).fill(1);
  const address = { host: '127.0.0.1', port };
  try {
    if (way === 'message' || way === 'record') {
      const links = linksOf('sender');
      const opened = new Promise<NodeLink>((resolve) => links.onLink(resolve));
      child.send(await links.listen({ host: '127.0.0.1', port: 0 }));
      const link = await opened;
      const media = blockCopyOf(part);
      const send =
        way === 'message'
          ? (): void => void link.send({ kind: 'part', body: PART_FIELDS, bytes: [part] })
          : (): void => void link.sendRecord(RECORD, media.again());
      const cost = await measure(send, (taken) => links.onMessage('taken', () => taken(1)), child.pid!);
      await links.close();
      return cost;
    }
    child.send(bytes);
    const socket =
      way === 'plain socket' ? connect(address) : connectTls({ ...connectingTls(key), ...address });
    socket.setNoDelay(true);
    await once(socket, way === 'plain socket' ? 'connect' : 'secureConnect');
    const send = (): void => void socket.write(part);
    const cost = await measure(send, (taken) => socket.on('data', ({ length }) => taken(length)), child.pid!);
    socket.destroy();
    return cost;
  } finally {
    child.kill();
  }
}

/** The fields of a part that a mirror receives. */
const PART_FIELDS = {
  windowId: 12,
  mediaSequenceNumber: 123_456,
  partIndex: 2,
  startTicks: 987_654_321,
  durationTicks: 18_000,
  isIndependent: true,
  epochMs: 1_700_000_000_000,
};

/** The same, as numbers. */
const RECORD = new Uint8Array(144);

async function run(): Promise<void> {
  const rows = [];
  for (const bytes of [PART_BYTES, SMALL_BYTES]) {
    for (const way of WAYS) {
      const rounds: Cost[] = [];
      for (let i = 0; i < ROUNDS; i++) rounds.push(await round(way, bytes));
      const partsPerSec = median(rounds.map((cost) => cost.partsPerSec));
      rows.push({
        case: `${way}, ${bytes} bytes`,
        'parts per s': partsPerSec,
        'MB per s': (partsPerSec * bytes) / 1e6,
        'CPU us per part': median(rounds.map(({ all }) => all)),
        'sender CPU us': median(rounds.map(({ sender }) => sender)),
      });
    }
  }
  printTable({ name: 'node-links', rows, figures: {} });
}

const receiver = process.env[RECEIVER];
if (receiver === undefined) await run();
else await receive(receiver as Way);
