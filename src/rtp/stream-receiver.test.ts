import { describe, expect, it } from 'vitest';
import {
  FRAME_TICKS,
  LONG,
  numbers,
  pictures,
  RecordingReceiver,
  rtpPacket,
  SamplePackets,
  slice,
  VIDEO_TRACK,
} from './sample-stream-fixture.ts';

/** Pictures; after each key frame comes a packet of another type that repeats the last sequence number. */
function geovision(count: number): Buffer[] {
  return pictures(new SamplePackets(), 0, count).flatMap((picture, index) => {
    if (index % 10 !== 0) return picture;
    const last = picture.at(-1)!;
    const extra = rtpPacket(50, last.readUInt16BE(2), index * FRAME_TICKS, Buffer.from('bar'), true);
    return [...picture, extra];
  });
}

describe('RTP as cameras send it', () => {
  it.each(['tcp', 'udp'] as const)(
    'packets of another type that repeat a sequence number (Geovision GV-EBD4701, retina; RtspClientSharp issue 98), %s',
    (transport) => {
      const recorder = new RecordingReceiver({ transport });
      recorder.feed(geovision(30));
      expect(numbers(recorder)).toEqual(Array.from({ length: 30 }, (_, index) => index));
      expect(recorder.dropped).toEqual([]);
      expect(recorder.receiver.counts(0)).toMatchObject({ foreignPackets: 3, latePackets: 0 });
    },
  );

  it('such a packet never takes the place of the one whose number it repeats (UDP)', () => {
    const recorder = new RecordingReceiver({ transport: 'udp' });
    const packets = geovision(12);
    // The other way around for every key frame but the first.
    const at = packets.findIndex((packet, index) => index > 10 && (packet[1]! & 0x7f) === 50);
    [packets[at - 1], packets[at]] = [packets[at]!, packets[at - 1]!];
    recorder.feed(packets);
    expect(numbers(recorder)).toEqual(Array.from({ length: 12 }, (_, index) => index));
    expect(recorder.dropped).toEqual([]);
  });

  it('a packet of another type with its own number (comfort noise, RFC 3389) is not a loss over TCP', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets();
    recorder.feed(packets.picture(0, [slice('idr', 'a')]));
    for (let index = 1; index < 4; index++) {
      recorder.feed([rtpPacket(13, packets.sequence++ & 0xffff, index * FRAME_TICKS, Buffer.of(1), false)]);
      recorder.feed(packets.picture(index * FRAME_TICKS, [slice('reference', LONG)]));
    }
    expect(recorder.pictures).toHaveLength(4);
    expect(recorder.dropped).toEqual([]);
  });

  it('the same packet twice over TCP is a duplicate', () => {
    const recorder = new RecordingReceiver();
    for (const packet of pictures(new SamplePackets(), 0, 12).flat()) recorder.feed([packet, packet]);
    expect(numbers(recorder)).toEqual(Array.from({ length: 12 }, (_, index) => index));
    expect(recorder.dropped).toEqual([]);
    expect(recorder.receiver.counts(0).latePackets).toBeGreaterThan(12);
  });

  it.each([
    ['0', 0],
    ['another', 0xbad],
  ])('an announced SSRC of %s over UDP: the first packet decides (H264DVR)', (_title, ssrc) => {
    const recorder = new RecordingReceiver({ transport: 'udp', tracks: [{ ...VIDEO_TRACK, ssrc }] });
    recorder.feed(pictures(new SamplePackets(), 0, 12).flat());
    expect(numbers(recorder)).toEqual(Array.from({ length: 12 }, (_, index) => index));
    expect(recorder.receiver.counts(0).foreignPackets).toBe(0);
  });

  it('a stray packet before those of the announced SSRC costs nothing (UDP)', () => {
    const recorder = new RecordingReceiver({ transport: 'udp', tracks: [{ ...VIDEO_TRACK, ssrc: 0x5eed }] });
    const all = pictures(new SamplePackets(), 0, 12).flat();
    const stray = Buffer.from(all[0]!);
    stray.writeUInt32BE(0xbad, 8);
    recorder.feed([stray, ...all]);
    expect(numbers(recorder)).toEqual(Array.from({ length: 12 }, (_, index) => index));
  });
});
