import './page-address-fixture.ts';
import { expect, test } from 'vitest';
import { snapshotName } from './snapshot.ts';

const SUMMER_MS = Date.UTC(2026, 3, 15, 8, 20, 5, 900);
const WINTER_MS = Date.UTC(2026, 0, 1, 23, 5, 9);

test.each([
  ['Dock', SUMMER_MS, 'Europe/Berlin', 'Dock_2026-04-15_10-20-05_GMT+2_Europe-Berlin.jpg'],
  ['Dock', WINTER_MS, 'Europe/Berlin', 'Dock_2026-01-02_00-05-09_GMT+1_Europe-Berlin.jpg'],
  ['Yard 2', WINTER_MS, 'UTC', 'Yard-2_2026-01-01_23-05-09_UTC.jpg'],
  ['Gate', SUMMER_MS, 'Asia/Kolkata', 'Gate_2026-04-15_13-50-05_GMT+5-30_Asia-Kolkata.jpg'],
  ['../../etc/passwd', WINTER_MS, 'UTC', 'etc-passwd_2026-01-01_23-05-09_UTC.jpg'],
  ['Dock\u202egpj.exe', WINTER_MS, 'UTC', 'Dock-gpj-exe_2026-01-01_23-05-09_UTC.jpg'],
  ['…', WINTER_MS, 'UTC', '…_2026-01-01_23-05-09_UTC.jpg'],
  ['::', WINTER_MS, 'UTC', 'camera_2026-01-01_23-05-09_UTC.jpg'],
])('a frame of %s has camera, time and zone in its name', (camera, atMs, zone, name) => {
  expect(snapshotName(camera, atMs, zone)).toBe(name);
});
