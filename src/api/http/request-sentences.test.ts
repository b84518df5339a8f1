import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { ERROR_DOMAINS } from '../error-reference.ts';
import { REQUEST_SENTENCES, requestSentence } from './request-sentences.ts';

const DEFINITIONS = new Map(
  ERROR_DOMAINS.flatMap(({ registry }) => Object.values(registry)).map((each) => [each.code, each]),
);
const sentenceOf = (code: string, context = {}) =>
  requestSentence(new GatewayError(DEFINITIONS.get(code)!, context));

describe('the sentence of a refusal', () => {
  it('is there for codes that exist, and says more than the error itself', () => {
    expect(REQUEST_SENTENCES.size).toBeGreaterThan(50);
    for (const code of REQUEST_SENTENCES.keys()) {
      expect(DEFINITIONS.has(code), code).toBe(true);
      const context = { named: 'a', rule: 'scheme', index: 1, list: 'deviceUuids' };
      expect(sentenceOf(code, context), code).not.toBe(DEFINITIONS.get(code)?.message);
    }
  });

  it('names the field, with its place in lists', () => {
    expect(sentenceOf('DOOR_CAMERA_NOT_FOUND', { list: 'associatedCameras', index: 2 })).toBe(
      'associatedCameras[2] must be a camera of the organisation.',
    );
    expect(sentenceOf('OAUTH_REDIRECT_URI_INVALID', { rule: 'no-fragment' })).toBe(
      'redirectUri must have no fragment.',
    );
    const place = { frame: 1, row: 0, list: 'locations', index: 3 };
    expect(sentenceOf('NOTIFICATION_LOCATION_NOT_FOUND', place)).toBe(
      'timeFrames[1].rows[0].locations[3] must be a location of the organisation.',
    );
  });

  it('is the one in the context, or the constant one, for all others', () => {
    expect(sentenceOf('NVR_IN_USE', { sentence: 'Cameras are assigned: Lobby.' })).toBe(
      'Cameras are assigned: Lobby.',
    );
    expect(sentenceOf('NVR_IN_USE')).toBe('Cameras are assigned to the NVR.');
  });
});
