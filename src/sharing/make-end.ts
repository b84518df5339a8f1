/**
 * Makes an end from a caller's request while the store is unavailable, from what this node knows. Only a change that can take access away
 * and gives none becomes an end. For any other change, the caller has to wait for the store.
 */

import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type {
  AccessEnd,
  CredentialEnd,
  CredentialEndRequest,
  EndRequest,
  LinkEndRequest,
  LinkKind,
  LinkRules,
  NoEnd,
  RulesEnd,
} from '../store/access-end.ts';
import type { AuditPrincipal } from '../store/audit.ts';
import type { Schedule, Share, VideoWall, WallShare } from '../store/entities.ts';
import type { Emergency } from './emergency-link.ts';
import { hoursHash, isSameTimes, type RuledRecord, shownOf } from './end-merge.ts';
import type { SharedGroup } from './shared-group.ts';
import { showsNoMore, type Times } from './shown-less.ts';

/** The records in force, with other ends applied. */
export interface RecordsInForce {
  share(uuid: Ruuid): Share | undefined;
  wallShare(uuid: Ruuid): WallShare | undefined;
  group(uuid: Ruuid): SharedGroup | undefined;
  schedule(uuid: Ruuid): Schedule | undefined;
  wall(uuid: Ruuid): VideoWall | undefined;
  /** Whether the shares that follow a schedule, those of walls included, are inverted. Each way once. */
  usesOf(scheduleUuid: Ruuid): ReadonlySet<boolean>;
  /** Anything that has a link, also if it has ended and the store still has it. */
  link(uuid: Ruuid): Pick<Share | WallShare | SharedGroup | Emergency, 'orgUuid' | 'updatedAtMs'> | undefined;
}

/** On whose behalf, and when. */
export interface EndMaking {
  readonly orgUuid: Ruuid;
  readonly principal: AuditPrincipal;
  readonly nowEpochMs: number;
  /** Other ends of the record that are not stored. */
  readonly known: readonly AccessEnd[];
}

export function makeEnd(
  request: LinkEndRequest,
  making: EndMaking,
  records: RecordsInForce,
): AccessEnd | Exclude<NoEnd, 'full'> {
  switch (request.kind) {
    case 'link':
      return linkEnd(request, making, records);
    case 'rules':
      return rulesEnd(request, making, records);
    case 'hours':
      return hoursEnd(request, making, records);
    case 'wall':
      return wallEnd(request, making, records);
  }
}

/** The end of a record in force. */
export function makeCredentialEnd(request: CredentialEndRequest, making: EndMaking): CredentialEnd {
  const ends = common(request.uuid, making);
  if (request.kind === 'person') return { kind: 'person', isRemoved: request.isRemoved, ...ends };
  return { kind: request.kind, ...ends };
}

type Made<Kind extends EndRequest['kind']> = Extract<AccessEnd, { kind: Kind }> | 'unknown' | 'no-end';
type Requested<Kind extends EndRequest['kind']> = Extract<EndRequest, { kind: Kind }>;

function linkEnd(
  { uuid, ofCamera = null }: Requested<'link'>,
  making: EndMaking,
  records: RecordsInForce,
): Made<'link'> {
  const link = records.link(uuid);
  if (link?.orgUuid !== making.orgUuid) return 'unknown';
  if (ofCamera !== null && !('cameraUuid' in link && link.cameraUuid === ofCamera)) return 'unknown';
  return { kind: 'link', ...common(uuid, making, link.updatedAtMs) };
}

function rulesEnd(
  { of, uuid, rules }: Requested<'rules'>,
  making: EndMaking,
  records: RecordsInForce,
): Made<'rules'> {
  const row = ruledRecord(of, uuid, making.orgUuid, records);
  if (row === null) return 'unknown';
  const fields = endingFields(row, rules, making.orgUuid, records);
  if (fields === null || Object.keys(rules).length === 0) return 'no-end';
  const isOtherEpoch = fields.passwordHash !== undefined || fields.ssoProtected !== undefined;
  return {
    kind: 'rules',
    of,
    ...fields,
    ...common(uuid, making, row.updatedAtMs),
    base: {
      expiresAtSec: row.expiresAtSec,
      shown: shownOf(row),
      accessEpoch: row.accessEpoch,
      ...(row.vodPastSec === undefined ? {} : { vodPastSec: row.vodPastSec }),
      ...(row.vodExpiresAtSec === undefined ? {} : { vodExpiresAtSec: row.vodExpiresAtSec }),
    },
    accessEpoch: row.accessEpoch + (isOtherEpoch ? 1 : 0),
  };
}

function ruledRecord(of: LinkKind, uuid: Ruuid, orgUuid: Ruuid, records: RecordsInForce): RuledRecord | null {
  if (of === 'group') {
    const group = records.group(uuid);
    return group?.orgUuid === orgUuid ? { ...group.body, updatedAtMs: group.updatedAtMs } : null;
  }
  const row = of === 'share' ? records.share(uuid) : records.wallShare(uuid);
  return row?.orgUuid === orgUuid ? row : null;
}

type EndingFields = Pick<
  RulesEnd,
  'passwordHash' | 'expiresAtSec' | 'ssoProtected' | 'shown' | 'vodEnabled' | 'vodPastSec' | 'vodExpiresAtSec'
>;

