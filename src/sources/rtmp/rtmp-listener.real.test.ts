/** The listener with real connections, on a clock that the test moves. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { flvTags } from '../../../test/support/flv-file.ts';
import { RtmpPublisher } from '../../../test/support/rtmp-publisher.ts';
import { until } from '../../../test/support/until.ts';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { Secret } from '../../core/secret.ts';
import type { CreateTokenSource, TokenDraw } from '../../core/token-buckets.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { Recording } from '../source-contract.ts';
import { PUBLISH_DEADLINE_MS, REFUSAL_DELAY_MS } from './publish-connection.ts';
import { STALE_PUBLISHER_MS } from './publish-desk.ts';
import { publishDigest } from './publish-key.ts';
import { PUBLISHER_WAIT_MS, PublishSource } from './publish-source.ts';
import { RtmpListener, WRONG_KEYS_PER_MINUTE } from './rtmp-listener.ts';

const MAX_OF_ADDRESS = LIMITS.rtmpArrivals.levels.address.max;

const KEY = 'yard-0123456789abcdefghij';
const OTHER_KEY = 'gate-0123456789abcdefghij';
const WRONG_KEY = 'none-0123456789abcdefghij';
const SILENCE_MS = 10_000;

const digestOf = (key: string): string => publishDigest(new Secret(key));

let bench: Bench | null = null;
afterEach(() => bench?.close());

class Bench {
  readonly clock = new FakeClock();
  readonly woken: Ruuid[] = [];
  readonly yard = newRuuid();
  readonly gate = newRuuid();
  readonly listener: RtmpListener;
  readonly publishers: RtmpPublisher[] = [];

  constructor(port = 0, shared: CreateTokenSource | null = null) {
    bench = this;
    this.listener = new RtmpListener({
      listen: { host: '127.0.0.1', port },
      clock: this.clock,
      log: silentLog,
      silenceMs: SILENCE_MS,
      onPublisher: (cameraUuid) => void this.woken.push(cameraUuid),
      shared,
    });
  }

  static async withCamera(shared: CreateTokenSource | null = null): Promise<Bench> {
    const opened = new Bench(0, shared);
    opened.put(KEY);
    await until('the listener', () => opened.listener.port);
    return opened;
  }

  put(key: string, cameraUuid = this.yard) {
    return this.listener.put(cameraUuid, digestOf(key), 'off');
  }

  async connect(): Promise<RtmpPublisher> {
    const publisher = await RtmpPublisher.connect(this.listener.port!);
    this.publishers.push(publisher);
    return publisher;
  }

  async ask(key: string, application = 'live'): Promise<RtmpPublisher> {
    const publisher = await this.connect();
    await publisher.handshake();
    publisher.askToPublish(application, key);
    return publisher;
  }

  /** Asks to publish; resolves with the answer, for which it moves the clock. */
  async publish(key: string, application = 'live'): Promise<RtmpPublisher> {
    const publisher = await this.ask(key, application);
    await until('an answer', () => {
      if (!this.hasResponse(publisher)) this.clock.advance(REFUSAL_DELAY_MS / 4);
      return this.hasResponse(publisher);
    });
    return publisher;
  }

  /**
   * Publishes with wrong keys, as many concurrently as the listener allows, and waits for each answer. `meanwhile`: runs
   * before the answers.
   */
  async publishWrongKeys(count: number, meanwhile = async () => {}): Promise<void> {
    const atOnce = MAX_OF_ADDRESS - 1;
    for (let done = 0; done < count; done += atOnce) {
      const size = Math.min(atOnce, count - done);
      const batch = await Promise.all(Array.from({ length: size }, () => this.connect()));
      await Promise.all(batch.map((publisher) => publisher.handshake()));
      for (const publisher of batch) publisher.askToPublish('live', WRONG_KEY);
      await until('all to be connected', () =>
        batch.every(({ received }) => received.includes('Connect.Success')),
      );
      await meanwhile();
      await until('all to be refused', () => {
        this.clock.advance(REFUSAL_DELAY_MS / 4);
        return batch.every(({ isClosed }) => isClosed);
      });
    }
  }

  hasResponse({ received, isClosed }: RtmpPublisher): boolean {
    return received.includes('NetStream.Publish.') || isClosed;
  }

  refused(code: string): number {
    return this.listener.counts().refused.get(code) ?? 0;
  }

  open(): { recording: Recording; close: () => Promise<void> } {
    const slot = this.put(KEY);
    const { clock, listener } = this;
    const source = new PublishSource({ slot, clock, log: silentLog, listenFault: () => listener.fault });
    const recording = new Recording();
    const instance = source.open(new SourceSink(recording));
    return { recording, close: () => instance.close() };
  }

  close(): void {
    for (const publisher of this.publishers) publisher.close();
    this.listener.close();
  }
}

