import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { FAKE_VIDEO, FakeCamera } from '../../cmaf/fake-camera.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import { Packager } from '../../stream/packaging/packager.ts';
import type { PackagingHost } from '../../stream/packaging/packaging-host.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { PackagingThread, TURN_MS } from './packaging-fixture.ts';

const FRAME_TICKS = 3_600;
const FRAME_MS = 40;
const GROUP = 10;

/** A camera of numbered frames that the one thread or the other packages. */
class MovingPackaging {
  readonly thread = new PackagingThread();
  /** The frames of each part, by number modulo 256. */
  readonly frames: number[] = [];
  readonly packager: Packager;
  host: PackagingHost | null = null;
  /** Units that crossed. */
  crossed = 0;
  lost = 0;
  /** Parts that the camera thread made. */
  #hosted = false;
  readonly #camera = new FakeCamera();
  #sent = 0;

  constructor() {
    this.packager = new Packager({
      clock: this.thread.clock,
      content: 'video',
      isContinuation: false,
      originMonoMs: 0,
      numbering: { nextMediaSequenceNumber: 1, nextDiscontinuitySequence: 0, initFingerprint: null },
      onNumbering: () => undefined,
      onPlayable: () => undefined,
      onPart: (part) => void this.frames.push(...framesOf(part)),
    });
    this.thread.source().open(
      new SourceSink({
        onHost: (host) => this.#setHost(host),
        onTracks: (tracks) => this.packager.setTracks(tracks),
        onAccessUnit: (unit) => {
          this.crossed++;
          this.packager.push(unit);
        },
        onDropped: (frames) => {
          this.lost += frames;
        },
        onEnded: ({ code }) => expect.unreachable(code),
      }),
    );
    this.thread.sink.onTracks([FAKE_VIDEO]);
  }

  get isHosted(): boolean {
    return this.#hosted;
  }

  get sent(): number[] {
    return Array.from({ length: this.#sent }, (_, number) => number % 256);
  }

  #setHost(host: PackagingHost | null): void {
    this.host ??= host;
    this.#hosted = host !== null;
    this.packager.setHost(host);
    host?.passUnits(false);
  }

  stop(): void {
    this.host!.packagingSwitch!.stop(() => this.#setHost(null));
  }

  start(): void {
    this.host!.packagingSwitch!.start(() => this.#setHost(this.host));
  }

  frame(): void {
    const number = this.#sent++;
    const isKey = number % GROUP === 0;
    this.thread.sink.onAccessUnit(
      this.#camera.picture({
        dtsTicks: number * FRAME_TICKS,
        isKey,
        data: new Uint8Array(isKey ? 900 : 200).fill(number),
        arrivalMonoMs: this.thread.clock.monoMs(),
      }),
    );
    this.thread.clock.advance(FRAME_MS - TURN_MS);
    this.thread.turn();
  }

  group(): void {
    for (let i = 0; i < GROUP; i++) this.frame();
  }

  /** All frames but those that no part has yet. */
  expectAll(): void {
    this.thread.read();
    expect(this.frames).toEqual(this.sent.slice(0, this.frames.length));
    // A part and the frame that waits for its duration.
    expect(this.#sent - this.frames.length).toBeLessThanOrEqual(2 * GROUP);
    expect(this.lost + this.packager.stats().droppedFrames).toBe(0);
  }
}

/** The values that the frames were filled with. */
function framesOf({ bytes }: CmafPart): number[] {
  const all = Buffer.alloc(bytes.byteLength);
  bytes.copyTo(all, 0);
  const media = all.subarray(all.indexOf('mdat') + 4);
  return [...media].filter((value, index) => index === 0 || value !== media[index - 1]);
}

describe('packaging that moves from one thread to the other', () => {
  it('has each frame once, whenever it moves', () => {
    const operations = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ kind: fc.constant('frames' as const), count: fc.nat(35) }) },
        fc.record({ kind: fc.constantFrom('stop' as const, 'start' as const), count: fc.nat(0) }),
        // The gateway's thread does nothing for a moment.
        fc.record({ kind: fc.constant('busy' as const), count: fc.nat(25) }),
      ),
      { minLength: 1, maxLength: 15 },
    );
    fc.assert(
      fc.property(operations, (steps) => {
        const moving = new MovingPackaging();
        moving.group();
        let isStopOrdered = false;
        for (const { kind, count } of steps) {
          moving.thread.isPaused = kind === 'busy';
          if (kind === 'stop') moving.stop();
          // After a stop alone, as PackagingSwitch says.
          else if (kind === 'start' && isStopOrdered && !moving.isHosted) moving.start();
          else for (let i = 0; i < count; i++) moving.frame();
          if (kind === 'stop') isStopOrdered = true;
          moving.thread.isPaused = false;
        }
        for (let i = 0; i < 3; i++) moving.group();
        moving.expectAll();
      }),
      randomRuns(100),
    );
  });

  it('sends access units across only while the gateway’s thread packages', () => {
    const moving = new MovingPackaging();
    moving.group();
    moving.stop();
    expect(moving.isHosted).toBe(true);
    moving.group();
    moving.frame();
    expect(moving.isHosted).toBe(false);
    const { crossed } = moving;
    moving.group();
    expect(moving.crossed).toBe(crossed + GROUP);
    moving.start();
    moving.group();
    moving.group();
    expect(moving.isHosted).toBe(true);
    const after = moving.crossed;
    moving.group();
    expect(moving.crossed).toBe(after);
    moving.expectAll();
  });

  it('stays where it is if it is stopped before it has started', () => {
    const moving = new MovingPackaging();
    moving.group();
    moving.stop();
    moving.group();
    moving.frame();
    moving.start();
    // The thread has reached its key frame, and the gateway's thread has not read that.
    moving.thread.isPaused = true;
    moving.group();
    moving.stop();
    moving.thread.isPaused = false;
    moving.group();
    moving.group();
    expect(moving.isHosted).toBe(false);
    moving.expectAll();
  });
});
