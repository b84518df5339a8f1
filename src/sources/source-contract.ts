/** Requirements for every source, whatever its engine (src/stream/source/source.ts). Each adapter's test runs them. */

import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  NAL_ACCESS_UNIT_DELIMITER,
  NAL_IDR_SLICE,
  NAL_PPS,
  NAL_SPS,
  nalType,
} from '../codec/h264/nal-unit.ts';
import type { AacTrack, AccessUnit, H264Track, Track } from '../codec/track.ts';
import { systemClock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { CredentialUrl, Secret } from '../core/secret.ts';
import type { Source, SourceInstance } from '../stream/source/source.ts';
import { JOINING_CODE, type SourceEvents } from '../stream/source/source-events.ts';
import { SourceSink } from '../stream/source/source-sink.ts';
import type { SyntheticCamera, SyntheticCameraOptions } from '../synthetic-camera/synthetic-camera.ts';

/** A synthetic camera, or something that publishes one. */
export type ContractCamera = Pick<SyntheticCamera, 'url' | 'close' | 'connectedClients'>;
export type ContractCameraOptions = Pick<SyntheticCameraOptions, 'credentials' | 'faults'>;

/** The adapter under test and the cameras it is tested with. */
export interface SourceContractSubject {
  /** A source of this camera that times out after a second or two of silence. */
  source(url: CredentialUrl): Source;
  /** A camera with audio, a key frame every second, and a picture of 320 × 180 until a fault changes that. */
  startCamera(options?: ContractCameraOptions): Promise<ContractCamera>;
  /** The device comes to the gateway: there is neither a login nor an address to try. */
  readonly isPushed?: boolean;
  /** A clip for a camera that changes its picture to another size. */
  readonly otherClip: () => NonNullable<
    NonNullable<SyntheticCameraOptions['faults']>['changeResolutionAfter']
  >['clip'];
  /** Sockets and child processes that this process has. */
  heldResources(): number;
  /** A decoder's complaints about an Annex B stream; '' if there are none. */
  decodeErrors(annexB: Buffer): string;
}

const FRAMES_PER_SEC = 25;
const RECORDED_SEC = 3;
/** Maximum distance between two tracks of a camera, at the start and later. */
const MAX_SKEW_SEC = 0.5;
/** Length of the media at both ends in which the most punctual unit counts. */
const EDGE_SEC = 0.5;
const MAX_REORDER_SEC = 0.5;
/** Limit for any wait of an adapter, including a worker's start. */
const PATIENCE_MS = 15_000;
const MAX_CLOSE_MS = 3_000;
const PASSWORD = 'open-sesame-42';

export interface SeenUnit extends Readonly<AccessUnit> {
  /** The tracks in force when it arrived. */
  readonly track: Track;
}

/** Everything that an instance reported; units are copied because they are borrowed. */
export class Recording implements SourceEvents {
  readonly announcements: (readonly Track[])[] = [];
  readonly units: SeenUnit[] = [];
  readonly errors: GatewayError[] = [];
  droppedFrames = 0;
  #tracks: readonly Track[] = [];

  onTracks(tracks: readonly Track[]): void {
    this.#tracks = tracks;
    this.announcements.push(tracks);
  }

  onAccessUnit(unit: AccessUnit): void {
    const track = this.#tracks[unit.trackIndex];
    if (track === undefined) throw new Error(`unit of track ${unit.trackIndex} before its announcement`);
    this.units.push({ ...unit, data: new Uint8Array(unit.data), track });
  }

  onDropped(frames: number, code: string): void {
    if (code !== JOINING_CODE) this.droppedFrames += frames;
  }

  onEnded(error: GatewayError): void {
    this.errors.push(error);
  }

  get eventCount(): number {
    return this.announcements.length + this.units.length + this.errors.length;
  }

  of(kind: Track['kind']): SeenUnit[] {
    return this.units.filter((unit) => unit.track.kind === kind);
  }

  get videoSec(): number {
    const video = this.of('video');
    return video.length === 0 ? 0 : seconds(video.at(-1)!) - seconds(video[0]!);
  }
}

interface Opened {
  readonly recording: Recording;
  readonly instance: SourceInstance;
}

/** The tests run one after the other, because they count this process's sockets. */
export function describeSourceContract(name: string, subject: SourceContractSubject): void {
  const open = (camera: { readonly url: string }): Opened => {
    const recording = new Recording();
    const instance = subject.source(new CredentialUrl(camera.url)).open(new SourceSink(recording));
    expect(recording.eventCount, 'nothing is called before open() has returned').toBe(0);
    return { recording, instance };
  };
  describe(`source contract: ${name}`, () => {
    describeDelivery(subject, open);
    describeEnd(subject, open);
    describeClose(subject, open);
  });
}

function describeDelivery(subject: SourceContractSubject, open: (camera: ContractCamera) => Opened): void {
  describe('a healthy camera', () => {
    let camera: ContractCamera;
    let recording: Recording;

    beforeAll(async () => {
      camera = await subject.startCamera();
      const opened = open(camera);
      recording = opened.recording;
      await eventually(() => expect(recording.videoSec).toBeGreaterThan(RECORDED_SEC));
      await opened.instance.close();
    });
    afterAll(() => camera.close());

    it('is announced once, with everything that a decoder needs', () => {
      expect(recording.announcements).toHaveLength(1);
      const [video, audio] = recording.announcements[0] as [H264Track, AacTrack];
      expect(video).toMatchObject({ codec: 'h264', widthPx: 320, heightPx: 180 });
      expect(video.sps.map((set) => nalType(set[0]!))).toEqual([NAL_SPS]);
      expect(video.pps.map((set) => nalType(set[0]!))).toEqual([NAL_PPS]);
      expect(video.codecString).toBe(`avc1.${Buffer.from(video.sps[0]!.subarray(1, 4)).toString('hex')}`);
      expect(audio).toMatchObject({ codec: 'aac', sampleRateHz: 48_000, samplesPerFrame: 1_024 });
      expect(audio.audioSpecificConfig.length).toBeGreaterThanOrEqual(2);
    });

    it('delivers frames in decoding order, from a key frame on', () => {
      const video = recording.of('video');
      expect(video[0]!.isKey).toBe(true);
      expect(video.filter((unit) => unit.isKey).length).toBeGreaterThanOrEqual(RECORDED_SEC);
      expect(recording.droppedFrames).toBe(0);
      for (const unit of video) {
        const types = nalUnitTypes(unit.data);
        expect(types.includes(NAL_IDR_SLICE)).toBe(unit.isKey);
        expect(types).not.toContain(NAL_SPS);
        expect(types).not.toContain(NAL_PPS);
        expect(types).not.toContain(NAL_ACCESS_UNIT_DELIMITER);
      }
      expect(subject.decodeErrors(annexB(video))).toBe('');
    });

    it('has rising timestamps without a gap', () => {
      expectEvenlySpaced(recording.of('video'), 1 / FRAMES_PER_SEC);
      expectEvenlySpaced(recording.of('audio'), 1_024 / 48_000);
      for (const unit of recording.units) {
        const reorderSec = (unit.ptsTicks - unit.dtsTicks) / unit.track.timescaleHz;
        expect(reorderSec).toBeGreaterThanOrEqual(0);
        expect(reorderSec).toBeLessThanOrEqual(MAX_REORDER_SEC);
      }
    });

    it('keeps audio and video together', () => {
      const [video, audio] = [recording.of('video'), recording.of('audio')];
      for (const at of [0, -1]) {
        expect(Math.abs(seconds(video.at(at)!) - seconds(audio.at(at)!))).toBeLessThan(MAX_SKEW_SEC);
      }
    });

    it('says when each unit came, as fast as time passes', () => {
      const arrivals = recording.units.map((unit) => unit.arrivalMonoMs);
      expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b));
      expect(arrivals.at(-1)).toBeLessThanOrEqual(systemClock.monoMs());
      expect(Math.abs(realTimeDriftSec(recording.of('video')))).toBeLessThan(MAX_SKEW_SEC);
    });
  });

  it('announces another picture size before its first key frame, or ends', async () => {
    const changeResolutionAfter = { afterMs: 2_000, clip: subject.otherClip() };
    const camera = await subject.startCamera({ faults: { changeResolutionAfter } });
    const { recording, instance } = open(camera);
    const isNew = (unit: SeenUnit): boolean => (unit.track as H264Track).widthPx !== 320;
    await eventually(() => {
      expect(recording.errors.length + recording.of('video').filter(isNew).length).toBeGreaterThan(0);
    });
    await instance.close();
    await camera.close();
    const first = recording.of('video').find(isNew);
    if (first !== undefined) {
      expect(first.isKey).toBe(true);
      expect(first.track).toMatchObject({ widthPx: 480, heightPx: 270 });
    }
  });
}

