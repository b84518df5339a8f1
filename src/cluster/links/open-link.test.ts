/** An open link's time: heartbeats, silence, idleness. Both ends run on one clock that the test moves. */

import { duplexPair } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { FrameChannel } from './frame-channel.ts';
import { FRAME_LIMITS } from './frame-header.ts';
import { LinkHandlers } from './link-handlers.ts';
import { IDLE_TICKS, OpenLink, TICK_MS } from './open-link.ts';

function ends() {
  const clock = new FakeClock();
  const [left, right] = duplexPair();
  const open = (socket: typeof left, isOpener: boolean) => {
    const handlers = new LinkHandlers(silentLog);
    handlers.onMessage('m', () => undefined);
    handlers.onRequest('never', () => new Promise(() => undefined));
    const channel = new FrameChannel(socket, clock, FRAME_LIMITS);
    socket.on('data', (chunk: Buffer) => channel.read(chunk));
    const peer = { nodeId: 'p', runId: 'r' };
    return new OpenLink({ channel, clock, peer, handlers, isOpener, onClosed: () => undefined });
  };
  const opener = open(left, true);
  const tick = async (ticks: number) => {
    for (let i = 0; i < ticks; i++) {
      clock.advance(TICK_MS);
      // Bytes that were written in this tick arrive before the next.
      await turn();
    }
  };
  return { clock, opener, accepter: () => open(right, false), other: right, tick };
}

describe('an open link', () => {
  it('is closed by the node that opened it when nothing used it for 30 s, and the peer is told', async () => {
    const { opener, accepter, tick } = ends();
    const accepted = accepter();
    await tick(IDLE_TICKS - 1);
    expect(opener.ended).toBe(null);
    await tick(1);
    expect(opener.ended).toMatchObject({ code: 'LINK_IDLE', context: {} });
    expect(accepted.ended).toMatchObject({ code: 'LINK_IDLE', context: { endedBy: 'peer' } });
  });

  it.each(['opener', 'accepted'] as const)('is in use when the %s sends', async (sender) => {
    const { opener, accepter, tick } = ends();
    const links = { opener, accepted: accepter() };
    for (let i = 0; i < 3; i++) {
      await tick(IDLE_TICKS - 1);
      links[sender].send({ kind: 'm', body: null });
    }
    expect(opener.ended).toBe(null);
  });

  it('is in use while it is held, and idle after that', async () => {
    const { opener, accepter, tick } = ends();
    accepter();
    const [release, releaseToo] = [opener.hold(), opener.hold()];
    await tick(IDLE_TICKS * 2);
    release();
    release();
    await tick(IDLE_TICKS * 2);
    expect(opener.ended).toBe(null);
    releaseToo();
    await tick(IDLE_TICKS);
    expect(opener.ended).toMatchObject({ code: 'LINK_IDLE' });
  });

  it('is in use while a request is in progress', async () => {
    const { opener, accepter, tick } = ends();
    accepter();
    const request = opener.request('never', null, { timeoutMs: 1_000_000 });
    await tick(IDLE_TICKS * 2);
    expect(opener.ended).toBe(null);
    opener.close();
    await expect(request).rejects.toMatchObject({ code: 'LINK_CLOSED' });
  });

  it('ends after 2 s in which nothing arrived', async () => {
    const { opener, tick } = ends();
    await tick(3);
    expect(opener.ended).toBe(null);
    await tick(1);
    expect(opener.ended).toMatchObject({ code: 'LINK_SILENT', context: { silentMs: 2_000 } });
  });

  it('counts 2 s from the last byte, also within a frame', async () => {
    const { opener, other, tick } = ends();
    for (let i = 0; i < 4; i++) {
      other.write(Buffer.of(0));
      await turn();
      await tick(3);
    }
    expect(opener.ended).toBe(null);
    await tick(2);
    expect(opener.ended).toMatchObject({ code: 'LINK_SILENT' });
  });

  it('leaves no timer after its end', async () => {
    const { clock, opener, accepter, tick } = ends();
    accepter();
    const request = opener.request('never', null);
    opener.close();
    await expect(request).rejects.toMatchObject({ code: 'LINK_CLOSED' });
    await tick(3);
    expect(clock.pendingTimers).toBe(0);
  });
});
