/** Decodes received video with ffmpeg, and reports everything that the decoder conceals. */

import { spawnSync } from 'node:child_process';
import { LONG_START_CODE } from '../../src/codec/byte-stream.ts';
import type { Track } from '../../src/codec/track.ts';
import type { RecordingReceiver } from '../../src/rtp/sample-stream-fixture.ts';

/** Size of the small test videos. */
export const WIDTH_PX = 160;
export const HEIGHT_PX = 120;
const LENGTH_BYTES = 4;
const FORMATS = { h264: 'h264', h265: 'hevc' } as const;

export interface DecodedVideo {
  readonly complaints: string;
  /** In the order in which they are shown. */
  readonly luma: readonly Buffer[];
}

export function decodeNalus(codec: keyof typeof FORMATS, nalus: readonly Uint8Array[]): DecodedVideo {
  const { stdout, stderr } = spawnSync(
    'ffmpeg',
    [
      ...['-v', 'warning', '-nostdin', '-err_detect', 'explode', '-flags', '+output_corrupt'],
      ...['-f', FORMATS[codec], '-i', 'pipe:0'],
      ...['-fps_mode', 'passthrough', '-pix_fmt', 'gray', '-f', 'rawvideo', '-'],
    ],
    { input: Buffer.concat(nalus.flatMap((nalu) => [LONG_START_CODE, nalu])), maxBuffer: 256_000_000 },
  );
  const pictureBytes = WIDTH_PX * HEIGHT_PX;
  const luma = Array.from({ length: stdout.length / pictureBytes }, (_, at) =>
    stdout.subarray(at * pictureBytes, (at + 1) * pictureBytes),
  );
  return { complaints: stderr.toString(), luma };
}

/** The first announced video and all its units. */
export function decodeReceived(recorder: RecordingReceiver): DecodedVideo {
  const track = recorder.announced[0]![0]!;
  const nalus = parameterSetsOf(track);
  for (const { data } of recorder.units) {
    const bytes = Buffer.from(data);
    for (let at = 0; at < bytes.length; ) {
      const end = at + LENGTH_BYTES + bytes.readUInt32BE(at);
      nalus.push(bytes.subarray(at + LENGTH_BYTES, end));
      at = end;
    }
  }
  return decodeNalus(track.codec === 'h265' ? 'h265' : 'h264', nalus);
}

function parameterSetsOf(track: Track): Uint8Array[] {
  if (track.codec === 'h264') return [...track.sps, ...track.pps];
  if (track.codec === 'h265') return [...track.vps, ...track.sps, ...track.pps];
  throw new TypeError(`${track.codec} is not video`);
}
