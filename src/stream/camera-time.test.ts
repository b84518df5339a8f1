import { describe, expect, it } from 'vitest';
import type { CmafPart } from '../cmaf/part.ts';
import type { Track } from '../codec/track.ts';
import { FakeClock } from '../core/fake-clock.ts';
import type { ClockReading } from '../rtp/camera-clock.ts';
import { MediaReceiver } from '../rtp/media-receiver.ts';
import {
  FRAME_TICKS,
  SamplePackets,
  senderReport,
  slice,
  VIDEO_TRACK,
} from '../rtp/sample-stream-fixture.ts';
import { Packager } from './packaging/packager.ts';

const EPOCH_MS = 1_800_000_000_000;
const NTP_TO_EPOCH_SEC = 2_208_988_800;
const FRAME_MS = 40;
/** Encoder and network: what arrival cannot show. */
const LATE_MS = 300;

/** A camera whose frames arrive `LATE_MS` late, and packagers of them. */
class Stage {
  readonly readings: ClockReading[] = [];
  readonly #packagers: Packager[] = [];
  readonly #packets = new SamplePackets(0);
  readonly #receiver: MediaReceiver;
  #tracks: readonly Track[] = [];
  #frame = 0;

  constructor(mayUseCameraTime: boolean) {
    this.#receiver = new MediaReceiver({
      tracks: [VIDEO_TRACK],
      transport: 'tcp',
      localSsrc: 1,
      epochMinusMonoMs: EPOCH_MS,
      mayUseCameraTime,
      events: {
        onTracks: (tracks) => {
          this.#tracks = tracks;
          for (const packager of this.#packagers) packager.setTracks(tracks);
        },
        onAccessUnit: (unit) => {
          for (const packager of this.#packagers) packager.push(unit);
        },
        onDropped: () => undefined,
        onClock: (reading) => {
          this.readings.push(reading);
          for (const packager of this.#packagers) packager.setCameraTime(reading.cameraTime);
        },
      },
    });
  }

  /** How much later than it was captured each part from now on says that it was, in whole milliseconds. */
  watched(): number[] {
    const lateMs: number[] = [];
    const packager = new Packager({
      clock: new FakeClock(),
      content: 'video',
      numbering: { nextMediaSequenceNumber: 0, nextDiscontinuitySequence: 0, initFingerprint: null },
      isContinuation: false,
      originMonoMs: 0,
      epochMinusMonoMs: EPOCH_MS,
      onNumbering: () => undefined,
      onPlayable: () => undefined,
      onPart: (part: CmafPart) => {
        const sourceMs = (part.startTicks / part.timescaleHz - part.sourceOffsetSec) * 1_000;
        lateMs.push(Math.round(part.epochMs - EPOCH_MS - sourceMs));
      },
    });
    if (this.#tracks.length > 0) packager.setTracks(this.#tracks);
    packager.setCameraTime(this.readings.at(-1)?.cameraTime ?? null);
    this.#packagers.push(packager);
    return lateMs;
  }

  /** With a report every 5 s, whose wall clock is `wallMs` ahead. */
  play(seconds: number, wallMs = 0): void {
    for (const endFrame = this.#frame + seconds * 25; this.#frame < endFrame; this.#frame++) {
      const capturedMs = this.#frame * FRAME_MS;
      const kind = this.#frame % 50 === 0 ? 'idr' : 'reference';
      const packets = this.#packets.picture(this.#frame * FRAME_TICKS, [slice(kind, `${this.#frame}`)]);
      for (const packet of packets) this.#receiver.rtp(0, packet, 0, packet.length, capturedMs + LATE_MS);
      if (this.#frame % 125 !== 20) continue;
      const wallSec = (EPOCH_MS + capturedMs + wallMs) / 1_000 + NTP_TO_EPOCH_SEC;
      const report = senderReport(0x5eed, wallSec, this.#frame * FRAME_TICKS);
      this.#receiver.rtcp(0, report, 0, report.length, capturedMs + 5);
    }
  }
}

describe('EXT-X-PROGRAM-DATE-TIME by the camera', () => {
  it('is the time of arrival until the camera proves sane, and then moves to the time of capture', () => {
    const stage = new Stage(true);
    const lateMs = stage.watched();
    stage.play(30);
    expect(new Set(lateMs)).toEqual(new Set([LATE_MS]));
    expect(stage.readings.at(-1)?.verdict).toBe('settling');
    stage.play(600);
    expect(stage.readings.at(-1)?.verdict).toBe('sane');
    expect(lateMs.at(-1)).toBeGreaterThan(0);
    // 570 s at 500 ppm.
    expect(lateMs.at(-1)).toBeLessThan(LATE_MS - 250);
    stage.play(300);
    expect(lateMs.at(-1)).toBe(0);
    expect(stage.watched()).toEqual([]);
  });

  it('is the time of capture from the first part on for those who open the camera later', () => {
    const stage = new Stage(true);
    stage.play(60);
    const lateMs = stage.watched();
    stage.play(10);
    expect(lateMs.length).toBeGreaterThan(20);
    expect(new Set(lateMs)).toEqual(new Set([0]));
  });

  it('goes back to arrival when the camera sets its clock', () => {
    const stage = new Stage(true);
    stage.play(60);
    const lateMs = stage.watched();
    stage.play(10);
    stage.play(20, 4_000);
    expect(stage.readings.at(-1)).toMatchObject({ verdict: 'off', jumps: 1, cameraTime: null });
    expect(lateMs.at(-1)).toBeGreaterThan(0);
    expect(lateMs.at(-1)).toBeLessThan(20);
  });

  it('is the time of arrival unless the setting of the camera says otherwise', () => {
    const stage = new Stage(false);
    const lateMs = stage.watched();
    stage.play(90);
    expect(stage.readings.at(-1)?.verdict).toBe('sane');
    expect(new Set(lateMs)).toEqual(new Set([LATE_MS]));
  });
});
