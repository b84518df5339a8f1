/** Streams with few IDR pictures, made up; key-watch.real.test.ts has those of x264. */

import { describe, expect, it } from 'vitest';
import {
  FRAME_TICKS,
  RecordingReceiver,
  SamplePackets,
  slice,
  VIDEO_TRACK,
} from '../sample-stream-fixture.ts';

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

describe('a camera whose encoder states in its first IDR picture that it refreshes gradually (x264)', () => {
  const uuid = 'dc45e9bde6d948b7962cd820d923eeef';

  function sei(options: string): Buffer {
    const payload = Buffer.concat([
      Buffer.from(uuid, 'hex'),
      Buffer.from(`x264 - core 164 - options: ${options}`),
    ]);
    return Buffer.concat([Buffer.of(0x06, 0x05, payload.length), payload, Buffer.of(0x80)]);
  }

  /**
   * The number of announcements when the video was judged, whether it had a key frame, and the number of pictures in the
   * end.
   */
  function judged(options: string) {
    const told: [announced: number, hasKey: boolean][] = [];
    const recorder: RecordingReceiver = new RecordingReceiver({
      tracks: [VIDEO_TRACK],
      onUnfit: (hasKey) => told.push([recorder.announced.length, hasKey]),
    });
    const packets = new SamplePackets(0);
    for (let index = 0; index < 500; index++) {
      const nalus = index === 0 ? [sei(options), slice('idr', '0')] : [slice('reference', `${index}`)];
      if (index % 25 === 0 && index > 0) nalus.unshift(RECOVERY_LATER);
      recorder.feed(packets.picture(index * FRAME_TICKS, nalus), index * 40);
    }
    return { told, pictures: recorder.pictures.length };
  }

  it('is found out before anything is shown, and plays on where nothing else takes over', () => {
    expect(judged('cabac=1 keyint=25 intra_refresh=1 rc=crf')).toEqual({ told: [[0, true]], pictures: 500 });
  });

  it.each(['cabac=1 keyint=25 intra_refresh=0 rc=crf', 'no_intra_refresh=1'])(
    'is another one with %s',
    (options) => {
      expect(judged(options).told).toEqual([[1, true]]);
    },
  );
});
