/** Multicast that ffmpeg sends, announced by a scripted camera that refuses everything else. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccessUnit, H264Track, Track } from '../../src/codec/track.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { CredentialUrl } from '../../src/core/secret.ts';
import { DirectRtspSource } from '../../src/sources/direct/direct-rtsp-source.ts';
import { JOINING_CODE } from '../../src/stream/source/source-events.ts';
import { SourceSink } from '../../src/stream/source/source-sink.ts';
import { type MulticastCamera, startMulticastCamera } from '../support/multicast-camera.ts';
import { until } from '../support/until.ts';

const FRAMES = 50;

let camera: MulticastCamera;

beforeAll(async () => {
  camera = await startMulticastCamera();
});

afterAll(() => camera.close());

it('receives every frame from a key frame on', async () => {
  let tracks: readonly Track[] = [];
  const units: Pick<AccessUnit, 'dtsTicks' | 'isKey'>[] = [];
  let dropped = 0;
  let failure: unknown = null;
  const url = new CredentialUrl(camera.url);
  const source = new DirectRtspSource({ url, transport: 'auto', clock: systemClock, log: silentLog });
  const instance = source.open(
    new SourceSink({
      onTracks: (announced) => {
        tracks = announced;
      },
      onAccessUnit: ({ dtsTicks, isKey }) => void units.push({ dtsTicks, isKey }),
      onDropped: (frames, code) => {
        if (code !== JOINING_CODE) dropped += frames;
      },
      onEnded: (error) => {
        failure = error;
      },
    }),
  );
  await until('frames', async () => (units.length >= FRAMES || failure !== null ? units : null));
  await instance.close();
  expect(failure).toBeNull();
  const video = tracks[0] as H264Track;
  expect([video.widthPx, video.heightPx, units[0]!.isKey]).toEqual([320, 180, true]);
  const frameTicks = video.timescaleHz / 25;
  for (const [index, unit] of units.entries()) {
    if (index > 0)
      expect(Math.abs(unit.dtsTicks - units[index - 1]!.dtsTicks - frameTicks)).toBeLessThan(frameTicks / 2);
  }
  expect(dropped).toBe(0);
});
