import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { sampleAbsoluteSchedule, sampleWeeklySchedule } from '../store/sample-entities-fixture.ts';
import { MAX_SCHEDULE_INTERVALS, MAX_SCHEDULE_NAME_CHARS, ScheduleService } from './schedule-service.ts';
import { FIXTURE_EPOCH_MS, openSharingFixture, type SharingFixture } from './sharing-fixture.ts';

let fixture: SharingFixture;
beforeEach(async () => {
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

const WEEKLY = {
  name: 'Office',
  oneTimeUse: false,
  intervals: [{ minuteOfWeekStart: 540, minuteOfWeekStop: 1_020 }],
};
const ABSOLUTE = { name: 'Opening night', oneTimeUse: true, intervals: [{ startSec: 10, stopSec: 20 }] };

const createWeekly = (fields: object = {}) =>
  fixture.schedules.createWeekly(fixture.orgUuid, { ...WEEKLY, ...fields });
const createAbsolute = (fields: object = {}) =>
  fixture.schedules.createAbsolute(fixture.orgUuid, { ...ABSOLUTE, ...fields });
const stored = (uuid: Ruuid) => fixture.store.schedules.find(fixture.orgUuid, uuid);
const share = (fields: object = {}) =>
  fixture.shares.create(fixture.orgUuid, { ...fixture.request, ...fields });
const failing = (code: string, sentence?: unknown) =>
  expect.objectContaining({
    name: 'GatewayError',
    code,
    ...(sentence === undefined ? {} : { context: expect.objectContaining({ sentence }) }),
  });
const week = (minuteOfWeekStart: number, minuteOfWeekStop: number) => ({
  intervals: [{ minuteOfWeekStart, minuteOfWeekStop }],
});
const span = (startSec: number, stopSec: number) => ({ intervals: [{ startSec, stopSec }] });

describe('a new schedule', () => {
  it.each([
    ['weekly', createWeekly, { ...WEEKLY, strategy: 'WEEKLY_REPEATING_MINUTES' }],
    ['absolute', createAbsolute, { ...ABSOLUTE, strategy: 'ABSOLUTE_SECONDS' }],
  ])('%s is stored as described', async (_name, create, described) => {
    const schedule = await create({ name: ` ${described.name} ` });
    expect(schedule).toEqual({
      ...described,
      uuid: expect.stringMatching(/^[\w-]{22}$/),
      orgUuid: fixture.orgUuid,
      mutable: true,
      createdAtMs: FIXTURE_EPOCH_MS,
      updatedAtMs: FIXTURE_EPOCH_MS,
    });
    expect(await stored(schedule.uuid)).toEqual(schedule);
    expect(await fixture.schedules.list(fixture.orgUuid)).toEqual([schedule]);
  });

  it('is found as its own kind, by its own organization', async () => {
    const [weekly, absolute] = [await createWeekly(), await createAbsolute()];
    const { schedules, orgUuid } = fixture;
    expect(await schedules.findWeekly(orgUuid, weekly.uuid)).toEqual(weekly);
    expect(await schedules.findAbsolute(orgUuid, absolute.uuid)).toEqual(absolute);
    const notFound = failing('SCHEDULE_NOT_FOUND');
    await expect(schedules.findAbsolute(orgUuid, weekly.uuid)).rejects.toEqual(notFound);
    await expect(schedules.findWeekly(orgUuid, absolute.uuid)).rejects.toEqual(notFound);
    await expect(schedules.findWeekly(newRuuid(), weekly.uuid)).rejects.toEqual(notFound);
    expect(await schedules.list(newRuuid())).toEqual([]);
  });

  it.each([
    ['the whole week, twice over', { intervals: [week(0, 10_080), week(5, 5)].flatMap((w) => w.intervals) }],
    ['over the end of the week', week(10_000, 100)],
    ['none', { intervals: [] }],
    ['the maximum number', { intervals: Array(MAX_SCHEDULE_INTERVALS).fill(WEEKLY.intervals[0]) }],
  ])('takes intervals: %s', async (_name, fields) => {
    expect((await createWeekly(fields)).intervals).toEqual(fields.intervals);
  });

  it.each([
    ['a start before the week', week(-1, 5), { part: 'start', index: 0, rule: 'not-in-range' }],
    ['a stop after the week', week(0, 10_081), { part: 'stop', index: 0, limit: 10_080 }],
    ['half a minute', week(0.5, 5), { part: 'start', index: 0, rule: 'not-in-range' }],
    ['no number', week(0, Number.NaN), { part: 'stop', index: 0, rule: 'not-in-range' }],
    [
      'a wrong second one',
      { intervals: [...WEEKLY.intervals, ...week(0, -1).intervals] },
      { part: 'stop', index: 1 },
    ],
    ['a blank name', { name: ' ' }, { part: 'name', rule: 'blank' }],
    [
      'a name too long',
      { name: 'n'.repeat(MAX_SCHEDULE_NAME_CHARS + 1) },
      { part: 'name', rule: 'too-long' },
    ],
    [
      'too many intervals',
      { intervals: Array(MAX_SCHEDULE_INTERVALS + 1).fill(WEEKLY.intervals[0]) },
      { of: 'WEEKLY_REPEATING_MINUTES', part: 'intervals', rule: 'too-many', limit: MAX_SCHEDULE_INTERVALS },
    ],
  ])('weekly is rejected with %s, and the part is named', async (_name, fields, fault) => {
    await expect(createWeekly(fields)).rejects.toMatchObject({ code: 'SCHEDULE_INVALID', context: fault });
    expect(await fixture.schedules.list(fixture.orgUuid)).toEqual([]);
  });

  it.each([
    ['a stop at its start', span(10, 10), { part: 'stop', index: 0, rule: 'not-after-start' }],
    ['a stop before its start', span(10, 9), { part: 'stop', index: 0, rule: 'not-after-start' }],
    ['a start before the epoch', span(-1, 9), { part: 'start', index: 0, rule: 'not-in-range' }],
    ['milliseconds', span(0, Date.UTC(2026, 0, 1) * 1_000), { part: 'stop', index: 0, rule: 'not-in-range' }],
    ['half a second', span(0, 0.5), { part: 'stop', index: 0, rule: 'not-in-range' }],
    ['a blank name', { name: '' }, { part: 'name', rule: 'blank' }],
    [
      'too many intervals',
      { intervals: Array(MAX_SCHEDULE_INTERVALS + 1).fill(ABSOLUTE.intervals[0]) },
      { of: 'ABSOLUTE_SECONDS', part: 'intervals', rule: 'too-many' },
    ],
  ])('absolute is rejected with %s, and the part is named', async (_name, fields, fault) => {
    await expect(createAbsolute(fields)).rejects.toMatchObject({ code: 'SCHEDULE_INVALID', context: fault });
    expect(await fixture.schedules.list(fixture.orgUuid)).toEqual([]);
  });

  const local = (localStart: string, localStop: string) => ({ intervals: [{ localStart, localStop }] });

  it.each([
    ['no day of the calendar', local('2026-02-30T08:00', '2026-03-01T08:00'), { part: 'start', index: 0 }],
    ['a zone', local('2026-02-03T08:00', '2026-03-01T08:00Z'), { part: 'stop', rule: 'no-local-date-time' }],
    ['a stop at its start', local('2026-02-03T08:00', '2026-02-03T08:00:00'), { rule: 'not-after-start' }],
    [
      'too many intervals',
      { intervals: Array(MAX_SCHEDULE_INTERVALS + 1).fill(local('2026-02-03T08:00', '2026-02-03T09:00')) },
      { of: 'RELATIVE_DATETIME_INTERVALS', part: 'intervals', rule: 'too-many' },
    ],
  ])('of local times is refused with %s, and the part is named', async (_name, { intervals }, fault) => {
    const request = { name: 'Fair', oneTimeUse: false, intervals };
    const created = fixture.schedules.createRelativeDateTime(fixture.orgUuid, request);
    await expect(created).rejects.toMatchObject({ code: 'SCHEDULE_INVALID', context: fault });
    expect(await fixture.schedules.list(fixture.orgUuid)).toEqual([]);
  });

  it('of the latest time is refused beyond a hundred years', async () => {
    const request = { name: 'Lately', oneTimeUse: false, pastSeconds: 3_155_760_001 };
    await expect(fixture.schedules.createRealtimeRelative(fixture.orgUuid, request)).rejects.toMatchObject({
      code: 'SCHEDULE_INVALID',
      context: { part: 'past', rule: 'not-in-range' },
    });
  });
});

describe('schedules by kind', () => {
  it('are in order of their names, those of the organization alone', async () => {
    const { schedules, orgUuid } = fixture;
    const [night, day] = [await createWeekly({ name: 'night' }), await createWeekly({ name: 'Day' })];
    const absolute = await createAbsolute();
    const relative = { name: 'Lately', oneTimeUse: false };
    const lately = await schedules.createRealtimeRelative(orgUuid, { ...relative, pastSeconds: 60 });
    const fair = await schedules.createRelativeDateTime(orgUuid, {
      ...relative,
      intervals: [{ localStart: '2026-02-03T08:00', localStop: '2026-02-03T09:00' }],
    });
    expect(await schedules.listByKind(orgUuid)).toEqual({
      weekly: [day, night],
      absolute: [absolute],
      realtimeRelative: [lately],
      relativeDateTime: [fair],
    });
    const none = { weekly: [], absolute: [], realtimeRelative: [], relativeDateTime: [] };
    expect(await schedules.listByKind(newRuuid())).toEqual(none);
  });
});

describe('changing a schedule', () => {
  it('changes what is given, and keeps the rest', async () => {
    const { schedules, orgUuid } = fixture;
    const [weekly, absolute] = [await createWeekly(), await createAbsolute()];
    fixture.clock.advance(5_000);
    const updatedAtMs = FIXTURE_EPOCH_MS + 5_000;
    const renamed = await schedules.updateWeekly(orgUuid, weekly.uuid, { name: ' Nights ' });
    expect(renamed).toEqual({ ...weekly, name: 'Nights', updatedAtMs });
    const moved = await schedules.updateAbsolute(orgUuid, absolute.uuid, span(30, 40));
    expect(moved).toEqual({ ...absolute, ...span(30, 40), updatedAtMs });
    expect(await stored(weekly.uuid)).toEqual(renamed);
    expect(await stored(absolute.uuid)).toEqual(moved);
  });

  it('takes effect on its shares immediately', async () => {
    const { uuid } = await createWeekly({ intervals: [] });
    const made = await share({ scheduleUuid: uuid });
    const grant = fixture.grants.issue(made.uuid, 1, FIXTURE_EPOCH_MS / 1_000 + 60);
    expect(fixture.sessions.access(grant)).toMatchObject({ reason: 'hidden-by-schedule' });
    await fixture.schedules.updateWeekly(fixture.orgUuid, uuid, week(0, 0));
    expect(fixture.sessions.access(grant).allowed).toBe(true);
  });

  it('is rejected when invalid, and nothing changes', async () => {
    const weekly = await createWeekly();
    for (const wrong of [{ name: ' ' }, week(0, -1), { name: 'Right', ...week(-1, 0) }]) {
      await expect(fixture.schedules.updateWeekly(fixture.orgUuid, weekly.uuid, wrong)).rejects.toEqual(
        failing('SCHEDULE_INVALID'),
      );
    }
    expect(await stored(weekly.uuid)).toEqual(weekly);
  });

  it('fails for one that does not exist, is of the other kind, or may not be changed', async () => {
    const { schedules, store, orgUuid } = fixture;
    const [weekly, absolute] = [await createWeekly(), await createAbsolute()];
    const notFound = failing('SCHEDULE_NOT_FOUND');
    await expect(schedules.updateWeekly(orgUuid, newRuuid(), {})).rejects.toEqual(notFound);
    await expect(schedules.updateWeekly(orgUuid, absolute.uuid, {})).rejects.toEqual(notFound);
    await expect(schedules.updateAbsolute(orgUuid, weekly.uuid, {})).rejects.toEqual(notFound);
    await expect(schedules.updateWeekly(newRuuid(), weekly.uuid, {})).rejects.toEqual(notFound);
    const fixedWeekly = sampleWeeklySchedule(orgUuid, { mutable: false });
    const fixedAbsolute = sampleAbsoluteSchedule(orgUuid, { mutable: false });
    await store.schedules.save(fixedWeekly);
    await store.schedules.save(fixedAbsolute);
    const notMutable = failing('SCHEDULE_NOT_MUTABLE');
    await expect(schedules.updateWeekly(orgUuid, fixedWeekly.uuid, {})).rejects.toEqual(notMutable);
    await expect(schedules.updateAbsolute(orgUuid, fixedAbsolute.uuid, {})).rejects.toEqual(notMutable);
  });

  it('loses no change when several are made at the same time', async () => {
    const { uuid } = await createWeekly();
    await Promise.all([
      fixture.schedules.updateWeekly(fixture.orgUuid, uuid, { name: 'Nights' }),
      fixture.schedules.updateWeekly(fixture.orgUuid, uuid, week(0, 60)),
    ]);
    expect(await stored(uuid)).toMatchObject({ name: 'Nights', ...week(0, 60) });
  });

  it('loses no change made by an independent service', async () => {
    const { uuid } = await createWeekly();
    const elsewhere = new ScheduleService({ ...fixture, rules: fixture.directory });
    await Promise.all([
      fixture.schedules.updateWeekly(fixture.orgUuid, uuid, { name: 'Nights' }),
      elsewhere.updateWeekly(fixture.orgUuid, uuid, week(0, 60)),
    ]);
    expect(await stored(uuid)).toMatchObject({ name: 'Nights', ...week(0, 60) });
  });
});

describe('removing a schedule', () => {
  it('removes it', async () => {
    const { uuid } = await createWeekly();
    await fixture.schedules.remove(fixture.orgUuid, uuid);
    expect(await stored(uuid)).toBeNull();
    await expect(fixture.schedules.remove(fixture.orgUuid, uuid)).rejects.toEqual(
      failing('SCHEDULE_NOT_FOUND'),
    );
  });

  it('is refused while shares use it, and names them', async () => {
    const { uuid } = await createAbsolute();
    const [dock, gate] = [
      await share({ scheduleUuid: uuid, name: 'Dock' }),
      await share({ scheduleUuid: uuid, name: 'Gate' }),
    ];
    const remove = () => fixture.schedules.remove(fixture.orgUuid, uuid);
    await expect(remove()).rejects.toEqual(
      failing(
        'SCHEDULE_IN_USE',
        expect.stringMatching(new RegExp(`used by 2 shared live streams: .*Dock \\(${dock.uuid}\\)`)),
      ),
    );
    await fixture.shares.update(fixture.orgUuid, dock.uuid, { scheduleUuid: null });
    await expect(remove()).rejects.toEqual(
      failing('SCHEDULE_IN_USE', `The schedule is used by 1 shared live stream: Gate (${gate.uuid}).`),
    );
    expect(await stored(uuid)).not.toBeNull();
    await fixture.shares.remove(fixture.orgUuid, gate.uuid);
    await remove();
    expect(await stored(uuid)).toBeNull();
  });

  it('names ten shares and counts the rest', async () => {
    const { uuid } = await createWeekly();
    for (let i = 0; i < 12; i++) await share({ scheduleUuid: uuid, name: `Share ${i}` });
    await expect(fixture.schedules.remove(fixture.orgUuid, uuid)).rejects.toEqual(
      failing('SCHEDULE_IN_USE', expect.stringMatching(/used by 12 .*\) and 2 more\.$/)),
    );
  });

  it('does not affect another organization', async () => {
    const { uuid } = await createWeekly();
    await expect(fixture.schedules.remove(newRuuid(), uuid)).rejects.toEqual(failing('SCHEDULE_NOT_FOUND'));
    expect(await stored(uuid)).not.toBeNull();
  });

  it('is not undone by a change made at the same time', async () => {
    const { uuid } = await createWeekly();
    await Promise.allSettled([
      fixture.schedules.remove(fixture.orgUuid, uuid),
      fixture.schedules.updateWeekly(fixture.orgUuid, uuid, { name: 'Back again' }),
    ]);
    expect(await stored(uuid)).toBeNull();
  });
});
