import { describe, expect, it } from 'vitest';
import { type CameraReport, type ConnectionState, NOT_CHECKED } from '../stream/camera-connection.ts';
import { cameraColors, nvrColors } from './connection-colors.ts';

const reportOf = (state: ConnectionState): CameraReport => ({
  streamState: 'idle',
  main: { ...NOT_CHECKED, state },
  sub: null,
});

describe('the colors of a camera', () => {
  it.each([
    ['live', 'GREEN', 'GREEN', 'NONE'],
    ['reachable', 'GREEN', 'GREEN', 'NONE'],
    ['connecting', 'YELLOW', 'YELLOW', 'DELAYED'],
    ['not-checked', 'ORANGE', 'ORANGE', 'NONE'],
    ['offline', 'RED', 'RED', 'DISCONNECTED'],
  ] as const)('are, when it is %s, %s and %s with %s', (state, connection, health, details) => {
    expect(cameraColors(reportOf(state))).toEqual({
      connectionStatus: connection,
      healthStatus: health,
      healthStatusDetails: details,
    });
  });

  it('do not depend on the substream', () => {
    const { main } = reportOf('live');
    const report: CameraReport = { streamState: 'live', main, sub: reportOf('offline').main };
    expect(cameraColors(report).healthStatus).toBe('GREEN');
  });
});

describe('the colors of an NVR', () => {
  const of = (...states: (ConnectionState | undefined)[]) =>
    nvrColors(states.map((state) => (state === undefined ? undefined : reportOf(state))));

  it('are unknown if the gateway runs none of its cameras', () => {
    expect(of()).toBeNull();
    expect(of(undefined, undefined)).toBeNull();
  });

  it.each([
    [['offline', 'live'], 'GREEN', 'YELLOW', 'DISCONNECTED', 'live'],
    [['offline', 'not-checked'], 'ORANGE', 'YELLOW', 'DISCONNECTED', 'not-checked'],
    [['offline', 'offline'], 'RED', 'RED', 'DISCONNECTED', 'offline'],
    [['not-checked', 'connecting'], 'YELLOW', 'YELLOW', 'DELAYED', 'connecting'],
    [['reachable', 'not-checked'], 'GREEN', 'GREEN', 'NONE', 'reachable'],
    [[undefined, 'offline'], 'RED', 'RED', 'DISCONNECTED', 'offline'],
  ] as const)('with cameras %j are %s and %s', (states, connection, health, details, best) => {
    expect(of(...states)).toEqual({
      colors: {
        connectionStatus: connection,
        healthStatus: health,
        healthStatusDetails: details,
      },
      best: reportOf(best),
    });
  });
});
