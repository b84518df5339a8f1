/** POST /api/console/getSystemState: how the gateway is doing. */

import { type Static, Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import type { GatewayState } from '../../system/system-state.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { OPERATORS_ONLY } from './operators-only.ts';
import { SYSTEM_FINDING_SCHEMA, SYSTEM_STATE_SCHEMA } from './system-state-types.ts';

type SystemState = Static<typeof SYSTEM_STATE_SCHEMA>;

export const getSystemState = defineEndpoint({
  path: '/api/console/getSystemState',
  summary: 'Reads how the gateway is doing.',
  description:
    `${OPERATORS_ONLY} \`findings\` says what is not as it should be, and what to do about it; the worst come first. ` +
    'An empty list means that nothing needs attention.',
  isExtension: true,
  request: Type.Object({}),
  response: {
    state: SYSTEM_STATE_SCHEMA,
    findings: listOf(SYSTEM_FINDING_SCHEMA, 'What is not as it should be.'),
  },
  example: {
    request: {},
    response: {
      state: {
        ...{ version: '0.1.0', nodeId: 'qqqqqqqqqqqqqqqqqqqqqg', hostName: 'nvr-1', nodeVersion: 'v26.0.0' },
        ...{
          platform: 'linux x64',
          startedAt: isoOf(EXAMPLE_TIME_MS),
          uptimeMs: 86_400_000,
          wallClockStepMs: 0,
        },
        threads: [{ name: 'gateway', state: 'running', starts: 1, busySec: 512.5, heapBytes: 48_000_000 }],
        memory: [{ part: 'process', bytes: 310_000_000 }],
        cameras: { live: 12, offline: 1 },
        ...{ openStreams: 14, liveStreams: 13, viewers: 21 },
        workers: {
          ...{ running: 1, maxWorkers: 4, cores: 0.3, waiting: { viewer: 0 }, refused: 0, maxCores: 2 },
          active: [
            {
              ...{ purpose: 'camera', cameraUuid: EXAMPLE_CAMERA_UUID, cameraName: 'Lobby', cores: 0.3 },
              ...{ isYielding: false, ageMs: 61_000, memoryBytes: 84_000_000 },
            },
          ],
          line: [],
        },
        redis: { isConnected: true, since: isoOf(EXAMPLE_TIME_MS), lastError: null },
        cluster: null,
        database: { kind: 'sqlite', isReachable: true, state: 'ok', sizeBytes: 4_100_000 },
        disks: [
          { use: 'recordings', folder: '/var/lib/sluice/recordings', freeBytes: 8e11, totalBytes: 1e12 },
        ],
        recorder: {
          ...{ activeStreams: 12, failedStreams: 0, waitingBytes: 0 },
          ...{ isUploadFailing: false, isClipUploadFailing: false },
          ...{ spoolBytes: 0, spoolAgeSec: 0, minFreeBytes: 4_294_967_296 },
        },
      },
      findings: [
        {
          ...{ code: 'CAMERAS_OFFLINE', severity: 'warning', sentence: '1 camera is offline.' },
          whatToDo: 'Each camera says why. `sluice check` tries them all.',
        },
      ],
    },
  },
  async handler({ caller, services }) {
    const { state, findings } = await services.system.state(caller);
    return { state: answerOf(state), findings: [...findings] };
  },
});

function answerOf({ startedAtEpochMs, redis, cluster, database, ...state }: GatewayState): SystemState {
  return {
    ...state,
    threads: [...state.threads],
    workers: {
      ...state.workers,
      active: [...state.workers.active],
      line: [...state.workers.line],
    },
    memory: [...state.memory],
    disks: [...state.disks],
    startedAt: isoOf(startedAtEpochMs),
    redis:
      redis === null
        ? null
        : {
            isConnected: redis.isConnected,
            since: isoOf(redis.sinceEpochMs),
            lastError: redis.lastError,
          },
    cluster: cluster === null ? null : { ...cluster, nodes: [...cluster.nodes] },
    database: { ...database, isReachable: database.state === 'ok' },
  };
}

function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
