/** Elements with their configuration in band, as ffmpeg's muxer writes them in LOAS (ISO/IEC 14496-3 §1.7.2). */

import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { LatmDepacketizer } from './latm-depacketizer.ts';
import { latmPayloadFormat } from './latm-payload-format.ts';

const LOAS_SYNC = 0x2b7;
const ADTS_HEADER_BYTES = 7;

/** One second of a tone, the same frames in each format. */
function encoded(format: 'latm' | 'adts'): Buffer {
  const source = '-v error -f lavfi -i sine=frequency=440:sample_rate=16000 -t 1';
  const args = `${source} -c:a aac -b:a 48k -flags +bitexact -f ${format} pipe:1`.split(' ');
  const { stdout, stderr } = spawnSync('ffmpeg', args);
  expect(String(stderr)).toBe('');
  return stdout;
}

it('has the frames that the encoder made', () => {
  const latm = encoded('latm');
  const format = latmPayloadFormat(new Map(), { clockRateHz: 16_000, channelCount: 1 })!;
  const frames: string[] = [];
  const depacketizer = new LatmDepacketizer(format, {
    onFrame: (chunk, start, end) => frames.push(Buffer.from(chunk.subarray(start, end)).toString('hex')),
    onAudioTrack: (track) => expect(track).toMatchObject({ sampleRateHz: 16_000, channelCount: 1 }),
    onDropped: () => expect.unreachable(),
  });
  let elements = 0;
  for (let at = 0; at < latm.length; elements++) {
    expect(latm.readUInt16BE(at) >> 5).toBe(LOAS_SYNC);
    const end = at + 3 + (latm.readUIntBE(at, 3) & 0x1fff);
    depacketizer.push(latm, at + 3, end, elements * 1_024, true, 0);
    at = end;
  }
  const adts = encoded('adts');
  const expected: string[] = [];
  for (let at = 0; at < adts.length; ) {
    const end = at + ((adts.readUIntBE(at + 3, 3) >> 5) & 0x1fff);
    expected.push(adts.toString('hex', at + ADTS_HEADER_BYTES, end));
    at = end;
  }
  expect(frames.length).toBeGreaterThan(15);
  expect(frames).toEqual(expected);
});
