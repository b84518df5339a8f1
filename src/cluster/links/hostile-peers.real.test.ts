/** Peers that are no node, or a node that is ill: each costs a bounded amount, ends with a clear line, and harms no other. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { MAX_WAITING_BYTES } from './frame-channel.ts';
import { encodeHead, encodeRecord } from './frame-header.ts';
import { OPEN_MS } from './greeting.ts';
import { acceptingTls, connectingTls, linkKeyOf } from './link-tls.ts';
import { CLUSTER_SECRET, greetingOf, KEY, rawFrame, TestCluster, type TestNode } from './links-fixture.ts';
import type { NodeLink } from './node-link.ts';
import { TICK_MS } from './open-link.ts';

const OTHER_KEY = linkKeyOf(Buffer.from('the secret of another cluster'));
const LARGE_HEADER = Buffer.from([0x80, 0, 0, 0]);
const LARGE_MEDIA = Buffer.from([0x80, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]);
const REFUSED = 'cluster connection refused';
const cluster = new TestCluster();
afterEach(() => cluster.close());

/** `node` still opens links, and its log has no secret. */
async function isUnharmed(node: TestNode): Promise<void> {
  const other = await cluster.node('other');
  const link = await other.links.linkTo(node.target);
  await expect(link.request('x', null)).rejects.toMatchObject({ code: 'LINK_UNKNOWN_KIND' });
  const log = inspect(node.log.lines, { depth: 9 }) + JSON.stringify(node.log.lines);
  for (const secret of [CLUSTER_SECRET, KEY]) {
    for (const form of [secret.toString(), secret.toString('hex'), secret.toString('base64')]) {
      expect(log).not.toContain(form);
    }
  }
}

function closed(socket: Socket): Promise<unknown> {
  socket.resume();
  return socket.closed ? Promise.resolve() : once(socket, 'close');
}

