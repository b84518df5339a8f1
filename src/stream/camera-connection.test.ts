import { describe, expect, it } from 'vitest';
import { defineErrors, GatewayError } from '../core/errors.ts';
import { ConnectionRecord, NOT_CHECKED, shownConnectionState } from './camera-connection.ts';
import type { LiveState } from './media/live-media.ts';
import { cameraFaultOf } from './source/camera-fault.ts';

const { RTSP_AUTH_FAILED } = defineErrors({ RTSP_AUTH_FAILED: { kind: 'peer-refused', message: 'no' } });
const ERROR = new GatewayError(RTSP_AUTH_FAILED, { host: '192.0.2.1', port: 554 });
const FAULT = cameraFaultOf(ERROR);
const IDLE: LiveState = { state: 'idle' };
const STARTING = { state: 'starting' } as const satisfies LiveState;
const LIVE: LiveState = { state: 'live' };
const offline = (retryAtEpochMs: number) =>
  ({ state: 'offline', error: ERROR, retryAtEpochMs }) as const satisfies LiveState;

describe('ConnectionRecord', () => {
  it('claims nothing about a camera that was never contacted', () => {
    const record = new ConnectionRecord();
    expect(record.connection).toEqual(NOT_CHECKED);
    expect(record.streamIs(IDLE, 1)).toBe(false);
    expect(record.connection.state).toBe('not-checked');
  });

  it('goes back to not checked when the camera was closed before it answered', () => {
    const record = new ConnectionRecord();
    expect(record.streamIs(STARTING, 1)).toBe(true);
    expect(record.connection).toMatchObject({ state: 'connecting', sinceEpochMs: 1 });
    expect(record.streamIs(IDLE, 2)).toBe(true);
    expect(record.connection.state).toBe('not-checked');
  });

  it('says that it waits for a worker, how far it is, and that it waits no longer', () => {
    const record = new ConnectionRecord();
    const waiting = { ahead: 2, running: 4, maxWorkers: 4 };
    record.streamIs(STARTING, 1);
    expect(record.streamIs({ ...STARTING, waiting }, 2)).toBe(true);
    expect(record.connection).toMatchObject({ state: 'connecting', sinceEpochMs: 1, waiting });
    expect(record.streamIs({ ...STARTING, waiting }, 3)).toBe(false);
    expect(record.streamIs({ ...STARTING, waiting: { ...waiting, ahead: 1 } }, 4)).toBe(true);
    record.streamIs(offline(100), 5);
    expect(record.connection.waiting).toBeUndefined();
    expect(record.streamIs({ ...offline(100), waiting }, 6)).toBe(true);
    expect(record.connection).toMatchObject({ state: 'offline', fault: FAULT, checkedAtEpochMs: 5, waiting });
    record.streamIs(LIVE, 7);
    expect(record.connection.waiting).toBeUndefined();
  });

  it('remembers that a closed camera was streaming, and when it was last seen', () => {
    const record = new ConnectionRecord();
    record.streamIs(STARTING, 1);
    record.streamIs(LIVE, 2);
    expect(record.connection).toMatchObject({ state: 'live', sinceEpochMs: 2, checkedAtEpochMs: 2 });
    expect(record.streamIs(LIVE, 3)).toBe(false);
    record.streamIs(IDLE, 50);
    expect(record.connection).toMatchObject({ state: 'reachable', sinceEpochMs: 50, checkedAtEpochMs: 50 });
  });

  it('does not turn good because no one watches anymore', () => {
    const record = new ConnectionRecord();
    record.streamIs(STARTING, 1);
    record.streamIs(offline(100), 2);
    expect(record.connection).toMatchObject({ state: 'offline', fault: FAULT, retryAtEpochMs: 100 });
    record.streamIs(IDLE, 50);
    expect(record.connection).toMatchObject({
      state: 'offline',
      fault: FAULT,
      sinceEpochMs: 2,
      checkedAtEpochMs: 2,
      retryAtEpochMs: null,
    });
  });

  it('reports each failed attempt, and keeps the time since which the camera is offline', () => {
    const record = new ConnectionRecord();
    record.streamIs(offline(100), 2);
    expect(record.streamIs(offline(100), 3)).toBe(false);
    expect(record.streamIs(offline(200), 101)).toBe(true);
    expect(record.connection).toMatchObject({ sinceEpochMs: 2, checkedAtEpochMs: 101, retryAtEpochMs: 200 });
  });

  it('knows since when a camera is offline, through all attempts and after its viewers left', () => {
    const record = new ConnectionRecord();
    const since = () => record.connection.offlineSinceEpochMs;
    record.streamIs(STARTING, 1);
    expect(since()).toBeUndefined();
    record.streamIs(offline(10), 5);
    record.streamIs(STARTING, 10);
    expect([record.connection.state, since()]).toEqual(['connecting', 5]);
    record.streamIs(offline(30), 20);
    record.streamIs(IDLE, 25);
    record.probed({ fault: FAULT, nextEpochMs: 300 }, 200);
    expect([record.connection.sinceEpochMs, since()]).toEqual([20, 5]);
    expect(record.connection.retryAtEpochMs).toBe(300);
    record.probed({ fault: null, nextEpochMs: 600 }, 300);
    expect([record.connection.retryAtEpochMs, since()]).toEqual([null, undefined]);
    record.probed({ fault: FAULT }, 400);
    expect(since()).toBe(400);
  });

  it('takes over what a probe shows about a closed camera', () => {
    const record = new ConnectionRecord();
    expect(record.probed({ fault: null }, 5)).toBe(true);
    expect(record.connection).toMatchObject({ state: 'reachable', checkedAtEpochMs: 5 });
    expect(record.probed({ fault: FAULT }, 6)).toBe(true);
    expect(record.connection).toMatchObject({ state: 'offline', fault: FAULT, checkedAtEpochMs: 6 });
    record.streamIs(STARTING, 7);
    record.streamIs(IDLE, 8);
    expect(record.connection).toMatchObject({ state: 'offline', fault: FAULT });
  });

  it.each([LIVE, STARTING, offline(9)])('does not let a probe overrule a stream that is %j', (state) => {
    const record = new ConnectionRecord();
    record.streamIs(state, 1);
    const before = record.connection;
    expect(record.probed({ fault: FAULT }, 5)).toBe(false);
    expect(record.connection).toBe(before);
  });

  it('counts as offline while it is tried again, and not before its first failure', () => {
    const record = new ConnectionRecord();
    record.streamIs(STARTING, 1);
    expect(shownConnectionState(record.connection)).toBe('connecting');
    record.streamIs(offline(100), 2);
    record.streamIs(STARTING, 3);
    expect(record.connection.state).toBe('connecting');
    expect(shownConnectionState(record.connection)).toBe('offline');
    record.streamIs(LIVE, 4);
    expect(shownConnectionState(record.connection)).toBe('live');
  });
});
