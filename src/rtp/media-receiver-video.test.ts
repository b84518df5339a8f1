import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import {
  FRAME_TICKS,
  LONG,
  numbers,
  pictures,
  RecordingReceiver,
  rtpPacket,
  SAMPLE_PPS,
  SAMPLE_PPS_1080,
  SAMPLE_SPS,
  SAMPLE_SPS_1080,
  SamplePackets,
  slice,
  VIDEO_PT,
  VIDEO_TRACK_WITHOUT_SETS,
} from './sample-stream-fixture.ts';

describe('MediaReceiver, video', () => {
  it('announces the track and emits every picture with its time, across the wrap of both counters', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets(65_530);
    for (let index = 0; index < 20; index++) {
      const kind = index === 0 ? 'idr' : 'reference';
      const timestamp = 2 ** 32 - 5 * FRAME_TICKS + index * FRAME_TICKS;
      recorder.feed(packets.picture(timestamp, [slice(kind, `${index}:${LONG}`)]), index * 40);
    }
    expect(recorder.announced).toHaveLength(1);
    expect(recorder.announced[0]![0]).toMatchObject({
      codecString: 'avc1.64000d',
      widthPx: 320,
      heightPx: 240,
    });
    expect(numbers(recorder)).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(recorder.units.map((unit) => unit.dtsTicks)).toEqual(
      recorder.units.map((_, index) => index * FRAME_TICKS),
    );
    expect(recorder.units.map((unit) => unit.isKey)).toEqual(recorder.units.map((_, index) => index === 0));
    expect(recorder.units[7]).toMatchObject({ trackIndex: 0, arrivalMonoMs: 280 });
    expect(recorder.dropped).toEqual([]);
  });

  it('begins with the first key frame, and counts earlier pictures as joining', () => {
    const recorder = new RecordingReceiver();
    for (const picture of pictures(new SamplePackets(), 7, 6)) recorder.feed(picture);
    expect(numbers(recorder)).toEqual([10, 11, 12]);
    expect(recorder.dropped).toEqual([['RTP_JOINING', 3]]);
  });

  it('can join in the middle of a picture', () => {
    const recorder = new RecordingReceiver();
    const all = pictures(new SamplePackets(), 9, 4).flat();
    recorder.feed(all.slice(3));
    expect(numbers(recorder)).toEqual([10, 11, 12]);
    expect(recorder.dropped).toEqual([['RTP_JOINING', 1]]);
  });

  it('takes parameter sets in band, and announces changed ones before their key frame', () => {
    const recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK_WITHOUT_SETS] });
    const packets = new SamplePackets();
    recorder.feed(packets.picture(0, [slice('idr', 'no sets')]));
    recorder.feed(packets.picture(3_600, [SAMPLE_SPS, SAMPLE_PPS, slice('idr', 'a')]));
    recorder.feed(packets.picture(7_200, [slice('reference', 'b')]));
    recorder.feed(packets.picture(10_800, [SAMPLE_SPS_1080, SAMPLE_PPS_1080, slice('idr', 'c')]));
    recorder.feed(packets.picture(14_400, [SAMPLE_SPS_1080, SAMPLE_PPS_1080, slice('idr', 'd')]));
    expect(recorder.pictures).toEqual(['a', 'b', 'c', 'd']);
    expect(recorder.announced.map(([video]) => video?.kind === 'video' && video.widthPx)).toEqual([
      320, 1920,
    ]);
    // Later input does not change the announced parameters.
    expect(recorder.announced[0]![0]).toMatchObject({
      sps: [new Uint8Array(SAMPLE_SPS)],
      pps: [new Uint8Array(SAMPLE_PPS)],
    });
    expect(recorder.dropped).toEqual([['RTP_PARAMETER_SETS_MISSING', 1]]);
  });

  /** Key frames 40 ms apart, each after the sets of its number. */
  function keyFrames(setsOf: (index: number) => Buffer[], count: number, intervalMs = 2_000) {
    const recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK_WITHOUT_SETS] });
    const packets = new SamplePackets();
    for (let index = 0; index < count; index++) {
      const nalus = [...setsOf(index), slice('idr', `${index}`)];
      recorder.feed(packets.picture(index * intervalMs * 90, nalus), index * intervalMs);
    }
    return recorder;
  }

  it('announces nothing again while sets differ in what decoding does not depend on', () => {
    const slower = Buffer.from(SAMPLE_SPS.toString('hex').replace('80000019', '80000005'), 'hex');
    const unmarked = Buffer.concat([Buffer.from([0x27]), SAMPLE_SPS.subarray(1)]);
    const recorder = keyFrames((index) => [[SAMPLE_SPS, slower, unmarked][index % 3]!, SAMPLE_PPS], 30);
    expect([recorder.announced.length, recorder.isUnfit]).toEqual([1, false]);
  });

  it('takes sets with several ids once (ireader/media-server issue 68)', () => {
    const other = Buffer.from('685bc3f2c0', 'hex');
    const recorder = keyFrames((index) => [SAMPLE_SPS, index % 2 === 0 ? SAMPLE_PPS : other], 30);
    expect([recorder.announced.length, recorder.pictures.length, recorder.isUnfit]).toEqual([2, 30, false]);
  });

  it('calls video unfit for players whose sets flap: A, B, A, B', () => {
    const other = Buffer.from('68ee0fcb', 'hex');
    const flapping = (index: number) => [SAMPLE_SPS, index % 2 === 0 ? SAMPLE_PPS : other];
    expect(keyFrames(flapping, 4).isUnfit).toBe(false);
    expect(keyFrames(flapping, 6).isUnfit).toBe(true);
    expect(keyFrames(flapping, 30, 30_000).isUnfit).toBe(false);
  });

  it('follows a camera that switches its resolution back and forth', () => {
    const sizes = [
      [SAMPLE_SPS, SAMPLE_PPS],
      [SAMPLE_SPS_1080, SAMPLE_PPS_1080],
    ];
    const recorder = keyFrames((index) => sizes[index % 2]!, 8);
    expect([recorder.announced.length, recorder.isUnfit]).toEqual([8, false]);
  });

  it('waits for a key frame when parameter sets change between two', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets();
    recorder.feed(packets.picture(0, [slice('idr', 'a')]));
    recorder.feed(packets.picture(3_600, [slice('reference', 'b')]));
    recorder.feed(packets.picture(7_200, [SAMPLE_PPS_1080, slice('reference', 'c')]));
    recorder.feed(packets.picture(10_800, [slice('idr', 'd')]));
    expect(recorder.pictures).toEqual(['a', 'b', 'd']);
    expect(recorder.announced).toHaveLength(2);
    expect(recorder.announced[1]![0]).toMatchObject({ pps: [new Uint8Array(SAMPLE_PPS_1080)] });
    expect(recorder.dropped).toEqual([['RTP_REFERENCE_LOST', 1]]);
  });

  it('keeps SEI, leaves out delimiters and filler', () => {
    const recorder = new RecordingReceiver();
    const sei = Buffer.from([0x06, 0x05, 0x01, 0x61, 0x80]);
    const nalus = [Buffer.from([0x09, 0xf0]), sei, slice('idr', 'a'), Buffer.from([0x0c, 0xff, 0x80])];
    const packets = new SamplePackets();
    recorder.feed([...packets.picture(0, nalus), ...packets.picture(3_600, [slice('reference', 'b')])]);
    expect(recorder.units[0]!.data.subarray(0, 9)).toEqual(Uint8Array.from([0, 0, 0, 5, ...sei]));
    expect(recorder.units.map((unit) => unit.texts.at(-1))).toEqual(['a', 'b']);
  });

  it.each([
    ['last', ['i1|i2', 'p1|p2', 'q1|q2']],
    ['never', ['i1|i2', 'p1|p2']],
    ['every-nalu', ['i1|i2', 'p1|p2']],
  ] as const)('joins the slices of a picture when the marker is set: %s', (marker, expected) => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets(0, marker);
    recorder.feed(packets.picture(0, [slice('idr', 'i1'), slice('idr', 'i2', false)]));
    recorder.feed(packets.picture(3_600, [slice('reference', 'p1'), slice('reference', 'p2', false)]));
    recorder.feed(packets.picture(7_200, [slice('reference', 'q1'), slice('reference', 'q2', false)]));
    expect(recorder.pictures).toEqual(expected);
    expect(recorder.dropped).toEqual([]);
  });

  it('stops trusting markers when a picture continues after one', () => {
    const recorder = new RecordingReceiver();
    const proper = new SamplePackets(0);
    recorder.feed(proper.picture(0, [slice('idr', 'a')]));
    recorder.feed(proper.picture(3_600, [slice('reference', 'b')]));
    const early = new SamplePackets(proper.sequence, 'every-nalu');
    const two = (text: string, kind: 'idr' | 'reference') => [
      slice(kind, `${text}1`),
      slice(kind, `${text}2`, false),
    ];
    recorder.feed(early.picture(7_200, two('c', 'reference')));
    recorder.feed(early.picture(10_800, two('d', 'idr')));
    recorder.feed(early.picture(14_400, two('e', 'reference')));
    recorder.feed(early.picture(18_000, two('f', 'reference')));
    // c is truncated once: nothing said that it would continue.
    expect(recorder.pictures).toEqual(['a', 'b', 'c1', 'd1|d2', 'e1|e2']);
    expect(recorder.dropped).toEqual([['RTP_EARLY_MARKER', 1]]);
  });

  it('separates pictures that share a timestamp', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets(0, 'never');
    recorder.feed(packets.picture(0, [slice('idr', 'a'), slice('reference', 'b')]));
    recorder.feed(packets.picture(3_600, [slice('reference', 'c')]));
    expect(recorder.pictures).toEqual(['a', 'b']);
    expect(recorder.units.map((unit) => unit.dtsTicks)).toEqual([0, 1_800]);
  });
});