describe('a peer without the key', () => {
  const { pskCallback, ...withoutKey } = connectingTls(KEY);
  it.each([
    ['no key', withoutKey],
    ['another key', connectingTls(OTHER_KEY)],
    ['another identity', { ...withoutKey, pskCallback: () => ({ psk: KEY, identity: 'other' }) }],
    [
      'an older TLS',
      { ...connectingTls(KEY), minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: 'PSK' } as const,
    ],
  ])('is refused: %s', async (_, options) => {
    expect(pskCallback).toBeTypeOf('function');
    const node = await cluster.node('a');
    const socket = connectTls({ ...options, ...node.target.address });
    let hasOpened = false;
    socket.on('secureConnect', () => {
      hasOpened = true;
    });
    const [error] = await once(socket, 'error').then(
      (values) => values,
      (thrown) => [thrown],
    );
    expect(error).toBeInstanceOf(Error);
    expect(hasOpened).toBe(false);
    await until('the log', () => node.log.codes(REFUSED).length > 0);
    expect(node.log.lines).toMatchObject([
      { level: 'warn', message: REFUSED, code: 'LINK_NOT_AUTHENTICATED', remoteAddress: '127.0.0.1' },
    ]);
    await isUnharmed(node);
  });

  it('is refused: plain HTTP', async () => {
    const node = await cluster.node('a');
    const socket = cluster.tcp(node.target);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await closed(socket);
    await until('the log', () => node.log.codes(REFUSED).length > 0);
    expect(node.log.lines).toMatchObject([
      { code: 'LINK_NOT_AUTHENTICATED', reason: 'ERR_SSL_HTTP_REQUEST' },
    ]);
    await isUnharmed(node);
  });

  it('is told so when it is a node with another secret, as is the other one', async () => {
    const node = await cluster.node('a');
    const stranger = await cluster.node('b', { key: OTHER_KEY });
    await expect(stranger.links.linkTo(node.target)).rejects.toMatchObject({
      code: 'LINK_NOT_AUTHENTICATED',
      message: expect.stringContaining('same cluster.secret'),
      context: node.target.address,
    });
    await until('the log', () => node.log.codes(REFUSED).length > 0);
    expect(node.log.codes(REFUSED)).toEqual(['LINK_NOT_AUTHENTICATED']);
    await isUnharmed(node);
  });

  it('is no node either when it listens', async () => {
    const node = await cluster.node('a');
    const port = await cluster.server((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const target = { nodeId: 'b', runId: 'b-run', address: { host: '127.0.0.1', port } };
    await expect(node.links.linkTo(target)).rejects.toMatchObject({ code: 'LINK_NOT_AUTHENTICATED' });
    await isUnharmed(node);
  });
});

describe('a peer that says nothing', () => {
  it.each(['tcp', 'tls'] as const)('after %s is closed when its time is over', async (layer) => {
    const clock = new FakeClock();
    const node = await cluster.node('a', { clock });
    const socket = await cluster[layer](node.target);
    await until('the deadline is set', () => clock.pendingTimers === 1);
    clock.advance(OPEN_MS);
    await closed(socket);
    expect(node.log.codes(REFUSED)[0]).toBe('LINK_OPEN_TIMEOUT');
    expect(clock.pendingTimers).toBe(0);
    await isUnharmed(node);
  });

  it.each(['tcp', 'tls'] as const)(
    'after %s where a node connects to is given up in the same time',
    async (layer) => {
      const clock = new FakeClock();
      const node = await cluster.node('a', { clock });
      let hasCome = false;
      const greet = createTlsServer(acceptingTls(KEY), () => {
        hasCome = true;
      });
      const port = await cluster.server((socket) => {
        if (layer === 'tls') greet.emit('connection', socket);
        else hasCome = true;
      });
      const address = { host: '127.0.0.1', port };
      const opening = node.links.linkTo({ nodeId: 'b', runId: 'b-run', address });
      opening.catch(() => undefined);
      await until('the connection', () => hasCome);
      clock.advance(OPEN_MS);
      await expect(opening).rejects.toMatchObject({ code: 'LINK_OPEN_TIMEOUT', context: address });
    },
  );
});

describe('connections that are not authenticated', () => {
  it('are bounded per address, harm no open links, and leave when their time is over', async () => {
    const clock = new FakeClock();
    const node = await cluster.node('a', { clock });
    const other = await cluster.node('b');
    const link = await other.links.linkTo(node.target);
    const { max } = LIMITS.linkArrivals.levels.address;
    const sockets = Array.from({ length: max + 20 }, () => cluster.tcp(node.target));
    let ended = 0;
    for (const socket of sockets) closed(socket).then(() => ended++);
    await until('20 are closed', () => ended === 20);
    expect(node.log.codes(REFUSED)).toEqual(['LINK_TOO_MANY_ARRIVALS']);
    await expect(link.request('x', null)).rejects.toMatchObject({ code: 'LINK_UNKNOWN_KIND' });
    clock.advance(OPEN_MS);
    await until('all are closed', () => ended === sockets.length);
    await isUnharmed(node);
  });

  it('make room for a node that connects, although they fill all that there is', async () => {
    const node = await cluster.node('a', { clock: new FakeClock() });
    const { total, levels } = LIMITS.linkArrivals;
    const addresses = Array.from({ length: total / levels.address.max }, (_, host) => `127.0.1.${host + 1}`);
    const strangers = addresses.flatMap((from) =>
      Array.from({ length: levels.address.max }, () => cluster.tcp(node.target, from)),
    );
    await Promise.all(strangers.map((socket) => once(socket, 'connect')));
    for (let index = 0; index < 20; index++) {
      const other = await cluster.node(`other-${index}`);
      const link = await other.links.linkTo(node.target);
      await expect(link.request('x', null)).rejects.toMatchObject({ code: 'LINK_UNKNOWN_KIND' });
    }
  });
});

/** A peer with the key that has greeted, and does what the test does. */
async function greetedPeer(node: TestNode) {
  const socket = await cluster.tls(node.target);
  const opened = new Promise<NodeLink>((resolve) => node.links.onLink(resolve));
  socket.write(encodeHead(greetingOf('ill'), []));
  return { socket, link: await opened };
}

describe('a peer with the key that', () => {
  it.each([
    ['a header of 2 GB', LARGE_HEADER, 'LINK_FRAME_LIMIT', { what: 'header bytes' }],
    ['a record', encodeRecord(Uint8Array.of(1), 1), 'LINK_FRAME_LIMIT', { what: 'record bytes' }],
    ['no JSON', rawFrame('{'), 'LINK_FRAME_MALFORMED', { what: 'the header is not JSON' }],
    [
      'a message first',
      rawFrame('{"type":"message","kind":"a"}'),
      'LINK_FRAME_MALFORMED',
      { what: 'the first frame is not a greeting' },
    ],
  ])('begins with %s is closed, told and logged', async (_, bytes, code, context) => {
    const node = await cluster.node('a');
    const socket = await cluster.tls(node.target);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(bytes);
    await closed(socket);
    expect(JSON.parse(Buffer.concat(chunks).subarray(4).toString())).toMatchObject({
      type: 'end',
      error: { code, context },
    });
    expect(node.log.lines).toMatchObject([{ message: REFUSED, code, ...context }]);
    await isUnharmed(node);
  });

  it.each([
    ['a header of 2 GB', LARGE_HEADER, { what: 'header bytes' }],
    ['a record of 2 GB', Buffer.alloc(4, 0xff), { what: 'record bytes' }],
    ['a record with 4 GB of media', LARGE_MEDIA, { what: 'frame bytes' }],
    [
      'a second greeting',
      encodeHead(greetingOf('ill'), []),
      { what: 'a frame of type greeting on an open link' },
    ],
    [
      'an answer to nothing',
      rawFrame('{"type":"response","id":0}'),
      { what: 'an answer to a request that was never sent' },
    ],
  ])('sends %s on an open link ends it', async (_, bytes, context) => {
    const node = await cluster.node('a');
    const { socket, link } = await greetedPeer(node);
    socket.write(bytes);
    await closed(socket);
    expect(link.ended).toMatchObject({ code: expect.stringMatching(/^LINK_FRAME_/), context });
    await isUnharmed(node);
  });

  it('stops reading ends its link at the bound, and the memory is given back', async () => {
    // The node's time is frozen, so the node does not take the peer for dead first.
    const node = await cluster.node('a', { clock: new FakeClock() });
    const { socket, link } = await greetedPeer(node);
    socket.pause();
    const part = new Uint8Array(1_000_000);
    let sent = 0;
    let released = 0;
    let mostWaitingBytes = 0;
    while (link.send({ kind: 'part', body: null, bytes: [part] }, () => released++)) {
      sent++;
      mostWaitingBytes = Math.max(mostWaitingBytes, link.waitingBytes);
      // The kernel takes what it can.
      await turn();
    }
    expect(sent).toBeGreaterThan(60);
    expect(mostWaitingBytes).toBeLessThanOrEqual(MAX_WAITING_BYTES);
    expect(link.ended).toMatchObject({ code: 'LINK_BACKLOG', context: { limit: MAX_WAITING_BYTES } });
    await until('everything is given back', () => released === sent + 1 && link.waitingBytes === 0);
    expect(node.log.codes('cluster link ended')).toEqual(['LINK_BACKLOG']);
    await isUnharmed(node);
  });

  it('resets the connection ends its link', async () => {
    const node = await cluster.node('a');
    const { socket, link } = await greetedPeer(node);
    const request = link.request('x', null);
    socket.destroy();
    await expect(request).rejects.toMatchObject({ code: 'LINK_BROKEN' });
  });
});

it('a network that stops forwarding: both nodes notice in about 2 s', async () => {
  const clock = new FakeClock();
  const [a, b] = [await cluster.node('a', { clock }), await cluster.node('b', { clock })];
  let isForwarding = true;
  const port = await cluster.server((client) => {
    const server = connect(b.target.address);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => undefined);
      from.on('data', (chunk) => isForwarding && to.write(chunk));
      from.on('close', () => isForwarding && to.destroy());
    }
  });
  const link = await a.links.linkTo({ ...b.target, address: { host: '127.0.0.1', port } });
  const ends: string[] = [];
  for (const node of [a, b]) node.links.onClosed((_, reason) => void ends.push(reason.code));
  const request = link.request('x', null);
  await expect(request).rejects.toMatchObject({ code: 'LINK_UNKNOWN_KIND' });
  isForwarding = false;
  let silentMs = 0;
  while (ends.length === 0) {
    clock.advance(TICK_MS);
    silentMs += TICK_MS;
    await turn();
  }
  expect(ends).toEqual(['LINK_SILENT', 'LINK_SILENT']);
  // Bytes that arrived before the first tick count.
  expect([2_000, 2_500]).toContain(silentMs);
});