function describeEnd(
  subject: SourceContractSubject,
  open: (camera: { readonly url: string }) => Opened,
): void {
  /** The one error that an instance ends with; checks that nothing follows it and nothing stays open. */
  async function endOf({ recording, instance }: Opened): Promise<GatewayError> {
    await eventually(() => expect(recording.errors).toHaveLength(1));
    const { eventCount } = recording;
    await instance.close();
    expect(recording.eventCount).toBe(eventCount);
    const [error] = recording.errors;
    expect(error).toBeInstanceOf(GatewayError);
    return error!;
  }

  describe('an instance ends once, with a reason, when', () => {
    it('the camera goes offline', async () => {
      const before = subject.heldResources();
      const camera = await subject.startCamera();
      const opened = open(camera);
      await eventually(() => expect(opened.recording.units.length).toBeGreaterThan(0));
      await camera.close();
      const error = await endOf(opened);
      expect(['unavailable', 'peer-protocol']).toContain(error.kind);
      // Less: what the camera of the test before had open may have gone meanwhile.
      await eventually(() => expect(subject.heldResources()).toBeLessThanOrEqual(before));
    });

    it('the camera falls silent', async () => {
      const camera = await subject.startCamera({ faults: { stallAfterMs: 2_000 } });
      const opened = open(camera);
      await eventually(() => expect(opened.recording.units.length).toBeGreaterThan(0));
      expect((await endOf(opened)).kind).toBe('timeout');
      await camera.close();
    });

    itOpens(subject, 'the camera refuses the password, which is not tried again', async () => {
      const credentials = {
        username: 'admin',
        password: new Secret('something else'),
        algorithm: 'MD5',
      } as const;
      const camera = await subject.startCamera({ credentials });
      const error = await endOf(open({ url: camera.url.replace('://', `://admin:${PASSWORD}@`) }));
      await camera.close();
      expect([error.kind, error.message]).toEqual([
        'peer-refused',
        'The camera refused the user name or password.',
      ]);
      expect(inspect(error, { depth: null, showHidden: true })).not.toContain(PASSWORD);
    });

    itOpens(subject, 'nothing is at the camera’s address', async () => {
      const camera = await subject.startCamera();
      await camera.close();
      const error = await endOf(open(camera));
      expect([error.kind, error.message]).toEqual(['unavailable', 'The camera cannot be reached.']);
    });
  });

  itOpens(subject, 'shows the right password', async () => {
    const credentials = { username: 'admin', password: new Secret(PASSWORD), algorithm: 'MD5' } as const;
    const camera = await subject.startCamera({ credentials });
    const { recording, instance } = open({ url: camera.url.replace('://', `://admin:${PASSWORD}@`) });
    await eventually(() => expect(recording.units.length).toBeGreaterThan(0));
    await instance.close();
    await camera.close();
    expect(recording.errors).toEqual([]);
  });
}

