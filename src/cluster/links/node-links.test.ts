/** Links between nodes over real sockets: what they carry, when they open and end. */

import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { FRAME_LIMITS } from './frame-header.ts';
import { TestCluster } from './links-fixture.ts';
import type { ReceivedMessage } from './node-link.ts';

const cluster = new TestCluster();
afterEach(() => cluster.close());

async function pair() {
  const a = await cluster.node('a');
  const b = await cluster.node('b');
  const received: ReceivedMessage[] = [];
  b.links.onMessage('part', (message) => void received.push(message));
  return { a, b, received, link: await a.links.linkTo(b.target) };
}

describe('a link', () => {
  it('carries messages with attachments, also empty ones, in order', async () => {
    const { link, received } = await pair();
    const bytes = [new Uint8Array(0), Buffer.from('abc'), new Uint8Array(700_000).fill(7), new Uint8Array(0)];
    expect(link.send({ kind: 'part', body: { number: 1 }, bytes })).toBe(true);
    expect(link.send({ kind: 'part', body: null })).toBe(true);
    await until('both messages', () => received.length === 2);
    expect(received[0]).toMatchObject({ kind: 'part', body: { number: 1 } });
    expect(received[0]!.bytes.map((part) => Buffer.from(part))).toEqual(
      bytes.map((part) => Buffer.from(part)),
    );
    expect(received[1]).toMatchObject({ body: null, bytes: [] });
  });

  it('carries a message of exactly the limit, and none larger', async () => {
    const { link, received } = await pair();
    const headerBytes =
      4 + JSON.stringify({ type: 'message', kind: 'part', body: 1, sizes: [67_108_000] }).length;
    const largest = new Uint8Array(FRAME_LIMITS.frameBytes - headerBytes);
    let released = 0;
    expect(() => link.send({ kind: 'part', body: 1, bytes: [largest, new Uint8Array(1)] })).toThrow(
      expect.objectContaining({ code: 'LINK_FRAME_LIMIT' }),
    );
    expect(link.send({ kind: 'part', body: 1, bytes: [largest] }, () => released++)).toBe(true);
    await until('the message', () => received.length === 1);
    expect(received[0]!.bytes[0]!.length).toBe(largest.length);
    await until('the bytes are given back', () => released === 1);
    expect(link.waitingBytes).toBe(0);
  });
});
