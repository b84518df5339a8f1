import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { FlacEncoder } from '../../codec/flac/flac-encoder.ts';
import { opusTrackOf } from '../../codec/opus/opus-track.ts';
import { encodeG711, g711Decoder } from '../../codec/pcm/g711.ts';
import type { AccessUnit, FlacTrack, H265Track } from '../../codec/track.ts';
import { type FramePackets, INTERLEAVED_HEADER_BYTES } from '../../rtp/frame-packets.ts';
import { RTP_HEADER_BYTES } from '../../rtp/rtp-packet.ts';
import { RtpSender } from '../../rtp/rtp-sender.ts';
import { unitOf, videoTrack } from '../../stream/pictures/picture-fixture.ts';
import { MAX_PAYLOAD_BYTES, rtpTicks, sentTracks } from './sent-track.ts';

const H265: H265Track = { ...videoTrack(), codec: 'h265', vps: [Uint8Array.of(0x40, 1, 2)] };

function payloadsOf(frame: FramePackets | null): Buffer[] {
  const bytes = Buffer.alloc(frame!.byteLength);
  new RtpSender('camera').write(frame!, 0, bytes, 0, 0);
  return frame!.starts
    .slice(1)
    .map((end, index) =>
      bytes.subarray(frame!.starts[index]! + INTERLEAVED_HEADER_BYTES + RTP_HEADER_BYTES, end),
    );
}

function soundUnit(data: Uint8Array): AccessUnit {
  return { ...unitOf(0, true), data: Buffer.from(data) };
}

/** A frame of FLAC of these samples, and its track. */
function flacOf(samples: readonly number[], sampleRateHz: number, madeOf?: 'pcmu' | 'pcma') {
  const encoder = new FlacEncoder({ sampleRateHz, channelCount: 1, blockSamples: samples.length });
  const track: FlacTrack = madeOf === undefined ? encoder.track : { ...encoder.track, madeOf };
  return { track, unit: soundUnit(encoder.encode(Int32Array.from(samples), null)) };
}

describe('tracks by RTP', () => {
  it('have the video first, with the index that the camera gives them', () => {
    const tracks = sentTracks([opusTrackOf(1, 0), videoTrack()]);
    expect(tracks.map(({ kind, trackIndex }) => [kind, trackIndex])).toEqual([
      ['video', 1],
      ['audio', 0],
    ]);
    expect(tracks[1]!.media).toMatchObject({
      encoding: 'opus',
      channelCount: 2,
      parameters: 'sprop-stereo=0',
    });
  });

  it('of JPEG are left out', () => {
    const jpeg = { ...videoTrack(), codec: 'jpeg', nominalFrameRateHz: null } as const;
    expect(sentTracks([jpeg])).toEqual([]);
  });

  it('describe the parameter sets of H.265, and send them before a key frame', () => {
    const [track] = sentTracks([H265]);
    expect(track!.media.parameters).toContain('sprop-vps=QAEC;');
    const [payload] = payloadsOf(track!.packets(unitOf(0, true)));
    expect(payload!.subarray(2, 7).toString('hex')).toBe('0003400102');
    expect(
      payloadsOf(track!.packets(unitOf(1, false)))[0]!
        .subarray(0, 2)
        .toString('hex'),
    ).toBe('4101');
  });

  it('of another clock are put on that of RTP', () => {
    const [track] = sentTracks([{ ...videoTrack(), timescaleHz: 1_000 }]);
    expect(rtpTicks(track!, 40)).toBe(3_600);
  });

  it('of G.711 are the codes that the camera sent', () => {
    const codes = Buffer.from(
      Array.from({ length: 320 }, (_, at) => (at * 37) & 0xff).filter((code) => code !== 0x7f),
    );
    const samples = new Int16Array(codes.length);
    g711Decoder('mu-law').decode(codes, 0, codes.length, samples);
    const { track, unit } = flacOf([...samples], 8_000, 'pcmu');
    const [sent] = sentTracks([track]);
    expect(sent!.media).toMatchObject({ payloadType: 0, encoding: 'PCMU', clockRateHz: 8_000 });
    expect(Buffer.concat(payloadsOf(sent!.packets(unit)))).toEqual(codes);
    expect(Buffer.from(encodeG711('mu-law', samples))).toEqual(codes);
  });

  it('of other samples are L16, in as many packets as it takes', () => {
    const samples = Array.from({ length: 1_920 }, (_, at) => at * 17 - 16_000);
    const { track, unit } = flacOf(samples, 48_000);
    const [sent] = sentTracks([track]);
    expect(sent!.media).toMatchObject({ payloadType: 97, encoding: 'L16', clockRateHz: 48_000 });
    const payloads = payloadsOf(sent!.packets(unit));
    expect(payloads.map(({ length }) => length)).toEqual([1_400, 1_400, 1_040]);
    const all = Buffer.concat(payloads);
    expect(samples.map((_, at) => all.readInt16BE(2 * at))).toEqual(samples);
  });

  it('never exceed the room in a packet, whatever an access unit holds, and skip what cannot be sent', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 4_000 }), fc.boolean(), (data, isKey) => {
      for (const track of sentTracks([videoTrack(), flacOf(new Array(64).fill(1), 8_000).track])) {
        const frame = track.packets({ ...unitOf(0, isKey), data });
        if (frame === null) continue;
        for (const { length } of payloadsOf(frame)) expect(length).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
      }
    });
    fc.assert(property, randomRuns(300));
  });
});
