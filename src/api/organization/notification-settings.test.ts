import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const UPDATE = '/api/customer/updateCurrentUserNotificationSettings';
const READ = '/api/customer/getCurrentUserNotificationSettings';

let fixture: ApiFixture;
let foreignHeaders: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

const read = async (body: object = {}, headers?: Record<string, string>) =>
  (await fixture.call(READ, body, headers)).notificationSettings;

const settings = () => ({
  smsPhoneNumbers: ['+1 (202) 555-0123'],
  summaryEmailEnabled: true,
  timeZone: 'Europe/Berlin',
  timeFrames: [
    {
      days: ['MONDAY', 'SUNDAY'],
      mediums: ['SMS', 'APP'],
      interval: { dayOfWeek: 1, minuteOfDayStartInclusive: 0, minuteOfDayStopExclusive: 1_440 },
      rows: [
        {
          activities: ['MOTION_HUMAN'],
          diagnostics: ['CAMERA_DISCONNECTED'],
          locationOnlyActivities: ['DOOR_AJAR'],
          locationOnlyDiagnostics: ['STARTUP'],
          devices: [`${newRuuid()}.v0`],
          locations: [fixture.own.locationUuid],
          locationOnly: [fixture.own.locationUuid],
          promptUuids: [newRuuid()],
        },
      ],
    },
  ],
});

describe(UPDATE, () => {
  it('stores every field, for the user of the key', async () => {
    const given = settings();
    expect(await fixture.call(UPDATE, given)).toEqual({
      error: false,
      warningMsg:
        'The gateway notifies by BROWSER, APP, and EMAIL. It stores the other settings and notifies no one by them.',
    });
    expect(await read()).toEqual({
      ...given,
      smsPhoneNumbers: ['+12025550123'],
      orgUuid: fixture.own.organization.uuid,
      userUuid: fixture.own.key.uuid,
    });
  });

  it('keeps each user’s apart', async () => {
    const userUuid = newRuuid();
    const { uuid: orgUuid } = fixture.own.organization;
    await fixture.call(UPDATE, { orgUuid, userUuid, summaryEmailEnabled: false });
    expect(await read({ userUuid })).toMatchObject({ userUuid, summaryEmailEnabled: false });
    expect(await read()).not.toHaveProperty('summaryEmailEnabled');
    expect(await read({ userUuid }, foreignHeaders)).not.toHaveProperty('summaryEmailEnabled');
  });

  it('applies and clears what updatedSetMethodMap says', async () => {
    await fixture.call(UPDATE, settings());
    const updatedSetMethodMap = { setSmsPhoneNumbers: true, timeFrames: false };
    await fixture.call(UPDATE, { timeFrames: [], summaryEmailEnabled: false, updatedSetMethodMap });
    expect(await read()).not.toHaveProperty('smsPhoneNumbers');
    expect(await read()).toMatchObject({
      summaryEmailEnabled: false,
      timeFrames: [{ days: ['MONDAY', 'SUNDAY'] }],
    });
  });

  it.each([
    [{ smsPhoneNumbers: ['call me'] }, /^smsPhoneNumbers\[0\] must be a phone number/],
    [
      { smsPhoneNumbers: ['0044 20 7946 0958', '202 555 0123'] },
      'smsPhoneNumbers[1] must be a phone number with its country code, such as +12025550123.',
    ],
    [{ timeZone: 'Mars' }, 'timeZone must be an IANA time zone such as America/New_York.'],
    [{ orgUuid: newRuuid() }, /^orgUuid must be the organization/],
    [{ timeFrames: [{ days: ['FUNDAY'] }] }, /^timeFrames\[0\]\.days\[0\] must be one of/],
    [
      {
        timeFrames: [{ interval: { minuteOfDayStartInclusive: 9, minuteOfDayStopExclusive: 9 } }],
      },
      /^timeFrames\[0\]\.interval\.minuteOfDayStopExclusive must be later/,
    ],
    [
      { timeFrames: [{ rows: [{ locations: [newRuuid()] }] }] },
      /^timeFrames\[0\]\.rows\[0\]\.locations\[0\]/,
    ],
  ])('refuses %j', async (body, sentence) => {
    expect((await fixture.call(UPDATE, body)).errorMsg).toMatch(sentence);
    for (const field of ['smsPhoneNumbers', 'timeFrames']) expect(await read()).not.toHaveProperty(field);
  });

  it('does not warn of what the gateway does itself', async () => {
    const timeFrames = [{ mediums: ['APP', 'BROWSER'] }];
    expect(await fixture.call(UPDATE, { timeFrames })).toEqual({ error: false });
  });

  it('shows and changes another user’s only for admins', async () => {
    const { organization, key } = fixture.own;
    const apiKey = await addApiKey(fixture.store, organization.uuid, { role: 'viewer' });
    const viewer = { 'x-auth-apikey': apiKey };
    expect(await fixture.call(UPDATE, { timeFrames: [] }, viewer)).toEqual({ error: false });
    expect(await read({}, viewer)).toMatchObject({ timeFrames: [] });
    for (const path of [UPDATE, READ]) {
      expect((await fixture.post(path, { userUuid: key.uuid }, viewer)).statusCode, path).toBe(403);
    }
  });

  it('refuses another organization’s locations', async () => {
    expect((await fixture.call(UPDATE, settings(), foreignHeaders)).error).toBe(true);
    const { uuid: orgUuid } = fixture.own.organization;
    expect((await fixture.call(UPDATE, { orgUuid }, foreignHeaders)).error).toBe(true);
  });
});
