import { expect, it } from 'vitest';
import './page-address-fixture.ts';
import { choiceOf, EVERYTHING, frameOfChoice, isPlain } from './notice-choice.ts';
import { framesOf, weekOfFrames } from './quiet-hours.ts';
import { ALWAYS, NEVER } from './week.ts';

const SITE = 'jd2xkhIGR46Z0ZI6mjAiYw';
const CAMERA = 'K0ZI6mjAiYwjd2xkhIGR46';

it('is everything until something is set', () => {
  expect(choiceOf(undefined)).toEqual(EVERYTHING);
  expect(choiceOf([])).toEqual(EVERYTHING);
  expect(choiceOf([{}])).toEqual(EVERYTHING);
  expect(weekOfFrames([{ mediums: [] }])).toEqual(NEVER);
  expect(framesOf(ALWAYS, [], EVERYTHING)[0]).not.toHaveProperty('rows');
});

it('is stored with each time frame, and read again', () => {
  const choice = {
    mediums: ['APP'] as const,
    places: { locationUuids: [SITE], cameraUuids: [CAMERA] },
    kinds: ['MOTION_HUMAN'],
  };
  const frames = framesOf(ALWAYS, [], choice);
  expect(frames).toMatchObject([
    { mediums: ['APP'], rows: [{ activities: ['MOTION_HUMAN'], locations: [SITE], devices: [CAMERA] }] },
  ]);
  expect(choiceOf(frames)).toEqual(choice);
  expect(weekOfFrames(frames)).toEqual(ALWAYS);
  expect(choiceOf([{ rows: [{ devices: [`${CAMERA}.v0`] }] }]).places?.cameraUuids).toEqual([CAMERA]);
});

it('keeps mediums and rows of programs, as long as the choice is the same', () => {
  const rows = [{ activities: ['PERSON'], diagnostics: ['CAMERA_DISCONNECTED'] }, { locations: [SITE] }];
  const known = [{ mediums: ['BROWSER' as const, 'SMS' as const], rows }];
  expect(isPlain(known)).toBe(false);
  expect(frameOfChoice(choiceOf(known), known)).toEqual({ mediums: ['BROWSER', 'SMS'], rows });
  const changed = { ...choiceOf(known), kinds: [] };
  expect(frameOfChoice(changed, known)).toEqual({ mediums: ['BROWSER', 'SMS'] });
});

it('is not plain if hours differ in it', () => {
  const row = { activities: ['PERSON'] };
  expect(isPlain([{ rows: [row] }, { rows: [row] }, { mediums: ['SMS'] }])).toBe(true);
  expect(isPlain([{ rows: [row] }, {}])).toBe(false);
  expect(isPlain(undefined)).toBe(true);
});

it('has mail for those who asked for it', () => {
  expect(choiceOf(undefined, true).mediums).toEqual(['APP', 'BROWSER', 'EMAIL']);
  expect(choiceOf([{}], true).mediums).toContain('EMAIL');
  expect(choiceOf([{}]).mediums).not.toContain('EMAIL');
  const frames = [{ mediums: ['APP' as const, 'EMAIL' as const] }];
  expect(choiceOf(frames).mediums).toEqual(['APP', 'EMAIL']);
  // As someone does who follows the link in a mail.
  expect(choiceOf(frames, false).mediums).toEqual(['APP']);
});