/** A case of cameras that the gateway opens: a device that comes to it has neither a login nor an address to try. */
function itOpens({ isPushed }: SourceContractSubject, title: string, test: () => Promise<void>): void {
  if (isPushed !== true) it(title, test);
}

function describeClose(subject: SourceContractSubject, open: (camera: ContractCamera) => Opened): void {
  describe('close()', () => {
    it.each([
      ['at once', 0],
      ['while playing', 1],
    ])('%s is quick, silent and leaves nothing open', async (_when, units) => {
      const camera = await subject.startCamera();
      const before = subject.heldResources();
      const { recording, instance } = open(camera);
      await eventually(() => expect(recording.units.length).toBeGreaterThanOrEqual(units));
      const { eventCount } = recording;
      const closedMonoMs = systemClock.monoMs();
      await Promise.all([instance.close(), instance.close()]);
      expect(systemClock.monoMs() - closedMonoMs).toBeLessThan(MAX_CLOSE_MS);
      await instance.close();
      // The camera has its own end of each socket.
      await eventually(() => expect(camera.connectedClients()).toBe(0));
      await eventually(() => expect(subject.heldResources()).toBe(before));
      expect(recording.eventCount).toBe(eventCount);
      expect(recording.errors).toEqual([]);
      await camera.close();
    });
  });
}

