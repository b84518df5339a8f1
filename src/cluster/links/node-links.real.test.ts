/** Links between nodes over real sockets: what they carry, when they open and end. */

import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { blockCopyOf } from '../../cmaf/block-copy.ts';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { LINK_ERRORS } from './errors.ts';
import { FRAME_LIMITS } from './frame-header.ts';
import { TestCluster } from './links-fixture.ts';
import type { NodeLink, ReceivedMessage } from './node-link.ts';
import { MAX_REQUESTS } from './open-link.ts';

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

  it('carries bytes of memory that threads share, as media blocks are', async () => {
    const { link, received } = await pair();
    const block = new Uint8Array(new SharedArrayBuffer(400_000)).fill(5);
    link.send({ kind: 'part', body: null, bytes: [block.subarray(100, 300_100), block.subarray(7, 9)] });
    await until('the message', () => received.length === 1);
    const bytes = received[0]!.bytes.map((part) => Buffer.from(part));
    expect(bytes).toEqual([Buffer.alloc(300_000, 5), Buffer.alloc(2, 5)]);
  });

  it('is known to the node that opened it, until it ends, and to no other run', async () => {
    const { a, b, link } = await pair();
    const known = () => [a.links.hasOpened(b.target), b.links.hasOpened(a.target)];
    expect(known()).toEqual([true, false]);
    expect(a.links.hasOpened({ ...b.target, runId: 'earlier' })).toBe(false);
    await b.links.close();
    await until('the end', () => link.ended !== null);
    expect(known()).toEqual([false, false]);
  });

  it.each(['opener', 'accepter'] as const)(
    'carries records with media from its %s, in order with messages, into blocks',
    async (sender) => {
      const before = mediaBlockBytes().used;
      const { a, b, link } = await pair();
      const back = new Promise<NodeLink>((resolve) => {
        b.links.onMessage('hello', (message) => resolve(message.link));
      });
      link.send({ kind: 'hello', body: null });
      const [from, to] = sender === 'opener' ? [link, a] : [await back, b];
      const receiver = to === a ? b : a;
      const events: [string, string, Buffer][] = [];
      receiver.links.onRecord((_, record, media) => {
        events.push(['record', record.toString(), media.join()]);
        media.release();
      });
      receiver.links.onMessage('after', () => void events.push(['after', '', Buffer.alloc(0)]));
      const parts = [1_000, 500_000, 0, 300_000].map((bytes, value) => Buffer.alloc(bytes, value + 1));
      for (const [at, part] of parts.entries()) {
        expect(from.sendRecord(Buffer.from(`part ${at}`), blockCopyOf(part))).toBe(true);
        from.send({ kind: 'after', body: null });
      }
      await until('all of it', () => events.length === 2 * parts.length);
      expect(events).toEqual(
        parts.flatMap((part, at) => [
          ['record', `part ${at}`, part],
          ['after', '', Buffer.alloc(0)],
        ]),
      );
      await cluster.close();
      await until('all blocks are given back', () => mediaBlockBytes().used === before);
    },
  );

  it('gives the media of a record back when no one handles it, its handler fails, or the link is over', async () => {
    const before = mediaBlockBytes().used;
    const { b, link } = await pair();
    const media = () => blockCopyOf(Buffer.alloc(100_000));
    link.sendRecord(Buffer.from('no one'), media());
    expect((await link.request('x', null).catch((error: GatewayError) => error.code)) as unknown).toBe(
      'LINK_UNKNOWN_KIND',
    );
    b.links.onRecord(() => {
      throw new Error('not what it should be');
    });
    link.sendRecord(Buffer.from('fails'), media());
    await until('the log', () => b.log.codes('cluster record not handled').length === 1);
    expect(link.ended).toBe(null);
    expect(() => link.sendRecord(new Uint8Array(FRAME_LIMITS.recordBytes + 1), media())).toThrow(
      expect.objectContaining({ code: 'LINK_FRAME_LIMIT' }),
    );
    link.close();
    expect(link.sendRecord(Buffer.from('over'), media())).toBe(false);
    await cluster.close();
    await until('all blocks are given back', () => mediaBlockBytes().used === before);
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

describe('requests', () => {
  it('are answered, with attachments', async () => {
    const { b, link } = await pair();
    b.links.onRequest('window', async ({ body, bytes, link: from }) => ({
      body: { requested: body, by: from.peer.nodeId },
      bytes: [...bytes, Buffer.from('more')],
    }));
    const response = await link.request('window', 5, { bytes: [Buffer.from('some')] });
    expect(response.body).toEqual({ requested: 5, by: 'a' });
    expect(response.bytes.map((bytes) => Buffer.from(bytes).toString())).toEqual(['some', 'more']);
  });

  it('go both ways over one link', async () => {
    const { a, b, link } = await pair();
    a.links.onRequest('who', () => ({ body: 'a' }));
    b.links.onRequest('back', async ({ link: from }) => ({ body: (await from.request('who', null)).body }));
    expect((await link.request('back', null)).body).toBe('a');
  });

  it('reject with what the handler failed with', async () => {
    const { b, link } = await pair();
    b.links.onRequest('window', () => {
      throw new GatewayError(LINK_ERRORS.LINK_OTHER_RUN, { nodeId: 'x' });
    });
    await expect(link.request('window', null)).rejects.toMatchObject({
      code: 'LINK_OTHER_RUN',
      kind: 'conflict',
      context: { nodeId: 'x' },
    });
  });

  it('of an unknown kind reject, and the link stays', async () => {
    const { link } = await pair();
    await expect(link.request('toString', null)).rejects.toMatchObject({
      code: 'LINK_UNKNOWN_KIND',
      context: { kind: 'toString' },
    });
    expect(link.ended).toBe(null);
  });

  it('reject when no answer comes in time; a late answer is ignored', async () => {
    const { b, link } = await pair();
    let response: (() => void) | null = null;
    b.links.onRequest('slow', () => new Promise((resolve) => (response = () => resolve({ body: 1 }))));
    b.links.onRequest('echo', ({ body }) => ({ body }));
    await expect(link.request('slow', null, { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'LINK_REQUEST_TIMEOUT',
      context: { kind: 'slow', timeoutMs: 20 },
    });
    response!();
    expect((await link.request('echo', 2)).body).toBe(2);
  });

  it('in flight reject when the link ends, on both sides', async () => {
    const { a, b, link } = await pair();
    const never = () => new Promise<never>(() => undefined);
    a.links.onRequest('never', never);
    let backward: Promise<unknown> | null = null;
    b.links.onRequest('never', ({ link: from }) => {
      backward = from.request('never', null);
      backward.catch(() => undefined);
      return never();
    });
    const forward = link.request('never', null);
    forward.catch(() => undefined);
    await until('both are in flight', () => backward !== null);
    await b.links.close();
    await expect(forward).rejects.toMatchObject({ code: 'LINK_CLOSED', context: { endedBy: 'peer' } });
    await expect(backward).rejects.toMatchObject({ code: 'LINK_CLOSED' });
    await expect(link.request('never', null)).rejects.toMatchObject({ code: 'LINK_CLOSED' });
    expect(link.send({ kind: 'part', body: null })).toBe(false);
  });

  it('beyond the bound reject at once', async () => {
    const { b, link } = await pair();
    b.links.onRequest('never', () => new Promise(() => undefined));
    const requests = Array.from({ length: MAX_REQUESTS }, () => link.request('never', null));
    for (const request of requests) request.catch(() => undefined);
    await expect(link.request('never', null)).rejects.toMatchObject({ code: 'LINK_TOO_MANY_REQUESTS' });
    expect(link.ended).toBe(null);
  });
});

describe('messages', () => {
  it('of an unknown kind are logged once per kind', async () => {
    const { b, link, received } = await pair();
    for (const kind of ['x', 'y', 'x', 'part']) link.send({ kind, body: null });
    await until('the last one', () => received.length === 1);
    const lines = b.log.lines.filter(({ message }) => message === 'cluster message of unknown kind ignored');
    expect(lines.map(({ kind }) => kind)).toEqual(['x', 'y']);
  });

  it('whose handler fails are logged, and the link stays', async () => {
    const { b, link, received } = await pair();
    b.links.onMessage('bad', () => {
      throw new Error('a defect');
    });
    link.send({ kind: 'bad', body: null });
    link.send({ kind: 'part', body: null });
    await until('the next one', () => received.length === 1);
    expect(b.log.lines.find(({ level }) => level === 'error')).toMatchObject({ kind: 'bad', nodeId: 'a' });
  });

  it('that follow the greeting at once arrive', async () => {
    const a = await cluster.node('a');
    const b = await cluster.node('b');
    b.links.onLink((link) => void link.send({ kind: 'first', body: link.peer }));
    const bodies: unknown[] = [];
    a.links.onMessage('first', ({ body }) => void bodies.push(body));
    await a.links.linkTo(b.target);
    await until('the message', () => bodies.length === 1);
    expect(bodies).toEqual([{ nodeId: 'a', runId: 'a-run' }]);
  });
});

describe('opening', () => {
  it('is one connection for everyone who asks, also at the same time', async () => {
    const a = await cluster.node('a');
    const b = await cluster.node('b');
    const opened: NodeLink[] = [];
    b.links.onLink((link) => void opened.push(link));
    const links = await Promise.all([a.links.linkTo(b.target), a.links.linkTo(b.target)]);
    links.push(await a.links.linkTo(b.target));
    expect(new Set(links).size).toBe(1);
    expect(opened.length).toBe(1);
  });

  it.each([
    ['another cluster', { cluster: 'other' }, 'LINK_OTHER_CLUSTER'],
    ['the same nodeId', { nodeId: 'a', runId: 'b-run' }, 'LINK_SAME_NODE_ID'],
    ['another node', { nodeId: 'c', runId: 'b-run' }, 'LINK_OTHER_NODE'],
    ['another run', { runId: 'b-run-2' }, 'LINK_OTHER_RUN'],
  ])('fails for %s, with the same code on both sides', async (_, identity, code) => {
    const a = await cluster.node('a');
    const b = await cluster.node('b', identity);
    const target = { ...b.target, nodeId: 'b', runId: 'b-run' };
    await expect(a.links.linkTo(target)).rejects.toMatchObject({ code });
    await until('both logs', () => b.log.lines.length > 0);
    expect(a.log.codes('cluster link failed')).toEqual([code]);
    expect(b.log.codes('cluster connection refused')).toEqual([code]);
  });

  it('fails for the node itself', async () => {
    const a = await cluster.node('a');
    await expect(a.links.linkTo(a.target)).rejects.toMatchObject({ code: 'LINK_TO_ITSELF' });
  });

  it('takes the place of the link to an earlier run', async () => {
    const { a, b, link } = await pair();
    await b.links.close();
    await until('the end', () => link.ended !== null);
    const again = await cluster.node('b', { runId: 'b-run-2' });
    const next = await a.links.linkTo(again.target);
    expect(next.peer).toEqual({ nodeId: 'b', runId: 'b-run-2' });
  });

  it('of a second connection by the same node ends the first', async () => {
    const { b, link } = await pair();
    const other = await cluster.node('a');
    const next = await other.links.linkTo(b.target);
    await until('the end', () => link.ended !== null);
    expect(link.ended).toMatchObject({ code: 'LINK_REPLACED' });
    expect(next.ended).toBe(null);
  });

  it('is over at once when a listener closes the link', async () => {
    const a = await cluster.node('a');
    const b = await cluster.node('b');
    a.links.onLink((link) => link.close());
    const first = await a.links.linkTo(b.target);
    expect(first.ended).toMatchObject({ code: 'LINK_CLOSED' });
    expect(await a.links.linkTo(b.target)).not.toBe(first);
  });

  it('by a second node of the same nodeId pauses the first, so the two do not take turns', async () => {
    const { a, b } = await pair();
    const other = await cluster.node('a');
    await other.links.linkTo(b.target);
    await until('the end', () => a.log.codes('cluster link ended').length === 1);
    await expect(a.links.linkTo(b.target)).rejects.toMatchObject({
      code: 'LINK_PAUSED',
      context: { failure: 'LINK_REPLACED' },
    });
  });

  it('pauses after failures, longer each time, and works again', async () => {
    const clock = new FakeClock();
    const a = await cluster.node('a', { clock });
    const b = await cluster.node('b');
    await b.links.close();
    const attempt = () => a.links.linkTo(b.target);
    for (const pauseMs of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'LINK_UNREACHABLE' });
      clock.advance(pauseMs - 1);
      await expect(attempt()).rejects.toMatchObject({
        code: 'LINK_PAUSED',
        context: { nodeId: 'b', retryInMs: 1, failure: 'LINK_UNREACHABLE' },
      });
      clock.advance(1);
    }
    expect(a.log.codes('cluster link failed').length).toBe(8);
  });

  it('fails while the node is closing', async () => {
    const { a, b } = await pair();
    await a.links.close();
    await expect(a.links.linkTo(b.target)).rejects.toMatchObject({ code: 'LINK_CLOSED' });
  });

  it('of a port that is in use fails', async () => {
    const a = await cluster.node('a');
    const { links } = await cluster.node('b');
    await links.close();
    await expect(links.listen(a.target.address)).rejects.toMatchObject({
      code: 'LINK_LISTEN_FAILED',
      context: a.target.address,
    });
  });
});