/** Shared buckets that answer when the test says so. */
class SlowBuckets {
  readonly #requested: ((isTaken: boolean) => void)[] = [];
  givenBack = 0;

  readonly create: CreateTokenSource = () => ({
    take: () => new Promise((resolve) => this.#requested.push((isTaken) => resolve(this.#draw(isTaken)))),
  });

  /** The next question: call it with the answer. */
  question(): Promise<(isTaken: boolean) => void> {
    return until('the question', () => this.#requested.shift());
  }

  #draw(isTaken: boolean): TokenDraw {
    return { isTaken, tokens: 0, waitMs: isTaken ? 0 : 2_000, giveBack: () => void this.givenBack++ };
  }
}

describe('RtmpListener', () => {
  it('listens from the first camera with a key to the last', async () => {
    const opened = new Bench();
    expect(opened.listener.port).toBeNull();
    opened.put(KEY);
    opened.put(OTHER_KEY, opened.gate);
    const port = await until('the listener', () => opened.listener.port);
    const stranger = await opened.connect();
    const publisher = await opened.publish(KEY);
    expect(publisher.isPublishing).toBe(true);
    opened.listener.remove(opened.yard);
    await until('its publisher to go', () => publisher.isClosed);
    expect([stranger.isClosed, opened.listener.port]).toEqual([false, port]);
    opened.listener.remove(opened.gate);
    expect(opened.listener.port).toBeNull();
    await until('everyone to go', () => stranger.isClosed);
    await expect(RtmpPublisher.connect(port)).rejects.toThrow('ECONNREFUSED');
  });

  it.each([
    ['the key as stream name', 'live', KEY],
    ['a query, as for platforms', 'live', `${KEY}?token=1`],
    ['the key as part of the application', `live/${KEY}`, ''],
    ['slashes too many', 'live/', KEY],
  ])('accepts %s', async (_title, application, name) => {
    const opened = await Bench.withCamera();
    expect((await opened.publish(name, application)).isPublishing).toBe(true);
    expect(opened.woken).toEqual([opened.yard]);
  });

  it.each([
    ['another key', 'live', WRONG_KEY],
    ['another application', 'show', KEY],
    ['the digest of the key', 'live', digestOf(KEY)],
    ['no key', 'live', ''],
  ])('refuses %s', async (_title, application, name) => {
    const opened = await Bench.withCamera();
    const publisher = await opened.publish(name, application);
    expect(publisher.received).toContain('NetStream.Publish.BadName');
    await until('the end', () => publisher.isClosed);
    expect([opened.refused('RTMP_KEY_REFUSED'), opened.woken]).toEqual([1, []]);
  });

  it('answers a wrong key only after a while', async () => {
    const opened = await Bench.withCamera();
    const publisher = await opened.connect();
    await publisher.handshake();
    publisher.askToPublish('live', WRONG_KEY);
    await until('the connection to be answered', () => publisher.received.includes('Connect.Success'));
    opened.clock.advance(REFUSAL_DELAY_MS - 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(opened.hasResponse(publisher)).toBe(false);
    await until('the answer', () => {
      opened.clock.advance(1);
      return opened.hasResponse(publisher);
    });
  });

  it('looks at no key of an address with many wrong ones, unless a device there is pushing', async () => {
    const opened = await Bench.withCamera();
    opened.put(OTHER_KEY, opened.gate);
    await opened.publishWrongKeys(WRONG_KEYS_PER_MINUTE);
    expect(opened.refused('RTMP_KEY_REFUSED')).toBe(WRONG_KEYS_PER_MINUTE);
    // More than the time for the answers has brought back.
    await opened.publishWrongKeys(MAX_OF_ADDRESS - 1, async () => {
      expect((await opened.publish(KEY)).isPublishing).toBe(false);
    });
    expect(opened.refused('RTMP_TOO_MANY_TRIES')).toBeGreaterThan(1);
    opened.clock.advance(60_000);
    expect((await opened.publish(KEY)).isPublishing).toBe(true);
    await opened.publishWrongKeys(2 * WRONG_KEYS_PER_MINUTE);
    const other = await opened.publish(OTHER_KEY);
    expect(other.isPublishing).toBe(true);
    // Nor does it count them.
    for (const publisher of opened.publishers) publisher.close();
    await until('everyone to go', () => opened.listener.counts().publishers === 0);
    expect((await opened.publish(KEY)).isPublishing).toBe(true);
  });

  it('waits for buckets that nodes share, and loses nothing that a device sends meanwhile', async () => {
    const buckets = new SlowBuckets();
    const opened = await Bench.withCamera(buckets.create);
    const { recording } = opened.open();
    const publisher = await opened.ask(KEY);
    for (const { kind, timestampMs, payload } of flvTags(1)) {
      if (kind === 'video') publisher.video(timestampMs, payload);
      else publisher.audio(timestampMs, payload);
    }
    const response = await buckets.question();
    expect([opened.hasResponse(publisher), opened.listener.counts().publishers]).toEqual([false, 0]);
    response(true);
    await until('all frames', () => recording.of('video').length === 25);
    expect([recording.errors, buckets.givenBack]).toEqual([[], 1]);
  });

  it('looks at no key without a token, and a wrong key keeps its token', async () => {
    const buckets = new SlowBuckets();
    const opened = await Bench.withCamera(buckets.create);
    for (const [key, isTaken] of [
      [KEY, false],
      [WRONG_KEY, true],
    ] as const) {
      const publisher = await opened.ask(key);
      (await buckets.question())(isTaken);
      await until('the refusal', () => {
        opened.clock.advance(REFUSAL_DELAY_MS / 4);
        return publisher.isClosed;
      });
    }
    expect(opened.listener.counts().refused).toEqual(
      new Map([
        ['RTMP_TOO_MANY_TRIES', 1],
        ['RTMP_KEY_REFUSED', 1],
      ]),
    );
    expect([buckets.givenBack, opened.woken]).toEqual([0, []]);
  });

  it('seats no device whose connection ended while it waited', async () => {
    const buckets = new SlowBuckets();
    const opened = await Bench.withCamera(buckets.create);
    const publisher = await opened.ask(KEY);
    const response = await buckets.question();
    opened.clock.advance(PUBLISH_DEADLINE_MS);
    await until('the end', () => publisher.isClosed);
    response(true);
    await until('the token to be back', () => buckets.givenBack === 1);
    expect(opened.listener.counts()).toMatchObject({ publishers: 0, pending: 0 });
    expect([opened.refused('RTMP_TOO_SLOW'), opened.woken]).toEqual([1, []]);
  });

  it('has room for few connections without a key, and each for a short time', async () => {
    const opened = await Bench.withCamera();
    const pending = await Promise.all(Array.from({ length: MAX_OF_ADDRESS }, () => opened.connect()));
    await until('all of them', () => opened.listener.counts().pending === MAX_OF_ADDRESS);
    const late = await opened.connect();
    await until('the end of one', () => pending.some(({ isClosed }) => isClosed));
    expect(pending.filter(({ isClosed }) => isClosed).length).toBe(1);
    expect(late.isClosed).toBe(false);
    opened.clock.advance(PUBLISH_DEADLINE_MS);
    await until('the end of all', () => {
      opened.clock.advance(100);
      return [...pending, late].every(({ isClosed }) => isClosed);
    });
    expect([opened.refused('RTMP_LIMIT'), opened.refused('RTMP_TOO_SLOW')]).toEqual([1, MAX_OF_ADDRESS]);
  });

  it('refuses a second publisher while the first one sends, and lets it in once that is silent', async () => {
    const opened = await Bench.withCamera();
    const first = await opened.publish(KEY);
    const second = await opened.publish(KEY);
    expect(second.received).toContain('NetStream.Publish.BadName');
    expect([first.isPublishing, opened.refused('RTMP_KEY_IN_USE')]).toEqual([true, 1]);
    opened.clock.advance(STALE_PUBLISHER_MS);
    expect((await opened.publish(KEY)).isPublishing).toBe(true);
    await until('the first one to go', () => first.isClosed);
    expect(opened.listener.counts().publishers).toBe(1);
  });

  it('ends a publisher that falls silent', async () => {
    const opened = await Bench.withCamera();
    const publisher = await opened.publish(KEY);
    const { recording } = opened.open();
    await Promise.resolve();
    for (let sec = 0; sec <= SILENCE_MS / 1_000; sec++) opened.clock.advance(1_000);
    expect(recording.errors.map(({ code }) => code)).toEqual(['RTMP_SILENT']);
    await until('its connection to close', () => {
      opened.clock.advance(1_000);
      return publisher.isClosed;
    });
  });

  it('tries again when its port is taken, and says so in the meantime', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as AddressInfo;
    const opened = new Bench(port);
    const { recording } = opened.open();
    const fault = await until('the fault', () => opened.listener.fault);
    expect(fault).toMatchObject({ code: 'RTMP_LISTEN_FAILED', context: { port, errno: 'EADDRINUSE' } });
    opened.clock.advance(PUBLISHER_WAIT_MS);
    expect(recording.errors).toEqual([fault]);
    await new Promise((resolve) => blocker.close(resolve));
    opened.clock.advance(5_000);
    expect(await until('the listener', () => opened.listener.port)).toBe(port);
    expect(opened.listener.fault).toBeNull();
  });
});

describe('PublishSource', () => {
  it('waits for a publisher, and ends without one', async () => {
    const opened = await Bench.withCamera();
    const { recording } = opened.open();
    await Promise.resolve();
    opened.clock.advance(PUBLISHER_WAIT_MS - 1);
    expect(recording.errors).toEqual([]);
    opened.clock.advance(1);
    expect(recording.errors.map(({ code }) => code)).toEqual(['RTMP_NO_PUBLISHER']);
  });

  it('passes on what is pushed from the next key frame on, and ends with the publisher', async () => {
    const opened = await Bench.withCamera();
    const waiting = opened.open();
    const publisher = await opened.publish(KEY);
    expect(opened.woken).toEqual([]);
    for (const { kind, timestampMs, payload } of flvTags(1)) {
      if (kind === 'video') publisher.video(timestampMs, payload);
      else publisher.audio(timestampMs, payload);
    }
    await until('all frames', () => waiting.recording.of('video').length === 25);
    await waiting.close();
    expect(waiting.recording.errors).toEqual([]);
    const { recording } = opened.open();
    await Promise.resolve();
    publisher.close();
    await until('the end', () => recording.errors.length > 0);
    expect(recording.errors[0]).toBeInstanceOf(GatewayError);
    expect(recording.errors.map(({ code }) => code)).toEqual(['RTMP_PUBLISHER_LEFT']);
  });

  it('says why the last publisher was turned away, until another one comes', async () => {
    const opened = await Bench.withCamera();
    const publisher = await opened.publish(KEY);
    publisher.video(0, Buffer.concat([Buffer.of(0x90), Buffer.from('av01')]));
    await until('the refusal', () => publisher.received.includes('NetStream.Publish.Rejected'));
    const after = opened.open();
    await Promise.resolve();
    expect(after.recording.errors[0]).toMatchObject({
      code: 'RTMP_UNSUPPORTED_VIDEO',
      context: { encoding: 'av01' },
    });
    await opened.publish(KEY);
    const next = opened.open();
    await Promise.resolve();
    expect(next.recording.errors).toEqual([]);
  });
});
