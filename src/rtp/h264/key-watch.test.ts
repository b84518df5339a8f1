/** Streams with few IDR pictures, made up; key-watch.real.test.ts has those of x264. */

import { describe, expect, it } from 'vitest';
import { FRAME_TICKS, RecordingReceiver, SamplePackets, slice } from '../sample-stream.ts';

const RECOVERY_NOW = Buffer.from('060601c480', 'hex');
const RECOVERY_LATER = Buffer.from('0606020cc480', 'hex');

describe('a camera with IDR pictures every two seconds and recovery points in between', () => {
  it('has its IDR pictures as its only key frames', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets(0);
    for (let index = 0; index < 200; index++) {
      const isIdr = index % 50 === 0;
      const nalus = [slice(isIdr ? 'idr' : 'reference', `${index}`)];
      if (index % 25 === 0 && !isIdr) nalus.unshift(RECOVERY_NOW);
      recorder.feed(packets.picture(index * FRAME_TICKS, nalus), index * 40);
    }
    const keys = recorder.units.filter(({ isKey }) => isKey).map(({ arrivalMonoMs }) => arrivalMonoMs / 40);
    expect(keys).toEqual([0, 50, 100, 150]);
  });
});

describe('a camera that refreshes its pictures gradually (x264, intra refresh)', () => {
  it('is not while key frames come, and no longer when one has come', () => {
    const recorder = new RecordingReceiver();
    const packets = new SamplePackets(0);
    const states: boolean[] = [];
    for (let index = 0; index < 500; index++) {
      const isIdr = index === 0 || index === 450;
      const nalus = [slice(isIdr ? 'idr' : 'reference', `${index}`)];
      if (index % 25 === 0 && !isIdr) nalus.unshift(RECOVERY_LATER);
      recorder.feed(packets.picture(index * FRAME_TICKS, nalus), index * 40);
      if (index % 50 === 49) states.push(recorder.isUnfit);
    }
    expect(states).toEqual([false, false, false, false, false, false, false, false, true, false]);
  });
});
