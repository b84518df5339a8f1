/** Access units of an imaginary camera, for tests and benchmarks. */

import type { AacTrack, AccessUnit, H264Track } from '../codec/track.ts';

/** 640×360, High profile, as x264 writes it. */
export const FAKE_VIDEO: H264Track = {
  kind: 'video',
  codec: 'h264',
  timescaleHz: 90_000,
  sps: [Buffer.from('6764001eacd940a02ff9610000030001000003003c8f162d96', 'hex')],
  pps: [Buffer.from('68ebe3cb22c0', 'hex')],
  widthPx: 640,
  heightPx: 360,
  nominalFrameRateHz: null,
  codecString: 'avc1.64001e',
};

export const FAKE_AUDIO: AacTrack = {
  kind: 'audio',
  codec: 'aac',
  timescaleHz: 48_000,
  audioSpecificConfig: Buffer.from('1190', 'hex'),
  sampleRateHz: 48_000,
  channelCount: 2,
  samplesPerFrame: 1_024,
  codecString: 'mp4a.40.2',
};

const FRAME_TICKS = 3_600;

/** One unit object and growing content, reused for every frame, as in real sources. */
export class FakeCamera {
  readonly unit: AccessUnit = {
    trackIndex: 0,
    dtsTicks: 0,
    ptsTicks: 0,
    isKey: false,
    data: new Uint8Array(),
    arrivalMonoMs: 0,
  };
  /** Part of every frame, so that each one differs from its neighbors. */
  #frame = 0;

  /** The next frame of a 25 Hz stream unless `fields` say otherwise. Borrowed: the next call overwrites it. */
  picture(fields: Partial<AccessUnit> = {}): AccessUnit {
    const dtsTicks = fields.dtsTicks ?? (this.unit.trackIndex === 0 ? this.unit.dtsTicks : 0) + FRAME_TICKS;
    return this.#set(0, { ptsTicks: dtsTicks, ...fields, dtsTicks });
  }

  /** An audio frame at `dtsTicks` of 48 kHz. Borrowed. */
  audio(dtsTicks: number, fields: Partial<AccessUnit> = {}): AccessUnit {
    return this.#set(1, { isKey: true, ptsTicks: dtsTicks, ...fields, dtsTicks });
  }

  #set(trackIndex: number, fields: Partial<AccessUnit>): AccessUnit {
    const { unit } = this;
    unit.trackIndex = trackIndex;
    unit.dtsTicks = fields.dtsTicks ?? 0;
    unit.ptsTicks = fields.ptsTicks ?? unit.dtsTicks;
    unit.isKey = fields.isKey ?? false;
    unit.arrivalMonoMs = fields.arrivalMonoMs ?? unit.dtsTicks / 90;
    unit.data = fields.data ?? Uint8Array.of(0, 0, 0, 2, unit.isKey ? 0x65 : 0x41, this.#frame++ & 0xff);
    return unit;
  }
}
