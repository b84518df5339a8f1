/** A video track and access units for tests of what carries them. */

import type { AccessUnit, H264Track } from '../../codec/track.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { LivePicture, PictureReader } from '../media/live-media.ts';

export const SPS = Uint8Array.of(0x67, 0x42, 0xc0, 0x1e, 0xd9);
export const PPS = Uint8Array.of(0x68, 0xce, 0x3c, 0x80);
const TIMESCALE_HZ = 90_000;
const FRAME_TICKS = 3_600;

export function videoTrack(sps = SPS): H264Track {
  return {
    kind: 'video',
    codec: 'h264',
    timescaleHz: TIMESCALE_HZ,
    sps: [sps],
    pps: [PPS],
    widthPx: 640,
    heightPx: 360,
    nominalFrameRateHz: 25,
    codecString: 'avc1.42c01e',
  };
}

/** One NAL unit after its length. `fill` identifies the frame. */
export function nalUnitData(isKey: boolean, fill: number, bytes = 4): Buffer {
  const data = Buffer.alloc(4 + 1 + bytes, fill);
  data.writeUInt32BE(1 + bytes, 0);
  data[4] = isKey ? 0x65 : 0x41;
  return data;
}

/** Frame `index` of a camera with 25 frames a second, which arrives when it is taken. */
export function unitOf(index: number, isKey: boolean, data = nalUnitData(isKey, index & 0xff)): AccessUnit {
  const ticks = index * FRAME_TICKS;
  return { trackIndex: 0, dtsTicks: ticks, ptsTicks: ticks, isKey, data, arrivalMonoMs: index * 40 };
}

export function pictureOf(index: number, isKey: boolean, bytes = 4): LivePicture {
  const data = nalUnitData(isKey, index & 0xff, bytes);
  return { track: videoTrack(), isKey, epochMs: 1_700_000_000_000 + index * 40, data };
}

/** Records frames: `K7` for a key frame filled with 7, `d8` for another one. */
export class RecordingReader implements PictureReader {
  readonly frames: string[] = [];
  readonly pictures: LivePicture[] = [];
  readonly gone: string[] = [];

  onPicture(picture: LivePicture): void {
    this.pictures.push(picture);
    this.frames.push(`${picture.isKey ? 'K' : 'd'}${picture.data[5]}`);
  }

  onGone(error: GatewayError): void {
    this.gone.push(error.code);
  }
}