describe('MediaReceiver, losses', () => {
  it('holds back everything up to the next key frame, and counts it', () => {
    const recorder = new RecordingReceiver();
    const all = pictures(new SamplePackets(), 0, 13);
    all.forEach((picture, index) => {
      recorder.feed(index === 4 ? picture.toSpliced(2, 1) : picture);
    });
    expect(numbers(recorder)).toEqual([0, 1, 2, 3, 10, 11, 12]);
    expect(recorder.dropped).toEqual([
      ['RTP_PACKET_LOSS', 1],
      ['RTP_REFERENCE_LOST', 5],
    ]);
  });

  it('drops only the picture itself when no other refers to it', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets();
    recorder.feed(packets.picture(0, [slice('idr', 'a')]));
    recorder.feed(packets.picture(3_600, [slice('disposable', LONG)]).toSpliced(2, 1));
    recorder.feed(packets.picture(7_200, [slice('reference', 'c')]));
    expect(recorder.pictures).toEqual(['a', 'c']);
    expect(recorder.dropped).toEqual([['RTP_PACKET_LOSS', 1]]);
  });

  it('never emits a damaged picture, whichever packets are lost', () => {
    const losses = fc.uniqueArray(fc.integer({ min: 0, max: 29 * 6 }), { maxLength: 20 });
    fc.assert(
      fc.property(losses, (lost) => {
        const recorder = new RecordingReceiver();
        const packets = new SamplePackets();
        const all = pictures(packets, 0, 29, 7).flat();
        recorder.feed(all.filter((_, index) => !lost.includes(index)));
        let expected = -1;
        for (const [text] of recorder.units.map((unit) => unit.texts)) {
          const [number, body] = text!.split(':');
          expect(body).toBe(LONG);
          // Either the next one, or a key frame.
          if (Number(number) !== expected + 1) expect(Number(number) % 7).toBe(0);
          expected = Number(number);
        }
      }),
      randomRuns(200),
    );
  });

  it('never emits a picture without all its slices', () => {
    const losses = fc.uniqueArray(fc.integer({ min: 0, max: 86 }), { maxLength: 12 });
    const habits = fc.constantFrom('last', 'never', 'every-nalu');
    fc.assert(
      fc.property(losses, habits, (lost, habit) => {
        const recorder = new RecordingReceiver();
        const packets = new SamplePackets(0, habit);
        const all = Array.from({ length: 29 }, (_, index) => {
          const kind = index % 7 === 0 ? 'idr' : 'reference';
          const slices = [0, 1, 2].map((part) => slice(kind, `${index}.${part}`, part === 0));
          return packets.picture(index * FRAME_TICKS, slices);
        }).flat();
        recorder.feed(all.filter((_, index) => !lost.includes(index)));
        for (const { texts } of recorder.units) {
          const index = texts[0]!.split('.')[0];
          expect(texts).toEqual([`${index}.0`, `${index}.1`, `${index}.2`]);
        }
      }),
      randomRuns(200),
    );
  });

  it('suspects a lost reference when a gap reaches into the next picture', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets(0, 'never');
    recorder.feed(packets.picture(0, [slice('idr', 'a')]));
    recorder.feed(packets.picture(3_600, [slice('disposable', LONG)]).slice(0, -1));
    recorder.feed(packets.picture(7_200, [slice('reference', 'c')]));
    recorder.feed(packets.picture(10_800, [slice('reference', 'd')]));
    expect(recorder.pictures).toEqual(['a']);
    expect(recorder.dropped).toEqual([
      ['RTP_PACKET_LOSS', 1],
      ['RTP_REFERENCE_LOST', 1],
    ]);
  });

  it('counts at least one frame for a whole picture that is missing', () => {
    const recorder = new RecordingReceiver();
    pictures(new SamplePackets(), 0, 12).forEach((picture, index) => {
      if (index !== 5) recorder.feed(picture);
    });
    expect(numbers(recorder)).toEqual([0, 1, 2, 3, 4, 10, 11]);
    expect(recorder.dropped).toEqual([
      ['RTP_PACKET_LOSS', 1],
      ['RTP_REFERENCE_LOST', 4],
    ]);
  });

  it('rejects payloads of the interleaved mode, and emits the next key frame', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets(0);
    recorder.feed(packets.picture(0, [slice('idr', 'a')]));
    recorder.feed([rtpPacket(VIDEO_PT, packets.sequence++, 3_600, Buffer.from([0x39, 0, 0, 0]), true)]);
    recorder.feed(packets.picture(7_200, [slice('reference', 'b')]));
    recorder.feed(packets.picture(10_800, [slice('idr', 'c')]));
    recorder.feed(packets.picture(14_400, [slice('reference', 'd')]));
    expect(recorder.pictures).toEqual(['a', 'c', 'd']);
    expect(recorder.dropped).toEqual([
      ['RTP_UNSUPPORTED_PAYLOAD', 1],
      ['RTP_REFERENCE_LOST', 1],
    ]);
  });

  it('drops a picture larger than the limit', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets(0);
    recorder.feed(packets.picture(0, [slice('idr', 'a')]));
    const piece = Buffer.alloc(60_000, 0x55);
    for (let index = 0; index < 145; index++) {
      const fu = Buffer.concat([Buffer.from([0x7c, index === 0 ? 0x81 : 0x01]), piece]);
      recorder.feed([rtpPacket(VIDEO_PT, packets.sequence++ & 0xffff, 3_600, fu, false)]);
    }
    recorder.feed(packets.picture(7_200, [slice('idr', 'c')]));
    recorder.feed(packets.picture(10_800, [slice('reference', 'd')]));
    expect(recorder.pictures).toEqual(['a', 'c', 'd']);
    expect(recorder.dropped).toEqual([['RTP_FRAME_TOO_LARGE', 1]]);
  });
});
