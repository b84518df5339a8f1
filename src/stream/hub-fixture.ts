/** A hub with one camera whose sources and packagers the test controls. */

import type { AccessUnit, H264Track } from '../codec/track.ts';
import { defineErrors, type GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import type { Log } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { CameraTime } from '../rtp/camera-clock.ts';
import type { CameraReport } from './camera-connection.ts';
import type { CompatibleEncoder } from './compatible-variant.ts';
import type { TimedRendition } from './dash/dash-periods.ts';
import { type HubCamera, StreamHub } from './hub.ts';
import type { Audience, KeyFrame, LiveRendition } from './media/live-media.ts';
import type { Numbering } from './numbering/numbering.ts';
import type { CreatePackager, PublishedMedia, RenditionPackager } from './packaging/packaging.ts';
import type { Source } from './source/source.ts';
import type { SourceEvents } from './source/source-events.ts';

export const ERRORS = defineErrors({ REFUSED: { kind: 'peer-refused', message: 'refused' } });
export const IDLE_STOP_MS = 30_000;

export class FakeSource implements Source {
  readonly engine = 'fake';
  readonly opened: SourceEvents[] = [];
  openNow = 0;
  open(events: SourceEvents) {
    this.opened.push(events);
    this.openNow++;
    let isOpen = true;
    return {
      close: async () => {
        if (isOpen) this.openNow--;
        isOpen = false;
      },
    };
  }
  get current(): SourceEvents {
    return this.opened.at(-1)!;
  }
}

export class FakePackager implements RenditionPackager, PublishedMedia {
  /** Without segments, until the test has some. */
  timing: TimedRendition = {
    isFed: true,
    isFollowing: false,
    partRevision: 0,
    segmentRevision: 0,
    decidedPeriods: () => null,
    manifestSegments: () => [],
    properties: () => null,
  };
  readonly window = {} as LiveRendition;
  readonly options: Parameters<CreatePackager>[0];
  readonly log: string[] = [];
  lastWait = () => Number.NEGATIVE_INFINITY;
  beginningMsn: number | null = null;
  publishedMs = 0;
  /** Amount published of each unit; in these tests one arrives every second. */
  unitMs = 1_000;
  constructor(options: Parameters<CreatePackager>[0]) {
    this.options = options;
  }
  get published(): PublishedMedia {
    return this;
  }
  get isFed() {
    return this.timing.isFed;
  }
  get isFollowing() {
    return this.timing.isFollowing;
  }
  get partRevision() {
    return this.timing.partRevision;
  }
  get segmentRevision() {
    return this.timing.segmentRevision;
  }
  decidedPeriods(audience: Audience) {
    return this.timing.decidedPeriods(audience);
  }
  manifestSegments() {
    return this.timing.manifestSegments();
  }
  follow(): never {
    throw new Error('nothing follows it');
  }
  unfollow() {}
  progress() {
    return null;
  }
  setTracks() {
    this.log.push('tracks');
  }
  setHost() {
    this.log.push('host');
  }
  own(numbering: Numbering | null) {
    this.log.push(numbering === null ? 'mirrored' : `owned from ${numbering.nextMediaSequenceNumber}`);
  }
  push() {
    this.log.push('unit');
    this.publishedMs += this.unitMs;
  }
  sharePicture() {
    return null;
  }
  cameraTimes: (CameraTime | null)[] = [];
  setCameraTime(time: CameraTime | null) {
    this.cameraTimes.push(time);
  }
  discontinuity() {
    this.log.push('discontinuity');
  }
  failWaiters(error: GatewayError) {
    this.log.push(`failed ${error.code}`);
  }
  isCutOff = false;
  cutOff(error: GatewayError) {
    this.isCutOff = true;
    this.failWaiters(error);
  }
  close() {
    this.log.push('closed');
  }
  properties() {
    const size = { widthPx: 640, heightPx: 360, frameRateHz: 25 };
    return { peakBitsPerSec: 1_200, averageBitsPerSec: 1_000, codecs: this.codecs, ...size };
  }
  codecs = ['avc1.42c01e'];
  audio: boolean | null = null;
  hasAudio() {
    return this.audio;
  }
  key: KeyFrame | null = null;
  keyFrame() {
    return this.key;
  }
  lastWaitMonoMs() {
    return this.lastWait();
  }
  stats() {
    const counts = { frames: 0, pictures: 0, droppedFrames: 0, joiningFrames: 0, segments: 0 };
    return { ...counts, publishedBytes: 0, windowBytes: 0, overdueBytes: 0 };
  }
}

interface Line {
  readonly camera?: string;
  readonly name?: string;
  readonly message: string;
}

/** Keeps warnings and lifecycle lines of cameras, with the fields of the loggers they went through. */
function recordingLog(lines: Line[], bound: object = {}): Log {
  const write = (fields: object, message: string) => void lines.push({ ...bound, ...fields, message });
  return {
    debug: () => undefined,
    info: write,
    warn: write,
    error: write,
    child: (fields) => recordingLog(lines, { ...bound, ...fields }),
  };
}

/** `compatible`: what makes H.264 of the main stream. */
export function setup(hasSub = false, compatible: CompatibleEncoder | null = null) {
  const clock = new FakeClock();
  const packagers: FakePackager[] = [];
  const saved: Numbering[] = [];
  const states: string[] = [];
  const reports: CameraReport[] = [];
  const lines: Line[] = [];
  const hub = new StreamHub({
    clock,
    log: recordingLog(lines),
    limits: { backoffMinMs: 1_000, backoffMaxMs: 30_000, startMs: 60_000, silenceMs: 10_000 },
    idleStopMs: IDLE_STOP_MS,
    numberingStore: { find: async () => null, save: async (entry) => void saved.push(entry) },
    createPackager: (options) => {
      const packager = new FakePackager(options);
      packagers.push(packager);
      return packager;
    },
    onStatusChange: (_camera, state) => states.push(state.state),
    onReport: (_uuid, report) => reports.push(report),
  });
  const main = new FakeSource();
  const sub = hasSub ? new FakeSource() : null;
  const camera: HubCamera = { uuid: newRuuid(), name: 'Lobby', fingerprint: 'a', main, sub, compatible };
  hub.put(camera);
  return {
    clock,
    hub,
    camera,
    stream: hub.get(camera.uuid)!,
    main,
    sub,
    packagers,
    saved,
    states,
    reports,
    lines,
  };
}

export const settle = () => new Promise(setImmediate);
export const TRACKS = [{ kind: 'video' } as H264Track];

export function unitAt(arrivalMonoMs: number): AccessUnit {
  return { trackIndex: 0, dtsTicks: 0, ptsTicks: 0, isKey: true, data: new Uint8Array(1), arrivalMonoMs };
}

export function waiter() {
  const outcome: string[] = [];
  return {
    outcome,
    onReady: () => void outcome.push('ready'),
    onGone: (error: GatewayError) => void outcome.push(error.code),
  };
}
