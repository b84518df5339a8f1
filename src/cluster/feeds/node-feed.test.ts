import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import type { LinkMessage, NodeLink } from '../links/node-link.ts';
import { unpacked } from '../mirror/mirror-messages.ts';
import { GATHER_MS, MAX_CHANGED, MAX_MESSAGES, MAX_WORDS, NodeFeed } from './node-feed.ts';

const KINDS = { said: 'test.said', complete: 'test.complete' };
const FULL_BYTES = 5_000_000;

/** A link whose test says how much it still has to send. */
class FakeLink implements Pick<NodeLink, 'send' | 'close' | 'hold' | 'ended' | 'waitingBytes'> {
  readonly ended = null;
  readonly sent: LinkMessage[] = [];
  waitingBytes = 0;
  closes = 0;

  send(message: LinkMessage): boolean {
    this.sent.push(message);
    return true;
  }

  close(): void {
    this.closes++;
  }

  hold(): () => void {
    return () => undefined;
  }

  get words(): string[][] {
    return this.sent.filter(({ kind }) => kind === KINDS.said).map(({ bytes }) => unpacked(bytes![0]));
  }
}

let clock: FakeClock;
let link: FakeLink;
let feed: NodeFeed<string, string>;

beforeEach(async () => {
  clock = new FakeClock();
  link = new FakeLink();
  feed = new NodeFeed<string, string>({
    kinds: KINDS,
    own: () => ['own'],
    wordOf: (key) => `${key} now`,
    linkTo: async () => link as Partial<NodeLink> as NodeLink,
    clock,
  });
  await Promise.resolve();
});

describe('NodeFeed', () => {
  it('begins with everything, then says what changes, the newest of each key, so many at a time', () => {
    expect(link.sent.map(({ kind }) => kind)).toEqual([KINDS.said, KINDS.complete]);
    for (let at = 0; at <= MAX_WORDS; at++) {
      feed.changed(`key ${at}`);
      feed.changed(`key ${at}`);
    }
    clock.advance(GATHER_MS);
    expect(link.words.map((words) => words.length)).toEqual([1, MAX_WORDS, 1]);
    expect(link.words.flat().slice(0, 2)).toEqual(['own now', 'key 0 now']);
  });

  it('leaves the other node time to pass on what it says', () => {
    const keys = 2 * MAX_MESSAGES * MAX_WORDS;
    for (let at = 0; at < keys; at++) feed.changed(`key ${at}`);
    clock.advance(GATHER_MS);
    expect(link.words.flat()).toHaveLength(1 + keys / 2);
    clock.advance(GATHER_MS);
    expect(link.words.flat()).toHaveLength(1 + keys);
  });

  it('waits while the link has much to send', () => {
    link.waitingBytes = FULL_BYTES;
    feed.changed('key');
    clock.advance(10 * GATHER_MS);
    expect(link.words).toHaveLength(1);
    link.waitingBytes = 0;
    clock.advance(GATHER_MS);
    expect(link.words.flat()).toEqual(['own now', 'key now']);
  });

  it('ends a link for which too much waits: the next one begins with everything', async () => {
    link.waitingBytes = FULL_BYTES;
    for (let at = 0; at < MAX_CHANGED; at++) feed.changed(`key ${at}`);
    expect(link.closes).toBe(0);
    feed.changed('one more');
    expect(link.closes).toBe(1);
    const closed = link;
    link = new FakeLink();
    feed.linkClosed(closed as Partial<NodeLink> as NodeLink);
    clock.advance(250);
    await Promise.resolve();
    expect(link.words.flat()).toEqual(['own now']);
  });
});
