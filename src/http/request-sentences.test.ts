import { describe, expect, it } from 'vitest';
import { ERROR_DOMAINS } from '../../scripts/reference/error-reference.ts';
import { GatewayError } from '../core/errors.ts';
import { REQUEST_SENTENCES, requestSentence } from './request-sentences.ts';

const DEFINITIONS = new Map(
  ERROR_DOMAINS.flatMap(({ registry }) => Object.values(registry)).map((each) => [each.code, each]),
);
const sentenceOf = (code: string, context = {}) =>
  requestSentence(new GatewayError(DEFINITIONS.get(code)!, context));

describe('the sentence of a refusal', () => {
  it('belongs to a code that exists, and says more than the error itself', () => {
    expect(REQUEST_SENTENCES.size).toBeGreaterThan(50);
    for (const code of REQUEST_SENTENCES.keys()) {
      expect(DEFINITIONS.has(code), code).toBe(true);
      const rule = code === 'SCHEDULE_INVALID' ? 'blank' : 'scheme';
      const context = { named: 'a', rule, part: 'name', index: 1, list: 'deviceUuids' };
      expect(sentenceOf(code, context), code).not.toBe(DEFINITIONS.get(code)?.message);
    }
  });

  it('names the field, with its place in lists', () => {
    expect(sentenceOf('DOOR_CAMERA_NOT_FOUND', { list: 'associatedCameras', index: 2 })).toBe(
      'associatedCameras[2] must be a camera of the organization.',
    );
    expect(sentenceOf('OAUTH_REDIRECT_URI_INVALID', { rule: 'no-fragment' })).toBe(
      'redirectUri must not have a fragment.',
    );
    const place = { frame: 1, row: 0, list: 'locations', index: 3 };
    expect(sentenceOf('NOTIFICATION_LOCATION_NOT_FOUND', place)).toBe(
      'timeFrames[1].rows[0].locations[3] must be a location of the organization.',
    );
  });

  it.each([
    [{ part: 'name', rule: 'blank' }, 'name must not be blank.'],
    [{ part: 'name', rule: 'too-long', limit: 9 }, 'name must have at most 9 characters.'],
    [
      { of: 'RELATIVE_DATETIME_INTERVALS', part: 'intervals', rule: 'too-many', limit: 9 },
      'intervals must have at most 9 intervals.',
    ],
    [
      { of: 'WEEKLY_REPEATING_MINUTES', part: 'stop', index: 2, rule: 'not-in-range', limit: 10_080 },
      'intervalList[2].minuteOfWeekStop must be a whole number from 0 to 10080.',
    ],
    [
      { of: 'ABSOLUTE_SECONDS', part: 'stop', index: 0, rule: 'not-after-start' },
      'intervalList[0].e must be later than intervalList[0].b.',
    ],
    [
      { of: 'RELATIVE_DATETIME_INTERVALS', part: 'start', index: 1, rule: 'no-local-date-time' },
      'intervals[1].localStartDateTime must be a date and time without a zone, such as 2026-03-29T08:30:00.',
    ],
    [
      { of: 'REALTIME_RELATIVE_SECONDS', part: 'past', rule: 'not-in-range', limit: 5 },
      'pastSeconds must be a whole number from 0 to 5.',
    ],
  ])('names the part of a schedule: %j', (fault, sentence) => {
    expect(sentenceOf('SCHEDULE_INVALID', fault)).toBe(sentence);
  });

  it('is the one in the context, or the constant one, for all other errors', () => {
    expect(sentenceOf('NVR_IN_USE', { sentence: 'Cameras are assigned: Lobby.' })).toBe(
      'Cameras are assigned: Lobby.',
    );
    expect(sentenceOf('NVR_IN_USE')).toBe('Cameras are assigned to the NVR.');
  });
});
