import { expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { isNotified, type NoticeFacts } from './notice-rules.ts';

const camera = newRuuid();
const site = newRuuid();
/** A Monday, 22:30 in Berlin and 16:30 in New York. */
const AT_MS = Date.UTC(2026, 10, 30, 21, 30);
const alert = (fields: Partial<NoticeFacts> = {}): NoticeFacts => ({
  deviceUuid: camera,
  locationUuid: site,
  activities: ['MOTION_HUMAN', 'PERSON'],
  atMs: AT_MS,
  timeZone: 'Europe/Berlin',
  ...fields,
});
const days = ['MONDAY', 'TUESDAY'];
const minutes = (start: number, stop: number) => ({
  minuteOfDayStartInclusive: start,
  minuteOfDayStopExclusive: stop,
});

it('notifies of everything until something is set, and of nothing for an empty list', () => {
  expect(isNotified({}, 'APP', alert())).toBe(true);
  expect(isNotified({ timeFrames: [] }, 'APP', alert())).toBe(false);
  expect(isNotified({ timeFrames: [{}] }, 'APP', alert())).toBe(true);
});

it.each([
  ['in the zone of the site', { timeFrames: [{ days, interval: minutes(6 * 60, 22 * 60) }] }, false],
  [
    'in the person’s own zone',
    { timeZone: 'America/New_York', timeFrames: [{ days, interval: minutes(6 * 60, 22 * 60) }] },
    true,
  ],
  ['on other days', { timeFrames: [{ days: ['SUNDAY'] }] }, false],
  ['by the number of the day', { timeFrames: [{ interval: { dayOfWeek: 1 } }] }, true],
  ['by the number of another day', { timeFrames: [{ interval: { dayOfWeek: 2 } }] }, false],
  ['until a minute that it excludes', { timeFrames: [{ interval: minutes(0, 22 * 60 + 30) }] }, false],
  ['from a minute that it includes', { timeFrames: [{ interval: minutes(22 * 60 + 30, 1_440) }] }, true],
  [
    'by a zone that does not exist: as UTC',
    { timeZone: 'Mars', timeFrames: [{ interval: minutes(21 * 60, 22 * 60) }] },
    true,
  ],
])('counts hours %s', (_name, settings, isExpected) => {
  expect(isNotified(settings, 'BROWSER', alert())).toBe(isExpected);
});

it('keeps mediums apart', () => {
  const settings = { timeFrames: [{ mediums: ['BROWSER', 'SMS'] }] };
  expect([isNotified(settings, 'BROWSER', alert()), isNotified(settings, 'APP', alert())]).toEqual([
    true,
    false,
  ]);
});

it.each([
  ['everything without rows', [], true],
  ['everything in an empty row', [{}], true],
  ['its camera, whatever the facet', [{ devices: [`${camera}.v0`] }], true],
  ['its site', [{ locations: [site] }], true],
  ['another site or its camera', [{ locations: [newRuuid()], devices: [camera] }], true],
  ['another site', [{ locations: [newRuuid()] }], false],
  ['one of its activities', [{ activities: ['PERSON'] }], true],
  ['another activity', [{ activities: ['DOOR_AJAR'] }], false],
  ['another activity in one row, its site in another', [{ activities: ['X'] }, { locations: [site] }], true],
  ['only diagnostics', [{ diagnostics: ['CAMERA_DISCONNECTED'] }], false],
  ['only the location itself, without its devices', [{ locationOnly: [site] }], false],
  ['only prompts', [{ promptUuids: [newRuuid()] }], false],
])('covers %s', (_name, rows, isExpected) => {
  expect(isNotified({ timeFrames: [{ rows }] }, 'APP', alert())).toBe(isExpected);
});

it('does not match sites for an alert without one', () => {
  const settings = { timeFrames: [{ rows: [{ locations: [site] }] }] };
  expect(isNotified(settings, 'APP', alert({ locationUuid: null, timeZone: null }))).toBe(false);
});