/** null: one of them would give access, or cannot be judged. */
function endingFields(
  row: RuledRecord,
  rules: LinkRules,
  orgUuid: Ruuid,
  records: RecordsInForce,
): EndingFields | null {
  const { passwordHash, expiresAtSec, ssoProtected } = rules;
  const fields: { -readonly [Field in keyof RulesEnd]?: RulesEnd[Field] } = {};
  // Removing a password ends views, too, but it lets others in, and another node may have set one.
  if (passwordHash === null) return null;
  if (passwordHash !== undefined) fields.passwordHash = passwordHash;
  if (expiresAtSec !== undefined && expiresAtSec !== row.expiresAtSec) {
    if (expiresAtSec === null || (row.expiresAtSec ?? Number.POSITIVE_INFINITY) < expiresAtSec) return null;
    fields.expiresAtSec = expiresAtSec;
  }
  if (ssoProtected === false && row.ssoProtected === true) return null;
  if (ssoProtected === true && row.ssoProtected === false) fields.ssoProtected = true;
  const { scheduleUuid, invertSchedule } = rules;
  const before = shownOf(row);
  const after = shownOf({
    scheduleUuid: scheduleUuid === undefined ? before.scheduleUuid : scheduleUuid,
    invertSchedule: invertSchedule ?? before.invertSchedule,
  });
  if (!isSameTimes(before, after)) {
    const [one, other] = [before, after].map((shown) => timesOf(shown, orgUuid, records));
    if (one == null || other == null || !showsNoMore(one, other)) return null;
    fields.shown = after;
  }
  const past = endingPast(row, rules);
  return past === null ? null : { ...fields, ...past };
}

/** Of the past of a link; null: one of them would show more of it. */
function endingPast(
  row: RuledRecord,
  { vodEnabled, vodPastSec, vodExpiresAtSec }: LinkRules,
): Pick<RulesEnd, 'vodEnabled' | 'vodPastSec' | 'vodExpiresAtSec'> | null {
  const fields: { -readonly [Field in keyof RulesEnd]?: RulesEnd[Field] } = {};
  if (vodEnabled === true && row.vodEnabled !== true) return null;
  if (vodEnabled === false && row.vodEnabled === true) fields.vodEnabled = false;
  if (vodPastSec !== undefined && vodPastSec !== row.vodPastSec) {
    // Without a length, it begins with the link: more or less than that, depending on the time.
    if (vodPastSec === null || row.vodPastSec == null || row.vodPastSec < vodPastSec) return null;
    fields.vodPastSec = vodPastSec;
  }
  if (vodExpiresAtSec !== undefined && vodExpiresAtSec !== row.vodExpiresAtSec) {
    const isLater =
      vodExpiresAtSec === null || (row.vodExpiresAtSec ?? Number.POSITIVE_INFINITY) < vodExpiresAtSec;
    if (isLater || row.vodExpiresAtSec === undefined) return null;
    fields.vodExpiresAtSec = vodExpiresAtSec;
  }
  return fields;
}

/** null: the schedule is missing. */
function timesOf(
  { scheduleUuid, invertSchedule: isInverted }: ReturnType<typeof shownOf>,
  orgUuid: Ruuid,
  records: RecordsInForce,
): Times | null {
  if (scheduleUuid === null) return { schedule: null, isInverted };
  const schedule = records.schedule(scheduleUuid);
  return schedule?.orgUuid === orgUuid ? { schedule, isInverted } : null;
}

function hoursEnd(
  { uuid, hours }: Requested<'hours'>,
  making: EndMaking,
  records: RecordsInForce,
): Made<'hours'> {
  const schedule = records.schedule(uuid);
  if (schedule?.orgUuid !== making.orgUuid || schedule.strategy !== hours.strategy) return 'unknown';
  const uses = [...records.usesOf(uuid)];
  const after = { ...schedule, ...hours } as Schedule;
  const isEnd = uses.every((isInverted) =>
    showsNoMore({ schedule, isInverted }, { schedule: after, isInverted }),
  );
  if (!schedule.mutable || uses.length === 0 || !isEnd) return 'no-end';
  const before = { strategy: hours.strategy, intervals: schedule.intervals } as typeof hours;
  const ends = common(uuid, making, schedule.updatedAtMs);
  return { kind: 'hours', ...ends, hours, baseHash: hoursHash(before) };
}

function wallEnd(
  { uuid, cameraUuids }: Requested<'wall'>,
  making: EndMaking,
  records: RecordsInForce,
): Made<'wall'> {
  const wall = records.wall(uuid);
  if (wall?.orgUuid !== making.orgUuid) return 'unknown';
  const known = wall.cameras.map(({ cameraUuid }) => cameraUuid);
  const removed = known.filter((camera) => !cameraUuids.includes(camera));
  const isAdded = cameraUuids.some((camera) => !known.includes(camera));
  // The same again, while the first is not stored, is in force.
  if (isAdded || (removed.length === 0 && making.known.length === 0)) return 'no-end';
  const addedAtMs = Math.max(wall.updatedAtMs, ...wall.cameras.map((camera) => camera.addedAtMs));
  return { kind: 'wall', ...common(uuid, making, addedAtMs), removed };
}

/** Later than everything that this node knows of the record, even if its wall clock is behind. */
function common(uuid: Ruuid, { orgUuid, principal, nowEpochMs, known }: EndMaking, changedAtMs = 0) {
  const atMs = Math.max(nowEpochMs, changedAtMs, ...known.map((end) => end.atMs + 1));
  return { endUuid: newRuuid(), orgUuid, uuid, atMs, principal };
}
