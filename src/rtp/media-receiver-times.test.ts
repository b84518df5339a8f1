import { describe, expect, it } from 'vitest';
import {
  FRAME_TICKS,
  RecordingReceiver,
  SAMPLE_PPS_1080,
  SAMPLE_SPS_1080,
  SamplePackets,
  slice,
  VIDEO_TRACK_WITHOUT_SETS,
} from './sample-stream-fixture.ts';

describe('MediaReceiver, B-frames', () => {
  it('makes decoding times for two reordered pictures as the SPS says', () => {
    const recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK_WITHOUT_SETS] });
    const packets = new SamplePackets();
    const order = [0, 4, 2, 1, 3, 8, 6, 5, 7, 12, 10, 9, 11];
    for (const number of order) {
      const kind = number === 0 ? 'idr' : number % 2 === 0 ? 'reference' : 'disposable';
      const sets = number === 0 ? [SAMPLE_SPS_1080, SAMPLE_PPS_1080] : [];
      recorder.feed(packets.picture(number * FRAME_TICKS, [...sets, slice(kind, `${number}`)]));
    }
    expect(recorder.pictures).toEqual(order.map(String));
    const { units } = recorder;
    expect(units.map((unit) => unit.ptsTicks / FRAME_TICKS - 2)).toEqual(order);
    expect(units.map((unit) => unit.dtsTicks / FRAME_TICKS)).toEqual(order.map((_, index) => index));
  });

  it('learns them if the SPS does not say, and never breaks the decoding order', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets();
    const order = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8];
    for (const number of order)
      recorder.feed(
        packets.picture(number * FRAME_TICKS, [slice(number === 0 ? 'idr' : 'reference', `${number}`)]),
      );
    const { units } = recorder;
    units.forEach((unit, index) => {
      expect(unit.ptsTicks).toBeGreaterThanOrEqual(unit.dtsTicks);
      if (index > 0) expect(unit.dtsTicks).toBeGreaterThan(units[index - 1]!.dtsTicks);
    });
    // The presentation times are the camera's, starting with the second P-frame.
    expect(units.slice(4).map((unit) => unit.ptsTicks / FRAME_TICKS)).toEqual([6, 4, 5, 9, 7, 8]);
  });
});

describe('MediaReceiver, timestamps', () => {
  function play(timestamps: readonly number[], arrivalsMs: readonly number[]) {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets(0);
    timestamps.forEach((timestamp, index) => {
      recorder.feed(
        packets.picture(timestamp, [slice(index === 0 ? 'idr' : 'reference', `${index}`)]),
        arrivalsMs[index]!,
      );
    });
    const ms = recorder.units.map((unit) => Math.round(unit.dtsTicks / 90));
    return { ms, dropped: recorder.dropped };
  }

  it.each([
    ['a camera that restarts its clock', [900_000, 903_600, 0, 3_600, 7_200], [0, 40, 80, 120, 160]],
    [
      'a jump of a day',
      [0, 3_600, 3_600 + 1_000_000_000, 1_000_007_200, 1_000_010_800],
      [0, 40, 80, 120, 160],
    ],
  ])('continues by the time of arrival: %s', (_title, timestamps, arrivals) => {
    const { ms, dropped } = play(timestamps, arrivals);
    // The last picture waits until its marker is trusted or for the next timestamp; all others are out.
    expect(ms).toEqual([0, 40, 80, 120, 160].slice(0, ms.length));
    expect(ms.length).toBeGreaterThanOrEqual(4);
    expect(dropped).toEqual([['RTP_TIMESTAMP_JUMP', 0]]);
  });

  it('treats a long silence as a gap', () => {
    const { ms, dropped } = play(
      [0, 3_600, 3_600 + 60 * 90_000, 7_200 + 60 * 90_000],
      [0, 40, 60_040, 60_080],
    );
    expect(ms).toEqual([0, 40, 60_040, 60_080]);
    expect(dropped).toEqual([]);
  });

  it('continues when timestamps stop advancing', () => {
    const count = 80;
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets(0, 'never');
    for (let index = 0; index < count; index++) {
      const nalus = [Buffer.from([0x09, 0xf0]), slice(index === 0 ? 'idr' : 'reference', `${index}`)];
      recorder.feed(packets.picture(1_000, nalus), index * 40);
    }
    const times = recorder.units.map((unit) => unit.dtsTicks);
    expect(times).toHaveLength(count - 1);
    times.forEach((ticks, index) => {
      if (index > 0) expect(ticks).toBeGreaterThan(times[index - 1]!);
    });
  });
});
