import { expect, test } from 'vitest';
import { canTry, listRepairOf, silentNvrs } from './camera-repair.ts';
import type { CameraItem } from './camera-state.ts';

const camera = (uuid: string, reason?: 'unreachable' | 'wrong-password' | 'busy') =>
  ({
    uuid,
    name: uuid,
    connectionDetail: reason === undefined ? { state: 'live' } : { state: 'offline', reason },
  }) as unknown as CameraItem;
const NO_NVRS = new Map<string, string>();

test('leads to the field that the cause needs, and nowhere if only someone at the camera can repair it', () => {
  const of = (each: CameraItem) => listRepairOf(each, NO_NVRS, new Set());
  expect(of(camera('a', 'wrong-password'))).toMatchObject({ kind: 'field', field: 'password' });
  expect(of(camera('a', 'unreachable'))).toMatchObject({ kind: 'field', field: 'host' });
  expect(of(camera('a', 'busy'))).toBeNull();
  expect(of(camera('a'))).toBeNull();
});

test('leads to the NVR if nothing behind it can be reached', () => {
  const nvrOf = new Map([
    ['a', 'one'],
    ['b', 'one'],
    ['c', 'two'],
    ['d', 'two'],
    ['e', 'three'],
  ]);
  const [a, c] = [camera('a', 'unreachable'), camera('c', 'unreachable')];
  const cameras = [a, camera('b', 'unreachable'), c, camera('d'), camera('e', 'unreachable'), camera('f')];
  const silent = silentNvrs(cameras, nvrOf);
  expect([...silent]).toEqual(['one']);
  expect(listRepairOf(a, nvrOf, silent)).toEqual({ kind: 'nvr', nvrUuid: 'one' });
  expect(listRepairOf(c, nvrOf, silent)).toMatchObject({ field: 'host' });
});

test('tries whatever the gateway opens, and nothing that pushes its video', () => {
  expect(['DIRECT_UNREACHABLE', 'RTSP_AUTH_FAILED', 'RTMP_NO_PUBLISHER', undefined].map(canTry)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
