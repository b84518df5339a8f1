/** Plain sharing operations on a store, for tests of the API: what it maps and answers, not the rules of sharing. */

import type { Clock } from '../core/clock.ts';
import { defineErrors, GatewayError } from '../core/errors.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Counters } from '../counters/counters.ts';
import type { AbsoluteSchedule, Schedule, Share, WeeklySchedule } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { ScheduleOperations, ShareOperations } from './base/services.ts';

const STAND_IN_ERRORS = defineErrors({
  SHARE_NOT_FOUND: { kind: 'not-found', message: 'There is no shared live stream with this UUID.' },
  SCHEDULE_NOT_FOUND: { kind: 'not-found', message: 'There is no schedule with this UUID.' },
  SCHEDULE_IN_USE: { kind: 'conflict', message: 'The schedule is used by shared live streams.' },
});

const FIRST_EPOCH_EXPIRY_SEC = 1e9;

export interface SharingParts {
  readonly store: Store;
  readonly counters: Counters;
  readonly clock: Clock;
}

export function createSharing(parts: SharingParts): {
  shares: ShareOperations;
  schedules: ScheduleOperations;
} {
  return { shares: createShares(parts), schedules: createSchedules(parts) };
}

function createShares({ store, counters, clock }: SharingParts): ShareOperations {
  const expiry = (seconds: number | null | undefined) => {
    if (seconds === null || seconds === undefined) return null;
    return seconds < FIRST_EPOCH_EXPIRY_SEC ? Math.floor(clock.epochMs() / 1000) + seconds : seconds;
  };
  const hash = (password: string | null | undefined) =>
    password?.trim() ? `$stand-in$${password.length}` : null;
  const keep = async (share: Share) => {
    if (
      share.scheduleUuid !== null &&
      (await store.schedules.find(share.orgUuid, share.scheduleUuid)) === null
    ) {
      throw new GatewayError(STAND_IN_ERRORS.SCHEDULE_NOT_FOUND);
    }
    await store.shares.save(share);
    const camera = await store.cameras.find(share.orgUuid, share.cameraUuid);
    await counters.putShare({ ...share, nvrUuid: camera?.nvrUuid ?? null });
    return share;
  };
  return {
    create: (orgUuid, wanted) =>
      keep({
        uuid: newRuuid(),
        orgUuid,
        cameraUuid: wanted.camera.uuid,
        cameraFacet: wanted.cameraFacet,
        name: wanted.name ?? 'Unnamed',
        streamType: wanted.streamType,
        vodEnabled: wanted.vodEnabled,
        includeAudio: wanted.includeAudio ?? true,
        audioGatewayUuid: wanted.audioGatewayUuid ?? null,
        ssoProtected: wanted.ssoProtected ?? false,
        expiresAtSec: expiry(wanted.expirationTimeSecs),
        scheduleUuid: wanted.scheduleUuid ?? null,
        invertSchedule: wanted.invertSchedule ?? false,
        passwordHash: hash(wanted.password),
        accessEpoch: 0,
        createdAtMs: clock.epochMs(),
        updatedAtMs: clock.epochMs(),
      }),
    async update(orgUuid, uuid, changes) {
      const share = await store.shares.find(orgUuid, uuid);
      if (share === null) throw new GatewayError(STAND_IN_ERRORS.SHARE_NOT_FOUND);
      return keep({
        ...share,
        ...('name' in changes ? { name: changes.name ?? 'Unnamed' } : {}),
        ...('password' in changes ? { passwordHash: hash(changes.password) } : {}),
        ...('expirationTimeSecs' in changes ? { expiresAtSec: expiry(changes.expirationTimeSecs) } : {}),
        ...('scheduleUuid' in changes ? { scheduleUuid: changes.scheduleUuid ?? null } : {}),
        ...('invertSchedule' in changes ? { invertSchedule: changes.invertSchedule ?? false } : {}),
      });
    },
    async remove(orgUuid, uuid) {
      const isRemoved = await store.shares.remove(orgUuid, uuid);
      if (!isRemoved) throw new GatewayError(STAND_IN_ERRORS.SHARE_NOT_FOUND);
      await counters.removeShare(uuid);
    },
    urls: (share) => ({
      pageUrl: `http://media.example/share/${share.uuid}`,
      m3u8Url: `http://media.example/live/${share.uuid}/file.m3u8`,
    }),
  };
}

function createSchedules({ store, clock }: SharingParts): ScheduleOperations {
  async function find<S extends Schedule['strategy']>(orgUuid: Ruuid, uuid: Ruuid, strategy: S) {
    const schedule = await store.schedules.find(orgUuid, uuid);
    if (schedule?.strategy !== strategy) throw new GatewayError(STAND_IN_ERRORS.SCHEDULE_NOT_FOUND);
    return schedule as Extract<Schedule, { strategy: S }>;
  }
  async function keep<S extends Schedule>(schedule: S): Promise<S> {
    await store.schedules.save(schedule);
    return schedule;
  }
  const base = (orgUuid: Ruuid) => ({
    uuid: newRuuid(),
    orgUuid,
    mutable: true,
    createdAtMs: clock.epochMs(),
    updatedAtMs: clock.epochMs(),
  });
  return {
    createWeekly: (orgUuid, wanted) =>
      keep<WeeklySchedule>({ ...base(orgUuid), ...wanted, strategy: 'WEEKLY_REPEATING_MINUTES' }),
    createAbsolute: (orgUuid, wanted) =>
      keep<AbsoluteSchedule>({ ...base(orgUuid), ...wanted, strategy: 'ABSOLUTE_SECONDS' }),
    updateWeekly: async (orgUuid, uuid, changes) =>
      keep({ ...(await find(orgUuid, uuid, 'WEEKLY_REPEATING_MINUTES')), ...changes }),
    updateAbsolute: async (orgUuid, uuid, changes) =>
      keep({ ...(await find(orgUuid, uuid, 'ABSOLUTE_SECONDS')), ...changes }),
    findWeekly: (orgUuid, uuid) => find(orgUuid, uuid, 'WEEKLY_REPEATING_MINUTES'),
    findAbsolute: (orgUuid, uuid) => find(orgUuid, uuid, 'ABSOLUTE_SECONDS'),
    list: (orgUuid) => store.schedules.list(orgUuid),
    async remove(orgUuid, uuid) {
      const { removed, usedBy } = await store.schedules.removeUnused(orgUuid, uuid);
      if (usedBy.length > 0) {
        const sentence = `The schedule is used by ${usedBy.map((share) => share.name).join(', ')}.`;
        throw new GatewayError(STAND_IN_ERRORS.SCHEDULE_IN_USE, { sentence });
      }
      if (!removed) throw new GatewayError(STAND_IN_ERRORS.SCHEDULE_NOT_FOUND);
    },
  };
}
