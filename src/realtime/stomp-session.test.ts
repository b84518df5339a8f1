import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { MERGE_LINES_MS } from '../core/merged-lines.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { ChangeEvent } from '../store/store.ts';
import type { ChangeMessage } from './change-message.ts';
import { type ChangeListener, ChangeTopics, RECHECK_MS } from './change-topics.ts';
import type { StompFrame } from './stomp-frame.ts';
import { StompParser } from './stomp-parser.ts';
import {
  CONNECT_TIMEOUT_MS,
  MAX_BUFFERED_BYTES,
  MAX_SUBSCRIPTIONS,
  PING_INTERVAL_MS,
  type StompTransport,
} from './stomp-session.ts';

const ADDRESS = '192.0.2.1';

/** The client's end of a connection. */
class FakeTransport implements StompTransport {
  readonly frames: StompFrame[] = [];
  beats = 0;
  pings = 0;
  buffered = 0;
  /** How it ended: a close code, or that it was cut. */
  end: number | 'terminated' | null = null;
  readonly #parser = new StompParser();

  send(bytes: Buffer): void {
    if (bytes.length === 1) this.beats += 1;
    this.frames.push(...this.#parser.push(bytes));
  }

  bufferedBytes(): number {
    return this.buffered;
  }

  ping(): void {
    this.pings += 1;
  }

  close(code: number): void {
    this.end ??= code;
  }

  terminate(): void {
    this.end = 'terminated';
  }

  get commands(): string[] {
    return this.frames.map(({ command }) => command);
  }

  /** The code of the last ERROR frame sent. */
  get errorCode(): string | undefined {
    const last = this.frames.at(-1);
    return last?.command === 'ERROR' ? last.headers.get('code') : undefined;
  }
}

let clock: FakeClock;
let change: (event: ChangeEvent) => void;
let topics: ChangeTopics;
let orgUuid: Ruuid;
let keyUuid: Ruuid;
let isAllowed: boolean;
let lines: object[];

beforeEach(() => {
  clock = new FakeClock();
  orgUuid = newRuuid();
  keyUuid = newRuuid();
  isAllowed = true;
  lines = [];
  topics = new ChangeTopics({
    clock,
    log: { ...silentLog, info: (fields, message) => void lines.push({ ...fields, message }) },
    onChange: (listener) => {
      change = listener;
      return () => undefined;
    },
  });
});

function listener(overrides: Partial<ChangeListener> = {}): ChangeListener {
  const isStillAllowed = async () => isAllowed;
  return {
    orgUuid,
    actorUuid: keyUuid,
    actorOrgUuid: orgUuid,
    scope: null,
    consoleSessionUuid: null,
    grantUuid: null,
    endsAtMs: () => null,
    isStillAllowed,
    ...overrides,
  };
}

function dial(address = ADDRESS, admit = async (): Promise<ChangeListener> => listener()) {
  const transport = new FakeTransport();
  const session = topics.open(transport, address, admit);
  const send = (text: string) => session.receive(Buffer.from(`${text}\0`));
  return { transport, session, send };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

async function connect(headers = '', address = ADDRESS) {
  const client = dial(address);
  client.send(`CONNECT\naccept-version:1.2\n${headers}\n`);
  await settled();
  return client;
}

async function subscribed() {
  const client = await connect();
  client.send(`SUBSCRIBE\nid:s1\ndestination:/topic/change/${orgUuid}\nreceipt:r1\n\n`);
  return client;
}

const message = (): ChangeMessage => ({
  entity: 'CAMERA',
  entityUuid: newRuuid(),
  type: 'UPDATE',
  deviceUuid: newRuuid(),
  update: { name: 'Hafen: Süd' },
});

describe('a session of the real-time stream', () => {
  it('opens, subscribes and gets what is published, once for each subscription', async () => {
    const { transport, send } = await subscribed();
    send(`SUBSCRIBE\nid:s2\ndestination:/topic/change/${orgUuid}\n\n`);
    expect(transport.commands).toEqual(['CONNECTED', 'RECEIPT']);
    expect(transport.frames[0]!.headers.get('version')).toBe('1.2');
    expect(transport.frames[1]!.headers.get('receipt-id')).toBe('r1');
    const sent = message();
    topics.publish(orgUuid, sent);
    topics.publish(newRuuid(), message());
    const messages = transport.frames.slice(2);
    expect(messages.map(({ headers }) => headers.get('subscription'))).toEqual(['s1', 's2']);
    expect(messages.map(({ headers }) => headers.get('message-id'))).toEqual(['1', '2']);
    for (const { body } of messages) expect(JSON.parse(body.toString())).toEqual(sent);
  });

  it('gets nothing after UNSUBSCRIBE, and a receipt for DISCONNECT', async () => {
    const { transport, send } = await subscribed();
    send('UNSUBSCRIBE\nid:s1\n\n');
    topics.publish(orgUuid, message());
    send('DISCONNECT\nreceipt:bye\n\n');
    expect(transport.commands).toEqual(['CONNECTED', 'RECEIPT', 'RECEIPT']);
    expect(transport.end).toBe(1000);
    expect(topics.size).toBe(0);
    expect(topics.hasListeners(orgUuid)).toBe(false);
  });

  it.each([
    ['another topic', 'SUBSCRIBE\nid:x\ndestination:/topic/change/other\n\n', 'TOPIC_NOT_ALLOWED'],
    ['no destination', 'SUBSCRIBE\nid:x\n\n', 'STOMP_HEADER_MISSING'],
    ['acknowledgements', 'SUBSCRIBE\nid:x\ndestination:/x\nack:client\n\n', 'STOMP_HEADER_INVALID'],
    ['an unknown subscription', 'UNSUBSCRIBE\nid:x\n\n', 'SUBSCRIPTION_UNKNOWN'],
    ['a second CONNECT', 'CONNECT\naccept-version:1.2\n\n', 'STOMP_ALREADY_CONNECTED'],
    ['SEND', 'SEND\ndestination:/x\n\nhello', 'STOMP_COMMAND_UNSUPPORTED'],
    ['nonsense', 'nonsense\n\n', 'STOMP_MALFORMED_FRAME'],
  ])('is ended for %s', async (_name, text, code) => {
    const { transport, send } = await connect();
    send(text);
    expect(transport.errorCode).toBe(code);
    expect(transport.end).toBe(1008);
    expect(topics.size).toBe(0);
  });

  it('names the receipt of the frame that was refused', async () => {
    const { transport, send } = await connect();
    send('SEND\nreceipt:r7\n\n');
    expect(transport.frames.at(-1)!.headers.get('receipt-id')).toBe('r7');
  });

  it.each([
    ['another version', 'CONNECT\naccept-version:1.0,1.1\n\n', 'STOMP_VERSION_UNSUPPORTED'],
    ['a wrong heart-beat', 'CONNECT\naccept-version:1.2\nheart-beat:-1,0\n\n', 'STOMP_HEADER_INVALID'],
    ['another first frame', 'SUBSCRIBE\nid:x\n\n', 'STOMP_NOT_CONNECTED'],
  ])('is not opened for %s', async (_name, text, code) => {
    const { transport, send } = dial();
    send(text);
    await settled();
    expect(transport.errorCode).toBe(code);
  });

  it('is refused without waiting for frames that arrived too early', async () => {
    const { transport, send } = dial();
    send('CONNECT\naccept-version:1.2\n\n');
    send(`SUBSCRIBE\nid:s1\ndestination:/topic/change/${orgUuid}\n\n`);
    await settled();
    expect(transport.commands).toEqual(['ERROR']);
    expect(topics.hasListeners(orgUuid)).toBe(false);
  });

  it('has a limited number of subscriptions', async () => {
    const { transport, send } = await connect();
    for (let i = 0; i <= MAX_SUBSCRIPTIONS; i++) {
      expect(transport.end).toBeNull();
      send(`SUBSCRIBE\nid:${i}\ndestination:/topic/change/${orgUuid}\n\n`);
    }
    expect(transport.errorCode).toBe('TOO_MANY_SUBSCRIPTIONS');
  });

  it('ends if CONNECT does not arrive', () => {
    const { transport } = dial();
    clock.advance(CONNECT_TIMEOUT_MS);
    expect(transport.errorCode).toBe('STOMP_CONNECT_TIMED_OUT');
    expect(topics.size).toBe(0);
  });

  it('is cut off, without a frame, if it does not read', async () => {
    const { transport } = await subscribed();
    transport.buffered = MAX_BUFFERED_BYTES;
    topics.publish(orgUuid, message());
    expect(transport.end).toBe('terminated');
    expect(transport.commands).toEqual(['CONNECTED', 'RECEIPT']);
    expect(topics.size).toBe(0);
  });
});

describe('heart-beats', () => {
  it('are sent in time, and no more often than agreed', async () => {
    const { transport, session } = await connect('heart-beat:0,5000\n');
    for (let i = 0; i < 20; i++) {
      clock.advance(1_000);
      session.noteAlive();
    }
    expect(transport.beats).toBe(5);
  });

  it('that are missing for two intervals end the connection', async () => {
    const { transport, session } = await connect('heart-beat:2000,0\n');
    for (let i = 0; i < 5; i++) {
      clock.advance(2_000);
      session.receive(Buffer.from('\n'));
    }
    expect(transport.end).toBeNull();
    clock.advance(6_000);
    expect(transport.errorCode).toBe('STOMP_HEART_BEAT_MISSED');
    expect(transport.pings).toBe(0);
  });

  it('that were not promised are replaced by pings', async () => {
    const { transport, session } = await connect();
    for (let i = 0; i < 4; i++) {
      clock.advance(PING_INTERVAL_MS);
      session.noteAlive();
    }
    expect(transport.pings).toBe(5);
    expect(transport.end).toBeNull();
    clock.advance(3 * PING_INTERVAL_MS);
    expect(transport.errorCode).toBe('STOMP_HEART_BEAT_MISSED');
    expect(transport.beats).toBe(0);
  });
});

describe('who can listen', () => {
  const revocation = (): ChangeEvent => ({ entity: 'apiKey', type: 'UPDATE', orgUuid, uuid: keyUuid });

  it('ends immediately with the key', async () => {
    const { transport } = await subscribed();
    isAllowed = false;
    change({ ...revocation(), uuid: newRuuid() });
    await settled();
    expect(transport.end).toBeNull();
    change(revocation());
    await settled();
    expect(transport.errorCode).toBe('REALTIME_ACCESS_ENDED');
    expect(topics.hasListeners(orgUuid)).toBe(false);
  });

  it('is rechecked only after everyone was notified of the change', async () => {
    const { transport } = await subscribed();
    change(revocation());
    isAllowed = false;
    await settled();
    expect(transport.errorCode).toBe('REALTIME_ACCESS_ENDED');
  });

  it('ends with the next recheck if no one reported the change', async () => {
    const { transport, session } = await subscribed();
    isAllowed = false;
    clock.advance(RECHECK_MS / 2);
    session.noteAlive();
    clock.advance(RECHECK_MS / 2);
    await settled();
    expect(transport.errorCode).toBe('REALTIME_ACCESS_ENDED');
  });

  it('ends when its key ends, also if the end moves meanwhile', async () => {
    let endsAtMs = clock.epochMs() + 10_000;
    const connected = async () => {
      const isStillAllowed = async () => clock.epochMs() < endsAtMs;
      const client = dial(ADDRESS, async () => listener({ endsAtMs: () => endsAtMs, isStillAllowed }));
      client.send('CONNECT\naccept-version:1.2\n\n');
      await settled();
      return client;
    };
    const { transport, session } = await connected();
    const waits = async (ms: number) => {
      session.noteAlive();
      clock.advance(ms);
      await settled();
    };
    await waits(9_999);
    expect(transport.end).toBeNull();
    endsAtMs += RECHECK_MS;
    for (const ms of [1, RECHECK_MS / 2, RECHECK_MS / 2 - 1]) await waits(ms);
    expect(transport.end).toBeNull();
    await waits(1);
    expect(transport.errorCode).toBe('REALTIME_ACCESS_ENDED');
  });

  it('is rechecked if a key changes while someone connects', async () => {
    const admission = Promise.withResolvers<ChangeListener>();
    const { transport, send } = dial(ADDRESS, () => admission.promise);
    send('CONNECT\naccept-version:1.2\n\n');
    isAllowed = false;
    change(revocation());
    admission.resolve(listener());
    await settled();
    expect(transport.commands).toEqual(['ERROR']);
    expect(topics.hasListeners(orgUuid)).toBe(false);
  });

  it('is shared out among organizations and their credentials', async () => {
    const { organization, credential } = LIMITS.changeListeners.levels;
    const connectAs = async (overrides: Partial<ChangeListener>, count: number) => {
      const codes = [];
      for (let index = 0; index < count; index++) {
        const { transport, send } = dial(`192.0.2.${index}`, async () => listener(overrides));
        send('CONNECT\naccept-version:1.2\n\n');
        await settled();
        codes.push(transport.errorCode);
      }
      return codes.filter((code) => code === 'TOO_MANY_REALTIME_SESSIONS').length;
    };
    expect(await connectAs({}, credential.max + 20)).toBe(20);
    const colleague = { actorUuid: newRuuid() };
    expect(await connectAs(colleague, 1)).toBe(0);
    const sessions = Array.from({ length: organization.max }, () => ({ consoleSessionUuid: newRuuid() }));
    const refused = [];
    for (const session of sessions) refused.push(await connectAs(session, 1));
    expect(refused.filter((count) => count > 0).length).toBe(credential.max + 1);
    const another = newRuuid();
    expect(await connectAs({ orgUuid: another, actorOrgUuid: another, actorUuid: newRuuid() }, 10)).toBe(0);
  });

  it('writes few lines about connections that say nothing, however many there are', () => {
    for (let count = 0; count < 1_000; count++) dial();
    const line = { orgUuid: null, code: 'TOO_MANY_REALTIME_SESSIONS', message: 'real-time connection ended' };
    expect(lines).toEqual([line]);
    clock.advance(MERGE_LINES_MS);
    for (let count = 0; count < 1_000; count++) dial();
    const merged = 999 - LIMITS.changeArrivals.levels.address.max;
    // Those that were open said nothing in time.
    expect(lines.slice(1).map((each) => ('code' in each ? each.code : null))).toEqual([
      'STOMP_CONNECT_TIMED_OUT',
      line.code,
    ]);
    expect(lines.at(-1)).toEqual({ ...line, merged });
  });

  it('finds room for a newcomer however many connections say nothing', async () => {
    const { total, levels } = LIMITS.changeArrivals;
    const fromOneNetwork = Array.from({ length: levels.address.max + 1 }, (_, host) =>
      dial(`2001:db8:0:7::${host}`),
    );
    expect(fromOneNetwork[0]!.transport.errorCode).toBe('TOO_MANY_REALTIME_SESSIONS');
    expect(fromOneNetwork[1]!.transport.end).toBeNull();
    for (let host = 0; host < 4 * total; host++) dial(`198.51.${host >> 8}.${host & 255}`);
    const { transport, send } = dial('192.0.2.9');
    for (let host = 0; host < total - 1; host++) dial(`203.0.${host >> 8}.${host & 255}`);
    send('CONNECT\naccept-version:1.2\n\n');
    await settled();
    expect(transport.commands).toEqual(['CONNECTED']);
    expect(topics.size).toBe(total);
  });

  it('ends with the gateway, timers and all', async () => {
    const clients = [await subscribed(), dial()];
    topics.close();
    for (const { transport } of clients) expect(transport.end).toBe(1001);
    expect(dial().transport.end).toBe(1001);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves nothing behind if a connection is lost while its key is checked', async () => {
    const admission = Promise.withResolvers<ChangeListener>();
    const { session, send } = dial(ADDRESS, () => admission.promise);
    send('CONNECT\naccept-version:1.2\n\n');
    session.lost();
    admission.resolve(listener());
    await settled();
    expect(topics.size).toBe(0);
    expect(topics.hasListeners(orgUuid)).toBe(false);
  });
});
