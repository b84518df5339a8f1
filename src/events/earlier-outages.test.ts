import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import { reportOf } from '../stream/camera-report-fixture.ts';
import { EarlierOutages } from './earlier-outages.ts';

const CAMERA = newRuuid();

describe('EarlierOutages', () => {
  let lookups: number;
  let states: Map<Ruuid, CameraReport>;
  let outages: EarlierOutages;
  beforeEach(() => {
    lookups = 0;
    states = new Map();
    const offlineSinceMs = async () => {
      lookups++;
      return 1_000;
    };
    outages = new EarlierOutages({ offlineSinceMs }, silentLog, (camera, report) =>
      states.set(camera, report),
    );
  });

  const report = (offlineSinceEpochMs: number | null): CameraReport => {
    const { main, ...rest } = reportOf('idle', offlineSinceEpochMs === null ? 'reachable' : 'offline');
    const since = offlineSinceEpochMs === null ? {} : { offlineSinceEpochMs };
    return { ...rest, main: { ...main, checkedAtEpochMs: 1, ...since } };
  };
  const put = (offlineSinceEpochMs: number | null) =>
    states.set(CAMERA, outages.complete(CAMERA, report(offlineSinceEpochMs)));
  const since = () => states.get(CAMERA)?.main.offlineSinceEpochMs;

  it('follows an outage back beyond the start', async () => {
    put(5_000);
    await eventually('the events were read', () => since() === 1_000);
    put(5_000);
    expect([since(), lookups]).toEqual([1_000, 1]);
  });

  it('begins a new outage when the camera has responded in between', () => {
    put(null);
    put(5_000);
    expect([since(), lookups]).toEqual([5_000, 0]);
  });
});