export const eventually = (check: () => void): Promise<void> =>
  vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 });

/** Decoding time. */
export function seconds(unit: SeenUnit): number {
  return unit.dtsTicks / unit.track.timescaleHz;
}

/**
 * How much longer, in seconds, the units of one track took to arrive than they last, from their first half second to their
 * last one. The most punctual unit of each counts, because a busy machine only makes units later. Workers pass on their
 * read-ahead in one burst, so the first second is left out.
 */
export function realTimeDriftSec(units: readonly SeenUnit[]): number {
  const settled = units.filter((unit) => seconds(unit) - seconds(units[0]!) > 1);
  const [first, last] = [seconds(settled[0]!), seconds(settled.at(-1)!)];
  const atStart = settled.filter((unit) => seconds(unit) < first + EDGE_SEC);
  return leastDelaySec(settled.filter((unit) => seconds(unit) > last - EDGE_SEC)) - leastDelaySec(atStart);
}

/** How long after its media time the most punctual unit arrived. Only differences of it mean something. */
function leastDelaySec(units: readonly SeenUnit[]): number {
  return Math.min(...units.map((unit) => unit.arrivalMonoMs / 1_000 - seconds(unit)));
}

/** Strictly rising throughout. Up to a second may pass until the camera's clock is known, which shifts the timeline. */
function expectEvenlySpaced(units: readonly SeenUnit[], intervalSec: number): void {
  for (const [index, unit] of units.entries()) {
    const before = units[index - 1];
    if (before === undefined) continue;
    expect(unit.dtsTicks).toBeGreaterThan(before.dtsTicks);
    if (seconds(before) - seconds(units[0]!) < 1) continue;
    const deviationSec = seconds(unit) - seconds(before) - intervalSec;
    expect(Math.abs(deviationSec), `unit ${index}`).toBeLessThan(intervalSec / 50);
  }
}

/** Types of the NAL units; fails unless their lengths add up. */
function nalUnitTypes(data: Uint8Array): number[] {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const types: number[] = [];
  let at = 0;
  while (at < data.length) {
    types.push(nalType(data[at + 4]!));
    at += 4 + view.getUint32(at);
  }
  expect(at).toBe(data.length);
  return types;
}

function annexB(units: readonly SeenUnit[]): Buffer {
  const startCode = Buffer.from([0, 0, 0, 1]);
  const { sps, pps } = units[0]!.track as H264Track;
  const pieces = [...sps, ...pps].flatMap((set) => [startCode, Buffer.from(set)]);
  for (const { data } of units) {
    const copy = Buffer.from(data);
    for (let at = 0; at < copy.length; ) {
      const length = copy.readUInt32BE(at);
      copy.writeUInt32BE(1, at);
      at += 4 + length;
    }
    pieces.push(copy);
  }
  return Buffer.concat(pieces);
}
