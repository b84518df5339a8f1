/** Pictures that are not one progressive frame each, at one rate: made-up streams. */

import { describe, expect, it } from 'vitest';
import {
  FRAME_TICKS,
  RecordingReceiver,
  SAMPLE_PPS_INTERLACED,
  SAMPLE_SPS_INTERLACED,
  SamplePackets,
  slice,
  VIDEO_TRACK_WITHOUT_SETS,
} from '../sample-stream-fixture.ts';

describe('made-up streams', () => {
  it('keep two fields with different timestamps apart, each at its time', () => {
    const recorder = new RecordingReceiver({ tracks: [VIDEO_TRACK_WITHOUT_SETS] });
    const packets = new SamplePackets(0);
    const sets = [SAMPLE_SPS_INTERLACED, SAMPLE_PPS_INTERLACED];
    for (let frame = 0; frame < 6; frame++) {
      const ticks = frame * FRAME_TICKS;
      const top = slice(frame === 0 ? 'idr' : 'reference', `top ${frame}`);
      recorder.feed(packets.picture(ticks, frame === 0 ? [...sets, top] : [top]), frame * 40);
      recorder.feed(
        packets.picture(ticks + FRAME_TICKS / 2, [slice('reference', `bottom ${frame}`)]),
        frame * 40 + 20,
      );
    }
    expect(recorder.dropped).toEqual([]);
    expect(recorder.pictures.slice(0, 4)).toEqual(['top 0', 'bottom 0', 'top 1', 'bottom 1']);
    const steps = recorder.units
      .slice(1)
      .map((unit, index) => unit.ptsTicks - recorder.units[index]!.ptsTicks);
    expect(new Set(steps)).toEqual(new Set([FRAME_TICKS / 2]));
  });

  it('keep the times of a night mode that goes from 25 to 5 to 1 frame per second and back', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets(0);
    const rates = [...Array(50).fill(25), ...Array(20).fill(5), ...Array(8).fill(1), ...Array(50).fill(25)];
    const times = [0];
    for (const rate of rates) times.push(times.at(-1)! + 1_000 / rate);
    times.forEach((ms, index) => {
      const kind = index % 25 === 0 ? 'idr' : 'reference';
      recorder.feed(packets.picture(ms * 90, [slice(kind, `${index}`)]), ms);
    });
    expect(recorder.dropped).toEqual([]);
    expect(recorder.units.map(({ dtsTicks }) => dtsTicks / 90)).toEqual(
      times.slice(0, recorder.units.length),
    );
    expect(recorder.units.length).toBeGreaterThanOrEqual(times.length - 1);
  });
});
